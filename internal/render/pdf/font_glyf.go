package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// errFontTables means a font file whose tables are not as OpenType wants them.
var errFontTables = errors.New("font tables are damaged")

// Flags of a component of a composite glyph (OpenType, glyf table).
const (
	argsAreWords    = 0x0001
	hasScale        = 0x0008
	moreComponents  = 0x0020
	hasXYScale      = 0x0040
	hasTwoByTwo     = 0x0080
	hasInstructions = 0x0100
)

// outlineHeader is the length of what each glyph's description begins with: how
// many contours it has, and the box around them.
const outlineHeader = 10

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
		switch isLong := binary.BigEndian.Uint16(head[50:]) != 0; {
		case isLong && 4*i+4 <= len(loca):
			off = int(binary.BigEndian.Uint32(loca[4*i:]))
		case !isLong && 2*i+2 <= len(loca):
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

// outline is a glyph's description; nil is one that shows nothing.
func (f *glyphTables) outline(gid uint16) []byte {
	if int(gid) >= len(f.loca)-1 {
		return nil
	}
	return f.glyf[f.loca[gid]:f.loca[gid+1]]
}

// parts are the glyphs that a composite one is made of.
func (f *glyphTables) parts(gid uint16) []uint16 {
	var parts []uint16
	for component := range components(f.outline(gid)) {
		parts = append(parts, binary.BigEndian.Uint16(component[2:]))
	}
	return parts
}

// components are the descriptions of a composite glyph's parts: flags, glyph,
// place and scale.
func components(outline []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(outline) < outlineHeader || int16(binary.BigEndian.Uint16(outline)) >= 0 {
			return
		}
		for rest, hasMore := outline[outlineHeader:], true; hasMore && len(rest) >= 4; {
			flags := binary.BigEndian.Uint16(rest)
			size := 6
			if flags&argsAreWords != 0 {
				size += 2
			}
			switch {
			case flags&hasScale != 0:
				size += 2
			case flags&hasXYScale != 0:
				size += 4
			case flags&hasTwoByTwo != 0:
				size += 8
			}
			size = min(size, len(rest))
			if !yield(rest[:size]) {
				return
			}
			rest, hasMore = rest[size:], flags&moreComponents != 0
		}
	}
}

// subset writes a font of some glyphs, which keep their numbers, for the PDF that
// embeds it (ISO 32000-1, 9.9). The instructions that fit outlines to the pixels
// of coarse screens are left out: they are half of a font, and few readers run them.
func (f *glyphTables) subset(used []uint16) []byte {
	isKept := make([]bool, len(f.loca)-1)
	isKept[0] = true // what is shown in place of one that is missing
	last := 0
	for wanted := slices.Clone(used); len(wanted) > 0; {
		gid := wanted[len(wanted)-1]
		wanted = wanted[:len(wanted)-1]
		if int(gid) >= len(isKept) {
			continue
		}
		last = max(last, int(gid))
		isKept[gid] = true
		for _, part := range f.parts(gid) {
			if int(part) < len(isKept) && !isKept[part] {
				wanted = append(wanted, part)
			}
		}
	}
	var glyf, loca []byte
	for gid := range last + 1 {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		if isKept[gid] {
			glyf = pad(appendOutline(glyf, f.outline(uint16(gid))))
		}
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	head, hhea, maxp := slices.Clone(f.tables["head"]), slices.Clone(f.tables["hhea"]), slices.Clone(f.tables["maxp"])
	metrics := min(f.metrics(), last+1)
	binary.BigEndian.PutUint16(head[50:], 1) // loca has 32-bit offsets
	binary.BigEndian.PutUint16(hhea[34:], uint16(metrics))
	binary.BigEndian.PutUint16(maxp[4:], uint16(last+1))
	hmtx := slices.Clone(f.tables["hmtx"])
	hmtx = hmtx[:min(len(hmtx), 4*metrics+2*(last+1-metrics))]
	for gid := range metrics - 1 { // the last one holds for all behind it
		if !isKept[gid] {
			clear(hmtx[4*gid : 4*gid+4])
		}
	}
	return writeTables([]table{
		{"glyf", glyf}, {"head", head}, {"hhea", hhea}, {"hmtx", hmtx}, {"loca", loca}, {"maxp", maxp},
	})
}

// appendOutline copies a glyph without its instructions.
func appendOutline(out, glyph []byte) []byte {
	if len(glyph) < outlineHeader {
		return append(out, glyph...)
	}
	contours := int(int16(binary.BigEndian.Uint16(glyph)))
	if contours < 0 {
		out = append(out, glyph[:outlineHeader]...)
		for component := range components(glyph) {
			flags := binary.BigEndian.Uint16(component) &^ hasInstructions
			out = append(binary.BigEndian.AppendUint16(out, flags), component[2:]...)
		}
		return out
	}
	counted := outlineHeader + 2*contours // where the length of the instructions stands
	if counted+2 > len(glyph) {
		return append(out, glyph...)
	}
	points := min(len(glyph), counted+2+int(binary.BigEndian.Uint16(glyph[counted:])))
	return append(append(append(out, glyph[:counted]...), 0, 0), glyph[points:]...)
}

// forPDF writes the font as gopdf wants it: its characters are its glyphs, from
// firstGlyph on. The document gets its outlines from subset, so there are none
// here, and the widths say that they are empty, which gopdf heeds when it copies
// them into the document but not when it looks them up.
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
	out := writeTables(tables)
	for at := 12; ; at += 16 {
		if string(out[at:at+4]) == "hmtx" {
			clear(out[at+12 : at+16])
			return out
		}
	}
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
		out = pad(append(out, t.data...))
	}
	return out
}

func pad(b []byte) []byte {
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
