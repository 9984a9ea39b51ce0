package wml

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

func pict(content string) string { return `<w:p><w:r><w:pict>` + content + `</w:pict></w:r></w:p>` }

// vml reads one shape of VML in a document of its own.
func vml(t *testing.T, xml string) *Drawing {
	t.Helper()
	return oneDrawing(t, docx{body: pict(xml)})
}

func TestEachFormOfVMLIsAPresetOrTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml, preset string
		losses      dml.Losses
	}{
		{`<v:rect/>`, "rect", nil},
		{`<v:roundrect/>`, "roundRect", nil},
		{`<v:oval/>`, "ellipse", nil},
		{`<v:line from="0,0" to="9,9" style="width:10pt"/>`, "line", nil},
		{`<v:line from="0,0" to="9,9" style="height:10pt"/>`, "line", nil},
		{`<v:line/>`, "line", nil},
		{`<v:line from="0,0" to="9,9"/>`, "line", nil},
		{`<v:rect o:hr="t"/>`, "rect", nil},
		{`<v:rect o:hr="f"/>`, "rect", nil},
		{`<v:shape type="#_x0000_t1"/>`, "rect", nil},
		{`<v:shape type="#_x0000_t2"/>`, "roundRect", nil},
		{`<v:shape type="#_x0000_t3"/>`, "ellipse", nil},
		{`<v:shape type="#_x0000_t4"/>`, "diamond", nil},
		{`<v:shape type="#_x0000_t5"/>`, "triangle", nil},
		{`<v:shape type="#_x0000_t20"/>`, "line", nil},
		{`<v:shape type="#_x0000_t32"/>`, "line", nil},
		{`<v:shape type="#_x0000_t202"/>`, "rect", nil},
		{`<v:shape type="#_x0000_t136"/>`, UnknownForm, dml.Losses{dml.LossForm}},
		{`<v:shape type="#other"/>`, UnknownForm, dml.Losses{dml.LossForm}},
		{`<v:shape path="m0,0l9,9e"/>`, UnknownForm, dml.Losses{dml.LossForm}},
		{`<v:shape/>`, UnknownForm, nil},
		{`<v:shape type="#_x0000_t75"/>`, UnknownForm, dml.Losses{dml.LossObject}},
		{`<v:shape type="#_x0000_t75"><v:textbox/></v:shape>`, UnknownForm, nil},
		{`<v:polyline/>`, "", dml.Losses{dml.LossDrawing}},
		{`<v:arc/>`, "", dml.Losses{dml.LossDrawing}},
		{`<v:curve/>`, "", dml.Losses{dml.LossDrawing}},
		{`<v:image/>`, "", dml.Losses{dml.LossDrawing}},
	} {
		d := vml(t, c.xml)
		if d.Geometry.Preset != c.preset {
			t.Errorf("%s: got the preset %q, want %q", c.xml, d.Geometry.Preset, c.preset)
		}
		equal(t, c.xml, d.Losses, c.losses)
	}
}

func TestWhatIsNoShapeOfVMLIsNotDrawn(t *testing.T) {
	t.Parallel()
	for _, xml := range []string{`<v:shapetype id="_x0000_t75"/>`, `<o:OLEObject/>`, `<v:rect style="visibility:hidden"/>`, ``} {
		if got := drawingsIn(t, docx{body: pict(xml)}); len(got) != 0 {
			t.Errorf("%q: got %d drawings, want none", xml, len(got))
		}
	}
	if got := drawingsIn(t, docx{body: pict(`<v:shapetype/><v:rect/><v:oval/>`)}); len(got) != 2 {
		t.Errorf("two shapes: got %d drawings", len(got))
	}
	if got := drawingsIn(t, docx{body: `<w:p><w:r><w:object><v:rect/></w:object></w:r></w:p>`}); len(got) != 1 {
		t.Errorf("a shape of an object: got %d drawings, want one", len(got))
	}
}

func TestAShapeOfVMLHasTheSizeThatItsStyleSays(t *testing.T) {
	t.Parallel()
	d := vml(t, `<v:rect alt="A box" style=" width : 1in ; height:36; flip:x y;position:relative;margin-left:10pt;nonsense"/>`)
	if d.Width != 72 || d.Height != 36 || !d.FlipH || !d.FlipV || d.Alt != "A box" || d.Anchor != nil {
		t.Errorf("got %g by %g, flips %t %t, %q, anchor %+v; want 72 by 36, both flips, A box, in the line", d.Width, d.Height, d.FlipH, d.FlipV, d.Alt, d.Anchor)
	}
	if d := vml(t, `<v:rect style="flip:y"/>`); d.FlipH || !d.FlipV {
		t.Errorf("flip:y: got flips %t %t", d.FlipH, d.FlipV)
	}
	if d := vml(t, `<v:rect style="flip:x"/>`); !d.FlipH || d.FlipV {
		t.Errorf("flip:x: got flips %t %t", d.FlipH, d.FlipV)
	}
}

func TestAnAnchorOfVMLIsReadFromItsStyle(t *testing.T) {
	t.Parallel()
	plain := Anchor{Wrap: "none", Side: "bothSides", Left: 9, Right: 9, H: AnchorPosition{From: "column"}, V: AnchorPosition{From: "paragraph"}}
	relative := func(h, v string) string {
		return "mso-position-horizontal-relative:" + h + ";mso-position-vertical-relative:" + v
	}
	for _, c := range []struct {
		style, wrap string
		want        func(*Anchor)
	}{
		{``, ``, func(*Anchor) {}},
		{`margin-left:10pt;margin-top:-1in`, ``, func(a *Anchor) { a.H.Offset, a.V.Offset = 10, -72 }},
		{`margin-left:10pt;left:5pt;margin-top:20pt;top:1pt`, ``, func(a *Anchor) { a.H.Offset, a.V.Offset = 15, 21 }},
		{relative("page", "margin"), ``, func(a *Anchor) { a.H.From, a.V.From = "page", "margin" }},
		{relative("margin", "page"), ``, func(a *Anchor) { a.H.From, a.V.From = "margin", "page" }},
		{relative("char", "line"), ``, func(a *Anchor) { a.H.From, a.V.From = "char", "line" }},
		{relative("text", "text"), ``, func(*Anchor) {}},
		{relative("left-margin-area", "top-margin-area"), ``, func(a *Anchor) { a.H.From, a.V.From = "leftMargin", "topMargin" }},
		{relative("right-margin-area", "bottom-margin-area"), ``, func(a *Anchor) { a.H.From, a.V.From = "rightMargin", "bottomMargin" }},
		{relative("moon", "moon"), ``, func(*Anchor) {}},
		{`mso-position-horizontal:center;mso-position-vertical:bottom`, ``, func(a *Anchor) { a.H.Align, a.V.Align = "center", "bottom" }},
		{`mso-position-horizontal:absolute;mso-position-vertical:absolute`, ``, func(*Anchor) {}},
		{`z-index:-251658240`, ``, func(a *Anchor) { a.IsBehind, a.Z = true, -251658240 }},
		{`z-index:251658240`, ``, func(a *Anchor) { a.Z = 251658240 }},
		{``, `<w10:wrap type="square" side="left"/>`, func(a *Anchor) { a.Wrap, a.Side = "square", "left" }},
		{``, `<w10:wrap type="topAndBottom" side="both"/>`, func(a *Anchor) { a.Wrap = "topAndBottom" }},
		{``, `<w10:wrap/>`, func(*Anchor) {}},
	} {
		want := plain
		c.want(&want)
		equal(t, c.style+c.wrap, vml(t, `<v:rect style="position:absolute;`+c.style+`">`+c.wrap+`</v:rect>`).Anchor, &want)
	}
}

// A rotation in fd is in 65536ths of a degree.
func TestShapesOfVMLAreTurnedByDegreesOrTheirFractions(t *testing.T) {
	t.Parallel()
	for style, want := range map[string]float64{
		"":                      0,
		"rotation:90":           90,
		"rotation:-45.5":        -45.5,
		"rotation:11796480fd":   180,
		"rotation: -2949120fd ": -45,
		"rotation:fd":           0,
		"rotation:left":         0,
	} {
		if got := vml(t, `<v:rect style="width:10pt;height:10pt;`+style+`"/>`).Rotation; got != want {
			t.Errorf("%q: got %g degrees, want %g", style, got, want)
		}
	}
}

// A shape of VML is white with a black line of 0.75 points unless it says
// otherwise (ECMA-376 part 4, 19.1.2.19).
func TestAShapeOfVMLIsWhiteUnlessItSaysOtherwise(t *testing.T) {
	t.Parallel()
	white, red := rgb(255, 255, 255), rgb(255, 0, 0)
	for _, c := range []struct {
		xml          string
		fill         *dml.RGB
		transparency float64
		losses       dml.Losses
	}{
		{`<v:rect/>`, white, 0, nil},
		{`<v:rect fillcolor="#ff0000"/>`, red, 0, nil},
		{`<v:rect fillcolor="red [3204]"/>`, red, 0, nil},
		{`<v:rect fillcolor="window"/>`, white, 0, nil},
		{`<v:rect fillcolor="red" filled="f"/>`, nil, 0, nil},
		{`<v:rect fillcolor="red" filled="t"/>`, red, 0, nil},
		{`<v:rect fillcolor="red"><v:fill on="f"/></v:rect>`, nil, 0, nil},
		{`<v:rect fillcolor="red"><v:fill on="t"/></v:rect>`, red, 0, nil},
		{`<v:line fillcolor="red"/>`, nil, 0, nil},
		{`<v:shape type="#_x0000_t75" fillcolor="red"><v:textbox/></v:shape>`, nil, 0, nil},
		{`<v:rect fillcolor="red"><v:fill opacity="0.25"/></v:rect>`, red, 0.75, nil},
		{`<v:rect fillcolor="red"><v:fill opacity="16384f"/></v:rect>`, red, 0.75, nil},
		{`<v:rect fillcolor="red"><v:fill opacity="2"/></v:rect>`, red, 0, nil},
		{`<v:rect fillcolor="red"><v:fill opacity="-1"/></v:rect>`, red, 1, nil},
		{`<v:rect fillcolor="red"><v:fill opacity="some"/></v:rect>`, red, 0, nil},
		{`<v:rect fillcolor="red"><v:fill type="solid"/></v:rect>`, red, 0, nil},
		{`<v:rect fillcolor="red"><v:fill type="gradient"/></v:rect>`, red, 0, dml.Losses{dml.LossGradient}},
		{`<v:rect fillcolor="red"><v:fill type="gradientRadial"/></v:rect>`, red, 0, dml.Losses{dml.LossGradient}},
		{`<v:rect fillcolor="red"><v:fill type="pattern"/></v:rect>`, red, 0, dml.Losses{dml.LossPattern}},
		{`<v:rect fillcolor="red"><v:fill type="tile"/></v:rect>`, nil, 0, dml.Losses{dml.LossPictureFill}},
		{`<v:rect fillcolor="red"><v:fill type="frame"/></v:rect>`, nil, 0, dml.Losses{dml.LossPictureFill}},
		{`<v:rect fillcolor="red"><v:shadow/></v:rect>`, red, 0, dml.Losses{dml.LossEffects}},
		{`<v:rect fillcolor="red"><v:shadow on="t"/></v:rect>`, red, 0, dml.Losses{dml.LossEffects}},
		{`<v:rect fillcolor="red"><v:shadow on="f"/></v:rect>`, red, 0, nil},
	} {
		d := vml(t, c.xml)
		var want *dml.ShapeFill
		if c.fill != nil {
			want = &dml.ShapeFill{Kind: dml.FillSolid, Color: *c.fill, Alpha: 1 - c.transparency}
		}
		equal(t, "fill of "+c.xml, d.Fill, want)
		equal(t, "losses of "+c.xml, d.Losses, c.losses)
	}
}

func TestALineOfVMLIsThinUnlessItSaysOtherwise(t *testing.T) {
	t.Parallel()
	black := rgb(0, 0, 0)
	line := func(width float64, c *dml.RGB) *dml.ShapeLine {
		return &dml.ShapeLine{Width: width, Color: *c, Alpha: 1, Dash: "solid"}
	}
	arrow := line(0.75, black)
	arrow.Head, arrow.Tail = "triangle", "arrow"
	for _, c := range []struct {
		xml    string
		want   *dml.ShapeLine
		losses dml.Losses
	}{
		{`<v:rect/>`, line(0.75, black), nil},
		{`<v:rect strokecolor="#0000ff" strokeweight="2pt"/>`, line(2, rgb(0, 0, 255)), nil},
		{`<v:rect strokecolor="blue [3204]"/>`, line(0.75, rgb(0, 0, 255)), nil},
		{`<v:rect strokeweight="12700"/>`, line(1, black), nil}, // English Metric Units
		{`<v:rect strokeweight="0"/>`, line(0.75, black), nil},
		{`<v:rect strokeweight="-2pt"/>`, line(0.75, black), nil},
		{`<v:rect strokeweight="200pt"/>`, line(100, black), nil},
		{`<v:rect stroked="f"/>`, nil, nil},
		{`<v:rect stroked="t"/>`, line(0.75, black), nil},
		{`<v:rect><v:stroke on="f"/></v:rect>`, nil, nil},
		{`<v:rect><v:stroke on="t"/></v:rect>`, line(0.75, black), nil},
		{`<v:shape type="#_x0000_t75"><v:textbox/></v:shape>`, nil, nil},
		{`<v:shape type="#_x0000_t75" stroked="t"><v:textbox/></v:shape>`, line(0.75, black), nil},
		{`<v:rect><v:stroke startarrow="block" endarrow="open"/></v:rect>`, arrow, nil},
		{`<v:rect><v:stroke startarrow="none" endarrow="none"/></v:rect>`, line(0.75, black), nil},
	} {
		d := vml(t, c.xml)
		equal(t, "line of "+c.xml, d.Line, c.want)
		equal(t, "losses of "+c.xml, d.Losses, c.losses)
	}
}

func TestAPictureOfVMLIsReadWithItsCrop(t *testing.T) {
	t.Parallel()
	relations := relation("i1", "image", "media/image.png") + outside("far", "image", "https://example.com/a.png")
	linked := dml.Losses{dml.LossLinked}
	recolored := dml.Losses{dml.LossRecolored}
	for _, c := range []struct {
		attributes string
		crop       [4]float64
		losses     dml.Losses
	}{
		{`r:id="i1"`, [4]float64{}, nil},
		// Parts of one, or 65536ths.
		{`r:id="i1" cropleft="0.25" croptop="16384f" cropright=".5" cropbottom="65535f"`, [4]float64{0.25, 0.25, 0.5, 65535.0 / 65536}, nil},
		{`r:id="i1" cropleft="-0.1" croptop="1" cropright="65536f" cropbottom="x"`, [4]float64{}, nil},
		{`r:id="i1" gain="19661f"`, [4]float64{}, recolored},
		{`r:id="i1" blacklevel="22938f" gain="1"`, [4]float64{}, recolored},
		{`r:id="i1" grayscale="t"`, [4]float64{}, recolored},
		{`r:id="i1" bilevel="t"`, [4]float64{}, recolored},
		{`r:id="i1" chromakey="white"`, [4]float64{}, recolored},
		{`r:id="far"`, [4]float64{}, linked},
		{`r:id="missing"`, [4]float64{}, linked},
		{``, [4]float64{}, linked},
	} {
		d := oneDrawing(t, docx{relations: relations, body: pict(`<v:shape type="#_x0000_t75" style="width:72pt;height:36pt"><v:imagedata ` + c.attributes + `/></v:shape>`)})
		want := Drawing{Width: 72, Height: 36, Losses: c.losses}
		if len(c.losses) == 0 || c.losses[0] != dml.LossLinked {
			want.Image = &Image{Part: "word/media/image.png", Crop: c.crop}
		}
		if strings.Contains(c.attributes, "far") {
			want.LinkedImage = "https://example.com/a.png"
		}
		equal(t, c.attributes, *d, want)
	}
}

func TestWordArtIsReadWithItsFontAndAColourThatIsSeen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, attributes, path, more string
		art                          WordArt
		fill                         *dml.RGB
	}{
		{"plain", `fillcolor="red"`, `string="DRAFT" style="font-family:&quot;Arial&quot;;font-size:1pt"`, ``, WordArt{Text: "DRAFT", Font: "Arial"}, rgb(255, 0, 0)},
		{"bold and italic", `fillcolor="red"`, `string="x" style="font-weight:bold;font-style:italic"`, ``, WordArt{Text: "x", Bold: true, Italic: true}, rgb(255, 0, 0)},
		{"neither", `fillcolor="red [1]"`, `string="x" style="font-weight:normal;font-style:normal"`, ``, WordArt{Text: "x"}, rgb(255, 0, 0)},
		// What would be white or an outline on paper is black.
		{"white", `fillcolor="white"`, `string="x"`, ``, WordArt{Text: "x"}, rgb(0, 0, 0)},
		{"no colour", ``, `string="x"`, ``, WordArt{Text: "x"}, rgb(0, 0, 0)},
		{"not filled", `fillcolor="red" filled="f"`, `string="x"`, ``, WordArt{Text: "x"}, rgb(0, 0, 0)},
		{"filled", `fillcolor="red" filled="t"`, `string="x"`, ``, WordArt{Text: "x"}, rgb(255, 0, 0)},
		{"half see-through", `fillcolor="red"`, `string="x"`, `<v:fill opacity=".5"/>`, WordArt{Text: "x"}, rgb(255, 128, 128)},
		{"opaque", `fillcolor="red"`, `string="x"`, `<v:fill/>`, WordArt{Text: "x"}, rgb(255, 0, 0)},
	} {
		d := vml(t, `<v:shape type="#_x0000_t136" `+c.attributes+`>`+c.more+`<v:textpath `+c.path+`/></v:shape>`)
		equal(t, c.what, *d, Drawing{Geometry: dml.Geometry{Preset: "textpath"}, WordArt: &c.art, Fill: &dml.ShapeFill{Kind: dml.FillSolid, Color: *c.fill, Alpha: 1}})
	}
}

func TestATextBoxOfVMLIsReadWithItsInsetsAndAnchor(t *testing.T) {
	t.Parallel()
	plain := TextBox{VAlign: "top", Inset: Margins{Top: 3.6, Right: 7.2, Bottom: 3.6, Left: 7.2}}
	for _, c := range []struct {
		what, style, textbox string
		want                 func(*TextBox)
		losses               dml.Losses
	}{
		{"plain", ``, ``, func(*TextBox) {}, nil},
		{"insets", ``, `inset="1pt,2pt,3pt,4pt"`, func(b *TextBox) { b.Inset = Margins{Left: 1, Top: 2, Right: 3, Bottom: 4} }, nil},
		{"some insets", ``, `inset=",0,1in"`, func(b *TextBox) { b.Inset.Top, b.Inset.Right = 0, 72 }, nil},
		{"too many insets", ``, `inset="0,0,0,0,9pt"`, func(b *TextBox) { b.Inset = Margins{} }, nil},
		{"in the middle", `v-text-anchor:middle`, ``, func(b *TextBox) { b.VAlign = "center" }, nil},
		{"at the bottom", `v-text-anchor:bottom`, ``, func(b *TextBox) { b.VAlign = "bottom" }, nil},
		{"at the top", `v-text-anchor:top`, ``, func(*TextBox) {}, nil},
		{"growing", ``, `style="mso-fit-shape-to-text:t"`, func(b *TextBox) { b.GrowsWithText = true }, nil},
		{"not growing", ``, `style="mso-fit-shape-to-text:f"`, func(*TextBox) {}, nil},
		{"upright", ``, `style="layout-flow:vertical"`, func(b *TextBox) { b.Turn = 90 }, nil},
		{"upright to the top", ``, `style="layout-flow:vertical;mso-layout-flow-alt:bottom-to-top"`, func(b *TextBox) { b.Turn = -90 }, nil},
		{"letters above each other", ``, `style="layout-flow:horizontal-ideographic"`, func(*TextBox) {}, dml.Losses{dml.LossTurnedText}},
		{"level", ``, `style="layout-flow:horizontal"`, func(*TextBox) {}, nil},
	} {
		d := vml(t, `<v:rect style="`+c.style+`"><v:textbox `+c.textbox+`><w:txbxContent><w:p>`+text("in the box")+`</w:p></w:txbxContent></v:textbox></v:rect>`)
		equal(t, "text: "+c.what, shownTexts(d.Box.Blocks), []string{"in the box"})
		equal(t, "losses: "+c.what, d.Losses, c.losses)
		got, want := *d.Box, plain
		got.Blocks = nil
		c.want(&want)
		equal(t, "box: "+c.what, got, want)
	}
	if d := vml(t, `<v:rect><v:textbox/></v:rect>`); d.Box != nil {
		t.Errorf("a text box without content: got %+v", d.Box)
	}
}

func TestMembersOfAGroupOfVMLArePlacedInItsOwnMeasure(t *testing.T) {
	t.Parallel()
	const members = `<v:rect style="left:1000;top:2000;width:500;height:1000"/><v:oval style="left:1500;top:2000;width:500;height:500"/>`
	for what, c := range map[string]struct {
		attributes string
		want       [][4]float64
	}{
		// 1,000 units are 72 points across and 2,000 are 36 points down.
		"origin and size": {`coordorigin="1000,2000" coordsize="1000,2000"`, [][4]float64{{0, 0, 36, 18}, {36, 0, 36, 9}}},
		"no origin":       {`coordsize="1000,2000"`, [][4]float64{{72, 36, 36, 18}, {108, 36, 36, 9}}},
		// A group counts a thousand units each way.
		"nothing said":     {``, [][4]float64{{72, 72, 36, 36}, {108, 72, 36, 18}}},
		"a size of zero":   {`coordsize="0,2000"`, [][4]float64{{72, 72, 36, 36}, {108, 72, 36, 18}}},
		"a height of zero": {`coordsize="1000,0"`, [][4]float64{{72, 72, 36, 36}, {108, 72, 36, 18}}},
	} {
		d := vml(t, `<v:group style="width:72pt;height:36pt" `+c.attributes+`>`+members+`<v:shapetype/></v:group>`)
		equal(t, what, rects(d.Children), c.want)
		if d.Width != 72 || d.Height != 36 || d.Geometry.Preset != "" || d.Fill != nil || d.Line != nil {
			t.Errorf("%s: got %g by %g, %q, fill %v, line %v; want 72 by 36 and nothing to draw", what, d.Width, d.Height, d.Geometry.Preset, d.Fill, d.Line)
		}
	}
}

func TestMembersOfAGroupHaveNoAnchorOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := vml(t, `<v:group style="width:72pt;height:72pt;position:absolute"><v:rect style="position:absolute;width:9;height:9"/></v:group>`)
	if d.Anchor == nil {
		t.Error("the group has no anchor")
	}
	if d.Children[0].Anchor != nil {
		t.Errorf("its member has the anchor %+v", d.Children[0].Anchor)
	}
}

func TestGroupsOfVMLInGroupsArePlacedInTheirOwnMeasure(t *testing.T) {
	t.Parallel()
	d := vml(t, `<v:group style="width:100pt;height:100pt" coordsize="10,10"><v:group style="left:5;top:0;width:5;height:10" coordsize="2,2"><v:rect style="left:1;top:1;width:1;height:1"/></v:group></v:group>`)
	equal(t, "inner group", rects(d.Children), [][4]float64{{50, 0, 50, 100}})
	equal(t, "its member", rects(d.Children[0].Children), [][4]float64{{25, 50, 25, 50}})
}

func TestAGroupOfVMLBeyondTheLimitOfNestingIsTold(t *testing.T) {
	t.Parallel()
	// The body, the paragraph's content and the drawing are a step each, and so is each group.
	for groups, want := range map[int]bool{opc.MaxNesting - 3: false, opc.MaxNesting - 2: true} {
		d := docx{body: pict(strings.Repeat(`<v:group>`, groups) + `<v:rect/>` + strings.Repeat(`</v:group>`, groups))}.read(t)
		if d.IsTruncated != want {
			t.Errorf("%d groups: told as left out: got %t, want %t", groups, d.IsTruncated, want)
		}
	}
}

func TestNumbersOfGroupsMayBeLarge(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{
		"12": 12, " -3.5 ": -3.5, "5829300": 5829300, "10000000000": 1e10, "10000000001": 0, "-10000000001": 0,
		"2pt": 2, "1in": 72, "": 0, "x": 0, "NaN": 0, "Inf": 0,
	} {
		if got := parseVMLNumber(s); got != want {
			t.Errorf("%q: got %g, want %g", s, got, want)
		}
	}
}

func TestALineOfVMLStandsBetweenItsEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attributes             string
		x, y, width, height    float64
		isFlippedH, isFlippedV bool
	}{
		{`from="10pt,20pt" to="110pt,50pt"`, 10, 20, 100, 30, false, false},
		{`from="110pt,20pt" to="10pt,50pt"`, 10, 20, 100, 30, true, false},
		{`from="10pt,50pt" to="110pt,20pt"`, 10, 20, 100, 30, false, true},
		{`from="1in,0" to="0,0"`, 0, 0, 72, 0, true, false},
		{`to="1e99,0"`, 0, 0, 0, 0, false, false},
	} {
		d := vml(t, `<v:line style="position:absolute;margin-left:3pt" `+c.attributes+`/>`)
		if d.Anchor.H.Offset != 3+c.x || d.Anchor.V.Offset != c.y || d.Width != c.width || d.Height != c.height || d.FlipH != c.isFlippedH || d.FlipV != c.isFlippedV {
			t.Errorf("%s: got %+v at %+v", c.attributes, d, d.Anchor)
		}
	}
	member := vml(t, `<v:group style="width:100pt;height:100pt" coordsize="1000,1000" coordorigin="100,0"><v:line from="200,300" to="600,300"/></v:group>`).Children[0]
	if member.X != 10 || member.Y != 30 || member.Width != 40 || member.Height != 0 {
		t.Errorf("in a group: got %+v", member)
	}
}

func TestARuleTakesItsShareOfTheColumn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attributes           string
		share, width, height float64
		align                string
	}{
		{`style="width:0;height:1.5pt" o:hralign="center"`, 1, 0, 1.5, "center"},
		{`style="width:0;height:0" o:hrpct="500"`, 0.5, 0, 1.5, "left"},
		{`style="width:200pt;height:3pt" o:hralign="right"`, 0, 200, 3, "right"},
		{`o:hrpct="99999" o:hralign="middle"`, 1, 0, 1.5, "left"},
	} {
		d := vml(t, `<v:rect o:hr="t" `+c.attributes+`/>`)
		if d.ColumnShare != c.share || d.Width != c.width || d.Height != c.height || d.Anchor == nil || d.Anchor.H.Align != c.align {
			t.Errorf("%s: got %+v at %+v", c.attributes, d, d.Anchor)
		}
	}
}
