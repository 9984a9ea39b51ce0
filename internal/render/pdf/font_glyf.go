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
	// draw describes a glyph of a font that has outlines of another kind; count is
	// how many it has.
	draw  func(gid uint16) []byte
	count int
	// advances and stretches are those of glyphs with the widths of another font.
	advances  map[uint16]uint16
	stretches map[uint16]float64
}

// readGlyphTables reads the tables of the font that begins at an offset of a file.
func readGlyphTables(data []byte, begin int) (*glyphTables, error) {
	if begin < 0 || begin > len(data)-12 {
		return nil, errFontTables
	}
	f := &glyphTables{tables: map[string][]byte{}}
	for i := range int(binary.BigEndian.Uint16(data[begin+4:])) {
		at := begin + 12 + 16*i
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
	f.count = int(binary.BigEndian.Uint16(maxp[4:]))
	if len(f.tables["CFF "])+len(f.tables["CFF2"]) > 0 {
		return f, nil
	}
	for i := range f.count + 1 {
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
	switch {
	case int(gid) >= f.count:
		return nil
	case f.draw != nil:
		return f.draw(gid)
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

// metric is a glyph's advance and how far from its left its outline begins, in
// units of the font (OpenType, table hmtx); of one that the font lacks, nothing.
func (f *glyphTables) metric(gid uint16) (advance, left uint16) {
	own, hmtx := f.metrics(), f.tables["hmtx"]
	if int(gid) >= f.count {
		return 0, 0
	}
	advance = binary.BigEndian.Uint16(hmtx[4*min(int(gid), own-1):])
	at := 4*int(gid) + 2
	if int(gid) >= own { // all behind have the last advance
		at = 4*own + 2*(int(gid)-own)
	}
	if at+2 <= len(hmtx) {
		left = binary.BigEndian.Uint16(hmtx[at:])
	}
	if own, ok := f.advances[gid]; ok {
		return own, uint16(int16(math.Round(float64(int16(left)) * f.stretches[gid])))
	}
	return advance, left
}

// width is a glyph's advance as a PDF has it: in thousandths of an em, cut off.
func (f *glyphTables) width(gid uint16) int {
	advance, _ := f.metric(gid)
	return int(advance) * 1000 / f.em()
}

// em is how many units of the font are as long as its size.
func (f *glyphTables) em() int { return max(1, int(binary.BigEndian.Uint16(f.tables["head"][18:]))) }

// subset writes a font of some glyphs for the PDF that embeds it (ISO 32000-1,
// 9.9): the first of them is glyph 1, and a glyph may be there several times.
// Wholes, by number, are made of several. Behind them are the parts of composite ones. The instructions that fit outlines
// to the pixels of coarse screens are left out: they are half of a font, and few
// readers run them.
func (f *glyphTables) subset(used []uint16, wholes map[uint16]wholeGlyph) []byte {
	gids := append([]uint16{0}, used...) // glyph 0 is shown in place of one that is missing
	numbers := make(map[uint16]uint16, len(gids))
	for number, gid := range gids {
		_, isWhole := wholes[uint16(number)]
		if _, isNumbered := numbers[gid]; !isNumbered && !isWhole {
			numbers[gid] = uint16(number)
		}
	}
	numberOf := func(part uint16) uint16 {
		number, isNumbered := numbers[part]
		if !isNumbered {
			number = uint16(len(gids))
			numbers[part], gids = number, append(gids, part)
		}
		return number
	}
	var glyf, hmtx []byte
	loca := []int{0}
	for i := 0; i < len(gids); i++ { // which grow by parts
		advance, left := f.metric(gids[i])
		if whole, isWhole := wholes[uint16(i)]; isWhole {
			advance, left = uint16(max(0, whole.advance)), binary.BigEndian.Uint16(f.tables["head"][36:]) // of its box
			glyf = pad(whole.appendOutline(glyf, f.tables["head"], numberOf))
		} else {
			glyf = pad(appendOutline(glyf, f.outline(gids[i]), numberOf))
		}
		hmtx = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(hmtx, advance), left)
		loca = append(loca, len(glyf))
	}
	head, hhea, maxp := slices.Clone(f.tables["head"]), slices.Clone(f.tables["hhea"]), slices.Clone(f.tables["maxp"])
	format, places := writeLoca(loca)
	binary.BigEndian.PutUint16(head[50:], format)
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(gids)))
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(gids)))
	allowWholes(maxp, wholes)
	return writeTables([]table{
		{"glyf", glyf}, {"head", head}, {"hhea", hhea}, {"hmtx", hmtx}, {"loca", places}, {"maxp", maxp},
	})
}

// writeLoca writes where outlines begin, and its format: short, in words of two
// bytes, where they are near enough.
func writeLoca(offsets []int) (format uint16, table []byte) {
	const short, long = 0, 1
	if offsets[len(offsets)-1] > 2*math.MaxUint16 {
		for _, offset := range offsets {
			table = binary.BigEndian.AppendUint32(table, uint32(offset))
		}
		return long, table
	}
	for _, offset := range offsets {
		table = binary.BigEndian.AppendUint16(table, uint16(offset/2))
	}
	return short, table
}

// appendOutline copies a glyph without its instructions, and gives the parts of a
// composite one other numbers.
func appendOutline(out, glyph []byte, numberOf func(part uint16) uint16) []byte {
	if len(glyph) < outlineHeader {
		return append(out, glyph...)
	}
	contours := int(int16(binary.BigEndian.Uint16(glyph)))
	if contours < 0 {
		out = append(out, glyph[:outlineHeader]...)
		for component := range components(glyph) {
			flags, part := binary.BigEndian.Uint16(component), binary.BigEndian.Uint16(component[2:])
			out = binary.BigEndian.AppendUint16(out, flags&^hasInstructions)
			out = binary.BigEndian.AppendUint16(out, numberOf(part))
			out = append(out, component[4:]...)
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

// description has the metrics of the whole font, in thousandths of an em (ISO 32000-1,
// 9.8.1).
func (f *glyphTables) description() string {
	head, os2, post := f.tables["head"], f.tables["OS/2"], f.tables["post"]
	em := float64(f.em())
	of := func(table []byte, at int) int {
		return int(math.Round(float64(int16(binary.BigEndian.Uint16(table[at:]))) * 1000 / em))
	}
	const sxHeight, sCapHeight, end = 86, 88, 90
	ascent, descent := of(os2, 74), -of(os2, 76) // of Windows
	capitals, small := of(f.tables["hhea"], 4), ascent*2/3
	if binary.BigEndian.Uint16(os2) >= 2 && len(os2) >= end {
		capitals = of(os2, sCapHeight)
		if x := of(os2, sxHeight); x != 0 {
			small = x
		}
	}
	const isNonsymbolic = 32
	return fmt.Sprintf("/Flags %d /FontBBox [%d %d %d %d] /ItalicAngle %d /Ascent %d /Descent %d /CapHeight %d /XHeight %d /StemV 0", isNonsymbolic,
		of(head, 36), of(head, 38), of(head, 40), of(head, 42), int16(binary.BigEndian.Uint16(post[4:])), ascent, descent, capitals, small)
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
