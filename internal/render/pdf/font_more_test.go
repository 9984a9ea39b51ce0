package pdf

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// StrangerFont is an embedded font whose A and B stand for 日 and 👍.
func StrangerFont(t *testing.T) []byte {
	t.Helper()
	data, err := fontFiles.ReadFile("fonts/Caladea-Regular.ttf")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := readGlyphTables(data)
	if err != nil {
		t.Fatal(err)
	}
	face := EmbeddedFonts().Face("Cambria", false, false)
	groups := [][3]uint32{{'日', '日', 0}, {0x1F44D, 0x1F44D, 0}}
	for i, r := range "AB" {
		gid, _ := face.glyph(r)
		groups[i][2] = uint32(gid)
	}
	cmap := []byte{0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12} // one table, for all of Unicode
	cmap = append(cmap, 0, 12, 0, 0)                     // format 12
	for _, n := range []uint32{16 + 12*2, 0, 2} {
		cmap = binary.BigEndian.AppendUint32(cmap, n)
	}
	for _, g := range groups {
		for _, n := range g {
			cmap = binary.BigEndian.AppendUint32(cmap, n)
		}
	}
	var tables []table
	for tag, content := range whole.tables {
		if tag == "cmap" {
			content = cmap
		}
		if tag != "GPOS" && tag != "GSUB" && tag != "GDEF" {
			tables = append(tables, table{tag, content})
		}
	}
	return writeTables(tables)
}

func TestEveryFileThatIsNoFontIsNamed(t *testing.T) {
	t.Parallel()
	good := StrangerFont(t)
	_, err := NewFontSet([]FontFile{{"a.ttf", []byte("no font")}, {"good.ttf", good}, {"b.ttf", good[:len(good)/2]}, {"empty.ttf", nil}})
	for _, name := range []string{"a.ttf", "b.ttf", "empty.ttf"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want a fault of %s", err, name)
		}
	}
	if err != nil && strings.Contains(err.Error(), "good.ttf") {
		t.Errorf("got %v of a good font, too", err)
	}
}

func TestAFontWhoseGlyphsAreMadeOfOthersThatItLacksIsRefused(t *testing.T) {
	t.Parallel()
	whole, err := readGlyphTables(StrangerFont(t))
	if err != nil {
		t.Fatal(err)
	}
	gid, _ := EmbeddedFonts().Face("Cambria", false, false).glyph('é')
	whole.tables["glyf"] = slices.Clone(whole.glyf)
	binary.BigEndian.PutUint16(whole.tables["glyf"][whole.loca[gid]+12:], 0xFFFF) // its first component
	var tables []table
	for tag, content := range whole.tables {
		tables = append(tables, table{tag, content})
	}
	if _, err := NewFontSet([]FontFile{{"broken.ttf", writeTables(tables)}}); err == nil || !strings.Contains(err.Error(), "broken.ttf: glyph") {
		t.Errorf("got %v, want a fault of broken.ttf's glyphs", err)
	}
}
