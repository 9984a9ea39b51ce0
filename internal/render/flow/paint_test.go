package flow

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// What the tables post and OS/2 of Courier's stand-in say, at 10 points: the
// middle of an underline is (393 + 84/2)/2048 below the baseline, that of a strike
// (530 - 102/2)/2048 above it.
const (
	underlineAt, underlineWidth = 435.0 / 204.8, 84.0 / 204.8
	strikeAt, strikeWidth       = 479.0 / 204.8, 102.0 / 204.8
)

// decoratedText are the marks around a word of three letters at 50,66.
func decoratedText(t *testing.T, properties string) []mark {
	t.Helper()
	return sheetOf(t, paragraphOf("", run(properties, "abc"))).all("line", "frame", "outline", "area", "shape")
}

func TestUnderlinesLookAsTheirKind(t *testing.T) {
	t.Parallel()
	const y, w = 66 + underlineAt, underlineWidth
	under := func(y, width float64) mark { return drawnLine(50, y, 68, y, width) }
	for kind, want := range map[string][]mark{
		"single":          {under(y, w)},
		"none":            nil,
		"thick":           {under(y, 2*w)},
		"double":          {under(y+2*0.75*w, 0.75*w), under(y, 0.75*w)},
		"dotted":          {under(y, w).dashed("0.41 0.82")},
		"dottedHeavy":     {under(y, 2*w).dashed("0.41 0.82")},
		"dash":            {under(y, w).dashed("1.64 0.82")},
		"dashLong":        {under(y, w).dashed("1.64 0.82")},
		"dashedHeavy":     {under(y, 2*w).dashed("1.64 0.82")},
		"dotDash":         {under(y, w).dashed("1.64 0.82")},
		"somethingBeyond": {under(y, w)},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, decoratedText(t, `<w:u w:val="`+kind+`"/>`), want...)
		})
	}
}

func TestAWaveGoesUpAndDownAroundItsPlace(t *testing.T) {
	t.Parallel()
	got := decoratedText(t, `<w:u w:val="wave"/>`)
	if len(got) != 1 || got[0].kind != "outline" {
		t.Fatalf("got %s, want one outline", formatMarks(got))
	}
	const y, w = 66 + underlineAt, underlineWidth
	rendertest.Near(t, "its upper end", got[0].top, y-w, 0.02)
	rendertest.Near(t, "its lower end", got[0].bottom, y+w, 0.02)
	rendertest.Near(t, "its beginning", got[0].left, 50, 0.02)
	// It turns every two widths, and never behind the text.
	rendertest.Near(t, "its end", got[0].right, 50+math.Floor(18/(2*w))*2*w, 0.02)
}

func TestUnderlinesHaveAColour(t *testing.T) {
	t.Parallel()
	const y = 66 + underlineAt
	under := drawnLine(50, y, 68, y, underlineWidth)
	wantMarks(t, decoratedText(t, `<w:color w:val="FF0000"/><w:u w:val="single"/>`), under.colored(red))
	wantMarks(t, decoratedText(t, `<w:color w:val="FF0000"/><w:u w:val="single" w:color="0000FF"/>`), under.colored(blue))
	wantMarks(t, decoratedText(t, `<w:color w:val="FF0000"/><w:u w:val="single" w:color="auto"/>`), under.colored(red))
}

func TestUnderlinesOfWordsLeaveSpacesOut(t *testing.T) {
	t.Parallel()
	const y = 66 + underlineAt
	got := sheetOf(t, paragraphOf("", run(`<w:u w:val="words"/>`, "ab  cde f"))).all("line")
	wantMarks(t, got, drawnLine(50, y, 62, y, underlineWidth), drawnLine(74, y, 92, y, underlineWidth), drawnLine(98, y, 104, y, underlineWidth))
}

func TestAnUnderlineGoesThroughRunsOfOneLook(t *testing.T) {
	t.Parallel()
	const y = 66 + underlineAt
	single := `<w:u w:val="single"/>`
	for name, c := range map[string]struct {
		content string
		want    []mark
	}{
		"two runs":           {run(single, "abc") + run(single+`<w:b/>`, "def"), []mark{drawnLine(50, y, 86, y, underlineWidth)}},
		"of other sizes":     {run(single, "abc") + run(single+`<w:sz w:val="40"/>`, "def"), []mark{drawnLine(50, y, 68, y, underlineWidth), drawnLine(68, 66+2*underlineAt, 104, 66+2*underlineAt, 2*underlineWidth)}},
		"of other colours":   {run(single, "abc") + run(single+`<w:color w:val="FF0000"/>`, "def"), []mark{drawnLine(50, y, 68, y, underlineWidth), drawnLine(68, y, 86, y, underlineWidth).colored(red)}},
		"with a gap":         {run(single, "abc") + run("", "def") + run(single, "ghi"), []mark{drawnLine(50, y, 68, y, underlineWidth), drawnLine(86, y, 104, y, underlineWidth)}},
		"a superscript":      {run(single+`<w:vertAlign w:val="superscript"/>`, "abc"), []mark{drawnLine(50, y, 50+18*scriptSize, y, underlineWidth)}},
		"below a subscript":  {run(single+`<w:vertAlign w:val="subscript"/>`, "abc"), []mark{drawnLine(50, y+(1-scriptSize)*615.0/204.8, 50+18*scriptSize, y+(1-scriptSize)*615.0/204.8, underlineWidth)}},
		"not a raised text":  {run(single+`<w:position w:val="10"/>`, "abc"), []mark{drawnLine(50, y, 68, y, underlineWidth)}},
		"below a lower text": {run(single+`<w:position w:val="-10"/>`, "abc"), []mark{drawnLine(50, y+5, 68, y+5, underlineWidth)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, sheetOf(t, paragraphOf("", c.content)).all("line"), c.want...)
		})
	}
}

func TestSmallTextKeepsItsUnderline(t *testing.T) {
	t.Parallel()
	// 6 points would have one of a quarter of a point.
	got := decoratedText(t, `<w:sz w:val="12"/><w:u w:val="single"/>`)
	wantMarks(t, got, drawnLine(50, 66+0.6*underlineAt, 50+0.6*18, 66+0.6*underlineAt, 0.4))
	got = decoratedText(t, `<w:sz w:val="12"/><w:strike/>`)
	wantMarks(t, got, drawnLine(50, 66-0.6*strikeAt, 50+0.6*18, 66-0.6*strikeAt, 0.4))
}

func TestTextIsStruckThrough(t *testing.T) {
	t.Parallel()
	at := func(y, width float64) mark { return drawnLine(50, y, 68, y, width) }
	const y = 66 - strikeAt
	for properties, want := range map[string][]mark{
		`<w:strike/>`:                          {at(y, strikeWidth)},
		`<w:strike w:val="0"/>`:                nil,
		`<w:dstrike/>`:                         {at(y-0.75*strikeWidth, 0.75*strikeWidth), at(y+0.75*strikeWidth, 0.75*strikeWidth)},
		`<w:strike/><w:color w:val="FF0000"/>`: {at(y, strikeWidth).colored(red)},
		`<w:strike/><w:position w:val="10"/>`:  {at(y-5, strikeWidth)},
		`<w:strike/><w:u w:val="single"/>`:     {at(66+underlineAt, underlineWidth), at(y, strikeWidth)},
	} {
		t.Run(properties, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, decoratedText(t, properties), want...)
		})
	}
}

// Highlighting is as high as the letters ask: 8.35 above the baseline and 3 below.
func TestHighlightingStandsBehindText(t *testing.T) {
	t.Parallel()
	yellow := dml.RGB{R: 255, G: 255}
	highlighted := `<w:highlight w:val="yellow"/>`
	behind := func(left, right float64, color dml.RGB) mark { return filledArea(left, 57.65, right, 69, color) }
	for name, c := range map[string]struct {
		content string
		want    []mark
	}{
		"a word":                     {run(highlighted, "abc"), []mark{behind(50, 68, yellow)}},
		"shading":                    {run(shading("FF0000"), "abc"), []mark{behind(50, 68, red)}},
		"highlighting over it":       {run(highlighted+shading("FF0000"), "abc"), []mark{behind(50, 68, yellow)}},
		"one run of two":             {run("", "abc") + run(highlighted, "def"), []mark{behind(68, 86, yellow)}},
		"two runs as one":            {run(highlighted, "abc") + run(highlighted+`<w:b/>`, "def"), []mark{behind(50, 86, yellow)}},
		"two colours":                {run(highlighted, "abc") + run(shading("FF0000"), "def"), []mark{behind(50, 68, yellow), behind(68, 86, red)}},
		"no space at the end":        {run(highlighted, "abc  "), []mark{behind(50, 68, yellow)}},
		"none":                       {run(`<w:highlight w:val="none"/>`, "abc"), nil},
		"a tab":                      {run(highlighted, "a\tb"), []mark{behind(50, 92, yellow)}},
		"two lines, each by its own": {run(highlighted, "abc") + `<w:r><w:br/></w:r>` + run(highlighted, "d"), []mark{behind(50, 68, yellow), filledArea(50, 77.65, 56, 89, yellow)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, sheetOf(t, paragraphOf("", c.content)).all("area"), c.want...)
		})
	}
	s := sheetOf(t, paragraphOf("", run(highlighted, "abc")))
	if s.marks[0].kind != "area" {
		t.Errorf("got %v first, want the highlighting", s.marks[0])
	}
}

func TestTextHasABorder(t *testing.T) {
	t.Parallel()
	got := decoratedText(t, `<w:bdr w:val="single" w:sz="8" w:color="FF0000"/>`)
	wantMarks(t, got, mark{kind: "frame", left: 50, top: 57.65, right: 68, bottom: 69, width: 1, color: red})
	if got := decoratedText(t, `<w:bdr w:val="none" w:sz="8"/>`); len(got) != 0 {
		t.Errorf("got %s, want none", formatMarks(got))
	}
}

// Runs beside each other with the same border have one box (ECMA-376 part 1, 17.3.2.4).
func TestABorderStandsAroundItsRunsAlone(t *testing.T) {
	t.Parallel()
	red8, blue8 := `<w:bdr w:val="single" w:sz="8" w:color="FF0000"/>`, `<w:bdr w:val="single" w:sz="8" w:color="0000FF"/>`
	frame := func(left, right float64, color dml.RGB) mark {
		return mark{kind: "frame", left: left, top: 57.65, right: right, bottom: 69, width: 1, color: color}
	}
	for name, c := range map[string]struct {
		runs string
		want []mark
	}{
		"in the middle of a line": {run("", "ab") + run(red8, "cd") + run("", "ef"), []mark{frame(62, 74, red)}},
		"at its beginning":        {run(red8, "ab") + run("", "cd"), []mark{frame(50, 62, red)}},
		"at its end":              {run("", "ab") + run(red8, "cd"), []mark{frame(62, 74, red)}},
		"two runs":                {run(red8, "ab") + run(red8, "cd"), []mark{frame(50, 74, red)}},
		"of two colours":          {run(red8, "ab") + run(blue8, "cd"), []mark{frame(50, 62, red), frame(62, 74, blue)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, sheetOf(t, paragraphOf("", c.runs)).all("frame"), c.want...)
		})
	}
}

// ECMA-376 part 1, 17.3.2.13, 18, 23 and 31. What lies under letters is drawn as areas, so that
// readers find the text once.
func TestLettersHaveEffects(t *testing.T) {
	t.Parallel()
	grey, light := dml.RGB{R: 128, G: 128, B: 128}, dml.RGB{R: 192, G: 192, B: 192}
	for properties, want := range map[string]struct {
		color      dml.RGB
		areas      []dml.RGB
		right, low bool // where the area stands
	}{
		`<w:shadow/>`:                              {black, []dml.RGB{light}, true, true},
		`<w:emboss/>`:                              {white, []dml.RGB{grey}, true, true},
		`<w:imprint/>`:                             {white, []dml.RGB{grey}, false, false},
		`<w:emboss/><w:color w:val="FF0000"/>`:     {red, []dml.RGB{grey}, true, true},
		`<w:imprint/><w:shd w:fill="0000FF"/>`:     {blue, []dml.RGB{grey}, false, false},
		`<w:shadow w:val="0"/>`:                    {black, nil, false, false},
		`<w:outline/>`:                             {black, nil, false, false},
		`<w:outline/><w:shadow/>`:                  {black, []dml.RGB{light}, true, true},
		`<w14:shadow w14:blurRad="1"/><w:b/>`:      {black, nil, false, false},
		`<w:emboss w:val="0"/><w:u w:val="none"/>`: {black, nil, false, false},
	} {
		t.Run(properties, func(t *testing.T) {
			t.Parallel()
			s := sheetOf(t, paragraphOf("", strings.Replace(run(properties, "l"), "<w:r>", `<w:r xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml">`, 1)))
			if got := s.all("text"); len(got) != 1 || got[0].color != want.color {
				t.Errorf("got %s, want one text in %v", formatMarks(got), want.color)
			}
			var colors []dml.RGB
			for _, m := range s.all("shape") {
				colors = append(colors, m.color)
				if middle := (m.left + m.right) / 2; middle > 53 != want.right {
					t.Errorf("got the area %v, want it at the right %t", m, want.right)
				}
				if m.bottom > 66.2 != want.low {
					t.Errorf("got the area %v, want it low %t", m, want.low)
				}
			}
			if !slices.Equal(colors, want.areas) {
				t.Errorf("got areas in %v, want %v", colors, want.areas)
			}
		})
	}
}

func TestHollowLettersAreOutlines(t *testing.T) {
	t.Parallel()
	for properties, want := range map[string]bool{`<w:outline/>`: true, ``: false} {
		pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", run(properties, "a"))}))
		got := false
		for _, object := range objectsOf(t, pdf) {
			got = got || strings.Contains(object, " 1 Tr\n")
		}
		if got != want {
			t.Errorf("%q: got hollow letters %t, want %t", properties, got, want)
		}
	}
}

func TestStrokesOfBorders(t *testing.T) {
	t.Parallel()
	for style, want := range map[string]pdf.Stroke{
		"single":                 {Width: 0.5},
		"thick":                  {Width: 1},
		"dotted":                 {Width: 0.5, Dash: []float64{0.5, 0.75}},
		"dashed":                 {Width: 0.5, Dash: []float64{2, 1.5}},
		"dashSmallGap":           {Width: 0.5, Dash: []float64{2, 1.5}},
		"dotDash":                {Width: 0.5, Dash: []float64{2, 1, 0.5, 1}},
		"dotDotDash":             {Width: 0.5, Dash: []float64{2, 1, 0.5, 1}},
		"thinThickSmallGap":      {Width: 0.5},
		"aStyleThatNobodyKnowsO": {Width: 0.5},
	} {
		got := strokeOf(&wml.Border{Style: style, Width: 0.5})
		if got.Width != want.Width || len(got.Dash) != len(want.Dash) || len(want.Dash) > 0 && !equalDash(got.Dash, want.Dash) || got.Color != black {
			t.Errorf("%s: got %+v, want %+v", style, *got, want)
		}
	}
	if got := strokeOf(&wml.Border{Style: "thick", Width: 3, Color: &red}); got.Width != 3 || got.Color != red {
		t.Errorf("a wide one: got %+v, want 3 points, red", *got)
	}
}

func equalDash(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9 {
			return false
		}
	}
	return true
}

// The lines of a side stand around its place.
func TestBordersOfTwoLines(t *testing.T) {
	t.Parallel()
	for style, want := range map[string][]mark{
		"double":             {redLine(49, 50, 49, 70, 1), redLine(51, 50, 51, 70, 1)},
		"thinThickMediumGap": {redLine(49.5, 50, 49.5, 70, 1), redLine(50.75, 50, 50.75, 70, 0.5)},
	} {
		s := sheetOf(t, borderedTable(`<w:left w:val="`+style+`" w:sz="8" w:color="FF0000"/>`, cell("", "x")))
		wantMarks(t, s.all("line"), want...)
	}
}

func TestOnlySafeAddressesAreFollowed(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"http://a": true, "https://a": true, "HTTPS://A": true, "mailto:a@b": true, "tel:1": true, "ftp://a": true,
		"javascript:x": false, "file:///a": false, "data:x": false, "": false, "a": false, "x https://a": false,
	} {
		if got := safeURL(url); got != want {
			t.Errorf("%q: got %t, want %t", url, got, want)
		}
	}
}

// The rectangle of a link in a PDF counts from the lower left corner; its upper
// edge comes first here.
func TestALinkCoversItsText(t *testing.T) {
	t.Parallel()
	link := `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "https://a.example"</w:instrText><w:fldChar w:fldCharType="separate"/></w:r>`
	end := `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"a word":                     {run("", "ab ") + link + run("", "cd") + end, []string{"68 231 80 242.35"}},
		"two runs, one link":         {link + run("", "cd") + run(`<w:b/>`, "ef") + end, []string{"50 231 74 242.35"}},
		"two links":                  {link + run("", "cd") + end + link + run("", "ef") + end, []string{"50 231 62 242.35", "62 231 74 242.35"}},
		"without spaces at the end":  {link + run("", "cd  ") + end, []string{"50 231 62 242.35"}},
		"no text, no link":           {run("", "ab") + link + end, nil},
		"one that may not be opened": {`<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "file:///a"</w:instrText><w:fldChar w:fldCharType="separate"/></w:r>` + run("", "ab") + end, nil},
		"one to a bookmark":          {`<w:bookmarkStart w:id="1" w:name="here"/><w:hyperlink w:anchor="here">` + run("", "ab") + `</w:hyperlink>`, []string{"50 231 62 242.35"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", c.content)}))
			wantLinks(t, pdf, c.want...)
		})
	}
}

func TestALinkToABookmarkThatIsMissingIsNone(t *testing.T) {
	t.Parallel()
	pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", `<w:hyperlink w:anchor="missing">`+run("", "ab")+`</w:hyperlink>`)}))
	wantLinks(t, pdf)
}

func TestABookmarkIsThePlaceOfItsLine(t *testing.T) {
	t.Parallel()
	pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", `<w:hyperlink w:anchor="here">`+run("", "ab")+`</w:hyperlink>`) + lines("b") + paragraphOf("", `<w:bookmarkStart w:id="1" w:name="here"/>`+run("", "c"))}))
	rendertest.Near(t, "where the link leads", destination(t, pdf), 300-90, 0.02)
}

func TestABookmarkBehindAllTextIsAPlaceToo(t *testing.T) {
	t.Parallel()
	link := paragraphOf("", `<w:hyperlink w:anchor="here">`+run("", "ab")+`</w:hyperlink>`)
	bookmark := `<w:bookmarkStart w:id="1" w:name="here"/>`
	for name, c := range map[string]struct {
		body string
		want float64
	}{
		"at the end of a line":      {link + paragraphOf("", run("", "cd")+bookmark), 300 - 70},
		"behind spaces":             {link + paragraphOf("", run("", "cd  ")+bookmark), 300 - 70},
		"in a paragraph of nothing": {link + paragraphOf("", bookmark), 300 - 70},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: c.body}))
			rendertest.Near(t, "where the link leads", destination(t, pdf), c.want, 0.02)
		})
	}
}
