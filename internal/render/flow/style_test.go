package flow

import (
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func letters(t *testing.T, properties, text string) mark {
	t.Helper()
	return sheetOf(t, paragraphOf("", run(properties, text))).all("text")[0]
}

// The ascent of Courier is 1705/2048 of its size, its descent 615/2048: raised
// text ends as high as the text around it, lowered text as low.
func TestRaisedAndLoweredText(t *testing.T) {
	t.Parallel()
	const ascent, descent = 17050.0 / 2048, 6150.0 / 2048
	for name, c := range map[string]struct {
		properties string
		top, size  float64
	}{
		"plain":                       {"", 66, 10},
		"superscript":                 {`<w:vertAlign w:val="superscript"/>`, 66 - ascent*0.42, 5.8},
		"subscript":                   {`<w:vertAlign w:val="subscript"/>`, 66 + descent*0.42, 5.8},
		"baseline":                    {`<w:vertAlign w:val="baseline"/>`, 66, 10},
		"raised by 5 points":          {`<w:position w:val="10"/>`, 61, 10},
		"lowered by 5 points":         {`<w:position w:val="-10"/>`, 71, 10},
		"superscript, raised as well": {`<w:vertAlign w:val="superscript"/><w:position w:val="10"/>`, 61 - ascent*0.42, 5.8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := letters(t, c.properties, "abc")
			rendertest.Near(t, "the baseline", got.top, c.top, 0.011)
			rendertest.Near(t, "the size", got.size, c.size, 0.001)
		})
	}
}

// A raised text makes its line higher, a lowered one deeper; super- and
// subscripts stay in it.
func TestRaisedTextTakesRoom(t *testing.T) {
	t.Parallel()
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	for properties, want := range map[string]struct{ base, below float64 }{
		"":                                   {58.35, 61.35},
		`<w:position w:val="10"/>`:           {63.35, 66.35},
		`<w:position w:val="-10"/>`:          {58.35, 66.35},
		`<w:vertAlign w:val="superscript"/>`: {58.35, 61.35},
		`<w:vertAlign w:val="subscript"/>`:   {58.35, 61.35},
	} {
		s := sheetOf(t, paragraphOf(auto, run("", "a")+run(properties, "b"))+lines("below"))
		rendertest.Near(t, properties+": the baseline", s.text(t, "a").top, want.base, 0.02)
		rendertest.Near(t, properties+": the line below", s.text(t, "below").top, want.below+16, 0.02)
	}
	// Even where the text is moved by more than its own height.
	far := sheetOf(t, paragraphOf(auto, run(`<w:position w:val="40"/>`, "b"))+lines("below"))
	rendertest.Near(t, "below text that is raised far", far.text(t, "below").top, 50+28.35+16, 0.02)
	far = sheetOf(t, paragraphOf(auto, run(`<w:position w:val="-40"/>`, "b"))+lines("below"))
	rendertest.Near(t, "below text that is lowered far", far.text(t, "below").top, 50+23+16, 0.02)
}

func TestTheColourOfText(t *testing.T) {
	t.Parallel()
	cellOf := func(color, content string) string {
		return `<w:tbl><w:tr><w:tc><w:tcPr>` + shading(color) + `</w:tcPr>` + content + `</w:tc></w:tr></w:tbl>`
	}
	x := paragraphOf("", run("", "x"))
	for name, c := range map[string]struct {
		body string
		want dml.RGB
	}{
		"automatic is black":                   {x, black},
		"white on a dark paragraph":            {paragraphOf(shading("000080"), run("", "x")), white},
		"black on a light one":                 {paragraphOf(shading("FFFF00"), run("", "x")), black},
		"white on dark shading of its own":     {paragraphOf("", run(shading("000000"), "x")), white},
		"which counts before the paragraph's":  {paragraphOf(shading("000000"), run(shading("FFFFFF"), "x")), black},
		"white in a dark cell":                 {cellOf("000000", x), white},
		"black in a light paragraph in it":     {cellOf("000000", paragraphOf(shading("FFFFFF"), run("", "x"))), black},
		"black in a light cell":                {cellOf("FFFFFF", x), black},
		"its own colour, whatever it is on":    {cellOf("000000", paragraphOf("", run(`<w:color w:val="FF0000"/>`, "x"))), red},
		"automatic, explicitly":                {paragraphOf("", run(`<w:color w:val="auto"/>`, "x")), black},
		"white on a dark highlight":            {paragraphOf("", run(`<w:highlight w:val="black"/>`, "x")), white},
		"a cell in a dark cell is dark itself": {cellOf("000000", `<w:tbl><w:tr><w:tc>`+x+`</w:tc></w:tr></w:tbl><w:p/>`), white},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sheetOf(t, c.body).text(t, "x").color; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Green counts most (151 of 256), red half of that (76), blue least (29).
func TestWhatIsDark(t *testing.T) {
	t.Parallel()
	for c, want := range map[dml.RGB]bool{
		{}: true, {R: 255, G: 255, B: 255}: false, {B: 255}: true, {R: 255}: false, {G: 255}: false,
		{R: 60, G: 60, B: 60}: true, {R: 61, G: 61, B: 61}: false, {R: 205}: true, {R: 206}: false, {G: 103}: true, {G: 104}: false,
	} {
		if got := isDark(c); got != want {
			t.Errorf("%v: got %t, want %t", c, got, want)
		}
	}
}

func TestTextWithoutASizeOrAScaleHasTheUsualOnes(t *testing.T) {
	t.Parallel()
	model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: lines("abc")}))
	text := model.Sections[0].Blocks[0].(*wml.Paragraph).Runs[0]
	text.Size, text.Scale = 0, 0
	pdf, _ := layOutModel(t, model)
	if got := sheets(t, pdf)[0].text(t, "abc"); got.size != 10 || got.stretch != 100 {
		t.Errorf("got %v points, %v %%, want 10 and 100", got.size, got.stretch)
	}
}
