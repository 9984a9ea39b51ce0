package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestASectionBeginsWhereItsTypeSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind string
		want []string
	}{
		"by default":          {"", []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 c"}},
		"on the next page":    {`<w:type w:val="nextPage"/>`, []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 c"}},
		"continuously":        {continuous, []string{"1: 50,66 a", "1: 50,86 b", "1: 50,106 c"}},
		"in the next column":  {`<w:type w:val="nextColumn"/>`, []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 c"}},
		"of another size":     {continuous + `<w:pgSz w:w="6000" w:h="5000"/>`, []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 c"}},
		"of another width":    {continuous + `<w:pgSz w:w="5000" w:h="6000"/>`, []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 c"}},
		"with other margins":  {continuous + `<w:pgMar w:top="1000" w:right="1000" w:bottom="1000" w:left="1400"/>`, []string{"1: 50,66 a", "1: 50,86 b", "1: 70,106 c"}},
		"an unknown type":     {`<w:type w:val="other"/>`, []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 c"}},
		"an even page, empty": {`<w:type w:val="evenPage"/>`, []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: lines("a b") + sectionEnd("") + lines("c"), Section: c.kind}, c.want...)
		})
	}
}

func TestASectionGoesOnInTheNextColumn(t *testing.T) {
	t.Parallel()
	next := `<w:type w:val="nextColumn"/>`
	wantPlaces(t, rendertest.Docx{Body: lines("a") + sectionEnd(twoColumns) + lines("b"), Section: next + twoColumns}, "1: 50,66 a", "1: 170,66 b")
	wantPlaces(t, rendertest.Docx{Body: lines("a") + sectionEnd(twoColumns) + lines("b"), Section: next + `<w:cols w:num="3" w:space="800"/>`}, "1: 50,66 a", "2: 50,66 b")
}

// The columns of the page stay, so that no text stands over another's.
func TestASectionInTheNextColumnHasThatOfThePageWhereItsOwnAreEquallyLong(t *testing.T) {
	t.Parallel()
	others := `<w:type w:val="nextColumn"/><w:cols w:num="2" w:equalWidth="0"><w:col w:w="1200" w:space="400"/><w:col w:w="2400"/></w:cols>`
	body := lines("a") + sectionEnd(twoColumns) + lines("b") + sectionEnd(others) + lines("c")
	wantPlaces(t, rendertest.Docx{Body: body, Section: continuous}, "1: 50,66 a", "1: 170,66 b", "1: 50,86 c")
}

func TestTheSpaceBelowTheLastParagraphOfASectionStays(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: linesOf(`<w:spacing w:after="200"/>`, "a") + sectionEnd("") + lines("b"), Section: continuous},
		"1: 50,66 a", "1: 50,96 b")
}

func TestPagesCountOnOrFromANumberOfTheSection(t *testing.T) {
	t.Parallel()
	number := paragraphOf("", pageField("PAGE"))
	next := paragraphOf(`<w:pageBreakBefore/>`, pageField("PAGE"))
	for name, c := range map[string]struct{ first, second, want string }{
		"they count on":                   {"", "", "1 | 2 | 3 | 4"},
		"from a number":                   {`<w:pgNumType w:start="7"/>`, "", "7 | 8 | 9 | 10"},
		"from another in the second":      {"", `<w:pgNumType w:start="5"/>`, "1 | 2 | 5 | 6"},
		"the second again from one":       {"", `<w:pgNumType w:start="1"/>`, "1 | 2 | 1 | 2"},
		"in roman figures":                {`<w:pgNumType w:fmt="lowerRoman"/>`, "", "i | ii | 3 | 4"},
		"in letters":                      {"", `<w:pgNumType w:fmt="upperLetter" w:start="3"/>`, "1 | 2 | C | D"},
		"an even page after an even one":  {"", `<w:type w:val="evenPage"/>`, "1 | 2 | 4 | 5"},
		"an odd page after an even one":   {"", `<w:type w:val="oddPage"/>`, "1 | 2 | 3 | 4"},
		"an odd page after an odd one":    {`<w:pgNumType w:start="2"/>`, `<w:type w:val="oddPage"/>`, "2 | 3 | 5 | 6"},
		"an even page after an odd one":   {`<w:pgNumType w:start="2"/>`, `<w:type w:val="evenPage"/>`, "2 | 3 | 4 | 5"},
		"an odd page with an even number": {"", `<w:type w:val="oddPage"/><w:pgNumType w:start="4"/>`, "1 | 2 | 4 | 5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: number + next + sectionEnd(c.first) + number + next, Section: c.second}, c.want)
		})
	}
}

func TestFieldsCountPages(t *testing.T) {
	t.Parallel()
	footer := map[string]string{"footer1.xml": paragraphOf("", pageField("PAGE")+pageField("SECTIONPAGES")+pageField("NUMPAGES"))}
	reference := `<w:footerReference w:type="default" r:id="footer1"/>`
	wantPages(t, rendertest.Docx{Body: lines("a") + paragraphOf(`<w:pageBreakBefore/>`, run("", "b")) + sectionEnd(reference) + lines("c"), Section: reference, Parts: footer},
		"a 1 2 3 | b 2 2 3 | c 3 1 3")
	// ECMA-376 part 1, 17.16.5.56: SECTION is the number of the section, also one on the same page.
	section := paragraphOf("", pageField("SECTION"))
	wantPages(t, rendertest.Docx{Body: section + sectionEnd("") + section + sectionEnd(`<w:type w:val="nextPage"/>`) + section, Section: `<w:type w:val="continuous"/>`}, "1 | 2 3")
	// In the text the number of all pages is known once it was laid out before.
	wantPages(t, rendertest.Docx{Body: paragraphOf("", pageField("NUMPAGES")) + linesOf(`<w:pageBreakBefore/>`, "b c")}, "3 | b | c")
	wantPages(t, rendertest.Docx{Body: paragraphOf("", pageField("NUMPAGES"))}, "1")
	wantPages(t, rendertest.Docx{Body: paragraphOf("", pageField(`PAGE \* ROMAN`)+pageField(`NUMPAGES \* alphabetic`)) + linesOf(`<w:pageBreakBefore/>`, "b") + paragraphOf("", pageField(`PAGE	\* roman`)+pageField(`PAGE \* MERGEFORMAT`))}, "I b | b ii 2")
	// That of the section's pages is what it was when the file was written.
	wantPages(t, rendertest.Docx{Body: paragraphOf("", pageField("SECTIONPAGES"))}, "99")
}

func TestFindingsAreToldOnceWherePagesAreCounted(t *testing.T) {
	t.Parallel()
	body := paragraphOf("", pageField("NUMPAGES")+run("", "𪜀")) + linesOf(`<w:pageBreakBefore/>`, "b")
	_, findings := laidOut(t, onSquaredPaper(rendertest.Docx{Body: body}))
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "𪜀") {
		t.Errorf("got %v, want one finding", findings)
	}
}

func TestWhatTheModelLostIsTold(t *testing.T) {
	t.Parallel()
	model := modelOf(t, rendertest.Docx{Body: `<w:altChunk r:id="other"/>` + lines("text") + `<w:p><w:r><w:contentPart r:id="x"/></w:r></w:p>`})
	_, findings := layOutModel(t, model)
	want := []string{"content_left_out: the document is nested too deeply or embeds other documents", "drawing_not_drawn: handwriting is left out"}
	var got []string
	for _, f := range findings {
		got = append(got, f.Code+": "+f.Message)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestADocumentOfTooManyPagesIsCutOff(t *testing.T) {
	t.Parallel()
	body := strings.Repeat(paragraphOf("", pageBreak+run("", "x")), 2010)
	pdf, findings := laidOut(t, onSquaredPaper(rendertest.Docx{Body: body + paragraphOf("", `<w:r><w:endnoteReference w:id="2"/></w:r>`),
		Parts: map[string]string{"endnotes.xml": `<w:endnote w:id="2">` + lines("note") + `</w:endnote>`}}))
	if got := len(sheets(t, pdf)); got != 2000 {
		t.Errorf("got %d pages, want 2000", got)
	}
	if len(findings) != 1 || findings[0].Code != "content_left_out" || findings[0].Message != "the document has more than 2000 pages" {
		t.Errorf("got %v, want one that tells of the limit", findings)
	}
}

func TestTextIsLeftOutWhereADocumentSetsTooMuch(t *testing.T) {
	t.Parallel()
	var findings render.Findings
	work := tally{findings: &findings}
	if !work.spend(5_000_000) || len(findings.All()) != 0 {
		t.Fatalf("as much as there may be is refused: %v", findings.All())
	}
	if work.spend(1) {
		t.Error("more than there may be is set")
	}
	if all := findings.All(); len(all) != 1 || all[0].Code != render.FindingTruncated {
		t.Errorf("got %v, want one finding", all)
	}
}

func TestBoxesInBoxesEndSomewhere(t *testing.T) {
	t.Parallel()
	nested := func(depth int) rendertest.Docx {
		body := lines("inside")
		for range depth {
			body = `<w:tbl><w:tr><w:tc>` + body + `</w:tc></w:tr></w:tbl>`
		}
		return rendertest.Docx{Body: body}
	}
	wantPlaces(t, nested(24), "1: 50,66 inside")
	wantPlaces(t, nested(25))
	_, findings := laidOut(t, onSquaredPaper(nested(25)))
	if len(findings) != 1 || findings[0].Message != "tables or text boxes are nested too deeply" {
		t.Errorf("got %v, want one finding", findings)
	}
}

func TestAParagraphThatIsMovedShowsTheNumberOfItsNewPage(t *testing.T) {
	t.Parallel()
	number := pageField("PAGE")
	for name, c := range map[string]struct{ body, want string }{
		"by its own break":            {lines("a") + paragraphOf(`<w:pageBreakBefore/>`, number), "a | 2"},
		"by a break in its text":      {lines("a") + paragraphOf("", pageBreak+number), "a | 2"},
		"by the break of another one": {paragraphOf("", run("", "a")+pageBreak) + paragraphOf("", number), "a | 2"},
		"because it fits no more":     {lines(ten) + paragraphOf("", number), ten + " | 2"},
		"with what follows":           {lines(ten[:17]) + paragraphOf(keepNext, number) + lines("k"), ten[:17] + " | 2 k"},
		"with what it precedes":       {lines(ten[:17]) + linesOf(keepNext, "j") + paragraphOf("", number), ten[:17] + " | j 2"},
		"as it may not be split":      {lines(ten[:17]) + paragraphOf(keepLines, number+`<w:r><w:br/></w:r>`+run("", "k")), ten[:17] + " | 2 k"},
		"not where it stays":          {lines(ten[:17]) + paragraphOf("", number), ten[:17] + " 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: c.body}, c.want)
		})
	}
}

// As LibreOffice has it: what begins a section keeps its space above, but automatic
// space is none at the document's start, and 5 points, which add up, without HTML's rules.
func TestSpaceAboveTheFirstParagraph(t *testing.T) {
	t.Parallel()
	const auto = `<w:spacing w:before="400" w:beforeAutospacing="1" w:after="400" w:afterAutospacing="1"/>`
	const number = `<w:spacing w:before="200" w:after="200"/>`
	for name, c := range map[string]struct {
		body, settings string
		want           []string
	}{
		"a number":         {linesOf(number, "a") + sectionEnd("") + linesOf(number, "b"), "", []string{"1: 50,76 a", "2: 50,76 b"}},
		"automatic":        {linesOf(auto, "a") + sectionEnd("") + linesOf(auto, "b"), "", []string{"1: 50,66 a", "2: 50,80 b"}},
		"without HTML's":   {linesOf(auto, "a b"), `<w:compat><w:doNotUseHTMLParagraphAutoSpacing/></w:compat>`, []string{"1: 50,71 a", "1: 50,101 b"}},
		"below a new page": {lines("a") + linesOf(`<w:pageBreakBefore/>`+auto, "b"), "", []string{"1: 50,66 a", "2: 50,80 b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := places(t, rendertest.Docx{Body: c.body, Settings: c.settings}); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
