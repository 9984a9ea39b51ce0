package dml

import (
	"math"
	"slices"
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
