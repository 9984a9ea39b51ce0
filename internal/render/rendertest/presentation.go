package rendertest

import (
	"strconv"
	"testing"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
)

// PresentationWith is a presentation of one slide with the given shapes.
func PresentationWith(t *testing.T, shapes func(p *opc.Package, slide string) string) *pml.Presentation {
	t.Helper()
	data, err := blank.Presentation()
	if err != nil {
		t.Fatal(err)
	}
	p, err := opc.ReadPackage(data)
	if err != nil {
		t.Fatal(err)
	}
	first, err := pml.ResolvePresentation(p)
	if err != nil {
		t.Fatal(err)
	}
	part := first.Slides[0].Part
	p.SetPart(part, p.ContentType(part), []byte(`<p:sld xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`+shapes(p, part)+`</p:spTree></p:cSld></p:sld>`))
	pres, err := pml.ResolvePresentation(p)
	if err != nil {
		t.Fatal(err)
	}
	return pres
}

// Box is a shape with text, its place given in points.
func Box(x, y, w, h int, geometry, body string) string {
	emu := func(n int) string { return strconv.Itoa(n * 12700) }
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="` + emu(x) + `" y="` + emu(y) + `"/><a:ext cx="` + emu(w) + `" cy="` + emu(h) + `"/></a:xfrm><a:prstGeom prst="` + geometry + `"/></p:spPr><p:txBody><a:bodyPr lIns="0" tIns="0" rIns="0" bIns="0"/>` + body + `</p:txBody></p:sp>`
}
