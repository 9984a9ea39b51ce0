package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// errFontTables means a font file whose tables are not as OpenType wants them.
var errFontTables = errors.New("font tables are damaged")

// Flags of a component of a composite glyph (OpenType, glyf table).
const (
	argsAreWords   = 0x0001
	hasScale       = 0x0008
	moreComponents = 0x0020
	hasXYScale     = 0x0040
	hasTwoByTwo    = 0x0080
)

// glyphTables are the tables of a TrueType font, with its outlines found.
type glyphTables struct {
	tables map[string][]byte
	loca   []int
	glyf   []byte
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
		f.tables[string(data[at:at+4])] = data[off : off+size]
	}
	head, maxp, loca := f.tables["head"], f.tables["maxp"], f.tables["loca"]
	f.glyf = f.tables["glyf"]
	if len(head) < 54 || len(maxp) < 6 || len(f.tables["hhea"]) < 36 || len(f.tables["OS/2"]) < 78 || len(f.tables["post"]) < 8 {
		return nil, errFontTables
	}
	if n := f.metrics(); n < 1 || len(f.tables["hmtx"]) < 4*n {
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

// metrics is how many glyphs have an advance of their own.
func (f *glyphTables) metrics() int {
	return int(binary.BigEndian.Uint16(f.tables["hhea"][34:]))
}

// parts are the glyphs that a composite one is made of.
func (f *glyphTables) parts(gid uint16) []uint16 {
	if int(gid) >= len(f.loca)-1 {
		return nil
	}
	b := f.glyf[f.loca[gid]:f.loca[gid+1]]
	if len(b) < 10 || int16(binary.BigEndian.Uint16(b)) >= 0 {
		return nil
	}
	var parts []uint16
	for at := 10; at+4 <= len(b); {
		flags := binary.BigEndian.Uint16(b[at:])
		parts = append(parts, binary.BigEndian.Uint16(b[at+2:]))
		if flags&moreComponents == 0 {
			break
		}
		at += 6
		if flags&argsAreWords != 0 {
			at += 2
		}
		switch {
		case flags&hasScale != 0:
			at += 2
		case flags&hasXYScale != 0:
			at += 4
		case flags&hasTwoByTwo != 0:
			at += 8
		}
	}
	return parts
}

// subset writes a font of some glyphs, which keep their numbers, for the PDF that
// embeds it (ISO 32000-1, 9.9: of a TrueType font, these tables).
func (f *glyphTables) subset(used []uint16) []byte {
	kept := make([]bool, len(f.loca)-1)
	kept[0] = true // what is shown in place of one that is missing
	last := 0
	for wanted := slices.Clone(used); len(wanted) > 0; {
		gid := wanted[len(wanted)-1]
		wanted = wanted[:len(wanted)-1]
		if int(gid) >= len(kept) {
			continue
		}
		last = max(last, int(gid))
		kept[gid] = true
		for _, part := range f.parts(gid) {
			if int(part) < len(kept) && !kept[part] {
				wanted = append(wanted, part)
			}
		}
	}
	var glyf, loca []byte
	for gid := range last + 1 {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		if kept[gid] {
			glyf = padded(append(glyf, f.glyf[f.loca[gid]:f.loca[gid+1]]...))
		}
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	head, hhea, maxp := slices.Clone(f.tables["head"]), slices.Clone(f.tables["hhea"]), slices.Clone(f.tables["maxp"])
	metrics := min(f.metrics(), last+1)
	binary.BigEndian.PutUint16(head[50:], 1) // loca has 32-bit offsets
	binary.BigEndian.PutUint16(hhea[34:], uint16(metrics))
	binary.BigEndian.PutUint16(maxp[4:], uint16(last+1))
	hmtx := f.tables["hmtx"]
	hmtx = hmtx[:min(len(hmtx), 4*metrics+2*(last+1-metrics))]
	return writeTables([]table{
		{"cvt ", f.tables["cvt "]}, {"fpgm", f.tables["fpgm"]}, {"glyf", glyf}, {"head", head}, {"hhea", hhea},
		{"hmtx", hmtx}, {"loca", loca}, {"maxp", maxp}, {"prep", f.tables["prep"]},
	})
}

// forPDF writes the font as gopdf wants it: its characters are its glyphs, from
// firstGlyph on. It has no outlines, which the document gets from subset.
func (f *glyphTables) forPDF(name string) []byte {
	var cmap, named []byte
	for _, v := range []uint16{
		0, 2, 3, 1, 0, 20, 3, 10, 0, 44, // two tables: for the basic plane and for all planes
		4, 24, 0, 2, 2, 0, 0, 0xFFFF, 0, 0xFFFF, 1, 0, // format 4: nothing
		12, 0, 0, 28, 0, 0, 0, 1, firstGlyph >> 16, 0, firstGlyph >> 16, 0xFFFF, 0, 0, // format 12: one group
	} {
		cmap = binary.BigEndian.AppendUint16(cmap, v)
	}
	for _, v := range []uint16{0, 1, 18, 3, 1, 0x409, 6, uint16(len(name)), 0} { // the PostScript name
		named = binary.BigEndian.AppendUint16(named, v)
	}
	tables := []table{{"cmap", cmap}, {"name", append(named, name...)}, {"loca", make([]byte, len(f.tables["loca"]))}}
	for _, tag := range []string{"OS/2", "head", "hhea", "hmtx", "maxp", "post"} {
		tables = append(tables, table{tag, f.tables[tag]})
	}
	return writeTables(tables)
}

type table struct {
	tag  string
	data []byte
}

// writeTables writes a TrueType file of tables, without those that are empty.
func writeTables(tables []table) []byte {
	tables = slices.DeleteFunc(tables, func(t table) bool { return len(t.data) == 0 })
	slices.SortFunc(tables, func(a, b table) int { return strings.Compare(a.tag, b.tag) })
	selector := int(math.Log2(float64(len(tables))))
	reach := 16 << selector
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{len(tables), reach, selector, 16*len(tables) - reach} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	at := 12 + 16*len(tables)
	for _, t := range tables {
		out = append(out, t.tag...)
		for _, v := range []uint32{checksum(t.data), uint32(at), uint32(len(t.data))} {
			out = binary.BigEndian.AppendUint32(out, v)
		}
		at += (len(t.data) + 3) &^ 3
	}
	for _, t := range tables {
		out = padded(append(out, t.data...))
	}
	return out
}

func padded(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// checksum is OpenType's: the sum of a table's 32-bit numbers.
func checksum(data []byte) (sum uint32) {
	for ; len(data) >= 4; data = data[4:] {
		sum += binary.BigEndian.Uint32(data)
	}
	var rest [4]byte
	copy(rest[:], data)
	return sum + binary.BigEndian.Uint32(rest[:])
}
