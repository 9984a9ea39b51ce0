package lang_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

// placed fills a line with a drive that takes every picture, and returns the
// boxes that they are to fit into, in points: those of what source says.
func placed(t *testing.T, body, template string) []string {
	t.Helper()
	e := evaluator(t, body)
	e.ObtainWith(func(p lang.Picture) (lang.Obtained, error) {
		kind := "image"
		if p.Code != "" {
			kind = string(p.Code)
		}
		return lang.Obtained{URI: kind + " " + p.Source}, nil
	})
	line := e.ReadLine(template)
	var all []string
	for _, span := range e.Fill(line, nil, false) {
		if p := span.Picture; p != nil {
			all = append(all, fmt.Sprintf("%s %.2fx%.2f", p.URI, p.Width, p.Height))
		}
	}
	if len(e.Findings()) > 0 {
		t.Errorf("%s: got findings %+v", template, e.Findings())
	}
	return all
}

// An inch is 72 points and 25.4 mm.
func TestPicturesAreAsLargeAsTheirTagSays(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"{{image Logo}}":             "image L 0.00x0.00", // its own size
		"{{image Logo 1in}}":         "image L 72.00x0.00",
		"{{image Logo 25.4mm}}":      "image L 72.00x0.00",
		"{{image Logo 2.54cm}}":      "image L 72.00x0.00",
		"{{image Logo 72pt}}":        "image L 72.00x0.00",
		"{{image Logo 1x2in}}":       "image L 72.00x144.00",
		"{{image Logo 1×2in}}":       "image L 72.00x144.00",
		"{{image Logo 1X2IN}}":       "image L 72.00x144.00",
		"{{image Logo .5in}}":        "image L 36.00x0.00",
		"{{image Logo, 1in}}":        "image L 72.00x0.00",
		"{{image Logo; 1in}}":        "image L 72.00x0.00",
		"{{IMAGE Logo 1in}}":         "image L 72.00x0.00",
		"{{image  Logo  1in }}":      "image L 72.00x0.00",
		"{{image [Big Logo] 1in}}":   "image B 72.00x0.00",
		"{{image Big Logo 1in}}":     "image B 72.00x0.00",
		`{{image "x" & Logo 1in}}`:   "image x L 72.00x0.00",
		"{{image 3in 1in}}":          "image field 72.00x0.00", // the field 3in
		"{{image 3in}}":              "image field 0.00x0.00",
		"{{qr Logo}}":                "qr L 85.04x85.04", // 30 mm
		"{{qr Logo 1in}}":            "qr L 72.00x0.00",
		"{{qr Logo 1x1in}}":          "qr L 72.00x72.00",
		"{{image Logo 1000mm}}":      "image L 2834.65x0.00", // a metre is not larger than one
		"{{image Logo 100cm}}":       "image L 2834.65x0.00",
		"{{image Logo 1000x1000mm}}": "image L 2834.65x2834.65",
		"{{image Logo 0.1mm}}":       "image L 0.28x0.00", // nor a tenth of a millimetre smaller
		"{{image Logo 0.01cm}}":      "image L 0.28x0.00",
		"{{image Logo 0.1x0.1mm}}":   "image L 0.28x0.28",
	} {
		got := placed(t, `{"Logo": " L ", "Big Logo": "B", "3in": "field"}`, tag)
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %s", tag, got, want)
		}
	}
}

func TestSizesThatNoPictureHasAreFindings(t *testing.T) {
	t.Parallel()
	large := func(size string) string {
		return "picture_too_large: A picture of " + size + " is larger than a metre."
	}
	small := func(size string) string {
		return "picture_size: A picture of " + size + " is smaller than a tenth of a millimetre."
	}
	named := func(name string) string {
		return "picture_size: The size of a picture stands alone behind its field, such as 40mm or 40x20mm, without " + name + "=."
	}
	checkRefused(t, `{"Logo": "x"}`, map[string]string{
		"image Logo 1001mm":      large("1001mm"),
		"image Logo 100.1cm":     large("100.1cm"),
		"image Logo 40in":        large("40in"),
		"image Logo 2835pt":      large("2835pt"),
		"image Logo 10x1001mm":   large("10x1001mm"),
		"qr Logo 1001x10mm":      large("1001x10mm"),
		"image Logo 0.09mm":      small("0.09mm"),
		"image Logo 0.2pt":       small("0.2pt"),
		"image Logo 10x0.09mm":   small("10x0.09mm"),
		"image Logo 0.09x10mm":   small("0.09x10mm"),
		"image Logo width=40mm":  named("width"),
		"qr Logo height=40x20mm": named("height"),
		"image Logo size=4x2in":  named("size"),
	})
}

// What is no size belongs to the formula in front of it.
func TestWhatIsNoSizeIsPartOfTheFormula(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"40", "40px", "mm", "xmm", "40xmm", "x20mm", "4,5mm", "-4mm", "0mm", "40x0mm", "1x2x3mm", "4e1mm", "40 mm", "40m", "1_0mm"} {
		e := evaluator(t, `{"Logo": "x"}`)
		line := e.ReadLine("{{image Logo " + size + "}}")
		e.ObtainWith(func(lang.Picture) (lang.Obtained, error) { return lang.Obtained{}, nil })
		for _, span := range e.Fill(line, nil, false) {
			if p := span.Picture; p != nil && (p.Width != 0 || p.Height != 0) {
				t.Errorf("%s: got a picture of %v by %v", size, p.Width, p.Height)
			}
		}
		if len(e.Findings())+len(e.Missing()) == 0 {
			t.Errorf("%s: got nothing wrong, want a finding or a missing name", size)
		}
	}
}

func TestAPictureIsMadeForEachItem(t *testing.T) {
	t.Parallel()
	got := placed(t, `{"Items": [{"Photo": "a", "No": 1}, {"Photo": "b", "No": 2}, {"Photo": ""}, {"No": 4}]}`,
		`{{#each Items}}{{image Photo 1in}}{{#if No}}{{qr "no " & No 1in}}{{/if}}{{/each}}`)
	want := "image a 72.00x0.00;qr no 1 72.00x0.00;image b 72.00x0.00;qr no 2 72.00x0.00;qr no 4 72.00x0.00"
	if strings.Join(got, ";") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestThePictureOfAStatementHasItsBox(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"Logo": "x"}`)
	if p := e.Picture(read(e, "image Logo 1in"), nil); p != nil {
		t.Errorf("where no picture comes from anywhere: got %+v", p)
	}
	e.ObtainWith(func(lang.Picture) (lang.Obtained, error) { return lang.Obtained{URI: "u", Width: 3, Height: 4}, nil })
	if p := e.Picture(read(e, "image Logo 1x2in"), nil); p == nil || p.URI != "u" || p.Obtained.Width != 3 || p.Width != 72 || math.Abs(p.Height-144) > 0 {
		t.Errorf("got %+v, want u with 3 pixels in a box of 72 by 144 points", p)
	}
	if p := e.Picture(read(e, "image Gone"), nil); p != nil || len(e.Missing()) != 1 {
		t.Errorf("a missing field: got %+v and %q missing, want nothing and its name", p, e.Missing())
	}
}

func TestPicturesOfListsAndObjectsAreFindings(t *testing.T) {
	t.Parallel()
	got := work(t, `{"Items": [{"A": "x"}, {"A": "y"}], "Customer": {"Logo": "z"}}`, "{{image Items.A}}{{qr Customer}}{{image 1 / 0}}")
	want := "many_values {{image Items.A}};no_text {{qr Customer}};division_by_zero {{image 1 / 0}}"
	if strings.Join(got.findings, ";") != want || got.text != "" {
		t.Errorf("got %q with findings %q, want the findings %q", got.text, got.findings, want)
	}
}
