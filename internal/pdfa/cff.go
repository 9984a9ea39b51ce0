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
	f := &cffFont{data: data, top: top, globals: globals, left: 1 << 18}
	f.glyphs, _ = cffIndex(data, int(top[17][0]))
	p := &program{widths: f.widths()}
	charset := 0
	if v := top[15]; len(v) > 0 {
		charset = int(v[0])
	}
	sids := cffCharset(data, charset, len(f.glyphs), f.isCID())
	if f.isCID() {
		p.byCID = map[int]int{}
		for gid, cid := range sids {
			p.byCID[cid] = gid
		}
		return p, nil
	}
	p.byName = map[string]int{}
	names := cffNames(sids, strings)
	for gid, n := range names {
		if _, isKnown := p.byName[n]; !isKnown {
			p.byName[n] = gid
		}
	}
	if v := top[16]; len(v) > 0 && v[0] > 1 {
		p.byCode = cffEncoding(data[int(v[0]):], names)
	}
	return p, nil
}

// A cffFont is a font whose dictionary was read.
type cffFont struct {
	data            []byte
	top             map[int][]float64
	glyphs, globals [][]byte
	left            int // subroutines of private dictionaries that may be read: they may be the same bytes
}

func (f *cffFont) isCID() bool { return f.top[1230] != nil }

// A cffPrivate is what a private dictionary says of the glyphs that it is for.
type cffPrivate struct {
	standard, nominal, unit float64
	locals                  [][]byte
}

func (f *cffFont) private(d map[int][]float64, unit float64) (out cffPrivate) {
	out.unit = unit
	if m := d[1207]; len(m) == 6 && d[17] == nil {
		out.unit = m[0]
		if f.top[1207] != nil {
			out.unit *= f.top[1207][0]
		}
	}
	if v := d[18]; len(v) == 2 {
		begin, size := int(v[1]), int(v[0])
		own := cffDict(f.data[begin : begin+min(size, mostInDict)])
		if w := own[20]; len(w) > 0 {
			out.standard = w[0]
		}
		if w := own[21]; len(w) > 0 {
			out.nominal = w[0]
		}
		if s := own[19]; len(s) > 0 && f.left > 0 {
			out.locals, _ = cffIndex(f.data, begin+int(s[0]))
			f.left -= len(out.locals)
		}
	}
	return out
}

// widths are those of the glyphs, in thousandths of an em.
func (f *cffFont) widths() (all []float64) {
	unit := 0.001
	if m := f.top[1207]; len(m) == 6 {
		unit = m[0]
	}
	privates := []cffPrivate{f.private(f.top, unit)}
	choose := func(int) int { return 0 }
	if f.isCID() && len(f.top[1236]) > 0 && len(f.top[1237]) > 0 {
		privates = nil
		const most = 256 // FDSelect has a byte for each glyph
		list, _ := cffIndex(f.data, int(f.top[1236][0]))
		for _, one := range list[:min(len(list), most)] {
			privates = append(privates, f.private(cffDict(one), unit))
		}
		choose = cffSelect(f.data[int(f.top[1237][0]):])
	}
	steps := 20_000_000 // through all glyphs, which may call each other
	for gid, g := range f.glyphs {
		of := privates[min(choose(gid), len(privates)-1)]
		w := of.standard
		if v, ok := charstringWidth(g, of.locals, f.globals, &steps); ok {
			w = of.nominal + v
		}
		all = append(all, w*of.unit*1000)
	}
	return all
}

// cffNames are those of glyphs; sids count the standard ones, and then those of the font.
func cffNames(sids []int, own [][]byte) []string {
	names := make([]string, len(sids))
	for gid, sid := range sids {
		if sid < len(cffStrings) {
			names[gid] = cffStrings[sid]
		} else if sid-len(cffStrings) < len(own) {
			names[gid] = string(own[sid-len(cffStrings)])
		}
	}
	return names
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
		case b == 28 || b >= 32 && b <= 254:
			v, size := cffNumber(b, data[i:])
			operands = append(operands, v)
			i += size
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

// cffNumber is an operand of up to three bytes, and how many of them stand behind its first:
// 28, or one from 32 to 254.
func cffNumber(first int, rest []byte) (v float64, size int) {
	switch {
	case first == 28:
		return float64(int16(u16(rest, 0))), 2
	case first <= 246:
		return float64(first - 139), 0
	case first <= 250:
		return float64((first-247)*256 + int(rest[0]) + 108), 1
	}
	return float64(-(first-251)*256 - int(rest[0]) - 108), 1
}

// charstringWidth is what a Type 2 charstring says of its width (Adobe Technical Note 5177, 3.1).
func charstringWidth(code []byte, locals, globals [][]byte, steps *int) (float64, bool) {
	c := &charstring{locals: locals, globals: globals, steps: steps}
	c.run(code, 0)
	return c.width, c.has
}

// A charstring is run until its first operator but calls, which has the width before its
// operands.
type charstring struct {
	locals, globals [][]byte
	steps           *int // that are left
	stack           []float64
	isDone          bool
	width           float64
	has             bool
}

func (c *charstring) run(code []byte, depth int) {
	for i := 0; i < len(code) && !c.isDone; {
		if *c.steps--; *c.steps < 0 {
			c.isDone = true
			return
		}
		b := int(code[i])
		i++
		switch {
		case b == 28 || b >= 32 && b <= 254:
			v, size := cffNumber(b, code[i:])
			c.stack = append(c.stack, v)
			i += size
		case b == 255:
			c.stack = append(c.stack, float64(int32(u32(code, i)))/65536)
			i += 4
		case b == 10:
			c.call(c.locals, depth)
		case b == 29:
			c.call(c.globals, depth)
		case b == 11:
			return
		default:
			c.end(b)
		}
	}
}

// call runs the subroutine that the stack names; without it the charstring ends.
func (c *charstring) call(list [][]byte, depth int) {
	if len(c.stack) == 0 || depth > 10 {
		c.isDone = true
		return
	}
	bias := 32768
	switch {
	case len(list) < 1240:
		bias = 107
	case len(list) < 33900:
		bias = 1131
	}
	n := int(c.stack[len(c.stack)-1]) + bias
	c.stack = c.stack[:len(c.stack)-1]
	if n < 0 || n >= len(list) {
		c.isDone = true
		return
	}
	c.run(list[n], depth+1)
}

// end is the first operator: the stack has a width where it has more than the operands.
func (c *charstring) end(operator int) {
	c.isDone = true
	extra := false
	switch operator {
	case 1, 3, 18, 23, 19, 20: // stems and masks: pairs
		extra = len(c.stack)%2 == 1
	case 21:
		extra = len(c.stack) > 2
	case 4, 22:
		extra = len(c.stack) > 1
	case 14:
		extra = len(c.stack) == 1 || len(c.stack) == 5
	}
	if extra {
		c.width, c.has = c.stack[0], true
	}
}
