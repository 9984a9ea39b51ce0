package flow

import (
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func guided(properties, above, below string) string {
	return `<w:r><w:ruby><w:rubyPr>` + properties + `<w:hpsRaise w:val="18"/></w:rubyPr><w:rt>` + run(`<w:sz w:val="10"/>`, above) + `</w:rt><w:rubyBase>` + run("", below) + `</w:rubyBase></w:ruby></w:r>`
}

// A guide of half the size has letters that are 3 points wide.
func TestAPhoneticGuideStandsAboveItsText(t *testing.T) {
	t.Parallel()
	for align, want := range map[string][]string{
		"left":             {"1: 50,66 ab", "1: 62,57 xy", "1: 62,66 cdef", "1: 86,66 gh"},
		"right":            {"1: 50,66 ab", "1: 80,57 xy", "1: 62,66 cdef", "1: 86,66 gh"},
		"center":           {"1: 50,66 ab", "1: 71,57 xy", "1: 62,66 cdef", "1: 86,66 gh"},
		"distributeSpace":  {"1: 50,66 ab", "1: 66,57 x", "1: 78,57 y", "1: 62,66 cdef", "1: 86,66 gh"},
		"distributeLetter": {"1: 50,66 ab", "1: 62,57 x", "1: 83,57 y", "1: 62,66 cdef", "1: 86,66 gh"},
	} {
		wantPlaces(t, rendertest.Docx{Body: `<w:p>` + run("", "ab") + guided(`<w:rubyAlign w:val="`+align+`"/>`, "xy", "cdef") + run("", "gh") + `</w:p>`}, want...)
	}
}

func TestTextMakesRoomForALongerPhoneticGuide(t *testing.T) {
	t.Parallel()
	for align, want := range map[string][]string{
		"left":            {"1: 50,57 uvwxyz", "1: 50,66 c", "1: 68,66 gh"},
		"right":           {"1: 50,57 uvwxyz", "1: 62,66 c", "1: 68,66 gh"},
		"center":          {"1: 50,57 uvwxyz", "1: 56,66 c", "1: 68,66 gh"},
		"distributeSpace": {"1: 50,57 uvwxyz", "1: 56,66 c", "1: 68,66 gh"},
	} {
		wantPlaces(t, rendertest.Docx{Body: `<w:p>` + guided(`<w:rubyAlign w:val="`+align+`"/>`, "uvwxyz", "c") + run("", "gh") + `</w:p>`}, want...)
	}
}

func TestTextStaysTogetherBelowItsPhoneticGuide(t *testing.T) {
	t.Parallel()
	const line = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa " // 30 of 33 letters
	wantPlaces(t, rendertest.Docx{Body: `<w:p>` + run("", line) + guided(`<w:rubyAlign w:val="left"/>`, "xy", "b c") + run("", "d") + `</w:p>`},
		"1: 50,66 aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "1: 50,77 xy", "1: 50,86 b c", "1: 68,86 d")
}

func TestALineIsAsHighAsItsPhoneticGuide(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Styles: `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:rPr>` + courier + `</w:rPr></w:style>`, Section: squaredPage}
	heights := map[string]float64{}
	for what, content := range map[string]string{"without": run("", "cd"), "with": guided("", "xy", "cd")} {
		d.Body = `<w:p>` + content + `</w:p>` + lines("behind")
		pdf, _ := laidOut(t, d)
		texts := sheets(t, pdf)[0].all("text")
		heights[what] = texts[len(texts)-1].top
	}
	if more := heights["with"] - heights["without"]; more < 3 || more > 9 {
		t.Errorf("the line is %.1f points higher, want the guide's height above the text's", more)
	}
}
