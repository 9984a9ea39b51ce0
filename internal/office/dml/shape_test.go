package dml

import (
	"maps"
	"testing"
)

func TestGroupsMapTheirChildrensCoordinates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		t        Transform
		in, want Rect
	}{
		{Transform{0, 0, 1, 1}, Rect{1, 2, 3, 4}, Rect{1, 2, 3, 4}},
		{Transform{100, 200, 1, 1}, Rect{1, 2, 3, 4}, Rect{101, 202, 3, 4}},
		{Transform{10, 20, 2, 0.5}, Rect{1, 2, 3, 4}, Rect{12, 21, 6, 2}},
		{Transform{0, 0, 1, 1}, Rect{-1, -2, -3, -4}, Rect{-1, -2, 0, 0}},         // nothing is less than empty
		{Transform{5, 5, 1e9, 1e9}, Rect{1, -1, 1, 1}, Rect{1e6, -1e6, 1e6, 1e6}}, // groups inside groups
		{Transform{-1e9, 1e9, 1, 1}, Rect{0, 0, 1e7, 1e7}, Rect{-1e6, 1e6, 1e6, 1e6}},
	} {
		if got := c.t.Rect(c.in); got != c.want {
			t.Errorf("%v of %v: got %v, want %v", c.t, c.in, got, c.want)
		}
	}
}

func TestPresetGeometriesAreAdjusted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, preset string
		adjust         map[string]float64
	}{
		{`<a:prstGeom/>`, "rect", nil},
		{`<a:prstGeom prst="ellipse"><a:avLst/></a:prstGeom>`, "ellipse", nil},
		{`<a:prstGeom prst="roundRect"><a:avLst><a:gd name="adj" fmla="val 25000"/></a:avLst></a:prstGeom>`, "roundRect", map[string]float64{"adj": 25000}},
		{`<a:prstGeom prst="arc"><a:avLst><a:gd name="adj1" fmla="val -5400000"/><a:gd name="adj2" fmla="val 0"/></a:avLst></a:prstGeom>`, "arc", map[string]float64{"adj1": -5400000, "adj2": 0}},
		{`<a:prstGeom prst="x"><a:avLst><a:gd name="a" fmla="*/ w 1 2"/><a:gd name="b"/><a:gd name="c" fmla="val "/><a:gd name="d" fmla="val 50000"/></a:avLst></a:prstGeom>`, "x", map[string]float64{"a": 0, "b": 0, "c": 0, "d": 50000}},
	} {
		got := PresetGeometry(parse(t, c.source))
		if got.Preset != c.preset || !maps.Equal(got.Adjust, c.adjust) || got.Custom != nil {
			t.Errorf("%s: got %q, %v, custom %v; want %q, %v", c.source, got.Preset, got.Adjust, got.Custom, c.preset, c.adjust)
		}
	}
}

func TestLinksLeadOutOfTheFile(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil, related{"out", "hyperlink", "https://example.com/a?b=1", true}, related{"jump", "slide", "slide2.xml", false})
	for source, want := range map[string]string{
		`<a:hlinkClick r:id="out"/>`:  "https://example.com/a?b=1",
		`<a:hlinkClick r:id="jump"/>`: "",
		`<a:hlinkClick r:id="none"/>`: "",
		`<a:hlinkClick id="out"/>`:    "",
	} {
		if got := d.Link(parse(t, source)); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
	if got := d.Link(nil); got != "" {
		t.Errorf("without an element: got %q, want none", got)
	}
}
