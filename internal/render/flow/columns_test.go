package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestTextFillsOneColumnAfterTheOther(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: lines(ten + " k l m n o p q r s t u"), Section: twoColumns}
	got := places(t, d)
	for i, want := range map[int]string{0: "1: 50,66 a", 9: "1: 50,246 j", 10: "1: 170,66 k", 19: "1: 170,246 t", 20: "2: 50,66 u"} {
		if got[i] != want {
			t.Errorf("text %d: got %q, want %q", i, got[i], want)
		}
	}
}

func TestLinesAreAsWideAsTheirColumn(t *testing.T) {
	t.Parallel()
	// 13 letters of 6 points fit into 80.
	wantPlaces(t, rendertest.Docx{Body: rendertest.Paragraph("", "aaaaaaaa bbbb ccccc ddd"), Section: twoColumns}, "1: 50,66 aaaaaaaa bbbb", "1: 50,86 ccccc ddd")
}

func TestColumnsHaveTheirOwnWidths(t *testing.T) {
	t.Parallel()
	columns := `<w:cols w:num="2" w:equalWidth="0"><w:col w:w="2000" w:space="400"/><w:col w:w="1600"/></w:cols>`
	wantPlaces(t, rendertest.Docx{Section: columns, Body: paragraphOf("", run("", "aaaaaaaa bbbbbbb c")+columnBreak+run("", "aaaaaaaa bbbbbbb"))},
		"1: 50,66 aaaaaaaa bbbbbbb", "1: 50,86 c", "1: 170,66 aaaaaaaa", "1: 170,86 bbbbbbb")
}

// The second column is wider than the first, so that its lines break elsewhere.
func TestAParagraphIsSetAnewInAColumnOfAnotherWidth(t *testing.T) {
	t.Parallel()
	columns := `<w:cols w:num="2" w:equalWidth="0"><w:col w:w="1200" w:space="400"/><w:col w:w="2400"/></w:cols>`
	got := places(t, rendertest.Docx{Section: columns, Body: lines("a b c d e f g h i") + rendertest.Paragraph("", "11111 22222 33333 44444 55555")})
	want := []string{"1: 50,246 11111", "1: 130,66 22222 33333 44444", "1: 130,86 55555"}
	for i, at := range want {
		if got[9+i] != at {
			t.Errorf("got %q, want %q", got[9+i], at)
		}
	}
}

// A line that is the first of its column has no room above it, and one that is
// moved there loses it.
func TestProportionalSpacingIsLostAtTheTopOfAColumn(t *testing.T) {
	t.Parallel()
	got := sheetOf(t, lines("a b c d e f g h")+brokenParagraph(`<w:spacing w:line="480" w:lineRule="auto"/>`, "p q r s"))
	// Two lines of 11.35 and 22.7 fit into the 40 points that are left.
	rendertest.Near(t, "the second line", got.text(t, "q").top, 50+160+11.35+11.35+8.35, 0.02)
	next := pages(t, rendertest.Docx{Body: lines("a b c d e f g h") + brokenParagraph(`<w:spacing w:line="480" w:lineRule="auto"/>`, "p q r s")})[1]
	rendertest.Near(t, "the first line of the next page", next.text(t, "r").top, 58.35, 0.02)
	rendertest.Near(t, "the line below it", next.text(t, "s").top, 58.35+22.7, 0.02)
}

func TestLinesStandBetweenColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns, body string
		want          []mark
	}{
		"down to the lowest text":   {`<w:cols w:num="2" w:space="800" w:sep="1"/>`, lines("a b c"), []mark{drawnLine(150, 50, 150, 110, 0.5)}},
		"of any column":             {`<w:cols w:num="2" w:space="800" w:sep="1"/>`, paragraphOf("", run("", "a")+columnBreak) + brokenParagraph("", "b c"), []mark{drawnLine(150, 50, 150, 90, 0.5)}},
		"the space below it counts": {`<w:cols w:num="2" w:space="800" w:sep="1"/>`, linesOf(`<w:spacing w:after="200"/>`, "a"), []mark{drawnLine(150, 50, 150, 80, 0.5)}},
		"one fewer than columns":    {`<w:cols w:num="3" w:space="400" w:sep="1"/>`, lines("a"), []mark{drawnLine(50+160.0/3+10, 50, 50+160.0/3+10, 70, 0.5), drawnLine(50+320.0/3+30, 50, 50+320.0/3+30, 70, 0.5)}},
		"unless they are not asked": {twoColumns, lines("a b c"), nil},
		"nor between one":           {`<w:cols w:num="1" w:sep="1"/>`, lines("a b c"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, pages(t, rendertest.Docx{Body: c.body, Section: c.columns})[0].all("line"), c.want...)
		})
	}
}

func TestEachPageHasItsColumnLines(t *testing.T) {
	t.Parallel()
	columns := `<w:cols w:num="2" w:space="800" w:sep="1"/>`
	all := pages(t, rendertest.Docx{Body: lines(ten + " k l m n o p q r s t u"), Section: columns})
	wantMarks(t, all[0].all("line"), drawnLine(150, 50, 150, 250, 0.5))
	wantMarks(t, all[1].all("line"), drawnLine(150, 50, 150, 70, 0.5))
}

func TestColumnsBeforeAContinuousSectionAreEquallyLong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"an even number of lines": {"a b c d", []string{"1: 50,66 a", "1: 50,86 b", "1: 170,66 c", "1: 170,86 d", "1: 50,106 below"}},
		"an odd one":              {"a b c", []string{"1: 50,66 a", "1: 50,86 b", "1: 170,66 c", "1: 50,106 below"}},
		"one line":                {"a", []string{"1: 50,66 a", "1: 50,86 below"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: lines(c.text) + sectionEnd(twoColumns) + lines("below"), Section: continuous}, c.want...)
		})
	}
}

func TestColumnsOfAContinuousSectionAreEquallyLong(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: lines("above") + sectionEnd("") + lines("a b c d") + sectionEnd(continuous+twoColumns) + lines("e"), Section: continuous},
		"1: 50,66 above", "1: 50,86 a", "1: 50,106 b", "1: 170,86 c", "1: 170,106 d", "1: 50,126 e")
}

func TestColumnsAreNotBalanced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body, section string
		want          []string
	}{
		"before a section on a new page":  {lines("a b") + sectionEnd(twoColumns) + lines("next"), "", []string{"1: 50,66 a", "1: 50,86 b", "2: 50,66 next"}},
		"at the end of the document":      {lines("a b"), twoColumns, []string{"1: 50,66 a", "1: 50,86 b"}},
		"in a first continuous section":   {lines("a b"), continuous + twoColumns, []string{"1: 50,66 a", "1: 50,86 b"}},
		"where their author set the ends": {paragraphOf("", run("", "a")+columnBreak+run("", "b")) + lines("c d") + sectionEnd(twoColumns) + lines("below"), continuous, []string{"1: 50,66 a", "1: 170,66 b", "1: 170,86 c", "1: 170,106 d", "1: 50,126 below"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: c.body, Section: c.section}, c.want...)
		})
	}
}

// Word makes columns equally long where a continuous section follows (ECMA-376 part 1, 17.6.22),
// unless noColumnBalance is set (17.15.3).
func TestColumnsThatGoOnOverPagesAreEquallyLongOnTheLast(t *testing.T) {
	t.Parallel()
	const twenty = ten + " k l m n o p q r s t"
	const pageBreak = `<w:r><w:br w:type="page"/></w:r>`
	balanced := []string{"2: 50,66 u", "2: 50,86 v", "2: 170,66 w", "2: 170,86 x", "2: 50,106 below"}
	loose := []string{"2: 50,66 u", "2: 50,86 v", "2: 50,106 w", "2: 50,126 x", "2: 50,146 below"}
	for name, c := range map[string]struct {
		settings, body string
		want           []string
	}{
		"paragraphs":                  {"", lines(twenty + " u v w x"), balanced},
		"lines of one paragraph":      {"", brokenParagraph("", twenty+" u v w x"), balanced},
		"lines of the last":           {"", lines("a b c") + brokenParagraph("", "d e f g h i j k l m n o p q r s t u v w x"), balanced},
		"behind a page break":         {"", lines("a b") + paragraphOf("", pageBreak+run("", "u")) + lines("v w x"), balanced},
		"over three pages":            {"", lines(strings.Repeat(twenty+" ", 2) + "u v w x"), []string{"3: 50,66 u", "3: 50,86 v", "3: 170,66 w", "3: 170,86 x", "3: 50,106 below"}},
		"rows of a table":             {"", borderedTable("", strings.Split(cell("", strings.Join(strings.Fields(twenty+" u v w x"), `</w:t></w:r></w:p></w:tc>|<w:tc><w:tcPr></w:tcPr><w:p><w:pPr></w:pPr><w:r><w:t xml:space="preserve">`)), "|")...), balanced},
		"not where the file says so":  {`<w:compat><w:noColumnBalance/></w:compat>`, lines(twenty + " u v w x"), loose},
		"nor where their author does": {"", lines(twenty+" u v") + paragraphOf("", run("", "w")+columnBreak+run("", "x")), []string{"2: 50,66 u", "2: 50,86 v", "2: 50,106 w", "2: 170,66 x", "2: 50,126 below"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := places(t, rendertest.Docx{Settings: c.settings, Body: c.body + sectionEnd(twoColumns) + lines("below"), Section: continuous})
			if got = got[max(0, len(got)-5):]; !slices.Equal(got, c.want) {
				t.Errorf("got %q at the end, want %q", got, c.want)
			}
		})
	}
}

// Drawings of the page stay in their order where columns are filled several times.
func TestDrawingsBehindBalancedColumnsAreDrawnOnceInTheirOrder(t *testing.T) {
	t.Parallel()
	at := func(z, x string, color string) string {
		return drawnShape{w: 10, h: 10, fromX: "page", fromY: "page", attributes: `behindDoc="1" relativeHeight="` + z + `"`, look: rendertest.Rectangle + strings.Replace(rendertest.Blue, "0000FF", color, 1)}.run() + x
	}
	body := paragraphOf("", at("5", "", "FF0000")+at("6", "", "FF0000")+at("7", run("", "above"), "FF0000")) + sectionEnd("") + paragraphOf("", at("3", run("", "a"), "0000FF")) + lines("b c d") + sectionEnd(continuous+twoColumns) + lines("below")
	got := pages(t, rendertest.Docx{Body: body, Section: continuous})[0].all("area")
	above := filledArea(0, 0, 10, 10, red)
	wantMarks(t, got, filledArea(0, 0, 10, 10, blue), above, above, above)
}

func TestNotesOfBalancedColumnsStandOnce(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: paragraphOf("", run("", "a")+noteReference) + lines("b") + sectionEnd(twoColumns) + lines("below"), Section: continuous, Parts: note(lines("note"))})
	count := 0
	for _, m := range all[0].all("text") {
		if m.text == "note" {
			count++
		}
	}
	if count != 1 {
		t.Errorf("the note is drawn %d times, want once", count)
	}
}

func TestABreakIsCarriedOutOnceBeforeAColumnOfAnotherWidth(t *testing.T) {
	t.Parallel()
	columns := `<w:cols w:num="2" w:equalWidth="0"><w:col w:w="1200" w:space="400"/><w:col w:w="2400"/></w:cols>`
	wantPlaces(t, rendertest.Docx{Section: columns, Body: lines("a") + paragraphOf("", columnBreak+run("", "11111 22222 33333"))},
		"1: 50,66 a", "1: 130,66 11111 22222 33333")
}

func TestAHeadingThatMovesWithItsTextIsAsWideAsItsNewColumn(t *testing.T) {
	t.Parallel()
	columns := `<w:cols w:num="2" w:equalWidth="0"><w:col w:w="1200" w:space="400"/><w:col w:w="2400"/></w:cols>`
	got := places(t, rendertest.Docx{Section: columns, Body: lines("a b c d e f g h i") + rendertest.Paragraph(keepNext, "11111 22222 33333") + lines("t")})
	if want := []string{"1: 130,66 11111 22222 33333", "1: 130,86 t"}; !slices.Equal(got[9:], want) {
		t.Errorf("got %q, want %q", got[9:], want)
	}
}

// As LibreOffice has it: the columns of a section that begins on the page stand below
// the space above its first paragraph.
func TestSpaceAboveASectionStandsAboveAllItsColumns(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: lines("a") + sectionEnd("") + linesOf(`<w:spacing w:before="400"/>`, "b") + lines("c d e") + sectionEnd(continuous+twoColumns) + lines("f"), Section: continuous},
		"1: 50,66 a", "1: 50,106 b", "1: 50,126 c", "1: 170,106 d", "1: 170,126 e", "1: 50,146 f")
}

// Nothing follows the last section, so that Word and LibreOffice fill its first column.
func TestColumnsOfTheLastSectionAreFilledOneByOne(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: lines("a") + sectionEnd("") + lines("b c d e"), Section: continuous + twoColumns},
		"1: 50,66 a", "1: 50,86 b", "1: 50,106 c", "1: 50,126 d", "1: 50,146 e")
}

// As between any two paragraphs, the larger one of both rooms counts.
func TestARoomBelowASectionCountsForTheRoomAboveTheNext(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{"200": "1: 50,106 b", "400": "1: 50,106 b", "600": "1: 50,116 b"} {
		d := rendertest.Docx{Body: linesOf(`<w:spacing w:after="400"/>`, "a") + sectionEnd("") + linesOf(`<w:spacing w:before="`+before+`"/>`, "b"), Section: continuous}
		wantPlaces(t, d, "1: 50,66 a", want)
		d.Section += twoColumns
		wantPlaces(t, d, "1: 50,66 a", want)
	}
}
