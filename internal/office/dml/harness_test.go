package dml

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

// parse reads one element.
func parse(t *testing.T, source string) *etree.Element {
	t.Helper()
	doc := etree.NewDocument()
	if err := doc.ReadFromString(source); err != nil {
		t.Fatalf("parse %s: %v", source, err)
	}
	return doc.Root()
}

// The part that readers of tests read, and its folder.
const (
	testPart   = "word/document.xml"
	testFolder = "word/"
)

// related is what a part points to: another part by its name in testFolder, or
// an address when it is external.
type related struct {
	id, kind, target string
	isExternal       bool
}

// relationsXML writes the relationships of a part.
func relationsXML(list ...related) string {
	out := officetest.RelationsStart
	for _, r := range list {
		mode := ""
		if r.isExternal {
			mode = ` TargetMode="External"`
		}
		out += `<Relationship Id="` + r.id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + r.kind + `" Target="` + r.target + `"` + mode + `/>`
	}
	return out + `</Relationships>`
}

// newReader is a reader of a part with these relationships in a package that
// holds these further parts, named within testFolder.
func newReader(t *testing.T, parts map[string]string, relations ...related) *Reader {
	t.Helper()
	all := officetest.WordParts("", nil)
	all["word/_rels/document.xml.rels"] = relationsXML(relations...)
	for name, content := range parts {
		all[testFolder+name] = content
	}
	p, err := opc.ReadPackage(officetest.Zip(t, all))
	if err != nil {
		t.Fatal(err)
	}
	return &Reader{Package: p, Part: testPart, Theme: &Theme{}, Colors: map[string]string{}}
}

// readTheme reads a theme with this content.
func readTheme(t *testing.T, content string) *Theme {
	t.Helper()
	d := newReader(t, map[string]string{"theme1.xml": content})
	theme, err := ReadTheme(d.Package, testFolder+"theme1.xml")
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// Colours that many tests use.
var (
	black = RGB{}
	white = RGB{255, 255, 255}
	red   = RGB{255, 0, 0}
	green = RGB{0, 255, 0}
	blue  = RGB{0, 0, 255}
)

// ids are the id attributes of elements; "" stands for nil.
func ids(list ...*etree.Element) []string {
	out := make([]string, len(list))
	for i, e := range list {
		if e != nil {
			out[i] = e.SelectAttrValue("id", "")
		}
	}
	return out
}

func wantIDs(t *testing.T, what string, got []*etree.Element, want ...string) {
	t.Helper()
	if !slices.Equal(ids(got...), want) {
		t.Errorf("%s: got the elements %q, want %q", what, ids(got...), want)
	}
}

// wantNear wants a number but for what binary fractions cannot say.
func wantNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantFill(t *testing.T, what string, got *ShapeFill, kind FillKind, color RGB, alpha float64) {
	t.Helper()
	switch {
	case got == nil:
		t.Errorf("%s: got no fill, want kind %d in %v", what, kind, color)
	case got.Kind != kind || got.Color != color || math.Abs(got.Alpha-alpha) > 1e-9:
		t.Errorf("%s: got kind %d, %v, alpha %v; want kind %d, %v, alpha %v", what, got.Kind, got.Color, got.Alpha, kind, color, alpha)
	}
}

// readChart reads a chart part with this content in its c:chartSpace, and these
// relationships.
func readChart(t *testing.T, d *Reader, space string) *Chart {
	t.Helper()
	d.Package.SetPart("word/chart1.xml", "", []byte(`<c:chartSpace xmlns:a="urn:a" xmlns:c="urn:c">`+space+`</c:chartSpace>`))
	d.Package.SetPart("word/_rels/document.xml.rels", "", []byte(relationsXML(related{"chart1", "chart", "chart1.xml", false})))
	return ReadChart(d, "chart1")
}

// plotArea reads a chart with this plot area.
func plotArea(t *testing.T, content string) *Chart {
	t.Helper()
	return readChart(t, newReader(t, nil), `<c:chart><c:plotArea>`+content+`</c:plotArea></c:chart>`)
}

// numCache is a cache of values in a format; empty ones are left out of it.
func numCache(format string, values ...string) string {
	out := `<c:numCache><c:formatCode>` + format + `</c:formatCode><c:ptCount val="` + strconv.Itoa(len(values)) + `"/>`
	for i, v := range values {
		if v != "" {
			out += `<c:pt idx="` + strconv.Itoa(i) + `"><c:v>` + v + `</c:v></c:pt>`
		}
	}
	return `<c:numRef><c:f>Sheet1!A1</c:f>` + out + `</c:numCache></c:numRef>`
}

// strCache is the same of texts.
func strCache(texts ...string) string {
	out := `<c:strRef><c:strCache><c:ptCount val="` + strconv.Itoa(len(texts)) + `"/>`
	for i, s := range texts {
		out += `<c:pt idx="` + strconv.Itoa(i) + `"><c:v>` + s + `</c:v></c:pt>`
	}
	return out + `</c:strCache></c:strRef>`
}

// series is a c:ser with an index and values, and what else it holds.
func series(index int, more string, values ...string) string {
	return `<c:ser><c:idx val="` + strconv.Itoa(index) + `"/>` + more + `<c:val>` + numCache("General", values...) + `</c:val></c:ser>`
}

func wantColor(t *testing.T, what string, got *ShapeFill, want RGB) {
	t.Helper()
	wantFill(t, what, got, FillSolid, want, 1)
}

const themeStart = `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:themeElements>`
