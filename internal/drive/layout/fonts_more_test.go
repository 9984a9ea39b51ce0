package layout

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/office"
)

// strangerFont is an embedded font whose A and B stand for 日 and 👍.
func strangerFont(t *testing.T) []byte {
	t.Helper()
	data, err := fontFiles.ReadFile("fonts/Caladea-Regular.ttf")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := readGlyphTables(data)
	if err != nil {
		t.Fatal(err)
	}
	face := Fonts().Face("Cambria", false, false)
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

func TestAddedFontsDrawWhatTheEmbeddedOnesLack(t *testing.T) {
	t.Parallel()
	fonts, err := NewFontSet([]FontFile{{Name: "日 Stranger.ttf", Data: strangerFont(t)}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := office.ReadDocument(docx{body: paragraph("", "A日本👍")}.bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	pdf, findings, err := Document(fonts, d, "more")
	if err != nil {
		t.Fatal(err)
	}
	if text := tool(t, pdf, "pdftotext", "FILE", "-"); !strings.Contains(strings.ReplaceAll(text, " ", ""), "A日本👍") {
		t.Errorf("the PDF says %q", text)
	}
	if list := tool(t, pdf, "pdffonts", "FILE"); !strings.Contains(list, "Stranger-") {
		t.Errorf("the PDF has the fonts\n%s", list)
	}
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Message, ": 本 (U+672C)") {
		t.Errorf("got findings %+v, want one for 本 alone", findings)
	}
}

func TestEveryFileThatIsNoFontIsNamed(t *testing.T) {
	t.Parallel()
	good := strangerFont(t)
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
	whole, err := readGlyphTables(strangerFont(t))
	if err != nil {
		t.Fatal(err)
	}
	gid, _ := Fonts().Face("Cambria", false, false).glyph('é')
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
