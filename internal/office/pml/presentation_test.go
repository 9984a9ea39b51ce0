package pml

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
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

func TestPresentationsAreAsLargeAsTheySay(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][2]float64{
		``:                                      {720, 540}, // 10 by 7.5 inches
		`<p:sldSz cx="12192000" cy="6858000"/>`: {960, 540},
		`<p:sldSz cx="12700" cy="25400"/>`:      {1, 2},
		`<p:sldSz cx="12700"/>`:                 {720, 540},
		`<p:sldSz cy="12700"/>`:                 {720, 540},
		`<p:sldSz cx="-12700" cy="12700"/>`:     {720, 540},
	} {
		pres := deck{main: source}.read(t)
		if got := [2]float64{pres.Width, pres.Height}; got != want {
			t.Errorf("%s: got %v points, want %v", source, got, want)
		}
	}
}

func TestSlidesStandInTheOrderOfTheirList(t *testing.T) {
	t.Parallel()
	k := deck{parts: map[string]string{
		mainPart: `<p:presentation ` + officetest.SlideNamespaces + ` firstSlideNum="5"><p:sldIdLst><p:sldId id="300" r:id="b"/><p:sldId id="1" r:id="gone"/><p:sldId id="2" r:id="web"/><p:sldId id="3" r:id="none"/><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels": relations(relation("a", "slide", "/"+slidePart) + relation("b", "slide", "/ppt/slides/slide2.xml") +
			relation("gone", "slide", "/ppt/slides/slide9.xml") + relation("web", "slide", "https://example.com/slide.xml")),
		"ppt/slides/slide2.xml": page("sld", `show="0"`, "", named("second file"), ""),
	}}
	var got []string
	for _, s := range k.read(t).Slides {
		got = append(got, fmt.Sprintf("%d: %s in %s, hidden %v", s.Number, s.ID, s.Part, s.Hidden))
	}
	want := []string{"5: 300 in ppt/slides/slide2.xml, hidden true", "6: 256 in " + slidePart + ", hidden false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSlidesCountFromOneUnlessThePresentationSaysOtherwise(t *testing.T) {
	t.Parallel()
	if got := (deck{}).read(t).Slides[0].Number; got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

func TestAPresentationWithoutAListHasNoSlides(t *testing.T) {
	t.Parallel()
	pres := deck{parts: map[string]string{mainPart: `<p:presentation ` + officetest.SlideNamespaces + `/>`}}.read(t)
	if len(pres.Slides) != 0 || pres.Part != mainPart || pres.Elem == nil || pres.Package == nil {
		t.Errorf("got %+v, want an empty presentation", pres)
	}
}

func TestASlideKnowsThePartsThatItInheritsFrom(t *testing.T) {
	t.Parallel()
	s := deck{relations: relation("web", "notesSlide", "https://example.com") + relation("n", "notesSlide", "/ppt/notesSlides/notesSlide1.xml")}.read(t).Slides[0]
	if s.Layout != layoutPart || s.Master != masterPart || s.Notes != "ppt/notesSlides/notesSlide1.xml" || s.Elem == nil || s.Elem.Tag != "sld" {
		t.Errorf("got the layout %q, the master %q and the notes %q", s.Layout, s.Master, s.Notes)
	}
}

func TestASlideWithoutALayoutStandsAlone(t *testing.T) {
	t.Parallel()
	s := deck{slide: sld(named("own")), layout: layout(named("layout")), master: master(named("master")), parts: map[string]string{"ppt/slides/_rels/slide1.xml.rels": relations("")}}.read(t).Slides[0]
	if s.Layout != "" || s.Master != "" || len(s.Inherited) != 0 || !slices.Equal(names(s.Shapes), []string{"own"}) {
		t.Errorf("got the layout %q, the master %q and the shapes %q and %q; want its own alone", s.Layout, s.Master, names(s.Inherited), names(s.Shapes))
	}
	if got, ok := s.Theme.Color("accent1"); !ok || got != (dml.RGB{R: 0x4F, G: 0x81, B: 0xBD}) {
		t.Errorf("accent1 is %v, want Office's", got)
	}
}

func TestDamagedPartsAreErrors(t *testing.T) {
	t.Parallel()
	for _, part := range []string{mainPart, slidePart, layoutPart, masterPart, themePart} {
		p := deck{}.open(t)
		p.SetPart(part, "", []byte(`<p:sld><p:cSld>`))
		pres, err := ResolvePresentation(p)
		var format *opc.FormatError
		if !errors.As(err, &format) || pres != nil {
			t.Errorf("%s: got %v and the error %v, want a *opc.FormatError", part, pres, err)
		}
	}
	if _, err := ReadPresentation([]byte("no zip")); err == nil {
		t.Error("what is no zip was read as a presentation")
	}
}

func TestEditsAreWritten(t *testing.T) {
	t.Parallel()
	pres := deck{slide: sld(named("before"))}.read(t)
	pres.Slides[0].Shapes[0].Elem.FindElement("nvSpPr/cNvPr").CreateAttr("name", "after")
	pres.Package.Touch(slidePart)
	data, err := pres.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadPresentation(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Slides[0].Shapes[0].Name; got != "after" {
		t.Errorf("got the name %q, want %q", got, "after")
	}
}

// ECMA-376 part 1, 19.3.1.38 and 39: showMasterSp.
func TestShapesOfMasterAndLayoutShowThrough(t *testing.T) {
	t.Parallel()
	placeholder := sp(`<p:ph type="title"/>`, "", "")
	for _, c := range []struct {
		name, slide, layout string
		want                []string
	}{
		{"both", "", "", []string{"master", "layout"}},
		{"shown", `showMasterSp="1"`, `showMasterSp="1"`, []string{"master", "layout"}},
		{"not on the slide", `showMasterSp="0"`, "", nil},
		{"not on the layout", "", `showMasterSp="0"`, []string{"layout"}},
	} {
		s := deck{slide: page("sld", c.slide, "", named("slide"), ""), layout: page("sldLayout", c.layout, "", placeholder+named("layout"), ""), master: master(placeholder + named("master"))}.read(t).Slides[0]
		if got := names(s.Inherited); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if got := names(s.Shapes); !slices.Equal(got, []string{"slide"}) {
			t.Errorf("%s: got %q of its own", c.name, got)
		}
	}
}

func background(color string) string {
	return `<p:bg><p:bgPr>` + solid(color) + `</p:bgPr></p:bg>`
}

func TestTheNearestBackgroundIsPainted(t *testing.T) {
	t.Parallel()
	const other = `<p:bg><p:bgPr><a:effectLst/></p:bgPr></p:bg>` // says nothing about the fill
	for _, c := range []struct {
		slide, layout, master string
		want                  dml.RGB
	}{
		{background("FF0000"), background("00FF00"), background("0000FF"), red},
		{"", background("00FF00"), background("0000FF"), green},
		{"", "", background("0000FF"), blue},
		{other, other, background("0000FF"), blue},
	} {
		s := deck{slide: page("sld", "", c.slide, "", ""), layout: page("sldLayout", "", c.layout, "", ""), master: page("sldMaster", "", c.master, "", "")}.read(t).Slides[0]
		wantColor(t, c.slide+c.layout+c.master, s.Background, c.want)
	}
	if got := (deck{}).read(t).Slides[0].Background; got != nil {
		t.Errorf("without any: got %+v, want none", got)
	}
}

func TestABackgroundMayBeThatOfTheTheme(t *testing.T) {
	t.Parallel()
	s := deck{theme: `<a:fmtScheme name="x"><a:bgFillStyleLst>` + solid("00FF00") + `<a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:bgFillStyleLst></a:fmtScheme>`,
		slide: page("sld", "", `<p:bg><p:bgRef idx="1002"><a:srgbClr val="FF0000"/></p:bgRef></p:bg>`, "", "")}.read(t).Slides[0]
	wantColor(t, "second of the theme", s.Background, red)
}

// ECMA-376 part 1, 19.3.1.7: what a slide says of colours goes before its layout,
// and that before the master.
func TestNamesOfColorsAreMapped(t *testing.T) {
	t.Parallel()
	const override = `<p:clrMapOvr><a:overrideClrMapping tx1="%s"/></p:clrMapOvr>`
	filled := sp("", `<a:solidFill><a:schemeClr val="tx1"/></a:solidFill>`, "")
	scheme := `<a:clrScheme name="x"><a:accent1>` + `<a:srgbClr val="FF0000"/></a:accent1><a:accent2><a:srgbClr val="00FF00"/></a:accent2><a:accent3><a:srgbClr val="0000FF"/></a:accent3></a:clrScheme>`
	for _, c := range []struct {
		name, slide, layout string
		want                dml.RGB
	}{
		{"master", `<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>`, "", red},
		{"layout", "", fmt.Sprintf(override, "accent2"), green},
		{"slide", fmt.Sprintf(override, "accent3"), fmt.Sprintf(override, "accent2"), blue},
	} {
		k := deck{theme: scheme, master: page("sldMaster", "", "", "", `<p:clrMap tx1="accent1"/>`), layout: page("sldLayout", "", "", "", c.layout), slide: page("sld", "", "", filled, c.slide)}
		wantColor(t, c.name, k.first(t).Fill, c.want)
	}
}

func TestColorsOfOneSlideAreNotThoseOfTheNext(t *testing.T) {
	t.Parallel()
	filled := sp("", `<a:solidFill><a:schemeClr val="tx1"/></a:solidFill>`, "")
	k := deck{slide: page("sld", "", "", filled, `<p:clrMapOvr><a:overrideClrMapping tx1="lt1"/></p:clrMapOvr>`), master: page("sldMaster", "", "", "", `<p:clrMap tx1="accent1"/>`)}
	k.parts = map[string]string{
		mainPart:                           `<p:presentation ` + officetest.SlideNamespaces + `><p:sldIdLst><p:sldId id="256" r:id="a"/><p:sldId id="257" r:id="b"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  relations(relation("a", "slide", "/"+slidePart) + relation("b", "slide", "/ppt/slides/slide2.xml")),
		"ppt/slides/slide2.xml":            sld(filled),
		"ppt/slides/_rels/slide2.xml.rels": relations(relation("l", "slideLayout", "/"+layoutPart)),
	}
	slides := k.read(t).Slides
	wantColor(t, "first", slides[0].Shapes[0].Fill, white)
	wantColor(t, "second", slides[1].Shapes[0].Fill, dml.RGB{R: 0x4F, G: 0x81, B: 0xBD})
	if slides[0].Theme != slides[1].Theme {
		t.Error("the theme of two slides of one master was read twice")
	}
}

func TestPresentationsAreLimited(t *testing.T) {
	t.Parallel()
	const mostSlides, mostShapes = 2000, 60_000
	ids := func(n int) map[string]string {
		return map[string]string{
			mainPart: `<p:presentation ` + officetest.SlideNamespaces + `><p:sldIdLst>` + strings.Repeat(`<p:sldId id="256" r:id="s1"/>`, n) + `</p:sldIdLst></p:presentation>`,
		}
	}
	if got := len(deck{parts: ids(mostSlides)}.read(t).Slides); got != mostSlides {
		t.Errorf("got %d slides, want %d", got, mostSlides)
	}
	const few = 30 // on the master of each slide
	for name, k := range map[string]deck{
		"slides":                   {parts: ids(mostSlides + 1)},
		"shapes of one slide":      {slide: sld(strings.Repeat(`<p:sp><p:nvSpPr/></p:sp>`, mostShapes+1))},
		"shapes of several slides": {parts: ids(mostSlides), slide: sld(named("own")), master: master(strings.Repeat(`<p:sp><p:nvSpPr/></p:sp>`, few))},
	} {
		_, err := ResolvePresentation(k.open(t))
		var format *opc.FormatError
		if !errors.As(err, &format) {
			t.Errorf("%s: got the error %v, want a *opc.FormatError", name, err)
		}
	}
}
