package pdfa

import (
	"sort"
	"strconv"
)

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
