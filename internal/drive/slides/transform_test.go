package slides

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"
)

func transform(id, mode string, m *gslides.AffineTransform) *gslides.Request {
	return &gslides.Request{UpdatePageElementTransform: &gslides.UpdatePageElementTransformRequest{ObjectId: id, ApplyMode: mode, Transform: m}}
}

func TestATransformIsReadInItsUnit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   *gslides.AffineTransform
		want matrix
	}{
		"none":           {nil, matrix{a: 1, d: 1}},
		"EMU":            {&gslides.AffineTransform{ScaleX: 2, ShearY: 3, ShearX: 4, ScaleY: 5, TranslateX: 6, TranslateY: 7, Unit: "EMU"}, matrix{2, 3, 4, 5, 6, 7}},
		"points":         {&gslides.AffineTransform{ScaleX: 1, ScaleY: 1, TranslateX: 1, TranslateY: -2, Unit: "PT"}, matrix{1, 0, 0, 1, 12700, -25400}},
		"moving nothing": {&gslides.AffineTransform{ScaleX: 3, ScaleY: 1}, matrix{a: 3, d: 1}},
		"at the bound":   {&gslides.AffineTransform{ScaleX: maxLength, Unit: "EMU"}, matrix{a: maxLength}},
	} {
		if got, err := matrixOf(c.in, fmt.Errorf); err != nil || got != c.want {
			t.Errorf("%s: got %v, %v; want %v", name, got, err, c.want)
		}
	}
	const bounds, unit = "The transform is out of bounds.", "The unit of a transform must be EMU or PT."
	for name, c := range map[string]struct {
		in   *gslides.AffineTransform
		want string
	}{
		"across without a unit": {&gslides.AffineTransform{TranslateX: 1}, unit},
		"down without a unit":   {&gslides.AffineTransform{TranslateY: 1}, unit},
		"another unit":          {&gslides.AffineTransform{TranslateY: 1, Unit: "CM"}, unit},
		"no number":             {&gslides.AffineTransform{ScaleX: math.NaN(), Unit: "EMU"}, bounds},
		"too far":               {&gslides.AffineTransform{TranslateY: -maxLength - 10, Unit: "EMU"}, bounds},
		"too far in points":     {&gslides.AffineTransform{TranslateX: 1e12, Unit: "PT"}, bounds},
		"beyond all numbers":    {&gslides.AffineTransform{ShearX: math.Inf(1), Unit: "EMU"}, bounds},
	} {
		if _, err := matrixOf(c.in, fmt.Errorf); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestTransformsAreMultipliedFromTheRight(t *testing.T) {
	t.Parallel()
	double, moved := matrix{a: 2, d: 2}, matrix{a: 1, d: 1, x: 10, y: 20}
	turned := matrix{b: 1, c: -1} // by a quarter
	for name, c := range map[string]struct{ got, want matrix }{
		"doubled after it was moved": {double.times(moved), matrix{2, 0, 0, 2, 20, 40}},
		"moved after it was doubled": {moved.times(double), matrix{2, 0, 0, 2, 10, 20}},
		"turned after it was moved":  {turned.times(moved), matrix{0, 1, -1, 0, -20, 10}},
		"moved after it was turned":  {moved.times(turned), matrix{0, 1, -1, 0, 10, 20}},
		"turned twice":               {turned.times(turned), matrix{-1, 0, 0, -1, 0, 0}},
		"with all of its numbers":    {matrix{1, 2, 3, 4, 5, 6}.times(matrix{7, 8, 9, 10, 11, 12}), matrix{31, 46, 39, 58, 52, 76}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

// A file turns and flips a frame about its middle (ECMA-376 part 1, 20.1.7.6),
// in 60,000ths of a degree; Google transforms about the upper left corner.
func TestAFrameAndItsTransformSayTheSame(t *testing.T) {
	t.Parallel()
	attr := func(pairs ...string) []etree.Attr {
		var all []etree.Attr
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, etree.Attr{Key: pairs[i], Value: pairs[i+1]})
		}
		return all
	}
	for name, c := range map[string]struct {
		f    frame
		want matrix
	}{
		"as it is":             {frame{10, 20, 100, 50, nil}, matrix{1, 0, 0, 1, 10, 20}},
		"a quarter":            {frame{0, 0, 100, 50, attr("rot", "5400000")}, matrix{0, 1, -1, 0, 75, -25}},
		"a half":               {frame{0, 0, 100, 50, attr("rot", "10800000")}, matrix{-1, 0, 0, -1, 100, 50}},
		"upside down":          {frame{0, 0, 100, 50, attr("flipV", "1")}, matrix{1, 0, 0, -1, 0, 50}},
		"a quarter and upside": {frame{0, 0, 100, 50, attr("rot", "5400000", "flipV", "1")}, matrix{0, 1, 1, 0, 25, -25}},
	} {
		m := c.f.matrix()
		for i, pair := range [][2]float64{{m.a, c.want.a}, {m.b, c.want.b}, {m.c, c.want.c}, {m.d, c.want.d}, {m.x, c.want.x}, {m.y, c.want.y}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s: got %v in place %d, want %v", name, m, i, c.want)
			}
		}
		back, err := placedBy(m, float64(c.f.width), float64(c.f.height), fmt.Errorf)
		if err != nil || fmt.Sprint(back) != fmt.Sprint(c.f) {
			t.Errorf("%s: got the frame %v, %v; want %v", name, back, err, c.f)
		}
	}
	// What a file may say in other words.
	for name, c := range map[string]struct {
		turned []etree.Attr
		want   matrix
	}{
		"flipped, in a word": {attr("flipH", "true"), matrix{a: -1, d: 1}},
		"upside, in a word":  {attr("flipV", "true"), matrix{a: 1, d: -1}},
		"not flipped":        {attr("flipH", "0", "flipV", "false"), matrix{a: 1, d: 1}},
		"turned by nothing":  {attr("rot", "far"), matrix{a: 1, d: 1}},
		"turned back":        {attr("rot", "-5400000"), matrix{b: -1, c: 1}},
	} {
		m := frame{turned: c.turned}.matrix()
		if math.Abs(m.a-c.want.a)+math.Abs(m.b-c.want.b)+math.Abs(m.c-c.want.c)+math.Abs(m.d-c.want.d) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, m, c.want)
		}
	}
}

func TestASizeIsScaledAndWhatAFileCannotSayRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		m    matrix
		want string
	}{
		"scaled":          {matrix{a: 2, d: 3, x: 5}, "5 0 20 60"},
		"rounded":         {matrix{a: 0.25, d: 0.5, x: 0.6}, "1 0 3 10"},
		"flipped":         {matrix{a: -1, d: 1, x: 10}, "0 0 10 20 rot=10800000 flipV=1"},
		"turned by 45°":   {matrix{a: math.Sqrt2, b: math.Sqrt2, c: -math.Sqrt2, d: math.Sqrt2}, "-17 1 20 40 rot=2700000"},
		"turned by a bit": {matrix{a: 1, d: 1, b: 1e-9}, "0 0 10 20"},
	} {
		f, err := placedBy(c.m, 10, 20, fmt.Errorf)
		got := fmt.Sprint(f.x, f.y, f.width, f.height)
		for _, a := range f.turned {
			got += " " + a.Key + "=" + a.Value
		}
		if err != nil || got != c.want {
			t.Errorf("%s: got %s, %v; want %s", name, got, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		m    matrix
		want string
	}{
		"flat":          {matrix{d: 1}, "The transform must be invertible."},
		"no height":     {matrix{a: 1}, "The transform must be invertible."},
		"sheared":       {matrix{a: 1, c: 0.01, d: 1}, "This drive does not shear objects."},
		"sheared down":  {matrix{a: 1, b: -0.01, d: 1}, "This drive does not shear objects."},
		"too wide":      {matrix{a: maxLength, d: 1}, "The transform is out of bounds."},
		"too far right": {matrix{a: 1, d: 1, x: maxLength + 10}, "The transform is out of bounds."},
	} {
		if _, err := placedBy(c.m, 10, 20, fmt.Errorf); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestAFrameIsWrittenIntoWhatIsThere(t *testing.T) {
	t.Parallel()
	f := frame{1, 2, 3, 4, []etree.Attr{{Key: "rot", Value: "60000"}}}
	const want = `<a:off x="1" y="2"/><a:ext cx="3" cy="4"/>`
	for before, after := range map[string]string{
		`<a:xfrm/>`: `<a:xfrm rot="60000">` + want + `</a:xfrm>`,
		`<a:xfrm rot="1" flipH="1" flipV="1"><a:off x="9" y="9"/><a:ext cx="9" cy="9"/></a:xfrm>`: `<a:xfrm rot="60000">` + want + `</a:xfrm>`,
		`<a:xfrm><a:chOff/></a:xfrm>`: `<a:xfrm rot="60000">` + want + `<a:chOff/></a:xfrm>`,
	} {
		e := parse(t, before)
		f.write(e)
		if got := xmlOf(t, e); got != after {
			t.Errorf("%s: got %s, want %s", before, got, after)
		}
	}
}

func TestObjectsOfEveryKindAreMoved(t *testing.T) {
	t.Parallel()
	to := &gslides.AffineTransform{ScaleX: 1, ScaleY: 1, TranslateX: 5, TranslateY: 6, Unit: "EMU"}
	line := `<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="5" name="l"/><p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr/></p:cxnSp>`
	frameless := strings.Replace(tableXML("a"), `<p:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="127000"/></p:xfrm>`, "", 1)
	for name, c := range map[string]struct{ shape, id, want string }{
		"a shape":                 {sp("2", para("a")), box, `<p:spPr><a:xfrm><a:off x="5" y="6"/><a:ext cx="127000" cy="254000"/></a:xfrm>`},
		"a line":                  {line, "slide_256_5", `<p:spPr><a:xfrm><a:off x="5" y="6"/><a:ext cx="0" cy="0"/></a:xfrm></p:spPr>`},
		"a table without a frame": {frameless, "slide_256_9", `</p:nvGraphicFramePr><p:xfrm><a:off x="5" y="6"/>`},
	} {
		p := pptx(t, c.shape, "")
		apply(t, p, transform(c.id, "ABSOLUTE", to))
		if got := slideXML(t, p); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s in it", name, got, c.want)
		}
	}
}

func TestTransformsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	one := &gslides.AffineTransform{ScaleX: 1, ScaleY: 1, Unit: "EMU"}
	half := &gslides.AffineTransform{ScaleX: -1, ScaleY: -1, Unit: "EMU"}
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"of nothing":      {transform("nothing", "ABSOLUTE", one), "The object (nothing) could not be found."},
		"of a page":       {transform("slide_256", "ABSOLUTE", one), "The object (slide_256) could not be found."},
		"none":            {transform(box, "ABSOLUTE", nil), "The transform must be specified."},
		"of a group":      {transform("slide_256_20", "ABSOLUTE", one), "This drive does not transform groups, or objects in them."},
		"in a group":      {transform("slide_256_3", "ABSOLUTE", one), "This drive does not transform groups, or objects in them."},
		"in no mode":      {transform(box, "", one), "The applyMode must be RELATIVE or ABSOLUTE."},
		"in another mode": {transform(box, "APPLY_MODE_UNSPECIFIED", one), "The applyMode must be RELATIVE or ABSOLUTE."},
		"flat":            {transform(box, "RELATIVE", &gslides.AffineTransform{Unit: "EMU"}), "The transform must be invertible."},
		"a table turned":  {transform("slide_256_9", "RELATIVE", half), "Tables and charts cannot be rotated."},
	} {
		p := pptx(t, sp("2", para("a"))+group(sp("3", para("b")))+tableXML("x"), "")
		if got := refuse(t, p, c.request); got != "Invalid requests[0].updatePageElementTransform: "+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	bare := `<p:sp><p:nvSpPr><p:cNvPr id="6" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr></p:sp>`
	if got := refuse(t, pptx(t, bare, ""), transform("slide_256_6", "ABSOLUTE", one)); got != "Invalid requests[0].updatePageElementTransform: The object cannot be moved." {
		t.Errorf("without properties: got %q", got)
	}
}
