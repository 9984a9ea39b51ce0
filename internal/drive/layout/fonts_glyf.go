package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// errFontTables means a font file whose tables are not as OpenType wants them.
var errFontTables = errors.New("font tables are damaged")

// Flags of a component of a composite glyph (OpenType, glyf table).
const (
	argsAreWords   = 0x0001
	argsAreXY      = 0x0002
	hasScale       = 0x0008
	moreComponents = 0x0020
	hasXYScale     = 0x0040
	hasTwoByTwo    = 0x0080
)

// component is a glyph inside a composite one, moved and transformed.
type component struct {
	glyph  int
	dx, dy float64
	m      [4]float64 // xx, xy, yx, yy
}

// glyphTables are the parts of a TrueType font that hold its outlines.
type glyphTables struct {
	tables map[string][]byte
	order  []string
	loca   []int
	glyf   []byte
}

// flattenComposites rewrites a TrueType font so that no composite glyph is made
// of composite glyphs. gopdf embeds the components of a letter but not the
// components of those, so an "é" would lose its accent in fonts that nest them.
func flattenComposites(data []byte) ([]byte, error) {
	f, err := readGlyphTables(data)
	if err != nil {
		return nil, err
	}
	var glyf []byte
	loca := make([]byte, 0, 4*len(f.loca))
	changed, most := false, 0
	for g := range len(f.loca) - 1 {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		outline := f.glyf[f.loca[g]:f.loca[g+1]]
		if flat, ok := f.flat(g); ok {
			outline = append(slices.Clone(outline[:10]), encodeComponents(flat)...)
			changed, most = true, max(most, len(flat))
		}
		glyf = append(glyf, outline...)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
	}
	if !changed {
		return data, nil
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	head, maxp := slices.Clone(f.tables["head"]), slices.Clone(f.tables["maxp"])
	binary.BigEndian.PutUint16(head[50:], 1) // long offsets
	if len(maxp) >= 32 {
		binary.BigEndian.PutUint16(maxp[28:], uint16(max(most, int(binary.BigEndian.Uint16(maxp[28:])))))
		binary.BigEndian.PutUint16(maxp[30:], 1)
	}
	f.tables["glyf"], f.tables["loca"], f.tables["head"], f.tables["maxp"] = glyf, loca, head, maxp
	return f.write(data[:4]), nil
}

func readGlyphTables(data []byte) (*glyphTables, error) {
	if len(data) < 12 {
		return nil, errFontTables
	}
	f := &glyphTables{tables: map[string][]byte{}}
	for i := range int(binary.BigEndian.Uint16(data[4:])) {
		at := 12 + 16*i
		if at+16 > len(data) {
			return nil, errFontTables
		}
		off, size := int(binary.BigEndian.Uint32(data[at+8:])), int(binary.BigEndian.Uint32(data[at+12:]))
		if off > len(data) || size > len(data)-off {
			return nil, errFontTables
		}
		name := string(data[at : at+4])
		f.tables[name], f.order = data[off:off+size], append(f.order, name)
	}
	head, maxp, loca := f.tables["head"], f.tables["maxp"], f.tables["loca"]
	f.glyf = f.tables["glyf"]
	if len(head) < 52 || len(maxp) < 6 {
		return nil, errFontTables
	}
	count := int(binary.BigEndian.Uint16(maxp[4:])) + 1
	for i := range count {
		var off int
		switch long := binary.BigEndian.Uint16(head[50:]) != 0; {
		case long && 4*i+4 <= len(loca):
			off = int(binary.BigEndian.Uint32(loca[4*i:]))
		case !long && 2*i+2 <= len(loca):
			off = 2 * int(binary.BigEndian.Uint16(loca[2*i:]))
		default:
			return nil, errFontTables
		}
		if off > len(f.glyf) || i > 0 && off < f.loca[i-1] {
			return nil, fmt.Errorf("glyph %d: %w", i, errFontTables)
		}
		f.loca = append(f.loca, off)
	}
	return f, nil
}

// components reads the parts of a composite glyph; nil for a simple one, and
// for one whose parts are placed by matching points.
func (f *glyphTables) components(glyph int) []component {
	if glyph < 0 || glyph >= len(f.loca)-1 {
		return nil
	}
	b := f.glyf[f.loca[glyph]:f.loca[glyph+1]]
	if len(b) < 10 || int16(binary.BigEndian.Uint16(b)) >= 0 {
		return nil
	}
	var out []component
	number := func(at int) float64 { return float64(int16(binary.BigEndian.Uint16(b[at:]))) }
	const fixed = 1 << 14
	for at := 10; at+6 <= len(b); {
		flags := binary.BigEndian.Uint16(b[at:])
		c := component{glyph: int(binary.BigEndian.Uint16(b[at+2:])), m: [4]float64{1, 0, 0, 1}}
		at += 4
		if flags&argsAreXY == 0 {
			return nil
		}
		need := 2
		if flags&argsAreWords != 0 {
			need = 4
		}
		scales := map[uint16]int{hasScale: 1, hasXYScale: 2, hasTwoByTwo: 4}[flags&(hasScale|hasXYScale|hasTwoByTwo)]
		if at+need+2*scales > len(b) {
			return nil
		}
		if need == 4 {
			c.dx, c.dy = number(at), number(at+2)
		} else {
			c.dx, c.dy = float64(int8(b[at])), float64(int8(b[at+1]))
		}
		at += need
		switch scales {
		case 1:
			c.m[0], c.m[3] = number(at)/fixed, number(at)/fixed
		case 2:
			c.m[0], c.m[3] = number(at)/fixed, number(at+2)/fixed
		case 4:
			c.m = [4]float64{number(at) / fixed, number(at+2) / fixed, number(at+4) / fixed, number(at+6) / fixed}
		}
		at += 2 * scales
		out = append(out, c)
		if flags&moreComponents == 0 {
			return out
		}
	}
	return nil
}

// flat resolves a composite glyph of composite glyphs to simple ones; false
// when it is none.
func (f *glyphTables) flat(glyph int) ([]component, bool) {
	parts := f.components(glyph)
	nested := false
	for _, p := range parts {
		nested = nested || f.components(p.glyph) != nil
	}
	if !nested {
		return nil, false
	}
	flat := f.resolve(parts, 0)
	return flat, len(flat) > 0
}

func (f *glyphTables) resolve(parts []component, depth int) []component {
	const deepest = 8
	if depth > deepest {
		return nil
	}
	var out []component
	for _, p := range parts {
		inner := f.components(p.glyph)
		if inner == nil {
			out = append(out, p)
			continue
		}
		for _, q := range f.resolve(inner, depth+1) {
			out = append(out, component{
				glyph: q.glyph,
				dx:    p.dx + p.m[0]*q.dx + p.m[2]*q.dy,
				dy:    p.dy + p.m[1]*q.dx + p.m[3]*q.dy,
				m: [4]float64{
					p.m[0]*q.m[0] + p.m[2]*q.m[1], p.m[1]*q.m[0] + p.m[3]*q.m[1],
					p.m[0]*q.m[2] + p.m[2]*q.m[3], p.m[1]*q.m[2] + p.m[3]*q.m[3],
				},
			})
		}
	}
	return out
}

func encodeComponents(parts []component) []byte {
	var b []byte
	for i, p := range parts {
		flags := uint16(argsAreWords | argsAreXY)
		scaled := p.m != [4]float64{1, 0, 0, 1}
		if scaled {
			flags |= hasTwoByTwo
		}
		if i < len(parts)-1 {
			flags |= moreComponents
		}
		b = binary.BigEndian.AppendUint16(b, flags)
		b = binary.BigEndian.AppendUint16(b, uint16(p.glyph))
		b = binary.BigEndian.AppendUint16(b, uint16(int16(math.Round(p.dx))))
		b = binary.BigEndian.AppendUint16(b, uint16(int16(math.Round(p.dy))))
		for _, v := range p.m {
			if scaled {
				b = binary.BigEndian.AppendUint16(b, uint16(int16(math.Round(v*(1<<14)))))
			}
		}
	}
	return b
}

// write puts the tables together again. Checksums are left out: the font goes
// to gopdf, which makes its own.
func (f *glyphTables) write(version []byte) []byte {
	out := append([]byte{}, version...)
	out = binary.BigEndian.AppendUint16(out, uint16(len(f.order)))
	out = append(out, make([]byte, 6)...)
	at := 12 + 16*len(f.order)
	for _, name := range f.order {
		out = append(out, name...)
		out = binary.BigEndian.AppendUint32(out, 0)
		out = binary.BigEndian.AppendUint32(out, uint32(at))
		out = binary.BigEndian.AppendUint32(out, uint32(len(f.tables[name])))
		at += (len(f.tables[name]) + 3) &^ 3
	}
	for _, name := range f.order {
		out = append(out, f.tables[name]...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	return out
}
