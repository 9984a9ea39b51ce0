package flow

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// Headers and footers stand 10 points from the edges of squared paper.
func TestHeadersAndFootersStandInTheirMargins(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: lines("a"), Section: header("default", "header1") + footer("default", "footer1"),
		Parts: map[string]string{"header1.xml": lines("head"), "footer1.xml": lines("foot end")}}
	wantPlaces(t, d, "1: 50,26 head", "1: 50,66 a", "1: 50,266 foot", "1: 50,286 end")
}

func TestEachPageHasTheHeaderOfItsKind(t *testing.T) {
	t.Parallel()
	all := header("default", "header1") + header("first", "header2") + header("even", "header3")
	parts := map[string]string{"header1.xml": lines("default"), "header2.xml": lines("first"), "header3.xml": lines("even")}
	body := lines("a") + linesOf(`<w:pageBreakBefore/>`, "b c")
	for name, c := range map[string]struct{ section, settings, want string }{
		"the default one on all":            {all, "", "default a | default b | default c"},
		"the first page's":                  {all + `<w:titlePg/>`, "", "first a | default b | default c"},
		"which is switched off":             {all + `<w:titlePg w:val="0"/>`, "", "default a | default b | default c"},
		"even pages'":                       {all, `<w:evenAndOddHeaders/>`, "default a | even b | default c"},
		"both":                              {all + `<w:titlePg/>`, `<w:evenAndOddHeaders/>`, "first a | even b | default c"},
		"a first page without one":          {header("default", "header1") + `<w:titlePg/>`, "", "a | default b | default c"},
		"an even page without one":          {header("default", "header1"), `<w:evenAndOddHeaders/>`, "default a | b | default c"},
		"by the page's number, not its own": {all + `<w:pgNumType w:start="2"/>`, `<w:evenAndOddHeaders/>`, "even a | default b | even c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: body, Section: c.section, Settings: c.settings, Parts: parts}, c.want)
		})
	}
}

func TestASectionInheritsHeaders(t *testing.T) {
	t.Parallel()
	parts := map[string]string{"header1.xml": lines("one"), "header2.xml": lines("two")}
	body := lines("a") + sectionEnd(header("default", "header1")) + lines("b")
	wantPages(t, rendertest.Docx{Body: body, Parts: parts}, "one a | one b")
	wantPages(t, rendertest.Docx{Body: body, Section: header("default", "header2"), Parts: parts}, "one a | two b")
}

func TestTheFirstPageOfEachSectionHasItsOwnHeader(t *testing.T) {
	t.Parallel()
	parts := map[string]string{"header1.xml": lines("first"), "header2.xml": lines("default")}
	both := header("first", "header1") + header("default", "header2") + `<w:titlePg/>`
	wantPages(t, rendertest.Docx{Body: lines("a") + linesOf(`<w:pageBreakBefore/>`, "b") + sectionEnd(both) + lines("c"), Section: both, Parts: parts}, "first a | default b | first c")
	// A section that begins on a page of another one has its first page behind it.
	wantPages(t, rendertest.Docx{Body: lines("a") + sectionEnd(both) + lines("b") + linesOf(`<w:pageBreakBefore/>`, "c"), Section: continuous + both, Parts: parts}, "first a b | first c")
	wantPages(t, rendertest.Docx{Body: lines("a") + sectionEnd(both) + lines("b") + linesOf(`<w:pageBreakBefore/>`, "c"), Section: continuous + header("default", "header2"), Parts: parts}, "first a b | default c")
}

// Three lines of a header reach from 10 to 70, those of a footer from 230 to 290.
func TestHighHeadersAndFootersTakeRoomFromTheText(t *testing.T) {
	t.Parallel()
	high := map[string]string{"header1.xml": lines("h h h"), "footer1.xml": lines("f f f")}
	for name, c := range map[string]struct {
		section     string
		first, last string
		page        string
	}{
		"a header": {header("default", "header1"), "1: 50,86 a", "1: 50,246 i", "2: 50,86 j"},
		"one below an exact margin": {header("default", "header1") + `<w:pgMar w:top="-1000" w:right="1000" w:bottom="1000" w:left="1000" w:header="200" w:footer="200"/>`,
			"1: 50,66 a", "1: 50,226 i", "1: 50,246 j"},
		"a footer": {footer("default", "footer1"), "1: 50,66 a", "1: 50,226 i", "2: 50,66 j"},
		"one above an exact margin": {footer("default", "footer1") + `<w:pgMar w:top="1000" w:right="1000" w:bottom="-1000" w:left="1000" w:header="200" w:footer="200"/>`,
			"1: 50,66 a", "1: 50,226 i", "1: 50,246 j"},
		"neither, with room for them": {header("default", "header1") + footer("default", "footer1") + `<w:pgMar w:top="1400" w:right="1000" w:bottom="1000" w:left="1000" w:header="0" w:footer="-800"/>`,
			"1: 50,86 a", "1: 50,246 i", "2: 50,86 j"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := places(t, rendertest.Docx{Body: lines(ten), Section: c.section, Parts: high})
			for _, want := range []string{c.first, c.last, c.page} {
				if !slices.Contains(got, want) {
					t.Errorf("got %q, want %q among them", got, want)
				}
			}
		})
	}
}

// A header that leaves no room has the text run over it from the middle of the
// page, over 36 points at least: one line of 20.
func TestTextKeepsSomeRoomOnEachPage(t *testing.T) {
	t.Parallel()
	got := pages(t, rendertest.Docx{Body: lines("one two"), Section: header("default", "header1"), Parts: map[string]string{"header1.xml": lines("h h h h h h h h h h h h h h h")}})
	if len(got) != 1 {
		t.Fatalf("got %d pages, want 1", len(got))
	}
	// The page ends at 250, 100 points below its middle.
	rendertest.Near(t, "the first line", got[0].text(t, "one").top, 166, 0.02)
	low := pages(t, rendertest.Docx{Body: lines("one two"), Section: `<w:pgMar w:top="5200" w:right="1000" w:bottom="1000" w:left="1000"/>`})
	rendertest.Near(t, "below a wide margin", low[0].text(t, "one").top, 166, 0.02)
	tight := pages(t, rendertest.Docx{Body: lines("one two"), Section: `<w:pgMar w:top="2600" w:right="1000" w:bottom="3000" w:left="1000"/>`})
	rendertest.Near(t, "in 36 points", tight[0].text(t, "one").top, 146, 0.02)
	// 36 points from 130: notes end at 166.
	noted := pages(t, rendertest.Docx{Body: paragraphOf("", run("", "one")+noteReference), Parts: note(lines("note")), Section: `<w:pgMar w:top="2600" w:right="1000" w:bottom="3000" w:left="1000"/>`})
	rendertest.Near(t, "a note", noted[0].text(t, "note").top, 162, 0.02)
	if len(tight) != 2 {
		t.Errorf("got %d pages, want 2 of one line each", len(tight))
	}
}

func TestMarginsAreMirroredOnEvenPages(t *testing.T) {
	t.Parallel()
	section := header("default", "header1") + footer("default", "footer1") + `<w:pgMar w:top="1000" w:right="1000" w:bottom="1000" w:left="600" w:header="200" w:footer="200"/>`
	d := rendertest.Docx{Body: lines("a") + linesOf(`<w:pageBreakBefore/>`, "b"), Section: section, Settings: `<w:mirrorMargins/>`, Parts: map[string]string{"header1.xml": lines("head"), "footer1.xml": lines("foot")}}
	wantPlaces(t, d, "1: 30,26 head", "1: 30,66 a", "1: 30,286 foot", "2: 50,26 head", "2: 50,66 b", "2: 50,286 foot")
	d.Settings = ""
	wantPlaces(t, d, "1: 30,26 head", "1: 30,66 a", "1: 30,286 foot", "2: 30,26 head", "2: 30,66 b", "2: 30,286 foot")
}

// The rows of a grid of 18 points leave 2 of 200; half of them stand above. A
// line of Courier, 11.35 points high, stands in the middle of its row.
func TestLinesStandInTheMiddleOfTheRowsOfAGrid(t *testing.T) {
	t.Parallel()
	grid := `<w:docGrid w:type="lines" w:linePitch="360"/>`
	const middle = 51 + 8.35 + (18-11.35)/2
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	for name, c := range map[string]struct {
		section, body string
		one, two      float64
	}{
		"single lines":              {grid, linesOf(auto, "one two"), middle, middle + 18},
		"large letters take two":    {grid, paragraphOf(auto, run(`<w:sz w:val="40"/>`, "one")) + linesOf(auto, "two"), 51 + 16.65 + (36-22.65)/2, middle + 36},
		"one and a half":            {grid, linesOf(`<w:spacing w:line="360" w:lineRule="auto"/>`, "one two"), middle, middle + 18 + 5.7},
		"lines of a paragraph":      {grid, paragraphOf(`<w:spacing w:line="360" w:lineRule="auto"/>`, run("", "one")+`<w:r><w:br/></w:r>`+run("", "two")), middle, middle + 27},
		"half lines are whole":      {grid, linesOf(`<w:spacing w:line="120" w:lineRule="auto"/>`, "one two"), middle, middle + 18},
		"exact lines, too":          {grid, linesOf(`<w:spacing w:line="400" w:lineRule="exact"/>`, "one two"), middle, middle + 18},
		"and least heights":         {grid, linesOf(`<w:spacing w:line="600" w:lineRule="atLeast"/>`, "one two"), middle, middle + 18},
		"a paragraph off the grid":  {grid, linesOf(auto+`<w:snapToGrid w:val="0"/>`, "one two"), 59.35, 70.7},
		"a grid of characters":      {`<w:docGrid w:type="linesAndChars" w:linePitch="360"/>`, linesOf(auto, "one two"), middle, middle + 18},
		"a grid that is not in use": {`<w:docGrid w:linePitch="360"/>`, linesOf(auto, "one two"), 58.35, 69.7},
		"cells":                     {grid, `<w:tbl><w:tr><w:tc>` + linesOf(auto, "one two") + `</w:tc></w:tr></w:tbl>`, middle, middle + 18},
		"a frame off the grid":      {grid, linesOf(auto+`<w:framePr w:w="2000" w:vAnchor="page" w:hAnchor="page" w:x="1000" w:y="1000"/>`, "one two"), 58.35, 69.7},
		"a floating table off it":   {grid, `<w:tbl><w:tblPr><w:tblpPr w:vertAnchor="page" w:horzAnchor="page" w:tblpX="1000" w:tblpY="1000"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:tc>` + linesOf(auto, "one two") + `</w:tc></w:tr></w:tbl>` + rendertest.Paragraph("", "x"), 58.35, 69.7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pages(t, rendertest.Docx{Body: c.body, Section: c.section})[0]
			rendertest.Near(t, "the first line", s.text(t, "one").top, c.one, 0.02)
			rendertest.Near(t, "the second line", s.text(t, "two").top, c.two, 0.02)
		})
	}
}

func TestPageBordersStandAtTheEdgeOrTheText(t *testing.T) {
	t.Parallel()
	borders := func(from string) string {
		side := func(name, space string) string {
			return `<w:` + name + ` w:val="single" w:sz="8" w:space="` + space + `" w:color="FF0000"/>`
		}
		return `<w:pgBorders w:offsetFrom="` + from + `">` + side("top", "4") + side("left", "6") + side("bottom", "8") + side("right", "10") + `</w:pgBorders>`
	}
	wantMarks(t, pages(t, rendertest.Docx{Body: lines("a"), Section: borders("page")})[0].all("line"),
		drawnLine(6, 4.5, 290, 4.5, 1).colored(red), drawnLine(6, 291.5, 290, 291.5, 1).colored(red), drawnLine(6.5, 4, 6.5, 292, 1).colored(red), drawnLine(289.5, 4, 289.5, 292, 1).colored(red))
	wantMarks(t, pages(t, rendertest.Docx{Body: lines("a"), Section: borders("text")})[0].all("line"),
		drawnLine(43, 45.5, 261, 45.5, 1).colored(red), drawnLine(43, 258.5, 261, 258.5, 1).colored(red), drawnLine(43.5, 45, 43.5, 259, 1).colored(red), drawnLine(260.5, 45, 260.5, 259, 1).colored(red))
}

func TestAPageHasOnlyTheBordersThatItIsGiven(t *testing.T) {
	t.Parallel()
	wantMarks(t, pages(t, rendertest.Docx{Body: lines("a"), Section: `<w:pgBorders w:offsetFrom="page"><w:top w:val="single" w:sz="8" w:space="4"/></w:pgBorders>`})[0].all("line"),
		drawnLine(0, 4.5, 300, 4.5, 1))
}

// A border of 3 points with its thin line inside, as Word writes it on all four sides.
func TestAPageBorderOfSeveralLinesHasThemWithinEachOther(t *testing.T) {
	t.Parallel()
	side := func(name, style string) string {
		return `<w:` + name + ` w:val="` + style + `" w:sz="24" w:space="24" w:color="FF0000"/>`
	}
	borders := `<w:pgBorders w:offsetFrom="page">` + side("top", "thinThickSmallGap") + side("left", "thinThickSmallGap") + side("bottom", "thickThinSmallGap") + side("right", "thickThinSmallGap") + `</w:pgBorders>`
	const thick, thin = 24 + 1.5, 24 + 3 + 0.75 + 0.375 // middles of both lines
	line := func(x1, y1, x2, y2, width float64) mark { return drawnLine(x1, y1, x2, y2, width).colored(red) }
	wantMarks(t, pages(t, rendertest.Docx{Body: lines("a"), Section: borders})[0].all("line"),
		line(24, thick, 276, thick, 3), line(27.75, thin, 272.25, thin, 0.75),
		line(24, 300-thick, 276, 300-thick, 3), line(27.75, 300-thin, 272.25, 300-thin, 0.75),
		line(thick, 24, thick, 276, 3), line(thin, 27.75, thin, 272.25, 0.75),
		line(300-thick, 24, 300-thick, 276, 3), line(300-thin, 27.75, 300-thin, 272.25, 0.75))
}

func TestEachKindOfPageBorderHasItsLines(t *testing.T) {
	t.Parallel()
	for style, want := range map[string][]strip{
		"single":                 {{0, 4}},
		"double":                 {{0, 4}, {8, 4}},
		"triple":                 {{0, 4}, {8, 4}, {16, 4}},
		"thinThickMediumGap":     {{0, 4}, {6, 2}},
		"thickThinMediumGap":     {{0, 2}, {4, 4}},
		"thinThickLargeGap":      {{0, 1.5}, {5.5, 0.75}},
		"thinThickThinSmallGap":  {{0, 0.75}, {1.5, 4}, {6.25, 0.75}},
		"thinThickThinMediumGap": {{0, 2}, {4, 4}, {10, 2}},
	} {
		if got := stripsOf(&wml.Border{Style: style, Width: 4}, true); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", style, got, want)
		}
	}
}

// A logo is higher than its header: on each page text wraps around it, and a table,
// which cannot, begins below it.
func TestWhatAHeaderReachesIntoTheBodyWithKeepsItsRoom(t *testing.T) {
	t.Parallel()
	logo := drawnShape{x: 200, y: 20, w: 60, h: 70, fromX: "page", fromY: "page", wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
	parts := map[string]string{"header1.xml": paragraphOf("", logo.run())}
	d := rendertest.Docx{Section: header("default", "header1"), Parts: parts}
	d.Body = lines("a") + `<w:tbl><w:tblPr><w:tblW w:w="4000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid>` + rowOf("", rendertest.Paragraph("", "cell")) + `</w:tbl>`
	s := pages(t, d)[0]
	if got := s.text(t, "a").top; got > 70 {
		t.Errorf("the text begins at %v, want beside the logo", got)
	}
	if got := s.text(t, "cell").top; got < 100 {
		t.Errorf("the baseline of the table's text is at %v, behind the logo that ends at 90", got)
	}
}

// As in LibreOffice: beside a logo that is aligned at the side of the text, tables are
// narrower, from page to page.
func TestATableIsAsNarrowAsALogoAtItsSideAsksFor(t *testing.T) {
	t.Parallel()
	table := func(rows string) string {
		return `<w:tbl><w:tblPr><w:tblW w:w="4000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="3000"/></w:tblGrid>` + rows + `</w:tbl>`
	}
	row := func(name string) string {
		return rowOf("", rendertest.Paragraph("", name), rendertest.Paragraph("", name+"2"))
	}
	for _, c := range []struct {
		align, before string
		first, second float64 // where the second column begins on each page
	}{
		{"right", "", 50 + 35, 50 + 35}, {"left", "", 110 + 35, 110 + 35}, {"right", "a b c", 50 + 50, 50 + 35}, {"center", "", 50 + 50, 50 + 50},
	} {
		logo := drawnShape{alignX: c.align, y: 20, w: 60, h: 70, fromX: "margin", fromY: "page", wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
		d := rendertest.Docx{Section: header("default", "header1"), Parts: map[string]string{"header1.xml": paragraphOf("", logo.run())}}
		rows := ""
		for i := range 12 {
			rows += row(fmt.Sprint("r", i))
		}
		d.Body = lines(c.before) + table(rows)
		all := pages(t, d)
		if got := all[0].text(t, "r02").left; math.Abs(got-c.first) > 0.1 {
			t.Errorf("aligned %s behind %q: the second column begins at %.2f, want %.2f", c.align, c.before, got, c.first)
		}
		if got := all[1].text(t, "r112").left; math.Abs(got-c.second) > 0.1 {
			t.Errorf("aligned %s behind %q: on the next page the second column begins at %.2f, want %.2f", c.align, c.before, got, c.second)
		}
	}
}

func TestABackgroundFillsEachPageBelowAllElse(t *testing.T) {
	t.Parallel()
	model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: lines("a") + linesOf(`<w:pageBreakBefore/>`, "b")}))
	model.Background = &red
	pdf, _ := layOutModel(t, model)
	for i, s := range sheets(t, pdf) {
		wantMarks(t, s.marks[:1], filledArea(0, 0, 300, 300, red))
		if s.marks[1].kind != "text" {
			t.Errorf("page %d: got %v behind it, want the text", i+1, s.marks[1])
		}
	}
}

func TestPagesOfSectionsHaveTheirSizes(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: lines("a") + sectionEnd("") + lines("b"), Section: `<w:pgSz w:w="8000" w:h="4000"/>`})
	for i, want := range [][2]float64{{300, 300}, {400, 200}} {
		if got := [2]float64{all[i].width, all[i].height}; got != want {
			t.Errorf("page %d: got %v, want %v", i+1, got, want)
		}
	}
	rendertest.Near(t, "the second page's text", all[1].text(t, "b").top, 66, 0.02)
}

// 200 points have room for 11 rows of 18: what is left over stands above and below
// them, so that a line that reaches into it stands on the next page.
func TestAPageEndsWithTheRowsOfItsGrid(t *testing.T) {
	t.Parallel()
	section := `<w:docGrid w:type="lines" w:linePitch="360"/>`
	body := linesOf(`<w:spacing w:line="240" w:lineRule="auto"/>`, "a b c d e f g h i j k l")
	wantPages(t, rendertest.Docx{Body: body, Section: section}, "a b c d e f g h i j k | l")
	body = linesOf(`<w:spacing w:line="240" w:lineRule="auto"/>`, "a b c d e f g h i") + paragraphOf(`<w:spacing w:before="361" w:line="240" w:lineRule="auto"/>`, run("", "j")) + rendertest.Paragraph("", "k")
	wantPages(t, rendertest.Docx{Body: body, Section: section}, "a b c d e f g h i | j k")
}
