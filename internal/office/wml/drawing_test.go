package wml

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// drawingsIn are the drawings of a document's first paragraph.
func drawingsIn(t *testing.T, f docx) []*Drawing {
	t.Helper()
	var out []*Drawing
	for _, item := range itemsOf(t, f.read(t)) {
		if item.Kind == DrawingItem {
			out = append(out, item.Drawing)
		}
	}
	return out
}

func oneDrawing(t *testing.T, f docx) *Drawing {
	t.Helper()
	all := drawingsIn(t, f)
	if len(all) != 1 {
		t.Fatalf("%s: got %d drawings, want one", f.body, len(all))
	}
	return all[0]
}

func drawn(content string) string {
	return `<w:p><w:r><w:drawing>` + content + `</w:drawing></w:r></w:p>`
}

// inline is a drawing in the line, of 72 by 36 points.
func inline(docPr, graphic string) string {
	return drawn(`<wp:inline><wp:extent cx="914400" cy="457200"/>` + docPr + `<a:graphic><a:graphicData>` + graphic + `</a:graphicData></a:graphic></wp:inline>`)
}

// runIn takes a run out of its paragraph.
func runIn(p string) string { return strings.TrimSuffix(strings.TrimPrefix(p, `<w:p>`), `</w:p>`) }

const blue = `<a:solidFill><a:srgbClr val="0000FF"/></a:solidFill>`

// shape is a wps:wsp with these properties.
func shape(spPr, more string) string {
	return `<wps:wsp><wps:spPr>` + spPr + `</wps:spPr>` + more + `</wps:wsp>`
}

func TestADrawingInTheLineHasASizeAndNoAnchor(t *testing.T) {
	t.Parallel()
	d := oneDrawing(t, docx{body: inline(`<wp:docPr id="1" name="x" descr="A bridge"/>`, shape(blue, ``))})
	equal(t, "drawing", *d, Drawing{Width: 72, Height: 36, Alt: "A bridge", Geometry: dml.Geometry{Preset: "rect"}, Fill: solid(0, 0, 255)})
	if d.Elem.Tag != "inline" {
		t.Errorf("leads back to %s, want the wp:inline", d.Elem.Tag)
	}
}

func TestDrawingsThatAreHiddenAreLeftOut(t *testing.T) {
	t.Parallel()
	for docPr, want := range map[string]int{`<wp:docPr hidden="1"/>`: 0, `<wp:docPr hidden="true"/>`: 0, `<wp:docPr hidden="0"/>`: 1, `<wp:docPr/>`: 1, ``: 1} {
		if got := len(drawingsIn(t, docx{body: inline(docPr, shape(blue, ``))})); got != want {
			t.Errorf("%q: got %d drawings, want %d", docPr, got, want)
		}
	}
}

func TestADrawingMayLeadToAnAddress(t *testing.T) {
	t.Parallel()
	relations := outside("web", "hyperlink", "https://example.com") + relation("inside", "hyperlink", "document.xml")
	for click, want := range map[string]string{`<a:hlinkClick r:id="web"/>`: "https://example.com", `<a:hlinkClick r:id="inside"/>`: "", `<a:hlinkClick r:id="missing"/>`: "", `<a:hlinkClick/>`: "", ``: ""} {
		got := ""
		if l := oneDrawing(t, docx{relations: relations, body: inline(`<wp:docPr>`+click+`</wp:docPr>`, shape(blue, ``))}).Link; l != nil {
			got = l.URL
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", click, got, want)
		}
	}
}

func TestWhatCannotBeDrawnIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		graphic, preset string
		losses          dml.Losses
	}{
		{`<x:relIds/>`, "relIds", nil},
		{`<lc:lockedCanvas/>`, "", dml.Losses{dml.LossCanvas}},
		{`<wps:contentPart/>`, "", dml.Losses{dml.LossInk}},
		{`<x:unknown/>`, "", dml.Losses{dml.LossDrawing}},
		{``, "", nil},
	} {
		d := oneDrawing(t, docx{body: inline(``, c.graphic)})
		if d.Geometry.Preset != c.preset {
			t.Errorf("%q: got the preset %q, want %q", c.graphic, d.Geometry.Preset, c.preset)
		}
		equal(t, c.graphic, d.Losses, c.losses)
	}
}

func TestAChartIsReadFromItsPart(t *testing.T) {
	t.Parallel()
	const part = `<c:chartSpace ` + namespaces + `><c:chart><c:plotArea><c:pieChart><c:ser><c:val><c:numLit><c:pt idx="0"><c:v>7</c:v></c:pt></c:numLit></c:val></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>`
	d := oneDrawing(t, docx{relations: relation("c1", "chart", "chart.xml"), parts: map[string]string{"word/chart.xml": part}, body: inline(``, `<c:chart r:id="c1"/>`)})
	if d.Geometry.Preset != "chart" || d.Chart == nil || len(d.Chart.Plots) != 1 || d.Chart.Plots[0].Kind != "pie" {
		t.Errorf("got the preset %q and %+v, want a pie", d.Geometry.Preset, d.Chart)
	}
}

func TestAnAnchorIsReadWithItsPlaceAndWrap(t *testing.T) {
	t.Parallel()
	plain := Anchor{Wrap: "none", Side: "bothSides", H: AnchorPosition{From: "column"}, V: AnchorPosition{From: "paragraph"}}
	for _, c := range []struct {
		what, attributes, content string
		want                      func(*Anchor)
	}{
		{"nothing said", ``, ``, func(*Anchor) {}},
		{"distances", `distT="12700" distR="25400" distB="38100" distL="50800"`, ``, func(a *Anchor) { a.Top, a.Right, a.Bottom, a.Left = 1, 2, 3, 4 }},
		{"behind the text", `behindDoc="1"`, ``, func(a *Anchor) { a.IsBehind = true }},
		{"behind the text, in a word", `behindDoc="true"`, ``, func(a *Anchor) { a.IsBehind = true }},
		{"in front of it", `behindDoc="0"`, ``, func(*Anchor) {}},
		{"laid out in its cell", `layoutInCell="1"`, ``, func(a *Anchor) { a.IsInCell = true }},
		{"laid out in its cell, in a word", `layoutInCell="true"`, ``, func(a *Anchor) { a.IsInCell = true }},
		{"not in its cell", `layoutInCell="0"`, ``, func(*Anchor) {}},
		{"height among others", `relativeHeight="251658240"`, ``, func(a *Anchor) { a.Z = 251658240 }},
		{"places by alignment", ``, `<wp:positionH relativeFrom="page"><wp:align> center </wp:align></wp:positionH><wp:positionV relativeFrom="margin"><wp:align>bottom</wp:align></wp:positionV>`,
			func(a *Anchor) {
				a.H, a.V = AnchorPosition{From: "page", Align: "center"}, AnchorPosition{From: "margin", Align: "bottom"}
			}},
		{"places by distance", ``, `<wp:positionH><wp:posOffset>127000</wp:posOffset></wp:positionH><wp:positionV relativeFrom="line"><wp:posOffset>-254000</wp:posOffset></wp:positionV>`,
			func(a *Anchor) { a.H.Offset, a.V = 10, AnchorPosition{From: "line", Offset: -20} }},
		{"a distance that is no number", ``, `<wp:positionH><wp:posOffset>far</wp:posOffset></wp:positionH>`, func(*Anchor) {}},
		{"a simple place", `simplePos="1"`, `<wp:simplePos x="127000" y="254000"/><wp:positionH relativeFrom="margin"><wp:align>right</wp:align></wp:positionH>`,
			func(a *Anchor) {
				a.H, a.V = AnchorPosition{From: "page", Offset: 10}, AnchorPosition{From: "page", Offset: 20}
			}},
		{"a simple place, in a word", `simplePos="true"`, `<wp:simplePos x="127000" y="0"/>`,
			func(a *Anchor) { a.H, a.V = AnchorPosition{From: "page", Offset: 10}, AnchorPosition{From: "page"} }},
		{"a simple place that does not count", `simplePos="0"`, `<wp:simplePos x="127000" y="254000"/>`, func(*Anchor) {}},
		{"no wrap", ``, `<wp:wrapNone/>`, func(*Anchor) {}},
		{"square", ``, `<wp:wrapSquare wrapText="left"/>`, func(a *Anchor) { a.Wrap, a.Side = "square", "left" }},
		{"tight", ``, `<wp:wrapTight wrapText="largest"/>`, func(a *Anchor) { a.Wrap, a.Side = "tight", "largest" }},
		{"through", ``, `<wp:wrapThrough wrapText="bothSides"/>`, func(a *Anchor) { a.Wrap = "through" }},
		{"above and below", ``, `<wp:wrapTopAndBottom/>`, func(a *Anchor) { a.Wrap = "topAndBottom" }},
		{"a choice of places", ``, `<mc:AlternateContent><mc:Choice Requires="wp14"><wp:positionH relativeFrom="page"><wp14:pctPosHOffset>5000</wp14:pctPosHOffset></wp:positionH></mc:Choice>` +
			`<mc:Fallback><wp:positionH relativeFrom="page"><wp:posOffset>12700</wp:posOffset></wp:positionH></mc:Fallback></mc:AlternateContent>`,
			func(a *Anchor) { a.H = AnchorPosition{From: "page", Offset: 1} }},
	} {
		want := plain
		c.want(&want)
		d := oneDrawing(t, docx{body: drawn(`<wp:anchor ` + c.attributes + `><wp:extent cx="12700" cy="25400"/>` + c.content + `</wp:anchor>`)})
		equal(t, c.what, d.Anchor, &want)
		if d.Width != 1 || d.Height != 2 {
			t.Errorf("%s: got %g by %g, want 1 by 2", c.what, d.Width, d.Height)
		}
	}
}

func TestAWrapWithoutAKindWrapsNothing(t *testing.T) {
	t.Parallel()
	a := readAnchor(element(t, `<wp:anchor><wp:wrap wrapText="left"/></wp:anchor>`))
	if a.Wrap != "none" || a.Side != "bothSides" {
		t.Errorf("got %q, %q; want none, bothSides", a.Wrap, a.Side)
	}
}

func picture(blip, more string) string {
	return `<pic:pic><pic:blipFill>` + blip + `</pic:blipFill><pic:spPr>` + more + `</pic:spPr></pic:pic>`
}

func TestAPictureIsReadWithItsCropAndTransparency(t *testing.T) {
	t.Parallel()
	image := func() Image { return Image{Part: "word/media/image.png"} }
	for _, c := range []struct {
		what, blip, spPr string
		want             func(*Drawing)
	}{
		{"plain", `<a:blip r:embed="i1"/>`, `<a:prstGeom prst="rect"/>`, func(*Drawing) {}},
		{"without a form", `<a:blip r:embed="i1"/>`, ``, func(d *Drawing) { d.Geometry = dml.Geometry{} }},
		{"a fill behind it", `<a:blip r:embed="i1"/>`, `<a:prstGeom prst="rect"/>` + blue, func(*Drawing) {}},
		{"cropped", `<a:blip r:embed="i1"/><a:srcRect l="10000" t="20000" r="30000" b="99999"/>`, `<a:prstGeom prst="rect"/>`, func(d *Drawing) { d.Image.Crop = [4]float64{0.1, 0.2, 0.3, 0.99999} }},
		{"cropped by nonsense", `<a:blip r:embed="i1"/><a:srcRect l="-10000" t="100000" r="x" b="0"/>`, `<a:prstGeom prst="rect"/>`, func(*Drawing) {}},
		{"see-through", `<a:blip r:embed="i1"><a:alphaModFix amt="25000"/></a:blip>`, `<a:prstGeom prst="rect"/>`, func(d *Drawing) { d.Image.Transparency = 0.75 }},
		{"see-through by nothing", `<a:blip r:embed="i1"><a:alphaModFix/></a:blip>`, `<a:prstGeom prst="rect"/>`, func(*Drawing) {}},
		{"brighter than it is", `<a:blip r:embed="i1"><a:alphaModFix amt="200000"/></a:blip>`, `<a:prstGeom prst="rect"/>`, func(*Drawing) {}},
		{"grey", `<a:blip r:embed="i1"><a:grayscl/></a:blip>`, `<a:prstGeom prst="rect"/>`, func(d *Drawing) { d.Losses = dml.Losses{dml.LossRecolored} }},
		{"cut to an ellipse", `<a:blip r:embed="i1"/>`, `<a:prstGeom prst="ellipse"/>`, func(d *Drawing) { d.Geometry.Preset, d.Geometry.Adjust = "ellipse", map[string]float64{} }},
		{"turned and framed", `<a:blip r:embed="i1"/>`, `<a:xfrm rot="5400000" flipH="1"/><a:prstGeom prst="rect"/><a:ln w="25400">` + blue + `</a:ln>`,
			func(d *Drawing) {
				d.Rotation, d.FlipH, d.Line = 90, true, &dml.ShapeLine{Width: 2, Color: *rgb(0, 0, 255), Alpha: 1, Dash: "solid"}
			}},
	} {
		i := image()
		want := Drawing{Width: 72, Height: 36, Image: &i, Geometry: dml.Geometry{Preset: "rect"}}
		c.want(&want)
		equal(t, c.what, *oneDrawing(t, docx{relations: relation("i1", "image", "media/image.png"), body: inline(``, picture(c.blip, c.spPr))}), want)
	}
}

func TestAPictureThatIsNotInTheFileIsTold(t *testing.T) {
	t.Parallel()
	for what, blip := range map[string]string{"linked": `<a:blip r:link="far"/>`, "embedded, outside": `<a:blip r:embed="far"/>`, "missing": `<a:blip r:embed="missing"/>`, "no picture": ``} {
		address := ""
		if strings.Contains(blip, "far") {
			address = "https://example.com/a.png"
		}
		d := oneDrawing(t, docx{relations: outside("far", "image", "https://example.com/a.png"), body: inline(``, picture(blip, `<a:prstGeom prst="rect"/>`))})
		equal(t, what, *d, Drawing{Width: 72, Height: 36, LinkedImage: address, Losses: dml.Losses{dml.LossLinked}})
	}
}

func TestAShapeIsReadWithItsTurnAndForm(t *testing.T) {
	t.Parallel()
	read := func(spPr string) *Drawing { return oneDrawing(t, docx{body: inline(``, shape(spPr, ``))}) }
	for spPr, want := range map[string]Drawing{
		`<a:xfrm flipH="1" flipV="true"/>`: {FlipH: true, FlipV: true},
		`<a:xfrm flipH="0" flipV="0"/>`:    {},
		`<a:xfrm rot="-2700000"/>`:         {Rotation: -45}, // 60,000ths of a degree
		`<a:xfrm rot="x"/>`:                {},
	} {
		got := read(spPr)
		if got.FlipH != want.FlipH || got.FlipV != want.FlipV || got.Rotation != want.Rotation {
			t.Errorf("%s: got flips %t %t and %g degrees, want %t %t and %g", spPr, got.FlipH, got.FlipV, got.Rotation, want.FlipH, want.FlipV, want.Rotation)
		}
	}
	equal(t, "a preset", read(`<a:prstGeom prst="roundRect"><a:avLst><a:gd name="adj" fmla="val 25000"/></a:avLst></a:prstGeom>`).Geometry,
		dml.Geometry{Preset: "roundRect", Adjust: map[string]float64{"adj": 25000}})
	if g := read(`<a:custGeom><a:pathLst/></a:custGeom>`).Geometry; g.Custom == nil || g.Preset != "" {
		t.Errorf("a path of its own: got %+v", g)
	}
	if g := read(``).Geometry; g.Preset != "rect" {
		t.Errorf("nothing said: got the preset %q, want rect", g.Preset)
	}
	equal(t, "effects", read(`<a:effectLst><a:glow/></a:effectLst>`).Losses, dml.Losses{dml.LossEffects})
}

// solid is a fill in one colour.
func solid(r, g, b uint8) *dml.ShapeFill {
	return &dml.ShapeFill{Kind: dml.FillSolid, Color: dml.RGB{R: r, G: g, B: b}, Alpha: 1}
}

func TestAFillIsReadAsThatOfASlide(t *testing.T) {
	t.Parallel()
	const stops = `<a:gs pos="0"><a:srgbClr val="FF0000"/></a:gs><a:gs pos="100000"><a:srgbClr val="0000FF"/></a:gs>`
	faint := solid(0, 255, 0)
	faint.Alpha = 0.5
	fading := &dml.ShapeFill{Kind: dml.FillGradient, Color: *rgb(255, 0, 0), Alpha: 1, Angle: 90,
		Stops: []dml.GradientStop{{At: 0, Color: *rgb(255, 0, 0), Alpha: 1}, {At: 1, Color: *rgb(0, 0, 255), Alpha: 1}}}
	patterned := solid(191, 191, 191) // a quarter of black on white
	patterned.Losses = []dml.Loss{dml.LossPattern}
	for _, c := range []struct {
		spPr   string
		fill   *dml.ShapeFill
		losses dml.Losses
	}{
		{``, nil, nil},
		{blue, solid(0, 0, 255), nil},
		{`<a:solidFill><a:srgbClr val="00FF00"><a:alpha val="50000"/></a:srgbClr></a:solidFill>`, faint, nil},
		{`<a:noFill/>`, nil, nil},
		{`<a:gradFill><a:gsLst>` + stops + `</a:gsLst><a:lin ang="5400000"/></a:gradFill>`, fading, nil},
		{`<a:gradFill/>`, nil, nil},
		{`<a:pattFill prst="pct25"><a:fgClr><a:srgbClr val="000000"/></a:fgClr><a:bgClr><a:srgbClr val="FFFFFF"/></a:bgClr></a:pattFill>`, patterned, nil},
		{`<a:pattFill prst="pct25"/>`, nil, nil},
		{`<a:blipFill/>`, nil, dml.Losses{dml.LossPictureFill}},
		{`<a:grpFill/>`, nil, dml.Losses{dml.LossGroupFill}},
	} {
		d := oneDrawing(t, docx{body: inline(``, shape(c.spPr, ``))})
		equal(t, "fill of "+c.spPr, d.Fill, c.fill)
		equal(t, "losses of "+c.spPr, d.Losses, c.losses)
	}
}

func TestALineIsDrawnOnlyWhereItHasAColour(t *testing.T) {
	t.Parallel()
	line := func(width float64, dash, head, tail string) *dml.ShapeLine {
		return &dml.ShapeLine{Width: width, Color: *rgb(0, 0, 255), Alpha: 1, Dash: dash, Head: head, Tail: tail}
	}
	for _, c := range []struct {
		ln     string
		want   *dml.ShapeLine
		losses dml.Losses
	}{
		{``, nil, nil},
		{`<a:ln/>`, nil, nil},
		{`<a:ln w="25400"/>`, nil, nil}, // without a fill, nothing is drawn
		{`<a:ln>` + blue + `</a:ln>`, line(0.75, "solid", "", ""), nil},
		{`<a:ln w="25400">` + blue + `</a:ln>`, line(2, "solid", "", ""), nil},
		{`<a:ln><a:noFill/>` + blue + `</a:ln>`, nil, nil},
		{`<a:ln>` + blue + `<a:prstDash val="lgDash"/></a:ln>`, line(0.75, "lgDash", "", ""), nil},
		{`<a:ln>` + blue + `<a:headEnd type="triangle"/></a:ln>`, line(0.75, "solid", "triangle", ""), nil},
		{`<a:ln>` + blue + `<a:headEnd type="none"/><a:tailEnd type="oval"/></a:ln>`, line(0.75, "solid", "", "oval"), nil},
		{`<a:ln><a:noFill/><a:headEnd type="triangle"/></a:ln>`, nil, nil}, // no line, no arrow
		{`<a:ln><a:gradFill><a:gsLst><a:gs><a:srgbClr val="0000FF"/></a:gs></a:gsLst></a:gradFill></a:ln>`, line(0.75, "solid", "", ""), dml.Losses{dml.LossGradient}},
	} {
		d := oneDrawing(t, docx{body: inline(``, shape(c.ln, ``))})
		equal(t, "line of "+c.ln, d.Line, c.want)
		equal(t, "losses of "+c.ln, d.Losses, c.losses)
	}
}

func TestADrawingBeyondTheLimitOfNestingIsTold(t *testing.T) {
	t.Parallel()
	// The body and the paragraph's content are a step each, and so is each w:ins.
	for inserted, want := range map[int]int{opc.MaxNesting - 3: 1, opc.MaxNesting - 2: 0} {
		run := runIn(inline(``, shape(``, ``)))
		d := docx{body: `<w:p>` + strings.Repeat(`<w:ins>`, inserted) + run + strings.Repeat(`</w:ins>`, inserted) + `</w:p>`}.read(t)
		if got := len(itemsOf(t, d)); got != want || d.IsTruncated != (want == 0) {
			t.Errorf("inside %d insertions: got %d drawings, told as left out: %t; want %d", inserted, got, d.IsTruncated, want)
		}
	}
}
