package pml

import (
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/dml"
)

// slideWith is a new presentation whose slide holds the given shapes.
func slideWith(t *testing.T, shapes string) *Presentation {
	t.Helper()
	data, err := blank.Presentation()
	if err != nil {
		t.Fatal(err)
	}
	pres, err := ReadPresentation(data)
	if err != nil {
		t.Fatal(err)
	}
	part := pres.Slides[0].Part
	pres.Package.SetPart(part, pres.Package.ContentType(part), []byte(`<p:sld xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`+shapes+`</p:spTree></p:cSld></p:sld>`))
	again, err := ResolvePresentation(pres.Package)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func shapeXML(spPr, body string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>` + spPr + `</p:spPr>` + body + `</p:sp>`
}

const frameXML = `<a:xfrm rot="5400000"><a:off x="127000" y="254000"/><a:ext cx="1270000" cy="635000"/></a:xfrm><a:prstGeom prst="roundRect"><a:avLst><a:gd name="adj" fmla="val 25000"/></a:avLst></a:prstGeom>`

func TestShapesCarryTheirStyleInPoints(t *testing.T) {
	t.Parallel()
	p := slideWith(t, shapeXML(frameXML+`<a:solidFill><a:srgbClr val="336699"><a:alpha val="50000"/></a:srgbClr></a:solidFill><a:ln w="25400"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill><a:prstDash val="dash"/></a:ln>`,
		`<p:txBody><a:bodyPr lIns="0" anchor="ctr"/><a:p><a:pPr algn="ctr" lvl="1" marL="127000"><a:buChar char="–"/></a:pPr><a:r><a:rPr sz="2400" b="1"><a:latin typeface="Arial"/></a:rPr><a:t>Hi</a:t></a:r><a:br/><a:fld id="{0}" type="slidenum"><a:t>1</a:t></a:fld></a:p></p:txBody>`))
	sh := p.Slides[0].Shapes[0]
	if got, want := sh.Frame, (dml.Rect{X: 10, Y: 20, W: 100, H: 50}); got != want {
		t.Errorf("frame is %v, want %v", got, want)
	}
	if sh.Rotation != 90 || sh.Geometry.Preset != "roundRect" || sh.Geometry.Adjust["adj"] != 25000 {
		t.Errorf("rotation %v, geometry %v", sh.Rotation, sh.Geometry)
	}
	if sh.Fill.Color != (dml.RGB{R: 0x33, G: 0x66, B: 0x99}) || sh.Fill.Alpha != 0.5 {
		t.Errorf("fill is %+v", sh.Fill)
	}
	if sh.Line.Width != 2 || sh.Line.Dash != "dash" || sh.Line.Color != (dml.RGB{R: 255, G: 0, B: 0}) {
		t.Errorf("line is %+v", sh.Line)
	}
	text := sh.Text
	if text.Left != 0 || text.Right != 7.2 || text.Anchor != "ctr" {
		t.Errorf("body is %+v", text)
	}
	para := text.Paragraphs[0]
	if para.Align != "ctr" || para.Level != 1 || para.Left != 10 || para.Bullet.Char != "–" {
		t.Errorf("paragraph is %+v", para)
	}
	if r := para.Runs[0]; r.Text != "Hi" || r.Size != 24 || !r.Bold || r.Font != "Arial" {
		t.Errorf("run is %+v", r)
	}
	if !para.Runs[1].IsBreak || para.Runs[2].Field != "slidenum" {
		t.Errorf("break and field are %+v, %+v", para.Runs[1], para.Runs[2])
	}
}

func TestGroupsPlaceTheirChildrenOnTheSlide(t *testing.T) {
	t.Parallel()
	p := slideWith(t, `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="G"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="1270000" y="0"/><a:ext cx="2540000" cy="1270000"/><a:chOff x="0" y="0"/><a:chExt cx="1270000" cy="1270000"/></a:xfrm></p:grpSpPr>`+
		shapeXML(strings.Replace(frameXML, ` rot="5400000"`, "", 1), "")+`</p:grpSp>`)
	child := p.Slides[0].Shapes[0].Children[0]
	if got, want := child.Frame, (dml.Rect{X: 120, Y: 20, W: 200, H: 50}); got != want {
		t.Errorf("child's frame is %v, want %v", got, want)
	}
}

func TestTablesHaveMergedCellsAndTheirStyle(t *testing.T) {
	t.Parallel()
	cell := func(attr, text string) string {
		return `<a:tc` + attr + `><a:txBody><a:bodyPr/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc>`
	}
	p := slideWith(t, `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="T"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="2540000" cy="0"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr firstRow="1" bandRow="1"><a:tableStyleId>{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}</a:tableStyleId></a:tblPr><a:tblGrid><a:gridCol w="1270000"/><a:gridCol w="1270000"/></a:tblGrid>`+
		`<a:tr h="254000">`+cell(` gridSpan="2"`, "Head")+cell(` hMerge="1"`, "")+`</a:tr><a:tr h="254000">`+cell("", "a")+cell("", "b")+`</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`)
	table := p.Slides[0].Shapes[0].Table
	head := table.Rows[0].Cells
	if head[0].ColSpan != 2 || !head[1].Merged {
		t.Errorf("spans are %d and %v, want 2 and true", head[0].ColSpan, head[1].Merged)
	}
	accent, _ := p.Slides[0].Theme.Color("accent1")
	if head[0].Fill == nil || head[0].Fill.Color != accent || !head[0].Text.Paragraphs[0].Runs[0].Bold {
		t.Errorf("the first row has fill %+v, want %v, and bold text", head[0].Fill, accent)
	}
	if body := table.Rows[1].Cells[0]; body.Fill == nil || body.Fill.Color == accent || body.Bottom == nil {
		t.Errorf("a body cell has fill %+v and border %+v", body.Fill, body.Bottom)
	}
}

func TestADocumentIsNoPresentation(t *testing.T) {
	t.Parallel()
	data, err := blank.Document()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPresentation(data); err == nil {
		t.Error("a document was read as a presentation")
	}
}

func TestColorModifiersFollowDrawingML(t *testing.T) {
	t.Parallel()
	for mods, want := range map[string]dml.RGB{
		``: {R: 0x4F, G: 0x81, B: 0xBD}, `<a:lumMod val="75000"/>`: {R: 0x36, G: 0x60, B: 0x92}, `<a:lumMod val="40000"/><a:lumOff val="60000"/>`: {R: 0xB9, G: 0xCD, B: 0xE5},
		`<a:tint val="0"/>`: {R: 255, G: 255, B: 255}, `<a:shade val="0"/>`: {}, `<a:inv/>`: {R: 0xB0, G: 0x7E, B: 0x42},
	} {
		p := slideWith(t, shapeXML(`<a:solidFill><a:srgbClr val="4F81BD">`+mods+`</a:srgbClr></a:solidFill>`, ""))
		got := p.Slides[0].Shapes[0].Fill.Color
		near := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) <= 2 }
		if !near(got.R, want.R) || !near(got.G, want.G) || !near(got.B, want.B) {
			t.Errorf("%q gives %v, want %v", mods, got, want)
		}
	}
}
