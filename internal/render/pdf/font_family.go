package pdf

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
)

// names are the families that a document may ask for to get a font (OpenType, name
// table): its family, the one that it shares with other weights, its full name.
func (f *glyphTables) names() []string {
	const header, record = 6, 12
	table := f.tables["name"]
	if len(table) < header {
		return nil
	}
	count, texts := int(binary.BigEndian.Uint16(table[2:])), int(binary.BigEndian.Uint16(table[4:]))
	var names []string
	for i := range count {
		at := header + record*i
		if at+record > len(table) {
			break
		}
		field := func(n int) int { return int(binary.BigEndian.Uint16(table[at+2*n:])) }
		const windows, family, full, typographic = 3, 1, 4, 16
		if id := field(3); field(0) != windows || id != family && id != full && id != typographic {
			continue
		}
		from, size := texts+field(5), field(4)
		if from+size > len(table) {
			continue
		}
		units := make([]uint16, size/2)
		for j := range units {
			units[j] = binary.BigEndian.Uint16(table[from+2*j:])
		}
		name := familyKey(string(utf16.Decode(units)))
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// familyKey is a family's name as it is looked up.
func familyKey(family string) string {
	family, _, _ = strings.Cut(family, ";")
	return strings.ToLower(strings.TrimSpace(family))
}

// weight is how heavy a font's letters are, 400 for usual ones and 700 for bold ones,
// and whether they slope (OpenType, OS/2 table).
func (f *glyphTables) weight() (weight int, isItalic bool) {
	os2 := f.tables["OS/2"]
	return int(binary.BigEndian.Uint16(os2[4:])), os2[63]&1 != 0
}

// byName finds the added font of a family that comes next to the style asked for, or
// nil.
func (s *FontSet) byName(family string, bold, italic bool) *Face {
	if len(s.families) == 0 {
		return nil
	}
	best := nearest(s.families[familyKey(family)], bold, italic)
	if best != nil {
		best.ready()
	}
	return best
}

// nearest is the first of the faces that come next to a style, nil of none.
func nearest(faces []*Face, bold, italic bool) *Face {
	const usual, heavy, slope = 400, 700, 10_000
	wanted := usual
	if bold {
		wanted = heavy
	}
	var best *Face
	least := 0
	for _, f := range faces {
		distance := max(f.weight-wanted, wanted-f.weight)
		if f.isItalic != italic {
			distance += slope
		}
		if best == nil || distance < least {
			best, least = f, distance
		}
	}
	return best
}

// offsets are where the fonts of a file begin: of a collection (.ttc), several.
func offsets(data []byte) []int {
	const header, most = 12, 64
	if len(data) < header || string(data[:4]) != "ttcf" {
		return []int{0}
	}
	var all []int
	for i := range min(int(binary.BigEndian.Uint32(data[8:])), most) {
		if at := header + 4*i; at+4 <= len(data) {
			all = append(all, int(binary.BigEndian.Uint32(data[at:])))
		}
	}
	return all
}
