package docs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/opc"
)

// places writes where the elements of a segment begin and end, the rows and
// cells of tables in them.
func places(content []*gdocs.StructuralElement) string {
	var all []string
	for _, e := range content {
		place := fmt.Sprintf("%d-%d", e.StartIndex, e.EndIndex)
		if e.Table != nil {
			for _, r := range e.Table.TableRows {
				place += fmt.Sprintf(" row %d-%d", r.StartIndex, r.EndIndex)
				for _, c := range r.TableCells {
					place += fmt.Sprintf(" cell %d-%d(%s)", c.StartIndex, c.EndIndex, places(c.Content))
				}
			}
		}
		all = append(all, place)
	}
	return strings.Join(all, ", ")
}

// Google's guide to the structure of a document: a paragraph takes its text and
// a line feed, a table one unit for its beginning, one for each row and each
// cell, and one for its end; the body begins with a section break.
func TestIndexesCountWhatGoogleCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, want string }{
		"nothing":            {`<w:p/>`, "0-1, 1-2"},
		"two paragraphs":     {para("ab") + para("c"), "0-1, 1-4, 4-6"},
		"two units for one":  {para("𝄞a") + `<w:p/>`, "0-1, 1-5, 5-6"},
		"a table of one":     {tableXML([]string{`<w:p/>`}) + `<w:p/>`, "0-1, 1-6 row 2-5 cell 3-5(4-5), 6-7"},
		"a table of four":    {tableXML([]string{para("a"), para("b")}, []string{para("c"), para("d")}) + `<w:p/>`, "0-1, 1-17 row 2-9 cell 3-6(4-6) cell 6-9(7-9) row 9-16 cell 10-13(11-13) cell 13-16(14-16), 17-18"},
		"a table in a table": {tableXML([]string{tableXML([]string{`<w:p/>`}) + `<w:p/>`}) + `<w:p/>`, "0-1, 1-11 row 2-10 cell 3-10(4-9 row 5-8 cell 6-8(7-8), 9-10), 11-12"},
		"two in a cell":      {tableXML([]string{para("a") + para("bc")}) + `<w:p/>`, "0-1, 1-10 row 2-9 cell 3-9(4-6, 6-9), 10-11"},
		"a picture":          {`<w:p><w:r><w:drawing><wp:inline/></w:drawing></w:r></w:p>`, "0-1, 1-3"},
		"a section":          {`<w:p><w:pPr><w:sectPr/></w:pPr></w:p><w:p/>`, "0-1, 1-2, 2-3, 3-4"},
		"text of a deletion": {`<w:p><w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>`, "0-1, 1-2"},
	} {
		if got := places(get(t, docx(t, c.body)).Body.Content); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestHeadersAndNotesBeginAtZeroWithoutASectionBreak(t *testing.T) {
	t.Parallel()
	doc := get(t, docxWith(t, para("a"), map[string]string{
		"endnotes": `<w:endnotes` + namespaces + `><w:endnote w:type="continuationSeparator" w:id="0"><w:p/></w:endnote><w:endnote w:id="3">` + para("End") + `</w:endnote></w:endnotes>`,
		"footer7":  `<w:ftr` + namespaces + `>` + tableXML([]string{`<w:p/>`}) + `<w:p/></w:ftr>`,
	}))
	for id, want := range map[string]string{"kix.footnote2": "0-14", "kix.endnote3": "0-4"} {
		if got := places(doc.Footnotes[id].Content); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	if got, want := places(doc.Headers["kix.header1"].Content), "0-14"; got != want {
		t.Errorf("header: got %s, want %s", got, want)
	}
	if got, want := places(doc.Footers["kix.footer7"].Content), "0-5 row 1-4 cell 2-4(3-4), 5-6"; got != want {
		t.Errorf("footer: got %s, want %s", got, want)
	}
	if len(doc.Footnotes) != 2 {
		t.Errorf("got %d notes, want 2: separators are none", len(doc.Footnotes))
	}
	for id, h := range doc.Headers {
		if h.HeaderId != id {
			t.Errorf("the header %s says that it is %s", id, h.HeaderId)
		}
	}
	if doc.Footers["kix.footer7"].FooterId != "kix.footer7" || doc.Footnotes["kix.endnote3"].FootnoteId != "kix.endnote3" {
		t.Errorf("got a footer %q and a note %q", doc.Footers["kix.footer7"].FooterId, doc.Footnotes["kix.endnote3"].FootnoteId)
	}
}

// What may stand between a container and its blocks: content controls (ECMA-376
// part 1, 17.5.2), custom XML (17.5.1) and tracked insertions and moves (17.13.5).
func TestParagraphsRowsAndCellsAreFoundInWhatWrapsThem(t *testing.T) {
	t.Parallel()
	wrap := func(tag, inner string) string { return `<w:` + tag + `>` + inner + `</w:` + tag + `>` }
	cell := func(text string) string { return wrap("tc", para(text)) }
	for name, c := range map[string]struct{ body, want string }{
		"a control in a control":  {wrap("sdt", wrap("sdtContent", wrap("sdt", wrap("sdtContent", para("a")))+para("b"))), "§a¶b¶"},
		"custom XML":              {wrap("customXml", wrap("smartTag", para("a"))), "§a¶"},
		"an insertion":            {wrap("ins", para("a")) + wrap("moveTo", para("b")), "§a¶b¶"},
		"a row":                   {wrap("tbl", wrap("sdt", wrap("sdtContent", wrap("tr", cell("a"))))+wrap("ins", wrap("tr", cell("b")))) + `<w:p/>`, "§[|a¶/|b¶/]¶"},
		"a cell":                  {wrap("tbl", wrap("tr", wrap("customXml", cell("a"))+wrap("moveTo", cell("b")))) + `<w:p/>`, "§[|a¶|b¶/]¶"},
		"a table":                 {wrap("sdt", wrap("sdtContent", wrap("tbl", wrap("tr", cell("a"))))) + `<w:p/>`, "§[|a¶/]¶"},
		"not what is deleted":     {wrap("del", para("a")) + wrap("moveFrom", para("b")) + para("c"), "§c¶"},
		"not marks between":       {`<w:bookmarkStart w:id="1" w:name="x"/>` + para("a") + `<w:bookmarkEnd w:id="1"/><w:proofErr/>`, "§a¶"},
		"not of other vocabulary": {`<m:oMathPara><m:p/></m:oMathPara>` + para("a"), "§a¶"},
		"a section in a table":    {wrap("tbl", wrap("tr", wrap("tc", `<w:p><w:pPr><w:sectPr/></w:pPr></w:p>`))) + para("a"), "§[|¶/]a¶"},
	} {
		if got := outline(get(t, docx(t, c.body)).Body.Content); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestTablesDeeperThanTheLimitAreLeftOut(t *testing.T) {
	t.Parallel()
	body := `<w:p/>`
	for range maxNesting + 5 {
		body = tableXML([]string{body}) + `<w:p/>`
	}
	got := outline(get(t, docx(t, body)).Body.Content)
	if n := strings.Count(got, "["); n != maxNesting {
		t.Errorf("got tables %d deep, want %d", n, maxNesting)
	}
}

// A box that is there for new and for old programs is one; a box in a box is
// another (ECMA-376 part 3, 10.2.1; part 1, 20.4.2.38).
func TestTextBoxesAreCountedThroughAllStories(t *testing.T) {
	t.Parallel()
	box := func(inner string) string {
		return `<w:p><w:r><w:drawing><wp:anchor><w:txbxContent>` + inner + `</w:txbxContent></wp:anchor></w:drawing></w:r></w:p>`
	}
	doc := get(t, docxWith(t, box(para("one")+box(para("in"))), map[string]string{
		"header1":   `<w:hdr` + namespaces + `>` + box(para("head")) + `</w:hdr>`,
		"footnotes": `<w:footnotes` + namespaces + `/>`,
	}))
	got := map[string]string{}
	for id, n := range doc.Footnotes {
		got[id] = outline(n.Content)
	}
	want := map[string]string{"kix.textbox1": "one¶¶", "kix.textbox2": "in¶", "kix.textbox3": "head¶"}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSectionPropertiesBelongToTheBreakBeforeTheirText(t *testing.T) {
	t.Parallel()
	// In a file they stand at the end of a section's text (ECMA-376 part 1,
	// 17.6.18), in Google's form at its beginning.
	size := func(width string) string { return `<w:sectPr><w:pgMar w:left="` + width + `"/></w:sectPr>` }
	d := docxWith(t, `<w:p><w:pPr>`+size("20")+`</w:pPr></w:p><w:p><w:pPr>`+size("40")+`</w:pPr></w:p>`+para("last")+size("60"), nil)
	var got []float64
	for _, e := range get(t, d).Body.Content {
		if e.SectionBreak != nil {
			got = append(got, e.SectionBreak.SectionStyle.MarginLeft.Magnitude)
		}
	}
	if want := []float64{1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("got left margins of %v points, want %v", got, want)
	}
}

func TestADocumentWithoutABodyIsNoDocument(t *testing.T) {
	t.Parallel()
	p, err := opc.ReadPackage(pack(t, `<w:document`+namespaces+`/>`, nil))
	if err != nil {
		t.Fatal(err)
	}
	_, err = segments(p)
	if fault, ok := errors.AsType[*opc.FormatError](err); !ok || !strings.Contains(fault.Error(), "no body") {
		t.Errorf("got %v, want a FormatError", err)
	}
}

func TestStoriesAreNamedAfterTheirParts(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		"word/header1.xml": "kix.header1", "word/sub/footer12.xml": "kix.footer12", "word/head.er.xml": "kix.head.er", "header": "kix.header",
	} {
		if got := storyID(part); got != want {
			t.Errorf("%s: got %s, want %s", part, got, want)
		}
	}
	if got := noteID("endnote", "7"); got != "kix.endnote7" {
		t.Errorf("got %s", got)
	}
}

func TestTheEndOfASegmentIsBehindItsLastLineFeed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		xml  string
		want int64
	}{
		"nothing":    {`<w:hdr xmlns:w="w"/>`, 0},
		"a text":     {`<w:hdr xmlns:w="w">` + para("abc") + `</w:hdr>`, 4},
		"paragraphs": {`<w:hdr xmlns:w="w">` + para("abc") + `<w:p/></w:hdr>`, 5},
	} {
		if got := storySegment("id", "part", element(t, c.xml)).end(); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}
