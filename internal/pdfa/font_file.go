package pdfa

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"regexp"
	"sort"
	"strconv"
)

var errFontFile = errors.New("the file of a font is damaged")

func u16(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
func u32(b []byte, at int) int { return int(binary.BigEndian.Uint32(b[at:])) }

// tableOf is a table of a font file by its tag (OpenType), nil for none.
func tableOf(data []byte, tag string) []byte {
	if len(data) < 12 {
		return nil
	}
	if string(data[:4]) == "ttcf" && len(data) >= 16 {
		return nil
	}
	for i := range u16(data, 4) {
		at := 12 + 16*i
		if at+16 > len(data) {
			return nil
		}
		if string(data[at:at+4]) == tag {
			begin, size := u32(data, at+8), u32(data, at+12)
			if begin > len(data) {
				return nil
			}
			return data[begin:min(len(data), begin+size)]
		}
	}
	return nil
}

// readTrueType reads how wide glyphs are, and what leads to them.
func readTrueType(data []byte) (*program, error) {
	head, hhea, maxp, hmtx := tableOf(data, "head"), tableOf(data, "hhea"), tableOf(data, "maxp"), tableOf(data, "hmtx")
	if len(head) < 54 || len(hhea) < 36 || len(maxp) < 6 || tableOf(data, "glyf") == nil && tableOf(data, "loca") == nil && tableOf(data, "CFF ") == nil {
		return nil, errFontFile
	}
	em, metrics, count := float64(u16(head, 18)), u16(hhea, 34), u16(maxp, 4)
	if em == 0 || metrics == 0 {
		return nil, errFontFile
	}
	p := &program{cmaps: readCharMaps(tableOf(data, "cmap")), byName: readPost(tableOf(data, "post"))}
	for gid := range count {
		i := 4 * min(gid, metrics-1)
		if i+2 > len(hmtx) {
			break
		}
		p.widths = append(p.widths, float64(u16(hmtx, i))*1000/em)
	}
	return p, nil
}

// readCharMaps reads the tables of characters (OpenType, cmap table). Several may be the same
// bytes of a file.
func readCharMaps(table []byte) (maps []charMap) {
	if len(table) < 4 {
		return nil
	}
	const mostTables = 64
	left := 1 << 19 // codes that are looked at
	for i := range min(u16(table, 2), mostTables) {
		at := 4 + 8*i
		if at+8 > len(table) {
			break
		}
		one := charMap{platform: u16(table, at), encoding: u16(table, at+2), glyphs: map[int]int{}}
		if begin := u32(table, at+4); begin+8 < len(table) {
			readCharMap(table[begin:], one.glyphs, &left)
		}
		maps = append(maps, one)
	}
	return maps
}

func readCharMap(t []byte, into map[int]int, left *int) {
	defer func() { _ = recover() }() // what is beyond its end is not there
	switch u16(t, 0) {
	case 0:
		for code := range 256 {
			into[code] = int(t[6+code])
		}
	case 4:
		segments := u16(t, 6) / 2
		for i := range segments {
			end, start := u16(t, 14+2*i), u16(t, 16+2*segments+2*i)
			delta, reach := u16(t, 16+4*segments+2*i), u16(t, 16+6*segments+2*i)
			for code := start; code <= end && code < 0xFFFF && *left > 0; code++ {
				*left--
				gid := (code + delta) & 0xFFFF
				if reach != 0 {
					where := 16 + 6*segments + 2*i + reach + 2*(code-start)
					if where+2 > len(t) {
						continue
					}
					if gid = u16(t, where); gid != 0 {
						gid = (gid + delta) & 0xFFFF
					}
				}
				into[code] = gid
			}
		}
	case 6:
		first := u16(t, 6)
		for i := range min(u16(t, 8), max(*left, 0)) {
			*left--
			into[first+i] = u16(t, 10+2*i)
		}
	case 12:
		for i := range min(u32(t, 12), 1<<16) {
			start, end, gid := u32(t, 16+12*i), u32(t, 20+12*i), u32(t, 24+12*i)
			for code := start; code <= end && *left > 0; code++ {
				*left--
				into[code] = gid + code - start
			}
		}
	}
}

// readPost reads the names of glyphs (OpenType, post table, versions 1 and 2).
func readPost(t []byte) map[string]int {
	if len(t) < 34 {
		return nil
	}
	names := map[string]int{}
	switch u32(t, 0) {
	case 0x00010000:
		for gid, n := range macGlyphs {
			names[n] = gid
		}
	case 0x00020000:
		count := u16(t, 32)
		if len(t) < 34+2*count {
			return nil
		}
		var own []string
		for at := 34 + 2*count; at < len(t) && len(own) < count; {
			n := int(t[at])
			own = append(own, string(t[at+1:min(len(t), at+1+n)]))
			at += 1 + n
		}
		for gid := range count {
			i := u16(t, 34+2*gid)
			if i < len(macGlyphs) {
				names[macGlyphs[i]] = gid
			} else if i-len(macGlyphs) < len(own) {
				names[own[i-len(macGlyphs)]] = gid
			}
		}
	}
	return names
}

// readCFF reads a font in the Compact Font Format (Adobe Technical Note 5176).
func readCFF(data []byte) (*program, error) {
	if len(data) < 4 {
		return nil, errFontFile
	}
	at := int(data[2])
	_, at = cffIndex(data, at)
	tops, at := cffIndex(data, at)
	strings, at := cffIndex(data, at)
	globals, _ := cffIndex(data, at)
	if len(tops) == 0 {
		return nil, errFontFile
	}
	top := cffDict(tops[0])
	if len(top[17]) == 0 {
		return nil, errFontFile
	}
	glyphs, _ := cffIndex(data, int(top[17][0]))
	p := &program{}
	unit := 0.001
	if m := top[1207]; len(m) == 6 {
		unit = m[0]
	}
	type private struct {
		standard, nominal, unit float64
		locals                  [][]byte
	}
	locals := 1 << 18 // subroutines of all private dictionaries, which may be the same bytes
	readPrivate := func(d map[int][]float64, unit float64) (out private) {
		out.unit = unit
		if m := d[1207]; len(m) == 6 && d[17] == nil {
			out.unit = m[0]
			if top[1207] != nil {
				out.unit *= top[1207][0]
			}
		}
		if v := d[18]; len(v) == 2 {
			begin, size := int(v[1]), int(v[0])
			own := cffDict(data[begin : begin+min(size, mostInDict)])
			if w := own[20]; len(w) > 0 {
				out.standard = w[0]
			}
			if w := own[21]; len(w) > 0 {
				out.nominal = w[0]
			}
			if s := own[19]; len(s) > 0 && locals > 0 {
				out.locals, _ = cffIndex(data, begin+int(s[0]))
				locals -= len(out.locals)
			}
		}
		return out
	}
	isCID := top[1230] != nil
	privates := []private{readPrivate(top, unit)}
	choose := func(int) int { return 0 }
	if isCID && len(top[1236]) > 0 && len(top[1237]) > 0 {
		privates = nil
		const most = 256 // FDSelect has a byte for each glyph
		list, _ := cffIndex(data, int(top[1236][0]))
		for _, one := range list[:min(len(list), most)] {
			privates = append(privates, readPrivate(cffDict(one), unit))
		}
		choose = cffSelect(data[int(top[1237][0]):])
	}
	steps := 20_000_000 // through all glyphs, which may call each other
	for gid, g := range glyphs {
		of := privates[min(choose(gid), len(privates)-1)]
		w := of.standard
		if v, ok := charstringWidth(g, of.locals, globals, &steps); ok {
			w = of.nominal + v
		}
		p.widths = append(p.widths, w*of.unit*1000)
	}
	charset := 0
	if v := top[15]; len(v) > 0 {
		charset = int(v[0])
	}
	sids := cffCharset(data, charset, len(glyphs), isCID)
	if isCID {
		p.byCID = map[int]int{}
		for gid, cid := range sids {
			p.byCID[cid] = gid
		}
		return p, nil
	}
	p.byName = map[string]int{}
	names := make([]string, len(sids))
	for gid, sid := range sids {
		n := ""
		if sid < len(cffStrings) {
			n = cffStrings[sid]
		} else if sid-len(cffStrings) < len(strings) {
			n = string(strings[sid-len(cffStrings)])
		}
		names[gid] = n
		if _, isKnown := p.byName[n]; !isKnown {
			p.byName[n] = gid
		}
	}
	if v := top[16]; len(v) > 0 && v[0] > 1 {
		p.byCode = cffEncoding(data[int(v[0]):], names)
	}
	return p, nil
}

func cffIndex(data []byte, at int) (items [][]byte, end int) {
	count := u16(data, at)
	if count == 0 {
		return nil, at + 2
	}
	size := int(data[at+2])
	offset := func(i int) (v int) {
		for _, b := range data[at+3+i*size : at+3+(i+1)*size] {
			v = v<<8 | int(b)
		}
		return v
	}
	base := at + 2 + (count+1)*size
	for i := range count {
		items = append(items, data[base+offset(i):base+offset(i+1)])
	}
	return items, base + offset(count)
}

// mostInDict bounds the bytes of a dictionary: those of fonts have some hundred.
const mostInDict = 1 << 13

// cffDict has operands by operators; those of two bytes are 1200 and the second.
func cffDict(data []byte) map[int][]float64 {
	data = data[:min(len(data), mostInDict)]
	out := map[int][]float64{}
	var operands []float64
	for i := 0; i < len(data); {
		b := int(data[i])
		i++
		switch {
		case b == 12:
			out[1200+int(data[i])], operands = append([]float64{}, operands...), nil
			i++
		case b <= 21:
			out[b], operands = append([]float64{}, operands...), nil
		case b == 28:
			operands = append(operands, float64(int16(u16(data, i))))
			i += 2
		case b == 29:
			operands = append(operands, float64(int32(u32(data, i))))
			i += 4
		case b == 30:
			s := ""
			for isOpen := true; isOpen && i < len(data); i++ {
				for _, n := range []byte{data[i] >> 4, data[i] & 15} {
					if n == 15 {
						isOpen = false
						break
					}
					s += []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "E", "E-", "", "-"}[n]
				}
			}
			v, _ := strconv.ParseFloat(s, 64)
			operands = append(operands, v)
		case b >= 32 && b <= 246:
			operands = append(operands, float64(b-139))
		case b >= 247 && b <= 250:
			operands = append(operands, float64((b-247)*256+int(data[i])+108))
			i++
		case b >= 251 && b <= 254:
			operands = append(operands, float64(-(b-251)*256-int(data[i])-108))
			i++
		}
	}
	return out
}

func cffSelect(data []byte) func(int) int {
	if data[0] == 0 {
		return func(gid int) int { return int(data[1+gid]) }
	}
	count := u16(data, 1)
	return func(gid int) int {
		i := sort.Search(count, func(i int) bool { return gid < u16(data, 6+3*i) })
		return int(data[5+3*min(i, count-1)])
	}
}

func cffCharset(data []byte, at, count int, isCID bool) []int {
	sids := []int{0}
	if at <= 2 {
		for i := 1; i < count; i++ { // ISOAdobe; the expert ones are not told apart
			sids = append(sids, i)
		}
		return sids
	}
	format := data[at]
	at++
	for len(sids) < count {
		first := u16(data, at)
		at += 2
		more := 0
		switch format {
		case 1:
			more = int(data[at])
			at++
		case 2:
			more = u16(data, at)
			at += 2
		}
		for i := 0; i <= more && len(sids) < count; i++ {
			sids = append(sids, first+i)
		}
	}
	return sids
}

func cffEncoding(data []byte, names []string) map[int]string {
	out := map[int]string{}
	add := func(code, gid int) {
		if gid < len(names) {
			out[code] = names[gid]
		}
	}
	at := 2
	switch data[0] & 0x7F {
	case 0:
		for i := range int(data[1]) {
			add(int(data[2+i]), i+1)
			at++
		}
	case 1:
		gid := 1
		for i := range int(data[1]) {
			first, more := int(data[2+2*i]), int(data[3+2*i])
			for j := 0; j <= more; j++ {
				add(first+j, gid)
				gid++
			}
			at += 2
		}
	}
	return out
}

// charstringWidth is what a Type 2 charstring says of its width (Adobe Technical Note 5177, 3.1).
func charstringWidth(code []byte, locals, globals [][]byte, steps *int) (float64, bool) {
	var stack []float64
	var width float64
	var has, isDone bool
	var run func(code []byte, depth int)
	bias := func(list [][]byte) int {
		switch {
		case len(list) < 1240:
			return 107
		case len(list) < 33900:
			return 1131
		}
		return 32768
	}
	run = func(code []byte, depth int) {
		for i := 0; i < len(code) && !isDone; {
			if *steps--; *steps < 0 {
				isDone = true
				return
			}
			b := int(code[i])
			i++
			switch {
			case b == 28:
				stack = append(stack, float64(int16(u16(code, i))))
				i += 2
			case b >= 32 && b <= 246:
				stack = append(stack, float64(b-139))
			case b >= 247 && b <= 250:
				stack = append(stack, float64((b-247)*256+int(code[i])+108))
				i++
			case b >= 251 && b <= 254:
				stack = append(stack, float64(-(b-251)*256-int(code[i])-108))
				i++
			case b == 255:
				stack = append(stack, float64(int32(u32(code, i)))/65536)
				i += 4
			case b == 10 || b == 29:
				list := locals
				if b == 29 {
					list = globals
				}
				if len(stack) == 0 || depth > 10 {
					isDone = true
					return
				}
				n := int(stack[len(stack)-1]) + bias(list)
				stack = stack[:len(stack)-1]
				if n < 0 || n >= len(list) {
					isDone = true
					return
				}
				run(list[n], depth+1)
			case b == 11:
				return
			default:
				isDone = true
				extra := false
				switch b {
				case 1, 3, 18, 23, 19, 20: // stems and masks: pairs
					extra = len(stack)%2 == 1
				case 21:
					extra = len(stack) > 2
				case 4, 22:
					extra = len(stack) > 1
				case 14:
					extra = len(stack) == 1 || len(stack) == 5
				}
				if extra {
					width, has = stack[0], true
				}
			}
		}
	}
	run(code, 0)
	return width, has
}

var (
	charStrings = regexp.MustCompile(`/CharStrings\s`)
	lenIV       = regexp.MustCompile(`/lenIV\s+(\d+)`)
	oneEncoding = regexp.MustCompile(`dup\s+(\d+)\s*/(\S+)\s+put`)
	fontMatrix  = regexp.MustCompile(`/FontMatrix\s*\[\s*([-+0-9.eE]+)`)
)

// readType1 reads a Type 1 font (Adobe Type 1 Font Format).
func readType1(data []byte) (*program, error) {
	if len(data) > 6 && data[0] == 0x80 {
		data = withoutSegments(data)
	}
	at := bytes.Index(data, []byte("eexec"))
	if at < 0 {
		return nil, errFontFile
	}
	clear := data[:at]
	secret := data[at+len("eexec"):]
	for len(secret) > 0 && isSpace(secret[0]) {
		secret = secret[1:]
	}
	if len(secret) < 4 {
		return nil, errFontFile
	}
	if isHexText(secret[:4]) {
		p := &parser{data: append([]byte("<"), secret...)}
		secret = []byte(p.hex().value)
	}
	const ofFile, ofGlyph = 55665, 4330
	plain := decrypt(secret, ofFile)[4:]
	skip := 4
	if found := lenIV.FindSubmatch(plain); found != nil {
		skip, _ = strconv.Atoi(string(found[1]))
	}
	unit := 0.001
	if found := fontMatrix.FindSubmatch(clear); found != nil {
		if v, err := strconv.ParseFloat(string(found[1]), 64); err == nil && v != 0 {
			unit = v
		}
	}
	p := &program{byName: map[string]int{}, byCode: map[int]string{}}
	if bytes.Contains(clear, []byte("StandardEncoding def")) {
		for code, n := range standard {
			if n != "" {
				p.byCode[code] = n
			}
		}
	}
	const mostEntries = 1 << 16
	for _, found := range oneEncoding.FindAllSubmatch(clear, mostEntries) {
		code, _ := strconv.Atoi(string(found[1]))
		p.byCode[code] = string(found[2])
	}
	begin := charStrings.FindIndex(plain)
	if begin == nil {
		return nil, errFontFile
	}
	// .notdef is glyph 0, whatever its place.
	p.byName[".notdef"], p.widths = 0, []float64{0}
	q := &parser{data: plain, at: begin[1]}
	for len(p.widths) < mostEntries {
		token := q.token()
		n, isName := token.(name)
		if !isName {
			if k, ok := token.(keyword); ok && (k == "" || k == "end") {
				break
			}
			continue
		}
		size, isNumber := q.token().(number)
		if !isNumber {
			continue
		}
		q.token() // RD
		from := q.at + 1
		to := from + int(size.value)
		if to > len(plain) {
			break
		}
		w := type1Width(decrypt(plain[from:to], ofGlyph), skip) * unit * 1000
		if n == ".notdef" {
			p.widths[0] = w
		} else {
			p.byName[string(n)] = len(p.widths)
			p.widths = append(p.widths, w)
		}
		q.at = to
	}
	return p, nil
}

func isHexText(b []byte) bool {
	for _, one := range b {
		if _, err := strconv.ParseUint(string(one), 16, 8); err != nil {
			return false
		}
	}
	return true
}

// withoutSegments takes the heads of segments out of a font file for Windows.
func withoutSegments(data []byte) (out []byte) {
	for len(data) > 6 && data[0] == 0x80 && data[1] != 3 {
		size := int(binary.LittleEndian.Uint32(data[2:]))
		out = append(out, data[6:min(len(data), 6+size)]...)
		data = data[min(len(data), 6+size):]
	}
	return out
}

func decrypt(data []byte, key uint16) []byte {
	out := make([]byte, len(data))
	for i, b := range data {
		out[i] = b ^ byte(key>>8)
		key = (uint16(b)+key)*52845 + 22719
	}
	return out
}

// type1Width is the second operand of hsbw, or the third of sbw.
func type1Width(code []byte, skip int) float64 {
	if len(code) < skip {
		return 0
	}
	code = code[skip:]
	var stack []float64
	for i := 0; i < len(code); {
		b := int(code[i])
		i++
		switch {
		case b == 13 && len(stack) >= 2:
			return stack[1]
		case b == 12 && i < len(code) && code[i] == 7 && len(stack) >= 3:
			return stack[2]
		case b == 12 && i < len(code) && code[i] == 12 && len(stack) >= 2:
			n := len(stack)
			stack = append(stack[:n-2], stack[n-2]/stack[n-1])
			i++
		case b >= 32 && b <= 246:
			stack = append(stack, float64(b-139))
		case b >= 247 && b <= 250 && i < len(code):
			stack = append(stack, float64((b-247)*256+int(code[i])+108))
			i++
		case b >= 251 && b <= 254 && i < len(code):
			stack = append(stack, float64(-(b-251)*256-int(code[i])-108))
			i++
		case b == 255 && i+4 <= len(code):
			stack = append(stack, float64(int32(u32(code, i))))
			i += 4
		default:
			return math.NaN()
		}
	}
	return 0
}

// cmap leads from codes to CIDs (ISO 32000-1, 9.7.5).
type cmap struct {
	isIdentity bool
	mode       int
	mostCID    int
	uses       name
	spaces     []span
	ranges     []span
	known      map[[2]int]int // CIDs of codes by their sizes, -1 for none
}

// span are codes of so many bytes, the first of which leads to a CID.
type span struct{ size, from, to, cid int }

func readCMap(data []byte) *cmap {
	m := &cmap{known: map[[2]int]int{}}
	p := &parser{data: data}
	var operands []any
	code := func(o any) (size, v int) {
		t, _ := o.(text)
		for i := range len(t.value) {
			v = v<<8 | int(t.value[i])
		}
		return len(t.value), v
	}
	var before any
	for {
		o := p.token()
		k, isKeyword := o.(keyword)
		if !isKeyword {
			if n, ok := o.(number); ok && before == name("WMode") {
				m.mode = int(n.value)
			}
			before = o
			operands = append(operands, o)
			continue
		}
		switch k {
		case "":
			return m
		case "usecmap":
			m.uses, _ = last(operands).(name)
		case "endcodespacerange":
			for i := 0; i+1 < len(operands); i += 2 {
				size, from := code(operands[i])
				_, to := code(operands[i+1])
				m.spaces = append(m.spaces, span{size: size, from: from, to: to})
			}
		case "endcidrange":
			for i := 0; i+2 < len(operands); i += 3 {
				size, from := code(operands[i])
				_, to := code(operands[i+1])
				cid, _ := operands[i+2].(number)
				m.ranges = append(m.ranges, span{size, from, to, int(cid.value)})
				m.mostCID = max(m.mostCID, int(cid.value)+to-from)
			}
		case "endcidchar":
			for i := 0; i+1 < len(operands); i += 2 {
				size, from := code(operands[i])
				cid, _ := operands[i+1].(number)
				m.ranges = append(m.ranges, span{size, from, from, int(cid.value)})
				m.mostCID = max(m.mostCID, int(cid.value))
			}
		}
		operands = operands[:0]
	}
}

// cids cuts a string into codes, and follows them. Codes of what another CMap has are left out,
// and those above 65535, which are a fault by themselves. spend counts the work.
func (m *cmap) cids(s string, spend func(int) bool) (out []int) {
	if m.isIdentity {
		for i := 0; i+1 < len(s); i += 2 {
			out = append(out, int(s[i])<<8|int(s[i+1]))
		}
		if len(s)%2 != 0 {
			out = append(out, 0) // half a code is none
		}
		return out
	}
	const most = 1 << 16
	for len(s) > 0 && spend(len(m.spaces)) {
		size, v := 1, int(s[0])
		for _, one := range m.spaces {
			if one.size > len(s) || one.size == 0 {
				continue
			}
			v2 := 0
			for i := range one.size {
				v2 = v2<<8 | int(s[i])
			}
			if v2 >= one.from && v2 <= one.to {
				size, v = one.size, v2
				break
			}
		}
		s = s[size:]
		key := [2]int{size, v}
		cid, isKnown := m.known[key]
		if !isKnown {
			const perStep = 8
			if !spend(len(m.ranges) / perStep) {
				break
			}
			cid = -1
			for _, r := range m.ranges {
				if r.size == size && v >= r.from && v <= r.to {
					cid = r.cid + v - r.from
					break
				}
			}
			if len(m.known) < most {
				m.known[key] = cid
			}
		}
		if cid >= 0 && cid < most {
			out = append(out, cid)
		}
	}
	return out
}
