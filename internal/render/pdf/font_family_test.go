package pdf

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func cffFile(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/CFFTest.otf")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// collection is a file (.ttc) of several fonts.
func collection(fonts ...[]byte) []byte {
	out := binary.BigEndian.AppendUint32([]byte("ttcf\x00\x01\x00\x00"), uint32(len(fonts)))
	at := len(out) + 4*len(fonts)
	var body []byte
	for _, data := range fonts {
		data = slices.Clone(data)
		for i := range int(binary.BigEndian.Uint16(data[4:])) { // offsets count from the file's beginning
			entry := data[12+16*i+8:]
			binary.BigEndian.PutUint32(entry, binary.BigEndian.Uint32(entry)+uint32(at+len(body)))
		}
		out = binary.BigEndian.AppendUint32(out, uint32(at+len(body)))
		body = pad(append(body, data...))
	}
	return append(out, body...)
}

func TestAnAddedFontIsFoundByItsFamily(t *testing.T) {
	t.Parallel()
	s, err := NewFontSet([]FontFile{{"cff.otf", cffFile(t)}, {"caladea.ttf", caladeaFile(t)}})
	if err != nil {
		t.Fatal(err)
	}
	for family, want := range map[string]string{"CFFTest": "cff.otf", " cfftest ": "cff.otf", "CFFTest;Arial": "cff.otf", "Caladea": "caladea.ttf", "Arial": liberationSans, "": liberationSerif} {
		if got := s.Face(family, false, false); got.Family != want {
			t.Errorf("%q: got %s, want %s", family, got.Family, want)
		}
	}
	if got := EmbeddedFonts().Face("CFFTest", false, false).Family; got != dejaVuSans {
		t.Errorf("another set has the added font as %s", got)
	}
}

func TestAnAddedFamilyIsUsedInTheStyleThatComesNext(t *testing.T) {
	t.Parallel()
	styled := func(weight uint16, italic byte) []byte {
		data := slices.Clone(cffFile(t))
		f, err := readGlyphTables(data, 0)
		if err != nil {
			t.Fatal(err)
		}
		binary.BigEndian.PutUint16(f.tables["OS/2"][4:], weight)
		f.tables["OS/2"][63] = italic
		return data
	}
	s, err := NewFontSet([]FontFile{{"light.otf", styled(300, 0)}, {"regular.otf", styled(400, 0)}, {"semibold.otf", styled(600, 0)}, {"italic.otf", styled(400, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bold, italic bool
		want         string
	}{{false, false, "regular.otf"}, {true, false, "semibold.otf"}, {false, true, "italic.otf"}, {true, true, "italic.otf"}} {
		if got := s.Face("CFFTest", c.bold, c.italic); got.Family != c.want {
			t.Errorf("bold %v, italic %v: got %s, want %s", c.bold, c.italic, got.Family, c.want)
		}
	}
}

func TestFontsWithCFFOutlinesAndCollectionsAreEmbedded(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]FontFile{
		"a font":               {"cff.otf", cffFile(t)},
		"a collection":         {"all.ttc", collection(caladeaFile(t), cffFile(t))},
		"the first of several": {"all.ttc", collection(cffFile(t), caladeaFile(t))},
	} {
		s, err := NewFontSet([]FontFile{file})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := NewCanvas("", "")
		c.AddPage(100, 100)
		c.Text(10, 80, "Q", s.Face("CFFTest", false, false), 80, dml.RGB{})
		file, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(rendertest.Tool(t, file, "pdftotext", "FILE", "-")); got != "Q" {
			t.Errorf("%s: the PDF says %q, want Q", name, got)
		}
		left, right := rendertest.Paint(t, file).Extent(10, 90)
		if right-left < 20 {
			t.Errorf("%s: the letter is %.1f points wide, want it to be seen", name, right-left)
		}
	}
}

// A cubic curve lies between its ends and the curves that stand for it.
func TestCurvesKeepTheirForm(t *testing.T) {
	t.Parallel()
	a, b, c, d := place{0, 0}, place{0, 552}, place{448, 1000}, place{1000, 1000} // a quarter of a circle
	points := appendCubic([]outlinePoint{{a, true}}, a, b, c, d, 0.5)
	if last := points[len(points)-1]; last.place != d || !last.isOn {
		t.Fatalf("the curve ends at %v, want %v", last, d)
	}
	for i := 0; i+2 < len(points); i += 2 {
		p, q, r := points[i].place, points[i+1].place, points[i+2].place
		for _, at := range []float64{0.25, 0.5, 0.75} {
			u := 1 - at
			x, y := u*u*p.x+2*u*at*q.x+at*at*r.x, u*u*p.y+2*u*at*q.y+at*at*r.y
			if off := math.Abs(math.Hypot(x-1000, y) - 1000); off > 1 {
				t.Errorf("the point (%.1f, %.1f) is %.2f from the circle, want 1 at most", x, y, off)
			}
		}
	}
}
