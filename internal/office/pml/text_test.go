package pml

import (
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

// body is a p:txBody with one run, and a list of styles.
func body(bodyPr, lstStyle string) string {
	return `<p:txBody><a:bodyPr ` + bodyPr + `/><a:lstStyle>` + lstStyle + `</a:lstStyle><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody>`
}

// Text takes its style from the presentation's defaults, the master's styles, the
// placeholders of master and layout and its own list, each above the one before
// (ECMA-376 part 1, 21.1.2.4.12 and 19.3.1.52).
func TestTextTakesItsStyleFromTheNearest(t *testing.T) {
	t.Parallel()
	txStyles := `<p:txStyles><p:titleStyle>` + level(21) + `</p:titleStyle><p:bodyStyle>` + level(22) + `</p:bodyStyle><p:otherStyle>` + level(23) + `</p:otherStyle></p:txStyles>`
	ph := func(kind, lstStyle string) string { return sp(`<p:ph type="`+kind+`"/>`, "", body("", lstStyle)) }
	for _, c := range []struct {
		name, slide, layout, master string
		hasDefaults, hasStyles      bool
		want                        float64
	}{
		{"nothing", sp("", "", body("", "")), "", "", false, false, 18},
		{"defaults", sp("", "", body("", "")), "", "", true, true, 20}, // no placeholder: the master's styles do not count
		{"title of the master's styles", ph("ctrTitle", ""), "", "", true, true, 21},
		{"body of the master's styles", ph("body", ""), "", "", true, true, 22},
		{"a picture's caption is a body", ph("pic", ""), "", "", true, true, 22},
		{"other of the master's styles", ph("dt", ""), "", "", true, true, 23},
		{"footers are others", ph("ftr", ""), "", "", true, true, 23},
		{"the master's placeholder", ph("title", ""), "", ph("title", level(30)), true, true, 30},
		{"the layout's placeholder", ph("title", ""), ph("title", level(31)), ph("title", level(30)), true, true, 31},
		{"its own", ph("title", level(32)), ph("title", level(31)), ph("title", level(30)), true, true, 32},
		{"its own without a placeholder", sp("", "", body("", level(32))), "", "", true, true, 32},
	} {
		k := deck{slide: sld(c.slide), layout: layout(c.layout), master: master(c.master)}
		if c.hasStyles {
			k.master = page("sldMaster", "", "", c.master, txStyles)
		}
		if c.hasDefaults {
			k.main = `<p:defaultTextStyle>` + level(20) + `</p:defaultTextStyle>`
		}
		if got := k.first(t).Text.Paragraphs[0].Runs[0].Size; got != c.want {
			t.Errorf("%s: got the size %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTheFontOfAStyleCountsAboveTheDefaults(t *testing.T) {
	t.Parallel()
	const defaults = `<p:defaultTextStyle><a:lvl1pPr><a:defRPr><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:defRPr></a:lvl1pPr></p:defaultTextStyle>`
	got := deck{main: defaults, slide: sld(sp("", "", `<p:style><a:fontRef idx="minor"><a:srgbClr val="0000FF"/></a:fontRef></p:style>`+body("", "")))}.first(t)
	if c := got.Text.Paragraphs[0].Runs[0].Color; c != blue {
		t.Errorf("got %v, want %v", c, blue)
	}
}

// The insets of a shape are a tenth of an inch at its sides and half of that above
// and below (ECMA-376 part 1, 21.1.2.1.1).
func TestPropertiesOfABodyAreInherited(t *testing.T) {
	t.Parallel()
	title := func(bodyPr string) string { return sp(`<p:ph type="title"/>`, "", body(bodyPr, "")) }
	for _, c := range []struct {
		name, own, layout, master string
		left, top, right, bottom  float64
		anchor                    string
	}{
		{"nowhere", "", "", "", 7.2, 3.6, 7.2, 3.6, "t"},
		{"of the master", "", "", `lIns="12700" anchor="b"`, 1, 3.6, 7.2, 3.6, "b"},
		{"of the layout", "", `tIns="25400" anchor="ctr"`, `lIns="12700" anchor="b"`, 1, 2, 7.2, 3.6, "ctr"},
		{"of its own", `rIns="0" bIns="0" lIns="0" anchor="t"`, `tIns="25400" anchor="ctr"`, `lIns="12700" anchor="b"`, 0, 2, 0, 0, "t"},
	} {
		got := deck{slide: sld(title(c.own)), layout: layout(title(c.layout)), master: master(title(c.master))}.first(t).Text
		if got.Left != c.left || got.Top != c.top || got.Right != c.right || got.Bottom != c.bottom || got.Anchor != c.anchor || got.Columns != 1 || got.InCell || got.Elem == nil {
			t.Errorf("%s: got %+v, want insets of %v, %v, %v, %v and the anchor %s", c.name, got, c.left, c.top, c.right, c.bottom, c.anchor)
		}
	}
}

func TestTextOfADiagramHasAPlaceOfItsOwn(t *testing.T) {
	t.Parallel()
	const off = `<a:off x="127000" y="254000"/>`
	shape := func(spPr, txXfrm string) string {
		return `<p:sp><p:nvSpPr/><p:spPr>` + spPr + `</p:spPr>` + body("", "") + txXfrm + `</p:sp>`
	}
	for _, c := range []struct {
		name, source string
		want         dml.Rect
		rotation     float64
	}{
		{"none", shape(frame(5, 6, 10, 20), ""), dml.Rect{}, 0},
		// 10 and 20 points in a shape at 5 and 6 of the group, which is 100 to the right.
		{"beside", shape(frame(5, 6, 10, 20), `<p:txXfrm>`+off+`<a:ext cx="38100" cy="50800"/></p:txXfrm>`), dml.Rect{X: 110, Y: 20, W: 3, H: 4}, 0},
		{"turned back", shape(turned(`rot="5400000"`, 5, 6, 10, 20), `<p:txXfrm rot="10800000">`+off+`<a:ext cx="38100" cy="50800"/></p:txXfrm>`), dml.Rect{X: 110, Y: 20, W: 3, H: 4}, 90},
		{"of negative size", shape(frame(5, 6, 10, 20), `<p:txXfrm>`+off+`<a:ext cx="-1" cy="-1"/></p:txXfrm>`), dml.Rect{X: 110, Y: 20}, 0},
		{"without a size", shape(frame(5, 6, 10, 20), `<p:txXfrm rot="60000">`+off+`</p:txXfrm>`), dml.Rect{}, 1},
		{"without a place", shape(frame(5, 6, 10, 20), `<p:txXfrm><a:ext cx="38100" cy="50800"/></p:txXfrm>`), dml.Rect{}, 0},
		{"of a shape without one", shape("", `<p:txXfrm>`+off+`<a:ext cx="38100" cy="50800"/></p:txXfrm>`), dml.Rect{}, 0},
	} {
		got := deck{slide: sld(group(groupFrame(100, 0, 50, 50, 0, 0, 50, 50), c.source))}.first(t).Children[0].Text
		if got.Frame != c.want || got.Rotation != c.rotation {
			t.Errorf("%s: got %v turned by %v, want %v by %v", c.name, got.Frame, got.Rotation, c.want, c.rotation)
		}
	}
}
