package opc

import (
	"reflect"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
)

// relations are the relationships of the main part of a small document.
func relations(elements string) map[string]string {
	return map[string]string{"word/_rels/document.xml.rels": officetest.RelationsStart + elements + `</Relationships>`}
}

const mainPart = "word/document.xml"

// Targets are resolved against the folder of the part that refers to them
// (ECMA-376 part 2, 6.5.3.4 and annex A).
func TestTargetsAreResolvedAgainstTheirPart(t *testing.T) {
	t.Parallel()
	files := map[string]string{"word/media/image 1.png": "", "word/100%25.png": "", "customXml/item1.xml": "<a/>"}
	cases := []struct{ name, target, want string }{
		{"beside the part", "styles.xml", "word/styles.xml"},
		{"in a folder below", "media/a.png", "word/media/a.png"},
		{"in a folder above", "../customXml/item1.xml", "customXml/item1.xml"},
		{"absolute", "/customXml/item1.xml", "customXml/item1.xml"},
		{"a roundabout way", "./media/../media/a.png", "word/media/a.png"},
		{"above the root", "../../../a.png", "a.png"},
		{"with backslashes", `media\a.png`, "word/media/a.png"},
		{"with a place in it", "styles.xml#Normal", "word/styles.xml"},
		{"a place in the part itself", "#top", mainPart},
		{"nothing", "", mainPart},
		{"a space as it is", "media/image 1.png", "word/media/image 1.png"},
		{"a space escaped", "media/image%201.png", "word/media/image 1.png"},
		{"a name with a percent sign", "100%25.png", "word/100%25.png"},
		{"an escape of nothing that is there", "image%202.png", "word/image%202.png"},
		{"no escape", "100%.png", "word/100%.png"},
	}
	for _, c := range cases {
		parts := relations(`<Relationship Id="r" Type="http://example.com/image" Target="` + c.target + `"/>`)
		for name, content := range files {
			parts[name] = content
		}
		r, ok := document(t, parts).Relationship(mainPart, "r")
		if !ok || r.Target != c.want {
			t.Errorf("%s: got %q, %t; want %q", c.name, r.Target, ok, c.want)
		}
	}
}

func TestRelationshipsComeInTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	p := document(t, relations(`<Relationship Id="b" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/hyperlink" Target="..\a#b" TargetMode="external"/>`+
		`<Unknown Id="u" Type="x/image" Target="a.png"/>`+
		`<Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header" Target="header1.xml" TargetMode="Internal"/>`))
	want := []Relationship{{ID: "b", Type: "hyperlink", Target: `..\a#b`, External: true}, {ID: "a", Type: "header", Target: "word/header1.xml"}}
	for _, name := range []string{mainPart, "/" + mainPart, "WORD/Document.xml"} {
		if got := p.Relationships(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	for id, known := range map[string]bool{"a": true, "b": true, "A": false, "": false, "u": false} {
		if got, ok := p.Relationship(mainPart, id); ok != known || got.ID != id && known {
			t.Errorf("the relationship %q: got %+v, %t; want %t", id, got, ok, known)
		}
	}
}

func TestPartsWithoutReadableRelationshipsHaveNone(t *testing.T) {
	t.Parallel()
	p := document(t, map[string]string{"word/_rels/document.xml.rels": "<Relationships>", "word/header1.xml": "<a/>"})
	for _, part := range []string{mainPart, "word/header1.xml", "word/none.xml"} {
		if got := p.Relationships(part); got != nil {
			t.Errorf("%s: got %v, want none", part, got)
		}
	}
}

// The relationships of a part are in a folder beside it, those of the package in
// one at its root (ECMA-376 part 2, 6.5.2).
func TestRelationshipsAreBesideTheirPart(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		"":               "_rels/.rels",
		"document.xml":   "_rels/document.xml.rels",
		"ppt/slides/a.x": "ppt/slides/_rels/a.x.rels",
	} {
		if got := relationshipsPart(part); got != want {
			t.Errorf("%q: got %q, want %q", part, got, want)
		}
	}
}

func TestTheMainPartIsTheFirstOfficeDocumentInTheFile(t *testing.T) {
	t.Parallel()
	const office = `Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" `
	p := document(t, map[string]string{"_rels/.rels": officetest.RelationsStart +
		`<Relationship Id="1" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="word/styles.xml"/>` +
		`<Relationship Id="2" ` + office + `Target="https://example.com/" TargetMode="External"/>` +
		`<Relationship Id="3" ` + office + `Target="word/document.xml"/>` +
		`<Relationship Id="4" ` + office + `Target="word/other.xml"/></Relationships>`})
	if got := p.MainPart(); got != mainPart {
		t.Errorf("got %q, want %q", got, mainPart)
	}
}
