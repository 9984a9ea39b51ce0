package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// tabbedParagraph is one whose texts are parted by tabs ("a→b").
func tabbedParagraph(properties, texts string) string {
	var content strings.Builder
	for i, text := range strings.Split(texts, "→") {
		if i > 0 {
			content.WriteString(`<w:r><w:tab/></w:r>`)
		}
		if text != "" {
			content.WriteString(run("", text))
		}
	}
	return paragraphOf(properties, content.String())
}

func stop(align, pos string) string {
	return `<w:tab w:val="` + align + `" w:pos="` + pos + `"/>`
}

func stops(all ...string) string { return `<w:tabs>` + strings.Join(all, "") + `</w:tabs>` }

// A default stop stands every 36 points; 2000 twentieths are 100 points.
func TestTextStandsAtTheNextTabStop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		properties, text string
		want             []string
	}{
		"the default stops":                 {"", "a→b→→c", []string{"1: 50,66 a", "1: 86,66 b", "1: 158,66 c"}},
		"a default stop that is passed":     {"", "aaaaaa→b", []string{"1: 50,66 aaaaaa", "1: 122,66 b"}},
		"a stop of the paragraph":           {stops(stop("left", "2000")), "a→b", []string{"1: 50,66 a", "1: 150,66 b"}},
		"behind the last one, default ones": {stops(stop("left", "2000")), "a→b→c", []string{"1: 50,66 a", "1: 150,66 b", "1: 158,66 c"}},
		"a stop that text has passed":       {stops(stop("left", "200"), stop("left", "2000")), "aaa→b", []string{"1: 50,66 aaa", "1: 150,66 b"}},
		"a stop just behind the text":       {stops(stop("left", "736")), "aaaaaa→b", []string{"1: 50,66 aaaaaa", "1: 87,66 b"}},
		"a default stop just behind it":     {`<w:ind w:left="710"/>`, "→b", []string{"1: 86,66 b"}},
		"to the right":                      {stops(stop("right", "2000")), "a→bcd", []string{"1: 50,66 a", "1: 132,66 bcd"}},
		"at its end":                        {stops(stop("end", "2000")), "a→bcd", []string{"1: 50,66 a", "1: 132,66 bcd"}},
		"in the middle":                     {stops(stop("center", "2000")), "a→bcd", []string{"1: 50,66 a", "1: 141,66 bcd"}},
		"at the decimal point":              {stops(stop("decimal", "2000")), "a→12.345", []string{"1: 50,66 a", "1: 138,66 12.345"}},
		"at the decimal comma":              {stops(stop("decimal", "2000")), "a→123,4", []string{"1: 50,66 a", "1: 132,66 123,4"}},
		"behind thousands, with a point":    {stops(stop("decimal", "2000")), "a→1,234.5", []string{"1: 50,66 a", "1: 120,66 1,234.5"}},
		"behind thousands, with a comma":    {stops(stop("decimal", "2000")), "a→1.234,5", []string{"1: 50,66 a", "1: 120,66 1.234,5"}},
		"at the first of them":              {stops(stop("decimal", "2000")), "a→1.234.5", []string{"1: 50,66 a", "1: 144,66 1.234.5"}},
		"without one, to the right":         {stops(stop("decimal", "2000")), "a→123", []string{"1: 50,66 a", "1: 132,66 123"}},
		"two in one line":                   {stops(stop("center", "1500"), stop("right", "4000")), "a→bb→cc", []string{"1: 50,66 a", "1: 119,66 bb", "1: 238,66 cc"}},
		"spaces behind do not count":        {stops(stop("right", "2000")), "a→bcd  ", []string{"1: 50,66 a", "1: 132,66 bcd"}},
		"too wide for its room, it begins":  {stops(stop("right", "1400")), "aaaaaaaaaa→bbbbb", []string{"1: 50,66 aaaaaaaaaa", "1: 110,66 bbbbb"}},
		"a bar is no stop":                  {stops(stop("bar", "400")), "a→b", []string{"1: 50,66 a", "1: 86,66 b"}},
		"one that was cleared":              {stops(stop("left", "2000"), stop("clear", "2000")), "a→b", []string{"1: 50,66 a", "1: 86,66 b"}},
		"a hanging indent is a stop":        {`<w:ind w:left="1000" w:hanging="1000"/>`, "a→b", []string{"1: 50,66 a", "1: 100,66 b"}},
		"the stop before it comes first":    {stops(stop("left", "500")) + `<w:ind w:left="1000" w:hanging="1000"/>`, "a→b→c", []string{"1: 50,66 a", "1: 75,66 b", "1: 100,66 c"}},
		"it comes before a later stop":      {stops(stop("left", "2000")) + `<w:ind w:left="1000" w:hanging="1000"/>`, "a→b→c", []string{"1: 50,66 a", "1: 100,66 b", "1: 150,66 c"}},
		"behind it, the default stops":      {`<w:ind w:left="1000" w:hanging="1000"/>`, "aaaaaaaaaa→b", []string{"1: 50,66 aaaaaaaaaa", "1: 122,66 b"}},
		"stops count from the margin":       {stops(stop("left", "2000")) + `<w:ind w:left="1000"/>`, "a→b", []string{"1: 100,66 a", "1: 150,66 b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: tabbedParagraph(c.properties, c.text)}, c.want...)
		})
	}
}

// As in LibreOffice: files of Word 2013 and later send a tab to the next line whose stop
// lies beyond the margin; in older ones text stands there.
func TestAStopBeyondTheMargin(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: tabbedParagraph(stops(stop("left", "4400")), "a→b") + rendertest.Paragraph("", "c")}
	wantPlaces(t, d, "1: 50,66 a", "1: 270,66 b", "1: 50,86 c")
	d.Settings = `<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>`
	wantPlaces(t, d, "1: 50,66 a", "1: 50,106 b", "1: 50,126 c")
	d.Body = tabbedParagraph(stops(stop("left", "9000")), "a→b") + rendertest.Paragraph("", "c") // beyond the paper
	wantPlaces(t, d, "1: 50,66 a", "1: 50,106 b", "1: 50,126 c")
	d.Settings = ""
	wantPlaces(t, d, "1: 50,66 a", "1: 50,86 b", "1: 50,106 c")
}

func TestTheDocumentSetsItsDefaultStops(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: tabbedParagraph("", "a→b→c"), Settings: `<w:defaultTabStop w:val="1000"/>`}, "1: 50,66 a", "1: 100,66 b", "1: 150,66 c")
}

func TestTabsAtTheEndOfALine(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("x", 33)
	for name, c := range map[string]struct {
		properties, text string
		want             []string
	}{
		"what has no room behind one goes on below":  {stops(stop("left", "3960")), "a→bb", []string{"1: 50,66 a", "1: 50,86 bb"}},
		"a stop beyond the paper ends at the margin": {stops(stop("left", "6000")), "a→b", []string{"1: 50,66 a", "1: 50,86 b"}},
		"text that is set to the right goes over it": {stops(stop("right", "5000")), "a→bcd", []string{"1: 50,66 a", "1: 282,66 bcd"}},
		"a tab without room begins the next line":    {`<w:ind w:right="40"/>`, x + "→b", []string{"1: 50,66 " + x, "1: 86,86 b"}},
		"with a point left, too":                     {`<w:ind w:right="20"/>`, x + "→b", []string{"1: 50,66 " + x, "1: 50,86 b"}},
		"with two points left it stays":              {"", x + "→b", []string{"1: 50,66 " + x, "1: 50,86 b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: tabbedParagraph(c.properties, c.text)}, c.want...)
		})
	}
}

// A w:ptab counts from the text's edges and needs no stop (ECMA-376 part 1,
// 17.3.3.23).
func TestPositionTabsAlignInTheWholeLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ properties, align, want string }{
		"in the middle":                   {"", "center", "1: 141,66 bcd"},
		"to the right":                    {"", "right", "1: 232,66 bcd"},
		"to the left, it takes no room":   {"", "left", "1: 56,66 bcd"},
		"to the left, but for the indent": {`<w:ind w:left="1000" w:hanging="1000"/>`, "left", "1: 100,66 bcd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: paragraphOf(c.properties, run("", "a")+`<w:r><w:ptab w:relativeTo="margin" w:alignment="`+c.align+`"/></w:r>`+run("", "bcd"))}, "1: 50,66 a", c.want)
		})
	}
}

func TestTabsInTheTextOfARunAreTabs(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: paragraphOf("", run("", "a\tb"))}, "1: 50,66 a", "1: 86,66 b")
}

// Behind one letter, 94 points are left to the stop: room for 15 signs, which
// are spread over it. LibreOffice adds an underscore, so that no gap shows.
func TestLeadersFillTheRoomOfTheirTab(t *testing.T) {
	t.Parallel()
	for leader, sign := range map[string]string{"dot": ".", "hyphen": "-", "underscore": "_", "heavy": "_", "middleDot": "·", "none": "", "other": ""} {
		t.Run(leader, func(t *testing.T) {
			t.Parallel()
			s := sheetOf(t, tabbedParagraph(stops(`<w:tab w:val="left" w:leader="`+leader+`" w:pos="2000"/>`), "a→b"))
			signs := s.all("text")[1:]
			signs = signs[:len(signs)-1]
			if sign == "" {
				if len(signs) != 0 {
					t.Errorf("got %s, want no leader", formatMarks(signs))
				}
				return
			}
			count := 15
			if sign == "_" {
				count++
			}
			if len(signs) != count {
				t.Fatalf("got %d signs, want %d", len(signs), count)
			}
			for i, m := range signs {
				rendertest.Near(t, "a sign", m.left, 56+float64(i)*94/float64(count), 0.02)
				if m.text != sign || m.top != 66 {
					t.Errorf("got %v, want %q on the line's baseline", m, sign)
				}
			}
		})
	}
}

// A dot of Carlito at 11 points is 2.7768 points wide, 56 twentieths in whole
// ones: 145 of them stand in 407.9 points, not 146.
func TestLeadersCountSignsOfWholeTwentieths(t *testing.T) {
	t.Parallel()
	calibri := `<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/>`
	body := paragraphOf(stops(`<w:tab w:val="left" w:leader="dot" w:pos="8158"/>`), `<w:r><w:rPr>`+calibri+`</w:rPr><w:tab/></w:r>`+run(calibri, "b"))
	s := pages(t, rendertest.Docx{Body: body, Section: `<w:pgSz w:w="12000" w:h="6000"/><w:pgMar w:top="1000" w:right="1000" w:bottom="1000" w:left="1000" w:header="200" w:footer="200"/>`})[0]
	if got := len(s.all("text")) - 1; got != 145 {
		t.Errorf("got %d dots, want 145", got)
	}
}

func TestALeaderOfATabToTheRightEndsAtItsText(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, tabbedParagraph(stops(`<w:tab w:val="right" w:leader="dot" w:pos="2000"/>`), "a→bcd"))
	dots := s.all("text")[1:]
	dots = dots[:len(dots)-1]
	// 76 points from the letter to the text: 12 dots.
	if len(dots) != 12 {
		t.Fatalf("got %d dots, want 12", len(dots))
	}
	rendertest.Near(t, "the first", dots[0].left, 56, 0.02)
	rendertest.Near(t, "the last", dots[11].left, 56+11*76.0/12, 0.05)
}

// 194 points are left to the margin: room for 32 dots.
func TestALeaderEndsAtTheMargin(t *testing.T) {
	t.Parallel()
	dots := sheetOf(t, tabbedParagraph(stops(`<w:tab w:val="left" w:leader="dot" w:pos="6000"/>`), "a→")).all("text")[1:]
	if len(dots) != 32 {
		t.Fatalf("got %d dots, want 32", len(dots))
	}
	rendertest.Near(t, "the last", dots[31].left, 56+31*194.0/32, 0.05)
}

func TestAlignedLinesTakeTheirLeadersAlong(t *testing.T) {
	t.Parallel()
	// a tab of 100 points and a letter, at the right: it begins at 250-106.
	s := sheetOf(t, tabbedParagraph(`<w:jc w:val="right"/>`+stops(`<w:tab w:val="left" w:leader="dot" w:pos="2000"/>`), "→b"))
	dots := s.all("text")
	rendertest.Near(t, "the first dot", dots[0].left, 144, 0.02)
	rendertest.Near(t, "the text", s.text(t, "b").left, 244, 0.02)
}

func TestALeaderNeedsRoom(t *testing.T) {
	t.Parallel()
	// 16 letters of 6 points reach to 96; to the stop at 100 no dot fits.
	s := sheetOf(t, tabbedParagraph(stops(`<w:tab w:val="left" w:leader="dot" w:pos="2000"/>`), strings.Repeat("x", 16)+"→b"))
	if got := len(s.all("text")); got != 2 {
		t.Errorf("got %d texts, want the two without a leader", got)
	}
}

// Cells of 100 points with a decimal stop at 60: the sign stands there, or the
// end of a text without one; what is too wide begins or ends at the cell's edge.
func TestNumbersInCellsStandAtADecimalStopWithoutATab(t *testing.T) {
	t.Parallel()
	at60, at30 := `<w:tab w:val="decimal" w:pos="1200"/>`, `<w:tab w:val="decimal" w:pos="600"/>`
	for name, c := range map[string]struct {
		tabs, text string
		want       float64
	}{
		"two digits and cents":     {at60, "12.50", 60 - 12},
		"without cents":            {at60, "125", 60 - 18},
		"thousands":                {at60, "1,234.50", 60 - 30},
		"letters":                  {at60, "abc", 60 - 18},
		"too wide before the stop": {at30, "123456.5", 0},
		"too wide behind it":       {at60, "1.5000000000", 100 - 72},
		"two stops":                {at30 + at60, "12.50", 0},
		"another stop":             {`<w:tab w:val="right" w:pos="1200"/>`, "12.50", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sheetOf(t, borderedTable("", `<w:tc>`+paragraphOf(stops(c.tabs), run("", c.text))+`</w:tc>`))
			rendertest.Near(t, "the number", s.text(t, c.text).left, 50+c.want, 0.02)
		})
	}
	s := sheetOf(t, paragraphOf(stops(at60), run("", "12.50")))
	rendertest.Near(t, "a number in no cell", s.text(t, "12.50").left, 50, 0.02)
	s = sheetOf(t, borderedTable("", `<w:tc>`+tabbedParagraph(stops(at60), "a→12.50")+`</w:tc>`))
	rendertest.Near(t, "a text before a tab", s.text(t, "a").left, 50, 0.02)
}
