package slide

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestADiagramWithoutALookShowsItsTexts(t *testing.T) {
	t.Parallel()
	point := func(id, text string) string {
		return `<dgm:pt modelId="` + id + `"><dgm:t><a:bodyPr/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></dgm:t></dgm:pt>`
	}
	link := func(from, to, order string) string {
		return `<dgm:cxn modelId="c` + from + to + `" srcId="` + from + `" destId="` + to + `" srcOrd="` + order + `"/>`
	}
	model := `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>` +
		point("1", "Harbour") + point("2", "Quay") + point("3", "Dock") + `</dgm:ptLst><dgm:cxnLst>` + link("0", "1", "0") + link("1", "3", "1") + link("1", "2", "0") + link("3", "1", "0") + `</dgm:cxnLst></dgm:dataModel>`
	pdf, findings := slideWith(t, func(p *opc.Package, slide string) string {
		const part = "/ppt/diagrams/data1.xml"
		p.SetPart(part, "application/xml", []byte(model))
		id, err := p.Relate(slide, "diagramData", part, false)
		if err != nil {
			t.Fatal(err)
		}
		return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="D"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="5080000" cy="2540000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="` + id + `"/></a:graphicData></a:graphic></p:graphicFrame>`
	})
	words := rendertest.Words(t, pdf)
	harbour, quay, dock := rendertest.Find(t, words, "Harbour"), rendertest.Find(t, words, "Quay"), rendertest.Find(t, words, "Dock")
	if harbour.Base >= quay.Base || quay.Left >= dock.Left || quay.Base != dock.Base {
		t.Errorf("the texts stand at %v, want Harbour above Quay and Dock side by side", words)
	}
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "plain boxes") {
		t.Errorf("findings: %v", findings)
	}
}

func TestSlideReportsWhatItCannotDraw(t *testing.T) {
	t.Parallel()
	_, findings := slide(t, rendertest.Box(0, 0, 100, 50, "rect", `<a:p><a:r><a:t>𪜀</a:t></a:r></a:p>`)+
		`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="C"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="100" cy="100"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"/></a:graphic></p:graphicFrame>`)
	var codes []string
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	if got, want := strings.Join(codes, " "), render.FindingGlyph+" "+render.FindingDrawing; got != want {
		t.Errorf("findings are %q, want %q", got, want)
	}
}

func TestWhatAShapeOfASlideLacksIsToldAndHidesNothing(t *testing.T) {
	t.Parallel()
	shape := func(geometry, look, rest string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="S"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + geometry + look + `</p:spPr>` + rest + `</p:sp>`
	}
	for name, c := range map[string]struct {
		shape string
		loss  dml.Loss
	}{
		"an unknown form":       {shape(rendertest.Gear, rendertest.Blue, ""), dml.LossForm},
		"a gradient that fades": {shape(rendertest.Rectangle, rendertest.Fading, ""), dml.LossGradient},
		"a shadow":              {shape(rendertest.Rectangle, `<a:noFill/><a:effectLst><a:outerShdw/></a:effectLst>`, ""), dml.LossEffects},
		"a warped text":         {shape(rendertest.Rectangle, `<a:noFill/>`, `<p:txBody><a:bodyPr><a:prstTxWarp prst="textArchUp"/></a:bodyPr><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody>`), dml.LossWarp},
		"handwriting":           {`<p:contentPart r:id="x"/>`, dml.LossInk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf, findings := slide(t, c.shape)
			rendertest.WantLoss(t, findings, c.loss)
			if at := rendertest.Paint(t, pdf).Color(166, 133); at.B > 200 && at.R < 60 {
				t.Errorf("the shape is an opaque box: its inside is %v", at)
			}
		})
	}
}

// Themes have such pictures for backgrounds: grey, and mostly dark.
func TestABackgroundInTwoTonesIsNoBlackBand(t *testing.T) {
	t.Parallel()
	pdf, findings := slideWith(t, func(p *opc.Package, part string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="S"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + rendertest.Rectangle +
			`<a:blipFill><a:blip r:embed="` + rendertest.PictureFor(t, p, part) + `"><a:duotone><a:srgbClr val="FFFFFF"/><a:srgbClr val="0000FF"/></a:duotone></a:blip><a:tile/></a:blipFill></p:spPr></p:sp>`
	})
	rendertest.WantLoss(t, findings, dml.LossDuotone)
	if got, want := rendertest.Paint(t, pdf).Color(166, 133), (dml.RGB{R: 128, G: 128, B: 255}); got != want {
		t.Errorf("the background is %v, want the colour between its tones, %v", got, want)
	}
}

// PowerPoint for Mac puts a picture's PDF and its PNG side by side.
func TestAPictureInAlternateContentIsDrawn(t *testing.T) {
	t.Parallel()
	pdf, findings := slideWith(t, func(p *opc.Package, slide string) string {
		id := rendertest.PictureFor(t, p, slide)
		return `<p:pic><p:nvPicPr><p:cNvPr id="2" name="P"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">` +
			`<mc:Choice xmlns:ma="http://schemas.microsoft.com/office/mac/drawingml/2008/main" Requires="ma"><p:blipFill><a:blip r:embed="none"/></p:blipFill></mc:Choice>` +
			`<mc:Fallback><p:blipFill><a:blip r:embed="` + id + `"/></p:blipFill></mc:Fallback></mc:AlternateContent>` +
			`<p:spPr><a:xfrm><a:off x="127000" y="127000"/><a:ext cx="1270000" cy="1270000"/></a:xfrm></p:spPr></p:pic>`
	})
	if len(findings) != 0 {
		t.Errorf("got findings %v, want none", findings)
	}
	if images := rendertest.Tool(t, pdf, "pdfimages", "-list", "FILE"); !strings.Contains(images, "image") {
		t.Errorf("got images %q, want one", images)
	}
}

func plain(x, y, w, h float64, c dml.RGB) *pml.Shape {
	return &pml.Shape{Frame: dml.Rect{X: x, Y: y, W: w, H: h}, Geometry: dml.Geometry{Preset: "rect"}, Fill: solid(c)}
}

// saying is a shape with text and no fill.
func saying(text string) *pml.Shape {
	sh := plain(100, 50, 200, 100, red)
	sh.Fill, sh.Text = nil, body(paragraph(run(text)))
	return sh
}

func presented(t *testing.T, slides ...*pml.Slide) ([][]rendertest.Mark, []render.Finding) {
	t.Helper()
	file, findings, err := Presentation(pdf.EmbeddedFonts(), &pml.Presentation{Width: 600, Height: 400, Slides: slides}, "Test")
	if err != nil {
		t.Fatal(err)
	}
	return rendertest.Drawn(t, file), findings
}

func TestEachSlideIsAPageUnlessItIsHidden(t *testing.T) {
	t.Parallel()
	pages, _ := presented(t, &pml.Slide{Number: 1, Shapes: []*pml.Shape{saying("one")}}, &pml.Slide{Number: 2, Hidden: true, Shapes: []*pml.Shape{saying("two")}}, &pml.Slide{Number: 3, Shapes: []*pml.Shape{saying("six")}})
	if len(pages) != 2 || !slices.Equal(rendertest.Texts(pages[0]), []string{"one"}) || !slices.Equal(rendertest.Texts(pages[1]), []string{"six"}) {
		t.Errorf("got %v, want the first and the third slide", pages)
	}
	pages, _ = presented(t, &pml.Slide{Hidden: true})
	if len(pages) != 1 || len(pages[0]) != 0 {
		t.Errorf("of hidden slides: got %v, want an empty page", pages)
	}
}

func TestWhatASlideInheritsLiesUnderItsOwnShapes(t *testing.T) {
	t.Parallel()
	pages, _ := presented(t, &pml.Slide{Background: solid(dml.RGB{G: 255}), Inherited: []*pml.Shape{plain(10, 20, 30, 40, red)}, Shapes: []*pml.Shape{plain(50, 60, 70, 80, blue)}})
	var got []dml.RGB
	for _, m := range pages[0] {
		got = append(got, m.Color)
	}
	if want := []dml.RGB{{G: 255}, red, blue}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	rendertest.WantRects(t, "the background", rendertest.Areas(pages[0], dml.RGB{G: 255}), dml.Rect{W: 600, H: 400})
	rendertest.WantRects(t, "its own shape", rendertest.Areas(pages[0], blue), dml.Rect{X: 50, Y: 60, W: 70, H: 80})
}

func TestNumbersOfSlidesAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	number := saying("‹#›")
	number.Text.Paragraphs[0].Runs[0].Field = "slidenum"
	chart := &pml.Shape{Kind: pml.ShapeOther, Graphic: "ole"}
	pages, findings := presented(t, &pml.Slide{Number: 12, Shapes: []*pml.Shape{number, chart}})
	if !slices.Equal(rendertest.Texts(pages[0]), []string{"12"}) || len(findings) != 1 || findings[0].Message != "slide 12: a ole is not drawn" {
		t.Errorf("got %v and %v, want 12 in both", rendertest.Texts(pages[0]), findings)
	}
}

func TestShapesThatDoNotShowAreNotDrawn(t *testing.T) {
	t.Parallel()
	placeholder := func(text string) *pml.Shape {
		sh := plain(10, 20, 30, 40, red)
		sh.Placeholder, sh.Text = &pml.Placeholder{Type: "body"}, body(paragraph(run(text)))
		return sh
	}
	hidden := plain(10, 20, 30, 40, red)
	hidden.Hidden = true
	without, picture := placeholder(""), placeholder("")
	without.Text = nil
	picture.Kind = pml.ShapePicture
	for _, c := range []struct {
		name  string
		shape *pml.Shape
		want  int
	}{
		{"hidden", hidden, 0}, {"a placeholder that nobody filled", placeholder(""), 0}, {"a placeholder with text", placeholder("n"), 1},
		{"a placeholder that takes none", without, 1}, {"a placeholder of a picture", picture, 1},
	} {
		if got := rendertest.Areas(drawnShapes(t, c.shape), red); len(got) != c.want {
			t.Errorf("%s: got %v, want %d", c.name, got, c.want)
		}
	}
}

func TestShapesTurnAroundTheirMiddle(t *testing.T) {
	t.Parallel()
	sh := plain(100, 100, 80, 40, red)
	sh.Rotation = 90
	got := drawnShapes(t, sh, plain(10, 20, 30, 40, blue))
	rendertest.WantRects(t, "turned", rendertest.Areas(got, red), dml.Rect{X: 120, Y: 80, W: 40, H: 80})
	rendertest.WantRects(t, "the shape behind it", rendertest.Areas(got, blue), dml.Rect{X: 10, Y: 20, W: 30, H: 40})
}

// The mark is in a corner of its own group, which is in a corner of the outer one.
func TestMirroredGroupsMirrorTheirShapes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                           string
		outerH, outerV, innerH, innerV bool
		want                           dml.Rect
	}{
		{"not at all", false, false, false, false, dml.Rect{X: 110, Y: 120, W: 10, H: 5}},
		{"from left to right", true, false, false, false, dml.Rect{X: 280, Y: 120, W: 10, H: 5}},
		{"upside down", false, true, false, false, dml.Rect{X: 110, Y: 175, W: 10, H: 5}},
		{"both", true, true, false, false, dml.Rect{X: 280, Y: 175, W: 10, H: 5}},
		{"inside", false, false, true, false, dml.Rect{X: 140, Y: 120, W: 10, H: 5}},
		{"twice", true, false, true, false, dml.Rect{X: 250, Y: 120, W: 10, H: 5}},
		{"each its own way", true, false, false, true, dml.Rect{X: 280, Y: 135, W: 10, H: 5}},
		{"twice upside down", false, true, false, true, dml.Rect{X: 110, Y: 160, W: 10, H: 5}},
	} {
		inner := &pml.Shape{Kind: pml.ShapeGroup, Frame: dml.Rect{X: 110, Y: 120, W: 40, H: 20}, FlipH: c.innerH, FlipV: c.innerV, Children: []*pml.Shape{plain(110, 120, 10, 5, red)}}
		outer := &pml.Shape{Kind: pml.ShapeGroup, Frame: dml.Rect{X: 100, Y: 100, W: 200, H: 100}, FlipH: c.outerH, FlipV: c.outerV, Children: []*pml.Shape{inner}}
		rendertest.WantRects(t, c.name, rendertest.Areas(drawnShapes(t, outer), red), c.want)
		if inner.Frame.X != 110 || inner.Children[0].Frame.X != 110 {
			t.Errorf("%s: the model was changed to %+v", c.name, inner)
		}
	}
}

func TestMirroringAGroupTurnsRotationsAround(t *testing.T) {
	t.Parallel()
	child := plain(10, 20, 30, 40, red)
	child.Rotation = 30
	for _, c := range []struct {
		h, v bool
		want float64
	}{{false, false, 30}, {true, false, -30}, {false, true, -30}, {true, true, 30}} {
		got := flip(child, &pml.Shape{FlipH: c.h, FlipV: c.v})
		if got.Rotation != c.want || got.FlipH != c.h || got.FlipV != c.v {
			t.Errorf("%t, %t: got %g, %t, %t; want %g and the group's flips", c.h, c.v, got.Rotation, got.FlipH, got.FlipV, c.want)
		}
	}
}

func TestShapesLeadToTheirAddress(t *testing.T) {
	t.Parallel()
	sh := plain(100, 50, 200, 30, red)
	sh.Link = "https://example.com/a"
	pr := printer()
	file := fileBy(t, pr, func() { pr.shape(sh) })
	// The page is 400 points high, and its own coordinates run upwards.
	if got, want := links(file), []string{"https://example.com/a 100.00 320.00 300.00 350.00"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAShapeIsFilledOutlinedAndWritten(t *testing.T) {
	t.Parallel()
	sh := plain(100, 50, 200, 100, red)
	sh.Line, sh.Text = stroke(blue), body(paragraph(run("mm")))
	got := drawnShapes(t, sh)
	var kinds []rendertest.MarkKind
	for _, m := range got {
		kinds = append(kinds, m.Kind)
	}
	if want := []rendertest.MarkKind{rendertest.MarkArea, rendertest.MarkOutline, rendertest.MarkText}; !slices.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
	rendertest.WantText(t, got, "mm", 100, 60)
}

// Text that follows its values outgrows the box that a file was saved with.
func TestAShapeIsAsHighAsItsTextWhereItFollowsIt(t *testing.T) {
	t.Parallel()
	three := func(anchor string) *dml.TextBody {
		b := body(paragraph(run("mm"), lineBreak(), run("mm"), lineBreak(), run("mm")))
		b.Grow, b.Anchor, b.Top, b.Bottom = true, anchor, 3, 5
		return b
	}
	const high = 3 + 3*12 + 5 // of text and insets
	for _, c := range []struct {
		name         string
		y, h         float64
		change       func(*pml.Shape)
		wantY, wantH float64
	}{
		{"too low", 50, 20, func(*pml.Shape) {}, 50, high},
		{"too high", 50, 100, func(*pml.Shape) {}, 50, high},
		{"from the middle", 50, 20, func(sh *pml.Shape) { sh.Text = three("ctr") }, 60 - high/2.0, high},
		{"upwards", 50, 20, func(sh *pml.Shape) { sh.Text = three("b") }, 70 - high, high},
		{"of a fixed size", 50, 20, func(sh *pml.Shape) { sh.Text.Grow = false }, 50, 20},
		{"without text", 50, 20, func(sh *pml.Shape) { sh.Text = body(paragraph(run(""))); sh.Text.Grow = true }, 50, 20},
		{"with text that runs down", 50, 20, func(sh *pml.Shape) { sh.Text.Vertical = "vert" }, 50, 20},
		{"with text beside it", 50, 20, func(sh *pml.Shape) { sh.Text.Frame = dml.Rect{X: 300, Y: 300, W: 50, H: 50} }, 50, 20},
	} {
		sh := plain(100, c.y, 200, c.h, red)
		sh.Text = three("t")
		c.change(sh)
		rendertest.WantRects(t, c.name, rendertest.Areas(drawnShapes(t, sh), red), dml.Rect{X: 100, Y: c.wantY, W: 200, H: c.wantH})
		if sh.Frame.H != c.h {
			t.Errorf("%s: the shape itself has changed: %+v", c.name, sh.Frame)
		}
	}
}

func TestTextIsWhereTheGeometryLeavesRoomForIt(t *testing.T) {
	t.Parallel()
	// A right triangle has its right angle below at the left; its text has half of its
	// width and a third of its height (presetShapeDefinitions.xml, rtTriangle).
	triangle := func() *pml.Shape {
		sh := saying("mm")
		sh.Frame, sh.Geometry.Preset = dml.Rect{X: 100, Y: 50, W: 240, H: 120}, "rtTriangle"
		return sh
	}
	rendertest.WantText(t, drawnShapes(t, triangle()), "mm", 120, 120+10)
	flipped := triangle()
	flipped.FlipH = true
	rendertest.WantText(t, drawnShapes(t, flipped), "mm", 340-20-120, 120+10)
	flipped = triangle()
	flipped.FlipV = true
	// Upside down: the text turns around the middle of its box, 120 by 40 points at 120, 60.
	rendertest.WantText(t, drawnShapes(t, flipped), "mm", 240, 100-10)
	own := triangle()
	own.Text.Frame = dml.Rect{X: 10, Y: 20, W: 100, H: 50}
	rendertest.WantText(t, drawnShapes(t, own), "mm", 10, 30)
}

func TestAnUnknownFormIsSeeThroughUnderItsText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		fill *dml.ShapeFill
		text *dml.TextBody
		want int
	}{
		{"with text", solid(red), body(paragraph(run("n"))), 1},
		{"with a gradient", &dml.ShapeFill{Kind: dml.FillGradient, Color: red, Alpha: 1}, body(paragraph(run("n"))), 1},
		{"without text", solid(red), nil, 0},
		{"without a letter", solid(red), body(paragraph(run(""))), 0},
		{"without a fill", nil, body(paragraph(run("n"))), 0},
		{"with a picture", &dml.ShapeFill{Kind: dml.FillPicture, Color: red}, body(paragraph(run("n"))), 0},
	} {
		sh := plain(100, 50, 200, 100, red)
		sh.Geometry.Preset, sh.Fill, sh.Text = "invented", c.fill, c.text
		pr := printer()
		got := drawnBy(t, pr, func() { pr.plain(sh) })
		if found := rendertest.Areas(got, red); len(found) != c.want || len(found) > 0 && got[0].Alpha >= 1 {
			t.Errorf("%s: got %+v, want %d, see-through", c.name, got, c.want)
		}
		rendertest.WantLoss(t, pr.Findings.All(), dml.LossForm)
	}
}

func TestPicturesAreCutToTheirForm(t *testing.T) {
	t.Parallel()
	for preset, want := range map[string][]rendertest.MarkKind{
		"rect": {rendertest.MarkPicture}, "ellipse": {rendertest.MarkClip, rendertest.MarkPicture},
	} {
		pages, findings := presentedWith(t, func(id string) string {
			return `<p:pic><p:nvPicPr><p:cNvPr id="2" name="P"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="` + id + `"/></p:blipFill>` +
				`<p:spPr><a:xfrm><a:off x="1270000" y="635000"/><a:ext cx="2540000" cy="1270000"/></a:xfrm><a:prstGeom prst="` + preset + `"/></p:spPr></p:pic>`
		})
		var got []rendertest.MarkKind
		for _, m := range pages[0] {
			if m.Color != (dml.RGB{R: 255, G: 255, B: 255}) { // the background
				got = append(got, m.Kind)
				rect := m.Box()
				rendertest.Near(t, preset+": left", rect.X, 100, near)
				rendertest.Near(t, preset+": width", rect.W, 200, near)
			}
		}
		if !slices.Equal(got, want) || len(findings) > 0 {
			t.Errorf("%s: got %v and %v, want %v", preset, got, findings, want)
		}
	}
}

// presentedWith is a slide with shapes that refer to a picture.
func presentedWith(t *testing.T, shapes func(id string) string) ([][]rendertest.Mark, []render.Finding) {
	t.Helper()
	file, findings := slideWith(t, func(p *opc.Package, part string) string { return shapes(rendertest.PictureFor(t, p, part)) })
	return rendertest.Drawn(t, file), findings
}

func TestTheFrameOfAPictureStandsAroundIt(t *testing.T) {
	t.Parallel()
	for preset, want := range map[string]dml.Rect{
		"rect":    {X: 95, Y: 45, W: 210, H: 110},
		"ellipse": {X: 100, Y: 50, W: 200, H: 100}, // a picture that is cut is framed on its edge
	} {
		sh := plain(100, 50, 200, 100, red)
		sh.Kind, sh.Line, sh.Geometry.Preset = pml.ShapePicture, &dml.ShapeLine{Width: 10, Color: blue, Alpha: 1}, preset
		for _, m := range drawnShapes(t, sh) {
			if m.Kind == rendertest.MarkOutline {
				rendertest.WantRect(t, preset, dml.Rect(m.Box()), want)
			}
		}
	}
}

func TestAPictureWithoutContentsIsNone(t *testing.T) {
	t.Parallel()
	sh := plain(100, 50, 200, 100, red)
	sh.Kind = pml.ShapePicture
	if got := drawnShapes(t, sh); len(got) != 1 || got[0].Kind != rendertest.MarkArea {
		t.Errorf("got %+v, want its fill alone", got)
	}
}

func TestGraphicsAreDrawnByWhatTheyHold(t *testing.T) {
	t.Parallel()
	diagram := []*pml.Shape{plain(1, 2, 3, 4, red), plain(5, 6, 7, 8, red)}
	column := &dml.Chart{Inner: &dml.Rect{W: 1, H: 1}, Category: dml.ChartAxis{Deleted: true}, Value: dml.ChartAxis{Deleted: true}, Losses: []dml.Loss{dml.LossPlot},
		Plots: []*dml.ChartPlot{{Kind: dml.PlotBar, Series: []*dml.ChartSeries{{Fill: solid(red), Values: []float64{1}}}}}}
	for _, c := range []struct {
		name     string
		shape    *pml.Shape
		boxes    int
		findings []string
	}{
		{"a diagram", &pml.Shape{Children: diagram}, 2, nil},
		{"a diagram without a style", &pml.Shape{Children: diagram, Simplified: true}, 2, []string{"slide 7: a diagram whose look is not in the file is drawn as plain boxes"}},
		{"a chart", &pml.Shape{Chart: column}, 1, []string{string(dml.LossPlot) + ": slide 7"}},
		{"an object", &pml.Shape{Graphic: "ole"}, 0, []string{"slide 7: a ole is not drawn"}},
	} {
		c.shape.Kind, c.shape.Frame = pml.ShapeOther, dml.Rect{X: 100, Y: 50, W: 200, H: 100}
		pr := printer()
		got := rendertest.Areas(drawnBy(t, pr, func() { pr.shape(c.shape) }), red)
		var findings []string
		for _, f := range pr.Findings.All() {
			findings = append(findings, f.Message)
		}
		if len(got) != c.boxes || !slices.Equal(findings, c.findings) {
			t.Errorf("%s: got %v and %q, want %d boxes and %q", c.name, got, findings, c.boxes, c.findings)
		}
	}
}

func TestAMetafileOnASlideIsDrawnAsAnArea(t *testing.T) {
	t.Parallel()
	square := new(rendertest.EMF).Add(39, 1, 0, 0x0000FF, 0).Add(37, 1).Add(37, uint32(0x80000008)).Add(43, 0, 0, 100, 100).Bytes(100, 100)
	file, findings := slideWith(t, func(p *opc.Package, part string) string {
		id := rendertest.PictureFor(t, p, part)
		p.SetPart("ppt/media/dot.png", "image/x-emf", square)
		return `<p:pic><p:nvPicPr><p:cNvPr id="2" name=""/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="` + id + `"/></p:blipFill><p:spPr><a:xfrm><a:off x="127000" y="254000"/><a:ext cx="508000" cy="254000"/></a:xfrm><a:prstGeom prst="rect"/></p:spPr></p:pic>`
	})
	if len(findings) != 0 {
		t.Errorf("got %v, want no findings", findings)
	}
	rendertest.WantRects(t, "red", rendertest.Areas(rendertest.Drawn(t, file)[0], red), dml.Rect{X: 10, Y: 20, W: 40, H: 20})
}

func TestAnObjectIsDrawnAsItsPicture(t *testing.T) {
	t.Parallel()
	pres := rendertest.PresentationWith(t, func(p *opc.Package, part string) string {
		rendertest.PictureFor(t, p, part)
		return ""
	})
	pr := printer()
	pr.Parts = pres.Package
	got := drawnBy(t, pr, func() {
		pr.shape(&pml.Shape{Kind: pml.ShapeOther, Frame: dml.Rect{X: 100, Y: 50, W: 200, H: 100}, Picture: &dml.Picture{Part: "ppt/media/dot.png", Alpha: 1}})
	})
	if len(got) != 1 || got[0].Kind != rendertest.MarkPicture || got[0].Box().W != 200 {
		t.Errorf("got %+v, want a picture 200 points wide", got)
	}
}

func TestTheLettersOfSlidesAreLimited(t *testing.T) {
	t.Parallel()
	letters := func(count int) *dml.TextBody { return body(paragraph(run(strings.Repeat("n", count-1)))) } // and one for the run
	for _, c := range []struct {
		name   string
		before int
		text   *dml.TextBody
		want   bool
	}{
		{"as many as one shape may have", 0, letters(200_000), true},
		{"one more", 0, letters(200_001), false},
		{"as many as all may have", 3_000_000 - 10, letters(10), true},
		{"one more than all may have", 3_000_000 - 10, letters(11), false},
		{"in two runs", 3_000_000 - 10, body(paragraph(run("nnnn"), run("nnnn")), paragraph(run(""))), false},
	} {
		pr := printer()
		pr.letters = c.before
		if got := pr.mayShow(c.text); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
		got := pr.Findings.All()
		if len(got) > 0 == c.want || !c.want && got[0].Code != render.FindingTruncated {
			t.Errorf("%s: got the findings %v, want one: %t", c.name, got, !c.want)
		}
	}
	pr := printer()
	pr.letters = 3_000_000
	if got := drawnBy(t, pr, func() { pr.text(body(paragraph(run("n"))), textBox, false) }); len(got) > 0 {
		t.Errorf("beyond the limit: got %v", got)
	}
}

func TestTheTitleOfASlideIsItsPlaceholders(t *testing.T) {
	t.Parallel()
	placed := func(kind string, paragraphs ...*dml.TextParagraph) *pml.Shape {
		return &pml.Shape{Placeholder: &pml.Placeholder{Type: kind}, Text: body(paragraphs...)}
	}
	for want, shapes := range map[string][]*pml.Shape{
		"Berths of summer": {placed("body", paragraph(run("x"))), saying("y"), {Placeholder: &pml.Placeholder{Type: "title"}}, placed("title", paragraph(run("Berths"), run(" of")), paragraph(run("summer")))},
		"Season":           {placed("ctrTitle", paragraph(run("Season"))), placed("title", paragraph(run("x")))},
		"A":                {placed("title", paragraph(run("A")))},
		"Second":           {placed("title", paragraph(run(""))), placed("title", paragraph(run("Second")))},
		"Slide 3":          {placed("subTitle", paragraph(run("x")))},
	} {
		if got := slideTitle(&pml.Slide{Number: 3, Shapes: shapes}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheLanguageIsThatOfTheFirstText(t *testing.T) {
	t.Parallel()
	spoken := func(lang, text string) *pml.Shape {
		sh := saying(text)
		sh.Text.Paragraphs[0].Runs[0].Lang = lang
		return sh
	}
	for want, slides := range map[string][]*pml.Slide{
		"de-DE": {{}, {Shapes: []*pml.Shape{{}, spoken("", "x"), spoken("fr-FR", ""), spoken("de-DE", "x"), spoken("en-GB", "x")}}},
		"":      {{Shapes: []*pml.Shape{spoken("", "x")}}},
	} {
		if got := presentationLanguage(&pml.Presentation{Slides: slides}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A gradient is that of the slide, of which the shape shows its part.
func TestAShapeShowsThePartOfTheBackgroundBehindIt(t *testing.T) {
	t.Parallel()
	gradient := &dml.ShapeFill{Kind: dml.FillGradient, Alpha: 1, Stops: []dml.GradientStop{{At: 0, Color: red, Alpha: 1}, {At: 1, Color: blue, Alpha: 1}}}
	at := dml.Rect{X: 500, Y: 100, W: 50, H: 50}
	whole := func(like bool) dml.Rect {
		var all dml.Rect
		for _, m := range drawnShapes(t, &pml.Shape{Frame: at, Geometry: dml.Geometry{Preset: "rect"}, Fill: gradient, FillsLikeSlide: like}) {
			if m.Kind == rendertest.MarkArea && m.Box().W > all.W {
				all = m.Box()
			}
		}
		return all
	}
	if got := whole(true).W; got < 590 {
		t.Errorf("got a gradient over %.0f points, want it over the slide's 600", got)
	}
	if got := whole(false).W; got > 100 {
		t.Errorf("got a gradient over %.0f points, want it over the shape's 50", got)
	}
}
