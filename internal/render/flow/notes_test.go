package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// The text area ends at 250. A note of one line takes 20 points, and the line
// above it 3 on either side.
func TestANoteStandsBelowALineAtTheFootOfThePage(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: paragraphOf("", run("", "text")+noteReference), Parts: note(lines("note"))}
	wantPlaces(t, d, "1: 50,66 text", "1: 74,66 1", "1: 50,246 note")
	// The line is 144 points long, two inches.
	wantMarks(t, pages(t, d)[0].all("line"), drawnLine(50, 227, 194, 227, 0.5))
}

func TestTheLineAboveNotesIsNoLongerThanTheText(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: paragraphOf("", run("", "text")+noteReference), Parts: note(lines("note")), Section: `<w:pgSz w:w="4000" w:h="6000"/>`}
	wantMarks(t, pages(t, d)[0].all("line"), drawnLine(50, 227, 150, 227, 0.5))
}

func TestNotesStandOneBelowTheOtherWithOneLineAbove(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: paragraphOf("", run("", "one")+`<w:r><w:footnoteReference w:id="2"/></w:r>`) + paragraphOf("", run("", "two")+`<w:r><w:footnoteReference w:id="3"/></w:r>`),
		Parts: map[string]string{"footnotes.xml": `<w:footnote w:id="2">` + lines("first") + `</w:footnote><w:footnote w:id="3">` + brokenParagraph("", "second more") + `</w:footnote>`}}
	wantPlaces(t, d, "1: 50,66 one", "1: 68,66 1", "1: 50,86 two", "1: 68,86 2", "1: 50,206 first", "1: 50,226 second", "1: 50,246 more")
	wantMarks(t, pages(t, d)[0].all("line"), drawnLine(50, 187, 194, 187, 0.5))
}

func TestNotesOfOneLineStandInTheirOrder(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: paragraphOf("", run("", "a")+`<w:r><w:footnoteReference w:id="2"/></w:r>`+run("", "b")+`<w:r><w:footnoteReference w:id="3"/></w:r>`),
		Parts: map[string]string{"footnotes.xml": `<w:footnote w:id="3">` + lines("second") + `</w:footnote><w:footnote w:id="2">` + lines("first") + `</w:footnote>`}}
	wantPlaces(t, d, "1: 50,66 a", "1: 56,66 1", "1: 62,66 b", "1: 68,66 2", "1: 50,226 first", "1: 50,246 second")
}

func TestNotesTakeTheRoomOfLines(t *testing.T) {
	t.Parallel()
	reference := func(text string) string { return paragraphOf("", run("", text)+noteReference) }
	for name, c := range map[string]struct{ body, want string }{
		"eight lines leave room for a note": {reference("a") + lines("b c d e f g h i"), "a 1 b c d e f g h note | i"},
		"a line moves with its note":        {lines("a b c d e f g h") + reference("i"), "a b c d e f g h | i 1 note"},
		"the eighth stays with its note":    {lines("a b c d e f g") + reference("h") + lines("i"), "a b c d e f g h 1 note | i"},
		"in a row of a table":               {lines("a b c d e f g h") + tableOf(rowOf(`<w:cantSplit/>`, reference("i"))), "a b c d e f g h | i 1 note"},
		"which stays where both fit":        {lines("a b c d e f g") + tableOf(rowOf("", reference("h")), rowOf("", lines("i"))), "a b c d e f g h 1 note | i"},
		"a heading counts it, too":          {lines("a b c d e f g") + linesOf(keepNext, "H") + reference("i"), "a b c d e f g H | i 1 note"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: c.body, Parts: note(lines("note"))}, c.want)
		})
	}
}

func TestANoteThatIsNotThereIsPassedOver(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: paragraphOf("", run("", "text")+noteReference)}
	wantPlaces(t, d, "1: 50,66 text", "1: 74,66 1")
	if got := pages(t, d)[0].all("line"); len(got) != 0 {
		t.Errorf("got %s, want no line above no notes", formatMarks(got))
	}
}

func TestANoteShowsItsNumber(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: paragraphOf("", run("", "text")+noteReference), Parts: note(paragraphOf("", `<w:r><w:footnoteRef/></w:r>`+run("", "note")))}
	wantPlaces(t, d, "1: 50,66 text", "1: 74,66 1", "1: 50,246 1", "1: 56,246 note")
}

// Endnotes follow the text: 3 points below it a line, and 3 below that the first.
func TestEndnotesFollowTheTextInTheOrderOfTheirReferences(t *testing.T) {
	t.Parallel()
	reference := func(id string) string { return `<w:r><w:endnoteReference w:id="` + id + `"/></w:r>` }
	d := rendertest.Docx{Body: paragraphOf(`<w:spacing w:after="200"/>`, run("", "a")+reference("3")+run("", "b")+reference("2")),
		Parts: map[string]string{"endnotes.xml": `<w:endnote w:id="2">` + lines("second") + `</w:endnote><w:endnote w:id="3">` + lines("first") + `</w:endnote><w:endnote w:id="4">` + lines("unused") + `</w:endnote>`}}
	wantPlaces(t, d, "1: 50,66 a", "1: 56,66 i", "1: 62,66 b", "1: 68,66 ii", "1: 50,102 first", "1: 50,122 second")
	wantMarks(t, pages(t, d)[0].all("line"), drawnLine(50, 83, 194, 83, 0.5))
}

func TestEndnotesGoOnOverPages(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: lines("a b c d e f g h") + paragraphOf("", run("", "i")+`<w:r><w:endnoteReference w:id="2"/></w:r>`),
		Parts: map[string]string{"endnotes.xml": `<w:endnote w:id="2">` + lines("note") + `</w:endnote>`}}
	wantPages(t, d, "a b c d e f g h i i | note")
}

func TestNoLineStandsAboveNoEndnotes(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: lines("text"), Parts: map[string]string{"endnotes.xml": `<w:endnote w:id="2">` + lines("unused") + `</w:endnote>`}}
	wantPlaces(t, d, "1: 50,66 text")
	if got := pages(t, d)[0].all("line"); len(got) != 0 {
		t.Errorf("got %s, want none", formatMarks(got))
	}
}

func TestANoteLongerThanAPageEnds(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: paragraphOf("", run("", "text")+noteReference) + lines("end"), Parts: note(lines(strings.Repeat("note ", 30)))})
	if len(all) > 3 {
		t.Errorf("got %d pages, want 3 at most", len(all))
	}
}

// How notes are numbered: ECMA-376 part 1, 17.11.17 to 17.11.20.
func TestNotesAreNumberedAsTheFileSays(t *testing.T) {
	t.Parallel()
	reference := func(id string) string {
		return paragraphOf("", run("", "t")+`<w:r><w:footnoteReference w:id="`+id+`"/></w:r>`)
	}
	break1 := `<w:p><w:pPr><w:sectPr>SECTION<w:pgSz w:w="6000" w:h="6000"/><w:pgMar w:top="1000" w:left="1000" w:right="1000" w:bottom="1000"/></w:sectPr></w:pPr></w:p>`
	var parts strings.Builder
	for _, id := range []string{"2", "3", "4", "5"} {
		parts.WriteString(`<w:footnote w:id="` + id + `"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>n</w:t></w:r></w:p></w:footnote>`)
	}
	pageBefore := strings.Replace(reference("4"), "<w:p>", "<w:p><w:pPr><w:pageBreakBefore/></w:pPr>", 1)
	pageBefore = strings.Replace(pageBefore, "<w:pPr></w:pPr>", "", 1)
	for name, c := range map[string]struct{ settings, body, section, want string }{
		"by the settings":     {`<w:footnotePr><w:numFmt w:val="upperRoman"/><w:numStart w:val="4"/></w:footnotePr>`, reference("2") + reference("3"), "", "t IV t V IV n V n"},
		"by the section":      {`<w:footnotePr><w:numFmt w:val="upperRoman"/></w:footnotePr>`, reference("2"), `<w:footnotePr><w:numFmt w:val="lowerLetter"/></w:footnotePr>`, "t a a n"},
		"from each section":   {`<w:footnotePr><w:numRestart w:val="eachSect"/></w:footnotePr>`, reference("2") + reference("3") + strings.Replace(break1, "SECTION", "", 1) + reference("4"), "", "t 1 t 2 1 n 2 n | t 1 1 n"},
		"in a section's form": {"", reference("2") + strings.Replace(break1, "SECTION", `<w:footnotePr><w:numFmt w:val="hebrew1"/></w:footnotePr>`, 1) + reference("3"), "", "t א א n | t 2 2 n"},
		"from each page":      {`<w:footnotePr><w:numRestart w:val="eachPage"/></w:footnotePr>`, reference("2") + reference("3") + pageBefore + reference("5"), "", "t 1 t 2 1 n 2 n | t 1 t 2 1 n 2 n"},
		"through all of it":   {"", reference("2") + reference("3") + pageBefore + reference("5"), "", "t 1 t 2 1 n 2 n | t 3 t 4 3 n 4 n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := rendertest.Docx{Body: c.body, Settings: c.settings, Section: c.section, Parts: map[string]string{"footnotes.xml": parts.String()}}
			wantPages(t, d, c.want)
		})
	}
}

func TestListsAndPagesCountInTheirFormat(t *testing.T) {
	t.Parallel()
	item := func(language string) string {
		return `<w:p><w:pPr>` + inList + `<w:rPr><w:lang w:val="` + language + `"/></w:rPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`
	}
	for format, c := range map[string]struct {
		want string
		lost int
	}{
		`<w:numFmt w:val="cardinalText"/>`: {"One. x Two. x Drei. x Four", 0}, `<w:numFmt w:val="ordinalText"/>`: {"First. x Second. x Dritte. x Fourth", 0},
		`<w:numFmt w:val="ordinal"/>`: {"1st. x 2nd. x 3.. x 4th", 0}, `<w:numFmt w:val="custom" w:format="001, 002, ..."/>`: {"001. x 002. x 003. x 004", 0},
		`<w:numFmt w:val="unheard"/>`: {"1. x 2. x 3. x 4", 1},
	} {
		parts := map[string]string{"numbering.xml": strings.Replace(numbering("")["numbering.xml"], `<w:numFmt w:val="decimal"/>`, format, 1),
			"footer1.xml": `<w:p><w:fldSimple w:instr=" PAGE "><w:r><w:t>9</w:t></w:r></w:fldSimple></w:p>`}
		pageFormat := strings.NewReplacer(`<w:numFmt w:val=`, `<w:pgNumType w:start="4" w:fmt=`).Replace(format)
		d := rendertest.Docx{Body: item("en-US") + item("en-US") + item("de-DE"), Parts: parts, Section: `<w:footerReference w:type="default" r:id="footer1"/>` + pageFormat}
		wantPages(t, d, c.want)
		if _, findings := rendered(t, d); len(findings) != c.lost {
			t.Errorf("%s: got the findings %v, want %d", format, findings, c.lost)
		}
	}
}
