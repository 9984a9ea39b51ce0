package pml

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

func TestShapesAreOfTheKindOfTheirElement(t *testing.T) {
	t.Parallel()
	const cNvPr = `<p:cNvPr id="7" name="x"/>`
	for source, want := range map[string]ShapeKind{
		`<p:sp><p:nvSpPr>` + cNvPr + `</p:nvSpPr></p:sp>`:                   ShapePlain,
		`<p:cxnSp><p:nvCxnSpPr>` + cNvPr + `</p:nvCxnSpPr></p:cxnSp>`:       ShapeConnector,
		`<p:pic><p:nvPicPr>` + cNvPr + `</p:nvPicPr></p:pic>`:               ShapePicture,
		`<p:grpSp><p:nvGrpSpPr>` + cNvPr + `</p:nvGrpSpPr></p:grpSp>`:       ShapeGroup,
		graphicFrame("", `<a:graphicData uri="x"/>`):                        ShapeOther,
		graphicFrame("", `<a:graphicData uri="x"><a:tbl/></a:graphicData>`): ShapeTable,
	} {
		got := deck{slide: sld(source)}.first(t)
		if got.Kind != want || got.ID != "7" || got.Name != "x" || got.Elem == nil {
			t.Errorf("%s: got %+v, want the kind %d", source, got, want)
		}
	}
}

func TestWhatIsNoShapeIsLeftOut(t *testing.T) {
	t.Parallel()
	got := deck{slide: sld(`<p:sp/>` + `<p:unknown><p:nvSpPr/></p:unknown>` + graphicFrame("", "") + named("one") + `<p:extLst/>`)}.read(t).Slides[0].Shapes
	if !slices.Equal(names(got), []string{"one"}) {
		t.Errorf("got %q, want the one shape", names(got))
	}
}

func TestHandwritingIsALoss(t *testing.T) {
	t.Parallel()
	got := deck{slide: sld(`<p:contentPart r:id="ink"/>`)}.first(t)
	if got.Kind != ShapePlain || !slices.Equal(got.Losses, []dml.Loss{dml.LossInk}) || got.Elem == nil {
		t.Errorf("got %+v, want a plain shape with the loss %q", got, dml.LossInk)
	}
}

func TestShapesHaveNamesAndLinks(t *testing.T) {
	t.Parallel()
	k := deck{relations: relation("web", "hyperlink", "https://example.com"), slide: sld(
		`<p:sp><p:nvSpPr><p:cNvPr id="12" name="Logo" descr="Our logo" hidden="1"><a:hlinkClick r:id="web"/></p:cNvPr><p:nvPr/></p:nvSpPr></p:sp>` + `<p:sp><p:nvSpPr/></p:sp>` + named("plain"))}
	shapes := k.read(t).Slides[0].Shapes
	if s := shapes[0]; s.ID != "12" || s.Name != "Logo" || s.Description != "Our logo" || !s.Hidden || s.Link != "https://example.com" || s.Placeholder != nil {
		t.Errorf("got %+v", s)
	}
	if s := shapes[1]; s.ID != "" || s.Name != "" || s.Hidden || s.Link != "" {
		t.Errorf("without properties: got %+v", s)
	}
	if s := shapes[2]; s.ID != "2" || s.Name != "plain" || s.Description != "" || s.Hidden || s.Link != "" {
		t.Errorf("with a name alone: got %+v", s)
	}
}

func TestFramesAreTurnedAndFlipped(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]struct {
		rotation     float64
		flipH, flipV bool
	}{
		``: {0, false, false}, `rot="5400000"`: {90, false, false}, `rot="-2700000"`: {-45, false, false}, `rot="27000000"`: {90, false, false}, // 450°
		`rot="21600000" flipH="1"`: {0, true, false}, `flipV="true"`: {0, false, true}, `flipH="0" flipV="0"`: {0, false, false},
	} {
		got := deck{slide: sld(sp("", turned(attributes, 1, 2, 3, 4), ""))}.first(t)
		if got.Rotation != want.rotation || got.FlipH != want.flipH || got.FlipV != want.flipV || got.Frame != (dml.Rect{X: 1, Y: 2, W: 3, H: 4}) {
			t.Errorf("%q: got %v, %v, %v in %v; want %+v in {1 2 3 4}", attributes, got.Rotation, got.FlipH, got.FlipV, got.Frame, want)
		}
	}
	if got, want := (deck{slide: sld(sp("", frame(-1, -2, -3, -4), ""))}).first(t).Frame, (dml.Rect{X: -1, Y: -2}); got != want {
		t.Errorf("of negative size: got %v, want %v", got, want)
	}
	if got := (deck{slide: sld(sp("", "", ""))}).first(t); got.Frame != (dml.Rect{}) || got.Geometry.Preset != "rect" {
		t.Errorf("without a frame: got %v with the form %q, want none and rect", got.Frame, got.Geometry.Preset)
	}
}

func TestShapesHaveTheirForm(t *testing.T) {
	t.Parallel()
	got := deck{slide: sld(sp("", `<a:prstGeom prst="star5"><a:avLst><a:gd name="adj" fmla="val 12500"/></a:avLst></a:prstGeom>`, ""))}.first(t).Geometry
	if got.Preset != "star5" || !maps.Equal(got.Adjust, map[string]float64{"adj": 12500}) {
		t.Errorf("got %+v, want star5 with adj 12500", got)
	}
	got = deck{slide: sld(sp("", `<a:custGeom><a:pathLst/></a:custGeom><a:prstGeom prst="star5"/>`, ""))}.first(t).Geometry
	if got.Custom == nil || got.Custom.Tag != "custGeom" || got.Preset != "" {
		t.Errorf("got %+v, want the path of its own", got)
	}
}

// inheriting is a deck whose slide holds a placeholder, and whose layout and
// master hold those given.
func inheriting(ph, layoutShapes, masterShapes string) deck {
	return deck{slide: sld(sp(`<p:ph `+ph+`/>`, "", "")), layout: layout(layoutShapes), master: master(masterShapes)}
}

// place is a placeholder that far from the left.
func place(ph string, x int) string { return sp(`<p:ph `+ph+`/>`, frame(x, 0, 1, 1), "") }

// A placeholder follows that of the layout with its index, else with its type; and
// that of the master with its kind (ECMA-376 part 1, 19.3.1.36).
func TestPlaceholdersFollowTheirLayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, ph, layout, master string
		x                        float64
		kind, index              string
	}{
		{"by index", `idx="3"`, place(`idx="2"`, 2) + place(`idx="3"`, 3) + place(`idx="4"`, 4), "", 3, "obj", "3"},
		{"by index, whatever its type", `type="pic" idx="3"`, place(`type="pic"`, 2) + place(`type="body" idx="3"`, 3), "", 3, "pic", "3"},
		{"by type", `type="title"`, place(`type="body"`, 2) + place(`type="title"`, 3), "", 3, "title", ""},
		{"the first of a type", `type="dt"`, place(`type="dt" idx="10"`, 2) + place(`type="dt" idx="11"`, 3), "", 2, "dt", ""},
		{"by type where the index is not there", `type="body" idx="9"`, place(`type="body" idx="1"`, 2), "", 2, "body", "9"},
		{"none for an object whose index is not there", `idx="9"`, place(`idx="1"`, 2), "", 0, "obj", "9"},
		{"an object without an index", ``, place(`idx="1"`, 2), "", 2, "obj", ""},
		{"with the type of its layout", `idx="3"`, place(`type="tbl" idx="3"`, 3), "", 3, "tbl", "3"},
		{"a title by a centred one", `type="title"`, place(`type="ctrTitle"`, 3), "", 3, "title", ""},
		{"a centred title by a plain one", `type="ctrTitle"`, place(`type="title"`, 3), "", 3, "ctrTitle", ""},
		{"no other by a title", `type="body"`, place(`type="title"`, 3), "", 0, "body", ""},
		{"the title of the master", `type="ctrTitle"`, "", place(`type="body" idx="1"`, 5) + place(`type="title"`, 6), 6, "ctrTitle", ""},
		{"the body of the master", `type="pic" idx="7"`, "", place(`type="title"`, 5) + place(`type="body" idx="1"`, 6), 6, "pic", "7"},
		{"the date of the master", `type="dt" idx="7"`, "", place(`type="ftr"`, 4) + place(`type="dt"`, 5) + place(`type="sldNum"`, 6), 5, "dt", "7"},
		{"the footer of the master", `type="ftr"`, "", place(`type="ftr"`, 4) + place(`type="dt"`, 5), 4, "ftr", ""},
		{"the number of the master", `type="sldNum"`, "", place(`type="dt"`, 5) + place(`type="sldNum"`, 6), 6, "sldNum", ""},
		{"the layout before the master", `type="title"`, place(`type="title"`, 3), place(`type="title"`, 6), 3, "title", ""},
		{"the kind of the layout in the master", `idx="3"`, sp(`<p:ph type="dt" idx="3"/>`, "", ""), place(`type="body"`, 5) + place(`type="dt"`, 6), 6, "dt", "3"},
		{"nothing that is no placeholder", `type="title"`, sp("", frame(3, 0, 1, 1), ""), "", 0, "title", ""},
	} {
		got := inheriting(c.ph, c.layout, c.master).first(t)
		if got.Frame.X != c.x || got.Placeholder == nil || *got.Placeholder != (Placeholder{Type: c.kind, Index: c.index}) {
			t.Errorf("%s: got %v, %+v; want x %v, %s %q", c.name, got.Frame, got.Placeholder, c.x, c.kind, c.index)
		}
	}
}

func TestAFrameOfItsOwnIsNotInherited(t *testing.T) {
	t.Parallel()
	k := inheriting(`type="title"`, sp(`<p:ph type="title"/>`, frame(3, 0, 1, 1)+`<a:prstGeom prst="ellipse"/>`, ""), "")
	k.slide = sld(sp(`<p:ph type="title"/>`, frame(7, 8, 9, 10), ""))
	if got := k.first(t); got.Frame != (dml.Rect{X: 7, Y: 8, W: 9, H: 10}) || got.Geometry.Preset != "ellipse" {
		t.Errorf("got %v with the form %q, want {7 8 9 10} and the layout's ellipse", got.Frame, got.Geometry.Preset)
	}
}

// styled is a placeholder of the title with properties.
func styled(spPr string) string { return sp(`<p:ph type="title"/>`, spPr, "") }

func TestFillsAreInherited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, own, layout, master string
		want                      *dml.RGB
	}{
		{"its own", solid("FF0000"), solid("00FF00"), solid("0000FF"), &red},
		{"of the layout", ``, solid("00FF00"), solid("0000FF"), &green},
		{"of the master", ``, ``, solid("0000FF"), &blue},
		{"switched off", `<a:noFill/>`, solid("00FF00"), ``, nil},
		{"switched off on the layout", ``, `<a:noFill/>`, solid("0000FF"), nil},
		{"of a group that it is not in", `<a:grpFill/>`, solid("00FF00"), ``, nil},
		{"none", ``, ``, ``, nil},
	} {
		got := deck{slide: sld(styled(c.own)), layout: layout(styled(c.layout)), master: master(styled(c.master))}.first(t).Fill
		if c.want == nil {
			wantNoFill(t, c.name, got)
			continue
		}
		wantColor(t, c.name, got, *c.want)
	}
}

// ECMA-376 part 1, 19.3.1.43: such a shape is filled with the slide's background. What its own
// properties say is stronger, what its style says weaker.
func TestAShapeMayBeFilledWithTheBackground(t *testing.T) {
	t.Parallel()
	const style = `<p:style><a:fillRef idx="1"><a:srgbClr val="00FF00"/></a:fillRef></p:style>`
	like := func(shape string) string { return strings.Replace(shape, `<p:sp>`, `<p:sp useBgFill="1">`, 1) }
	background := `<p:bg><p:bgPr>` + solid("0000FF") + `</p:bgPr></p:bg>`
	for _, c := range []struct {
		what, background, shape string
		want                    *dml.RGB
		isBackground            bool
	}{
		{"over its style", background, like(sp("", "", style)), &blue, true},
		{"of a slide without one", "", like(sp("", "", "")), &white, true},
		{"not over its own", background, like(sp("", solid("FF0000"), style)), &red, false},
		{"nor over none of its own", background, like(sp("", `<a:noFill/>`, style)), nil, false},
		{"nor where it is not asked", background, sp("", "", style), &green, false},
		{"switched off", background, strings.Replace(like(sp("", "", style)), `"1"`, `"0"`, 1), &green, false},
	} {
		got := deck{theme: themedStyles, slide: page("sld", "", c.background, c.shape, "")}.first(t)
		if c.want == nil {
			wantNoFill(t, c.what, got.Fill)
		} else {
			wantColor(t, c.what, got.Fill, *c.want)
		}
		if got.FillsLikeSlide != c.isBackground {
			t.Errorf("%s: got the background %t, want %t", c.what, got.FillsLikeSlide, c.isBackground)
		}
	}
}

func TestAPlaceholderMayBeFilledWithTheBackgroundByItsLayout(t *testing.T) {
	t.Parallel()
	inLayout := strings.Replace(sp(`<p:ph type="title"/>`, "", ""), `<p:sp>`, `<p:sp useBgFill="1">`, 1)
	k := deck{layout: layout(inLayout), slide: page("sld", "", `<p:bg><p:bgPr>`+solid("0000FF")+`</p:bgPr></p:bg>`, sp(`<p:ph type="title"/>`, "", ""), "")}
	wantColor(t, "a title", k.first(t).Fill, blue)
}

func TestLinesAreInheritedPropertyByProperty(t *testing.T) {
	t.Parallel()
	got := deck{slide: sld(styled(`<a:ln w="25400"/>`)), layout: layout(styled(`<a:ln w="12700"><a:prstDash val="dot"/></a:ln>`)), master: master(styled(`<a:ln>` + solid("0000FF") + `<a:prstDash val="dash"/></a:ln>`))}.first(t).Line
	if want := (dml.ShapeLine{Width: 2, Color: blue, Alpha: 1, Dash: "dot"}); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	off := deck{slide: sld(styled(`<a:ln><a:noFill/></a:ln>`)), layout: layout(styled(`<a:ln>` + solid("0000FF") + `</a:ln>`))}.first(t).Line
	if off != nil {
		t.Errorf("switched off: got %+v, want none", off)
	}
}

func TestTheStyleOfAShapeRefersToTheTheme(t *testing.T) {
	t.Parallel()
	const style = `<p:style><a:lnRef idx="1"><a:srgbClr val="0000FF"/></a:lnRef><a:fillRef idx="1"><a:srgbClr val="FF0000"/></a:fillRef></p:style>`
	k := deck{theme: themedStyles, slide: sld(sp("", "", style) + sp("", solid("00FF00")+`<a:ln w="12700"/>`, style) + sp("", `<a:noFill/>`, style) +
		`<p:cxnSp><p:nvCxnSpPr/><p:spPr/>` + style + `</p:cxnSp>` + sp("", "", `<p:style/>`))}
	shapes := k.read(t).Slides[0].Shapes
	wantColor(t, "by its style", shapes[0].Fill, red)
	wantColor(t, "by its own", shapes[1].Fill, green)
	wantNoFill(t, "switched off", shapes[2].Fill)
	wantNoFill(t, "a connector", shapes[3].Fill)
	wantNoFill(t, "by an empty style", shapes[4].Fill)
	for i, width := range map[int]float64{0: 3, 1: 1, 2: 3, 3: 3} {
		if l := shapes[i].Line; l == nil || l.Width != width || l.Color != blue {
			t.Errorf("shape %d: got the line %+v, want a blue one of %v points", i, l, width)
		}
	}
	if shapes[4].Line != nil {
		t.Errorf("by an empty style: got the line %+v, want none", shapes[4].Line)
	}
}

func TestChildrenOfGroupsAreOnTheSlide(t *testing.T) {
	t.Parallel()
	child := sp("", frame(10, 20, 30, 40), "")
	for _, c := range []struct {
		name, source string
		want         dml.Rect
	}{
		{"without a frame", group("", child), dml.Rect{X: 10, Y: 20, W: 30, H: 40}},
		{"moved", group(groupFrame(100, 200, 50, 60, 0, 0, 50, 60), child), dml.Rect{X: 110, Y: 220, W: 30, H: 40}},
		{"counted from elsewhere", group(groupFrame(100, 200, 50, 60, 10, 20, 50, 60), child), dml.Rect{X: 100, Y: 200, W: 30, H: 40}},
		{"twice as wide, half as high", group(groupFrame(0, 0, 200, 50, 0, 0, 100, 100), child), dml.Rect{X: 20, Y: 10, W: 60, H: 20}},
		{"scaled from elsewhere", group(groupFrame(100, 100, 200, 50, 10, 20, 100, 100), child), dml.Rect{X: 100, Y: 100, W: 60, H: 20}},
		{"nested", group(groupFrame(100, 100, 200, 200, 0, 0, 100, 100), group(groupFrame(10, 10, 20, 20, 0, 0, 40, 40), child)), dml.Rect{X: 130, Y: 140, W: 30, H: 40}},
		{"for children without a size", group(groupFrame(100, 100, 200, 50, 0, 0, 0, 0), child), dml.Rect{X: 110, Y: 120, W: 30, H: 40}},
		{"for children in a point", group(groupFrame(0, 0, 10, 20, 0, 0, 1, 1), child), dml.Rect{X: 100, Y: 400, W: 300, H: 800}},
		{"in a point", group(groupFrame(0, 0, 1, 1, 0, 0, 10, 20), child), dml.Rect{X: 1, Y: 1, W: 3, H: 2}},
		{"without a size", group(groupFrame(100, 100, 0, 0, 0, 0, 50, 50), child), dml.Rect{X: 110, Y: 120, W: 30, H: 40}},
	} {
		got := deck{slide: sld(c.source)}.first(t)
		for got.Kind == ShapeGroup {
			if len(got.Children) != 1 {
				t.Fatalf("%s: got %d children, want 1", c.name, len(got.Children))
			}
			got = got.Children[0]
		}
		if got.Frame != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got.Frame, c.want)
		}
	}
}

// A group that is stretched to one side stretches a child that lies on its side
// along the child's own axes, about its middle.
func TestGroupsStretchTurnedChildrenAlongTheirOwnAxes(t *testing.T) {
	t.Parallel()
	for rot, want := range map[string]dml.Rect{
		`rot="0"`:         {X: 20, Y: 20, W: 80, H: 20},
		`rot="2700000"`:   {X: 20, Y: 20, W: 80, H: 20}, // 45°: not yet on its side
		`rot="2730000"`:   {X: 40, Y: 10, W: 40, H: 40}, // 45.5°
		`rot="5400000"`:   {X: 40, Y: 10, W: 40, H: 40}, // 80 by 20 about (60, 30) becomes 40 by 40
		`rot="-5400000"`:  {X: 40, Y: 10, W: 40, H: 40},
		`rot="16200000"`:  {X: 40, Y: 10, W: 40, H: 40}, // 270°
		`rot="8100000"`:   {X: 20, Y: 20, W: 80, H: 20}, // 135°: no longer
		`rot="10800000"`:  {X: 20, Y: 20, W: 80, H: 20},
		`rot="-10800000"`: {X: 20, Y: 20, W: 80, H: 20},
	} {
		got := deck{slide: sld(group(groupFrame(0, 0, 200, 100, 0, 0, 100, 100), sp("", turned(rot, 10, 20, 40, 20), "")))}.first(t).Children[0]
		if got.Frame != want {
			t.Errorf("%s: got %v, want %v", rot, got.Frame, want)
		}
	}
}

func TestGroupsHaveFramesOfTheirOwn(t *testing.T) {
	t.Parallel()
	got := deck{slide: sld(group(groupFrame(1, 2, 3, 4, 0, 0, 3, 4), named("a")+named("b")))}.first(t)
	if got.Frame != (dml.Rect{X: 1, Y: 2, W: 3, H: 4}) || got.Name != "G" || !slices.Equal(names(got.Children), []string{"a", "b"}) {
		t.Errorf("got %q in %v with %q, want G in {1 2 3 4} with a and b", got.Name, got.Frame, names(got.Children))
	}
}

func TestChildrenTakeTheFillOfTheirGroup(t *testing.T) {
	t.Parallel()
	child := sp("", `<a:grpFill/>`, "")
	for name, c := range map[string]struct {
		source string
		want   dml.RGB
	}{
		"of its group":               {group(solid("FF0000"), child), red},
		"of the group around":        {group(solid("FF0000"), group("", child)), red},
		"of the group, not of that":  {group(solid("FF0000"), group(solid("00FF00"), child)), green},
		"of the group that takes it": {group(solid("FF0000"), group(solid("00FF00"), "")+child), red},
	} {
		got := deck{slide: sld(c.source)}.first(t)
		for got.Kind == ShapeGroup {
			got = got.Children[len(got.Children)-1]
		}
		wantColor(t, name, got.Fill, c.want)
	}
}

func TestPlaceholdersInsideGroupsOfALayoutDoNotShowThrough(t *testing.T) {
	t.Parallel()
	got := deck{layout: layout(group("", place(`type="title"`, 1)+named("line")))}.read(t).Slides[0].Inherited
	if len(got) != 1 || !slices.Equal(names(got[0].Children), []string{"line"}) {
		t.Errorf("got %q, want a group with the line alone", names(got))
	}
}

func TestGroupsInsideGroupsEnd(t *testing.T) {
	t.Parallel()
	source := named("deepest")
	const most = 32
	for range most + 2 {
		source = group("", source)
	}
	depth := 0
	for s := (deck{slide: sld(source)}).first(t); ; s = s.Children[0] {
		if depth++; len(s.Children) == 0 {
			break
		}
	}
	if want := most + 1; depth != want {
		t.Errorf("got %d levels, want %d", depth, want)
	}
}

func TestPicturesOfSlides(t *testing.T) {
	t.Parallel()
	k := deck{relations: relation("pic", "image", "/ppt/media/image1.png") + relation("web", "image", "https://example.com/a.png"), parts: map[string]string{"ppt/media/image1.png": "PNG"}}
	pic := func(ph, blip string) string {
		return `<p:pic><p:nvPicPr><p:cNvPr id="2" name="P"/><p:nvPr>` + ph + `</p:nvPr></p:nvPicPr><p:blipFill>` + blip + `<a:srcRect l="25000"/></p:blipFill><p:spPr>` + frame(1, 2, 3, 4) + `</p:spPr></p:pic>`
	}
	for _, c := range []struct {
		name, source string
		isThere      bool
		losses       []dml.Loss
	}{
		{"in the file", pic("", `<a:blip r:embed="pic"/>`), true, nil},
		{"linked", pic("", `<a:blip r:link="web"/>`), false, []dml.Loss{dml.LossLinked}},
		{"of a placeholder that is empty", pic(`<p:ph type="pic"/>`, `<a:blip/>`), false, nil},
		{"in other colours", pic("", `<a:blip r:embed="pic"><a:grayscl/></a:blip>`), true, []dml.Loss{dml.LossRecolored}},
	} {
		k.slide = sld(c.source)
		got := k.first(t)
		if (got.Picture != nil) != c.isThere || !slices.Equal(got.Losses, c.losses) || got.Kind != ShapePicture || got.Frame.W != 3 {
			t.Errorf("%s: got %+v", c.name, got)
		}
		if got.Picture != nil && (got.Picture.Part != "ppt/media/image1.png" || got.Picture.Left != 0.25) {
			t.Errorf("%s: got the picture %+v", c.name, got.Picture)
		}
	}
}

func TestWhatAShapeIsDrawnWithoutIsALoss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, spPr, body string
		want             []dml.Loss
	}{
		{"nothing", ``, `<p:txBody><a:bodyPr/></p:txBody>`, nil},
		{"effects", `<a:effectLst><a:outerShdw/></a:effectLst>`, ``, []dml.Loss{dml.LossEffects}},
		{"warped text", ``, `<p:txBody><a:bodyPr><a:prstTxWarp prst="textWave1"/></a:bodyPr></p:txBody>`, []dml.Loss{dml.LossWarp}},
		{"both", `<a:sp3d/>`, `<p:txBody><a:bodyPr><a:prstTxWarp prst="textWave1"/></a:bodyPr></p:txBody>`, []dml.Loss{dml.LossEffects, dml.LossWarp}},
	} {
		got := deck{slide: sld(sp("", c.spPr, c.body))}.first(t)
		if !slices.Equal(got.Losses, c.want) || (got.Text != nil) != (c.body != "") {
			t.Errorf("%s: got the losses %q and the text %v, want %q", c.name, got.Losses, got.Text, c.want)
		}
	}
}

func TestGraphicsAreCalledByTheLastWordOfTheirType(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"http://schemas.openxmlformats.org/drawingml/2006/chart": "chart", "http://schemas.openxmlformats.org/presentationml/2006/ole": "ole", "plain": "plain", "/lead": "lead", "a/": "", "": "",
	} {
		got := deck{slide: sld(graphicFrame(`<a:off x="12700" y="25400"/><a:ext cx="38100" cy="50800"/>`, `<a:graphicData uri="`+uri+`"/>`))}.first(t)
		if got.Graphic != want || got.Kind != ShapeOther || got.Frame != (dml.Rect{X: 1, Y: 2, W: 3, H: 4}) || got.Fill != nil || got.Line != nil || got.Chart != nil || got.Picture != nil {
			t.Errorf("%q: got %q in %v, want %q in {1 2 3 4}", uri, got.Graphic, got.Frame, want)
		}
	}
}

func TestChartsOnSlides(t *testing.T) {
	t.Parallel()
	k := deck{relations: relation("c", "chart", "/ppt/charts/chart1.xml"), parts: map[string]string{"ppt/charts/chart1.xml": `<c:chartSpace><c:chart><c:plotArea><c:pieChart><c:ser/></c:pieChart></c:plotArea></c:chart></c:chartSpace>`}}
	k.slide = sld(graphicFrame("", `<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="c"/></a:graphicData>`))
	if got := k.first(t).Chart; got == nil || len(got.Plots) != 1 || got.Plots[0].Kind != dml.PlotPie {
		t.Errorf("got %+v, want a pie", got)
	}
}

func TestEmbeddedObjectsAreShownByTheirPicture(t *testing.T) {
	t.Parallel()
	k := deck{relations: relation("pic", "image", "/ppt/media/image1.png"), parts: map[string]string{"ppt/media/image1.png": "PNG"}}
	const ole = `<p:oleObj><p:embed/><p:pic><p:nvPicPr/><p:blipFill><a:blip r:embed="pic"/></p:blipFill></p:pic></p:oleObj>`
	for uri, want := range map[string]bool{"x/ole": true, "x/oleobject": true, "x/other": false} {
		k.slide = sld(graphicFrame("", `<a:graphicData uri="`+uri+`">`+ole+`</a:graphicData>`))
		if got := k.first(t).Picture; (got != nil) != want {
			t.Errorf("%s: got the picture %+v, want one: %v", uri, got, want)
		}
	}
	k.slide = sld(graphicFrame("", `<a:graphicData uri="x/ole"><p:oleObj/></a:graphicData>`))
	if got := k.first(t).Picture; got != nil {
		t.Errorf("without a picture: got %+v, want none", got)
	}
}
