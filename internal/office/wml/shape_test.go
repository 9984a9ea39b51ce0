package wml

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// A wps:style refers to the theme; what the shape says itself is over it.
func TestShapesTakeFillAndLineFromTheirStyle(t *testing.T) {
	t.Parallel()
	const accent = `<a:schemeClr val="accent1"/>`
	theme := strings.Replace(scheme, `</a:themeElements>`, `<a:fmtScheme><a:lnStyleLst><a:ln w="9525"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln></a:lnStyleLst></a:fmtScheme></a:themeElements>`, 1)
	accent1 := solid(1, 2, 3) // of scheme
	styled := func(fill, line string) string {
		return `<wps:style><a:lnRef idx="` + line + `">` + accent + `</a:lnRef><a:fillRef idx="` + fill + `">` + accent + `</a:fillRef></wps:style>`
	}
	line := func(width float64, color *dml.ShapeFill, dash string) *dml.ShapeLine {
		return &dml.ShapeLine{Width: width, Color: color.Color, Alpha: 1, Dash: dash}
	}
	plain := line(0.75, accent1, "solid")
	for _, c := range []struct {
		what, spPr, style string
		fill              *dml.ShapeFill
		line              *dml.ShapeLine
	}{
		{"both", ``, styled("2", "1"), accent1, plain},
		{"neither", ``, styled("0", "0"), nil, nil},
		{"a fill of its own", blue, styled("1", "1"), solid(0, 0, 255), plain},
		{"no fill", `<a:noFill/>`, styled("1", "1"), nil, plain},
		{"no line", `<a:ln><a:noFill/></a:ln>`, styled("1", "1"), accent1, nil},
		{"a wider line", `<a:ln w="38100"/>`, styled("1", "1"), accent1, line(3, accent1, "solid")},
		{"a dotted line", `<a:ln><a:prstDash val="dot"/></a:ln>`, styled("1", "1"), accent1, line(0.75, accent1, "dot")},
		{"a line of its own colour", `<a:ln>` + blue + `</a:ln>`, styled("1", "1"), accent1, line(0.75, solid(0, 0, 255), "solid")},
		{"an empty style", ``, `<wps:style/>`, nil, nil},
	} {
		d := oneDrawing(t, docx{theme: theme, body: inline(``, shape(c.spPr, c.style))})
		equal(t, "fill: "+c.what, d.Fill, c.fill)
		equal(t, "line: "+c.what, d.Line, c.line)
	}
}

func TestAFillOfTheThemeIsTakenUnlessTheShapeHasItsOwn(t *testing.T) {
	t.Parallel()
	const theme = `<a:themeElements><a:fmtScheme><a:fillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill>` +
		`<a:gradFill><a:gsLst><a:gs pos="0"><a:schemeClr val="phClr"/></a:gs><a:gs pos="100000"><a:srgbClr val="FFFFFF"/></a:gs></a:gsLst></a:gradFill></a:fillStyleLst></a:fmtScheme></a:themeElements>`
	for _, c := range []struct {
		idx, spPr string
		want      dml.FillKind
	}{{"2", ``, dml.FillGradient}, {"2", blue, dml.FillSolid}, {"1", ``, dml.FillSolid}} {
		d := oneDrawing(t, docx{theme: theme, body: inline(``, shape(c.spPr, `<wps:style><a:fillRef idx="`+c.idx+`"><a:srgbClr val="112233"/></a:fillRef></wps:style>`))})
		if d.Fill == nil || d.Fill.Kind != c.want {
			t.Errorf("fill %s with %q: got %+v, want kind %v", c.idx, c.spPr, d.Fill, c.want)
		}
	}
}

// ECMA-376 part 1, 21.1.2.1.1: insets of a tenth of an inch at the sides, half of
// it above and below.
func TestATextBoxIsReadWithItsInsetsAndAnchor(t *testing.T) {
	t.Parallel()
	plain := TextBox{VAlign: "top", Inset: Margins{Top: 3.6, Right: 7.2, Bottom: 3.6, Left: 7.2}}
	for _, c := range []struct {
		bodyPr string
		want   func(*TextBox)
		losses dml.Losses
	}{
		{``, func(*TextBox) {}, nil},
		{`<wps:bodyPr/>`, func(*TextBox) {}, nil},
		{`<wps:bodyPr lIns="12700" tIns="25400" rIns="38100" bIns="0"/>`, func(b *TextBox) { b.Inset = Margins{Left: 1, Top: 2, Right: 3} }, nil},
		{`<wps:bodyPr anchor="t"/>`, func(*TextBox) {}, nil},
		{`<wps:bodyPr anchor="ctr"/>`, func(b *TextBox) { b.VAlign = "center" }, nil},
		{`<wps:bodyPr anchor="b"/>`, func(b *TextBox) { b.VAlign = "bottom" }, nil},
		{`<wps:bodyPr><a:spAutoFit/></wps:bodyPr>`, func(b *TextBox) { b.GrowsWithText = true }, nil},
		{`<wps:bodyPr><a:noAutofit/></wps:bodyPr>`, func(*TextBox) {}, nil},
		{`<wps:bodyPr vert="horz" rot="0"/>`, func(*TextBox) {}, nil},
		{`<wps:bodyPr vert="vert"/>`, func(b *TextBox) { b.Turn = 90 }, nil},
		{`<wps:bodyPr vert="eaVert"/>`, func(b *TextBox) { b.Turn = 90 }, nil},
		{`<wps:bodyPr vert="vert270"/>`, func(b *TextBox) { b.Turn = -90 }, nil},
		{`<wps:bodyPr vert="wordArtVert"/>`, func(*TextBox) {}, dml.Losses{dml.LossTurnedText}},
		{`<wps:bodyPr rot="5400000"/>`, func(*TextBox) {}, dml.Losses{dml.LossTurnedText}},
		{`<wps:bodyPr><a:prstTxWarp prst="textWave1"/></wps:bodyPr>`, func(*TextBox) {}, dml.Losses{dml.LossWarp}},
	} {
		d := oneDrawing(t, docx{body: inline(``, shape(``, `<wps:txbx><w:txbxContent><w:p>`+text("in the box")+`</w:p></w:txbxContent></wps:txbx>`+c.bodyPr))})
		equal(t, "text of "+c.bodyPr, shownTexts(d.Box.Blocks), []string{"in the box"})
		equal(t, "losses of "+c.bodyPr, d.Losses, c.losses)
		got, want := *d.Box, plain
		got.Blocks = nil
		c.want(&want)
		equal(t, "box of "+c.bodyPr, got, want)
		if d.Box.Elem.Tag != "txbxContent" {
			t.Errorf("%s: leads back to %s", c.bodyPr, d.Box.Elem.Tag)
		}
	}
	if d := oneDrawing(t, docx{body: inline(``, shape(blue, `<wps:bodyPr/>`))}); d.Box != nil {
		t.Errorf("a shape without text: got the box %+v", d.Box)
	}
}

func TestFieldsOfTheTextDoNotReachIntoABox(t *testing.T) {
	t.Parallel()
	box := shape(``, `<wps:txbx><w:txbxContent><w:p>`+text("shown")+char("begin")+`</w:p></w:txbxContent></wps:txbx>`)
	d := docx{body: `<w:p>` + char("begin") + instruction("DATE") + char("separate") + runIn(inline(``, box)) + text("result") + char("end") + text("behind") + `</w:p>`}.read(t)
	equal(t, "text around the box", shownTexts(d.Sections[0].Blocks), []string{"resultbehind"})
	for _, item := range itemsOf(t, d) {
		if item.Kind == DrawingItem {
			equal(t, "text in the box", shownTexts(item.Drawing.Box.Blocks), []string{"shown"})
		}
	}
}

// group is a wpg:wgp; its members count in units of 100 EMU, from 1000, 2000 on,
// 9144 by 9144 units on 72 by 36 points.
func group(members string) string {
	return `<wpg:wgp><wpg:grpSpPr><a:xfrm><a:chOff x="1000" y="2000"/><a:chExt cx="9144" cy="9144"/></a:xfrm></wpg:grpSpPr>` + members + `</wpg:wgp>`
}

func xfrm(x, y, cx, cy string) string {
	return `<a:xfrm><a:off x="` + x + `" y="` + y + `"/><a:ext cx="` + cx + `" cy="` + cy + `"/></a:xfrm>`
}

// rects are the places of a group's members: x, y, width and height.
func rects(members []*Drawing) [][4]float64 {
	var out [][4]float64
	for _, m := range members {
		out = append(out, [4]float64{m.X, m.Y, m.Width, m.Height})
	}
	return out
}

func TestMembersOfAGroupArePlacedInItsOwnMeasure(t *testing.T) {
	t.Parallel()
	d := oneDrawing(t, docx{relations: relation("i1", "image", "media/image.png"), body: inline(``, group(
		shape(xfrm("1000", "2000", "9144", "9144"), ``)+
			shape(xfrm("5572", "6572", "4572", "2286")+blue, ``)+
			picture(`<a:blip r:embed="i1"/>`, xfrm("0", "2000", "9144", "9144"))+
			`<wpg:cNvGrpSpPr/>`))})
	equal(t, "places", rects(d.Children), [][4]float64{
		{0, 0, 72, 36},
		{36, 18, 36, 9},
		{-1000.0 / 9144 * 72, 0, 72, 36},
	})
	equal(t, "fill of the second", d.Children[1].Fill, solid(0, 0, 255))
	if d.Children[2].Image == nil {
		t.Error("the third has no picture")
	}
}

func TestGroupsInGroupsArePlacedInTheirOwnMeasure(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"grpSp", "wgp"} {
		// The inner group covers the right half; its one member the lower half of it.
		inner := `<wpg:` + tag + `><wpg:grpSpPr><a:xfrm><a:off x="5572" y="2000"/><a:ext cx="4572" cy="9144"/><a:chOff x="0" y="0"/><a:chExt cx="100" cy="100"/></a:xfrm></wpg:grpSpPr>` +
			shape(xfrm("0", "50", "100", "50"), ``) + `</wpg:` + tag + `>`
		d := oneDrawing(t, docx{body: inline(``, group(inner))})
		equal(t, tag, rects(d.Children), [][4]float64{{36, 0, 36, 36}})
		equal(t, "in "+tag, rects(d.Children[0].Children), [][4]float64{{0, 18, 36, 18}})
	}
}

func TestAGroupWithoutAMeasureOfItsOwnCountsInEnglishMetricUnits(t *testing.T) {
	t.Parallel()
	member := shape(xfrm("12700", "25400", "38100", "50800"), ``)
	for what, graphic := range map[string]string{
		"a group":              `<wpg:wgp>` + member + `</wpg:wgp>`,
		"a canvas":             `<wpc:wpc>` + member + `</wpc:wpc>`,
		"a measure of nothing": `<wpg:wgp><wpg:grpSpPr><a:xfrm><a:chExt cx="0" cy="0"/></a:xfrm></wpg:grpSpPr>` + member + `</wpg:wgp>`,
	} {
		equal(t, what, rects(oneDrawing(t, docx{body: inline(``, graphic)}).Children), [][4]float64{{1, 2, 3, 4}})
	}
}

func TestAMemberWithoutAPlaceIsNothingWide(t *testing.T) {
	t.Parallel()
	d := oneDrawing(t, docx{body: inline(``, `<wpg:wgp>`+shape(``, ``)+`</wpg:wgp>`)})
	equal(t, "place", rects(d.Children), [][4]float64{{}})
}

func TestMembersThatCannotBeDrawnAreTold(t *testing.T) {
	t.Parallel()
	d := oneDrawing(t, docx{body: inline(``, `<wpg:wgp><wpg:graphicFrame/><w14:contentPart/><wpg:cNvPr/></wpg:wgp>`)})
	if len(d.Children) != 0 {
		t.Errorf("got %d members, want none", len(d.Children))
	}
	equal(t, "losses", d.Losses, dml.Losses{dml.LossDrawing, dml.LossInk})
}

func TestAGroupBeyondTheLimitOfNestingIsTold(t *testing.T) {
	t.Parallel()
	// The body, the paragraph's content and the drawing are a step each, and so is each group.
	for groups, want := range map[int]bool{opc.MaxNesting - 3: false, opc.MaxNesting - 2: true} {
		inner := strings.Repeat(`<wpg:grpSp>`, groups-1) + shape(``, ``) + strings.Repeat(`</wpg:grpSp>`, groups-1)
		d := docx{body: inline(``, `<wpg:wgp>`+inner+`</wpg:wgp>`)}.read(t)
		if d.IsTruncated != want {
			t.Errorf("%d groups: told as left out: got %t, want %t", groups, d.IsTruncated, want)
		}
	}
}
