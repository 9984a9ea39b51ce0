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

// closed adds to glyphs what they are made of, and the glyph for what is
// missing.
func (f *glyphTables) closed(gids []uint16) []uint16 {
	seen := map[uint16]bool{0: true}
	all := []uint16{0}
	for _, gid := range gids {
		if !seen[gid] {
			seen[gid], all = true, append(all, gid)
		}
	}
	for i := 0; i < len(all); i++ {
		for _, part := range f.parts(all[i]) {
			if !seen[part] {
				seen[part], all = true, append(all, part)
			}
		}
	}
	slices.Sort(all)
	return all
}

// subset writes a font with these glyphs alone. They keep their numbers; what
// lies between them is empty, and behind the last there is nothing.
func (f *glyphTables) subset(gids []uint16) []byte {
	gids = f.closed(gids)
	gids = slices.DeleteFunc(gids, func(gid uint16) bool { return int(gid) >= len(f.loca)-1 })
	count := int(gids[len(gids)-1]) + 1
	var glyf []byte
	offsets := make([]int, count+1)
	next := 0
	for _, gid := range gids {
		for ; next <= int(gid); next++ {
			offsets[next] = len(glyf)
		}
		glyf = padded(append(glyf, f.glyf[f.loca[gid]:f.loca[gid+1]]...))
	}
	offsets[count] = len(glyf)

	head, hhea, maxp := slices.Clone(f.tables["head"]), slices.Clone(f.tables["hhea"]), slices.Clone(f.tables["maxp"])
	binary.BigEndian.PutUint32(head[8:], 0) // the file's checksum, which is not kept up
	binary.BigEndian.PutUint16(maxp[4:], uint16(count))
	hmtx := f.tables["hmtx"]
	if metrics := min(count, f.metrics()); metrics < count {
		hmtx = hmtx[:min(len(hmtx), 4*metrics+2*(count-metrics))]
	} else {
		hmtx = hmtx[:4*count]
		binary.BigEndian.PutUint16(hhea[34:], uint16(count))
	}
	var loca []byte
	const shortest = 2 * math.MaxUint16
	for _, off := range offsets {
		if len(glyf) <= shortest {
			loca = binary.BigEndian.AppendUint16(loca, uint16(off/2))
		} else {
			loca = binary.BigEndian.AppendUint32(loca, uint32(off))
		}
	}
	binary.BigEndian.PutUint16(head[50:], 0)
	if len(glyf) > shortest {
		binary.BigEndian.PutUint16(head[50:], 1)
	}
	return writeTables([]table{
		{"cvt ", f.tables["cvt "]}, {"fpgm", f.tables["fpgm"]}, {"glyf", glyf}, {"head", head}, {"hhea", hhea},
		{"hmtx", hmtx}, {"loca", loca}, {"maxp", maxp}, {"prep", f.tables["prep"]},
	})
}

type table struct {
	tag  string
	data []byte
}

// writeTables writes a TrueType file of tables that are in the order of their
// tags, without those that are empty.
func writeTables(tables []table) []byte {
	tables = slices.DeleteFunc(tables, func(t table) bool { return len(t.data) == 0 })
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

// descriptor is what a font descriptor says of the whole font (ISO 32000-1,
// table 122), in thousandths of an em.
func (f *glyphTables) descriptor() string {
	head, os2, hhea := f.tables["head"], f.tables["OS/2"], f.tables["hhea"]
	em := float64(binary.BigEndian.Uint16(head[18:]))
	scaled := func(b []byte, at int) int {
		return int(math.Round(float64(int16(binary.BigEndian.Uint16(b[at:]))) * 1000 / em))
	}
	capital, lower := scaled(hhea, 4), scaled(hhea, 4)*2/3
	if binary.BigEndian.Uint16(os2) >= 2 && len(os2) >= 90 {
		lower, capital = scaled(os2, 86), scaled(os2, 88)
	}
	const nonsymbolic = 32
	return fmt.Sprintf("/Flags %d /FontBBox [%d %d %d %d] /ItalicAngle %d /Ascent %d /Descent %d /CapHeight %d /XHeight %d",
		nonsymbolic, scaled(head, 36), scaled(head, 38), scaled(head, 40), scaled(head, 42),
		int16(binary.BigEndian.Uint16(f.tables["post"][4:])), scaled(os2, 74), -scaled(os2, 76), capital, lower)
}
