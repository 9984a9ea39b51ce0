package opc

import (
	"strings"
	"testing"
)

func TestElementsOfTextHoldAllTheirWordsAndNothingElse(t *testing.T) {
	t.Parallel()
	const start = `<x xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">`
	for in, want := range map[string]string{
		`<w:r><w:t>Street 1<w:br/>12345 Town</w:t></w:r>`:                            `<w:r><w:t>Street 1</w:t><w:br/><w:t>12345 Town</w:t></w:r>`,
		`<w:r><w:t xml:space="preserve">a <w:tab/> b</w:t><w:t>c<w:cr/></w:t></w:r>`: `<w:r><w:t xml:space="preserve">a </w:t><w:tab/><w:t xml:space="preserve"> b</w:t><w:t>c</w:t><w:cr/></w:r>`,
		`<w:r><w:t>a<w:t>b</w:t>c</w:t></w:r>`:                                       `<w:r><w:t>abc</w:t></w:r>`,
		`<w:r><w:t>a <w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r> c</w:t></w:r>`:     `<w:r><w:t>a b c</w:t></w:r>`,
		`<w:r><w:t>a<?mark here?>b<!-- x -->c<![CDATA[<d>]]></w:t></w:r>`:            `<w:r><w:t>abc&lt;d&gt;</w:t></w:r>`,
		`<w:r><w:instrText>PA<?x?>GE</w:instrText></w:r>`:                            `<w:r><w:instrText>PAGE</w:instrText></w:r>`,
		`<a:p><a:r><a:rPr b="1"/><a:t>one<a:br/>two</a:t></a:r></a:p>`:               `<a:p><a:r><a:rPr b="1"/><a:t>one</a:t></a:r><a:br><a:rPr b="1"/></a:br><a:r><a:rPr b="1"/><a:t>two</a:t></a:r></a:p>`,
		`<m:r><m:t>x<m:y/>z</m:t></m:r>`:                                             `<m:r><m:t>xz</m:t></m:r>`,
		`<c:v>Sa<?x?>les</c:v>`:                                                      `<c:v>Sales</c:v>`,
		`<w:r><w:t>a</w:t><w:br/></w:r>`:                                             `<w:r><w:t>a</w:t><w:br/></w:r>`,
	} {
		tree, err := parseXML("x", []byte(start+in+`</x>`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tree.WriteToString()
		if got = strings.TrimSuffix(strings.TrimPrefix(got, start), "</x>"); err != nil || got != want {
			t.Errorf("%s: got %s (%v), want %s", in, got, err, want)
		}
	}
}

// Each break of a slide's run copies its properties.
func TestBreaksInARunOfManyPropertiesStayCheap(t *testing.T) {
	t.Parallel()
	const many = 20_000
	tree, err := parseXML("x", []byte(`<a:p xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:r><a:rPr>`+strings.Repeat(`<a:x/>`, many)+`</a:rPr><a:t>`+strings.Repeat(`a<a:br/>`, many)+`</a:t></a:r></a:p>`))
	if err != nil {
		t.Fatal(err)
	}
	if n := countElements(tree.Root()); n > 2*many {
		t.Errorf("got %d elements of %d", n, 2*many)
	}
}
