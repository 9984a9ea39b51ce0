package docs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestGetShowsEveryKindOfContent(t *testing.T) {
	t.Parallel()
	field := `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
	cases := []struct{ name, body, want string }{
		{"text of several runs", `<w:p><w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r></w:p>` + para("𝒳y"), "§ab¶𝒳y¶"},
		{"tabs and breaks", `<w:p><w:r><w:t>a</w:t><w:tab/><w:br/><w:t>b</w:t><w:br w:type="page"/></w:r></w:p>`, "§a\t\vb<page>¶"},
		{"page numbers and notes", `<w:p>` + field + `<w:fldSimple w:instr="NUMPAGES"><w:r><w:t>3</w:t></w:r></w:fldSimple><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`, "§<PAGE_NUMBER><PAGE_COUNT><note>¶"},
		{"objects", `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="12700" cy="25400"/></wp:inline></w:drawing><w:drawing><wp:anchor/></w:drawing></w:r><m:oMath/></w:p>`, "§<object><equation>¶"},
		{"tables in tables", tableXML([]string{para("a"), tableXML([]string{para("b")}) + `<w:p/>`}, []string{para("c")}) + para("end"), "§[|a¶|[|b¶/]¶/|c¶|¶/]end¶"},
		{"sections", `<w:p><w:pPr><w:sectPr/></w:pPr></w:p>` + para("two"), "§¶§two¶"},
		{"content controls", `<w:sdt><w:sdtContent>` + para("in") + `</w:sdtContent></w:sdt>`, "§in¶"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := get(t, docx(t, c.body))
			if got := outline(doc.Body.Content); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := outline(doc.Headers["kix.header1"].Content); got != "Head {{Name}}¶" {
				t.Errorf("header: got %q", got)
			}
			if got := outline(doc.Footnotes["kix.footnote2"].Content); len(doc.Footnotes) != 1 || got != "Note {{Name}}¶" {
				t.Errorf("footnotes: got %d, %q", len(doc.Footnotes), got)
			}
		})
	}
}

func TestGetShowsTextBoxesAmongTheFootnotes(t *testing.T) {
	t.Parallel()
	box := func(text string) string { return `<w:txbxContent>` + para(text) + `</w:txbxContent>` }
	d := docx(t, `<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps"><w:drawing><wp:anchor>`+
		box("{{Name}}")+`</wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict>`+box("{{Name}}")+`</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`)
	doc := get(t, d)
	if got := outline(doc.Footnotes["kix.textbox1"].Content); got != "{{Name}}¶" || len(doc.Footnotes) != 2 {
		t.Errorf("got %q among %d footnotes, want the text box once", got, len(doc.Footnotes))
	}
	insert := &gdocs.Request{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{SegmentId: "kix.textbox1"}, Text: "x"}}
	if _, err := Apply(d, "id", []*gdocs.Request{insert}); err == nil || !strings.Contains(err.Error(), "only replaceAllText") {
		t.Errorf("insertText into a text box: got %v, want a refusal", err)
	}
}

func TestGetShowsStyles(t *testing.T) {
	t.Parallel()
	doc := get(t, docx(t, `<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:b/><w:color w:val="FF0000"/><w:sz w:val="48"/></w:rPr><w:t>Big</w:t></w:r><w:hyperlink r:id="l"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>`))
	p := doc.Body.Content[1].Paragraph
	if got := p.ParagraphStyle.Alignment; got != "CENTER" {
		t.Errorf("alignment %q, want CENTER", got)
	}
	big := p.Elements[0].TextRun.TextStyle
	if !big.Bold || big.FontSize.Magnitude != 24 || big.ForegroundColor.Color.RgbColor.Red != 1 {
		t.Errorf("first run: %+v", big)
	}
	if link := p.Elements[1].TextRun; link.Content != "link" || link.TextStyle.Link == nil || link.TextStyle.Link.Url != "https://example.com/" {
		t.Errorf("link: %+v", link)
	}
	if size := doc.DocumentStyle.PageSize; size.Width.Magnitude != 595.3 {
		t.Errorf("page width %v, want 595.3", size.Width.Magnitude)
	}
	if doc.DocumentStyle.DefaultHeaderId != "kix.header1" {
		t.Errorf("default header %q, want kix.header1", doc.DocumentStyle.DefaultHeaderId)
	}
}

func TestApplyEditsByIndex(t *testing.T) {
	t.Parallel()
	insert := func(at int64, text string) *gdocs.Request {
		return &gdocs.Request{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: at}, Text: text}}
	}
	remove := func(from, to int64) *gdocs.Request {
		return &gdocs.Request{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: &gdocs.Range{StartIndex: from, EndIndex: to}}}
	}
	row := func(table, row int64) *gdocs.TableCellLocation {
		return &gdocs.TableCellLocation{TableStartLocation: &gdocs.Location{Index: table}, RowIndex: row}
	}
	three := para("ab") + para("cd") + para("ef")
	cases := []struct {
		name, body string
		requests   []*gdocs.Request
		want       string
	}{
		{"insert", para("ab"), []*gdocs.Request{insert(1, "1"), insert(3, "2"), insert(5, "3")}, "§1a2b3¶"},
		{"insert behind a character of two units", para("𝒳b"), []*gdocs.Request{insert(3, "-")}, "§𝒳-b¶"},
		{"insert paragraphs", para("ab"), []*gdocs.Request{insert(2, "1\n2\v\t"), insert(4, "x")}, "§a1¶x2\v\tb¶"},
		{"insert into a cell", tableXML([]string{`<w:p/>`, `<w:p/>`}) + para("z"), []*gdocs.Request{insert(6, "two"), insert(4, "one")}, "§[|one¶|two¶/]z¶"},
		{"insert at the end", para("a"), []*gdocs.Request{{InsertText: &gdocs.InsertTextRequest{EndOfSegmentLocation: &gdocs.EndOfSegmentLocation{}, Text: "z"}}}, "§az¶"},
		{"delete text", para("abcd"), []*gdocs.Request{remove(2, 4)}, "§ad¶"},
		{"delete a page number", `<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>1</w:t><w:fldChar w:fldCharType="end"/><w:t>x</w:t></w:r></w:p>`, []*gdocs.Request{remove(1, 2)}, "§x¶"},
		{"join paragraphs", three, []*gdocs.Request{remove(2, 8)}, "§af¶"},
		{"delete a line feed", three, []*gdocs.Request{remove(3, 4)}, "§abcd¶ef¶"},
		{"delete whole paragraphs", three, []*gdocs.Request{remove(1, 7)}, "§ef¶"},
		{"delete a table", para("a") + tableXML([]string{para("x")}) + para("b"), []*gdocs.Request{remove(3, 9)}, "§a¶b¶"},
		{"page break", para("ab"), []*gdocs.Request{{InsertPageBreak: &gdocs.InsertPageBreakRequest{Location: &gdocs.Location{Index: 2}}}}, "§a<page>¶b¶"},
		{"rows", tableXML([]string{para("a"), para("b")}) + para("z"), []*gdocs.Request{
			{InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: row(1, 0), InsertBelow: true}},
			insert(11, "n"),
			{DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: row(1, 0)}},
		}, "§[|n¶|¶/]z¶"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := docx(t, c.body)
			if _, err := Apply(d, "id", c.requests); err != nil {
				t.Fatalf("Apply: %v", err)
			}
			if got := outline(get(t, reread(t, d)).Body.Content); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestApplyEditsHeadersAndNotes(t *testing.T) {
	t.Parallel()
	d := docx(t, para("a"))
	_, err := Apply(d, "id", []*gdocs.Request{
		{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{SegmentId: "kix.header1"}, Text: ">"}},
		{InsertText: &gdocs.InsertTextRequest{EndOfSegmentLocation: &gdocs.EndOfSegmentLocation{SegmentId: "kix.footnote2", TabId: "t.0"}, Text: "<"}},
		{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: rangeFrom("kix.footnote2", 0, 5)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	doc := get(t, reread(t, d))
	if got := outline(doc.Headers["kix.header1"].Content); got != ">Head {{Name}}¶" {
		t.Errorf("header: got %q", got)
	}
	if got := outline(doc.Footnotes["kix.footnote2"].Content); got != "{{Name}}<¶" {
		t.Errorf("footnote: got %q", got)
	}
}

func TestApplyReplacesTextInOrder(t *testing.T) {
	t.Parallel()
	replace := func(find, with string) *gdocs.Request {
		return &gdocs.Request{ReplaceAllText: &gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: find}, ReplaceText: with}}
	}
	d := docx(t, para("{{NAME}} {{Other}}")+tableXML([]string{para("{{name}}")})+`<w:p/>`)
	responses, err := Apply(d, "id", []*gdocs.Request{
		replace("{{Name}}", "<1>"), replace("{{Other}}", "<2>"), replace("{{None}}", ""),
		replace("<1>", "{{Other}}"), replace("<2>", "\ue000b\x01"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var counts []int64
	for _, r := range responses {
		counts = append(counts, r.ReplaceAllText.OccurrencesChanged)
	}
	if diff := cmp.Diff([]int64{4, 1, 0, 4, 1}, counts); diff != "" {
		t.Errorf("occurrencesChanged (-want +got):\n%s", diff)
	}
	doc := get(t, reread(t, d))
	if got, want := outline(doc.Body.Content), "§{{Other}} b¶[|{{Other}}¶/]¶"; got != want {
		t.Errorf("body: got %q, want %q", got, want)
	}
	if got := outline(doc.Headers["kix.header1"].Content); got != "Head {{Other}}¶" {
		t.Errorf("header: got %q", got)
	}
}

func TestApplyRefusesInGooglesWords(t *testing.T) {
	t.Parallel()
	location := &gdocs.Location{Index: 1}
	span := func(from, to int64) *gdocs.Request {
		return &gdocs.Request{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: &gdocs.Range{StartIndex: from, EndIndex: to}}}
	}
	text := func(at int64, s string) *gdocs.Request {
		return &gdocs.Request{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: at}, Text: s}}
	}
	ok := text(1, "x")
	cases := []struct {
		name     string
		requests []*gdocs.Request
		want     string
	}{
		{"no kind", []*gdocs.Request{ok, {}}, "Invalid requests[1]: No request set."},
		{"missing", []*gdocs.Request{nil}, "Invalid requests[0]: No request set."},
		{"two kinds", []*gdocs.Request{{InsertText: ok.InsertText, InsertPageBreak: &gdocs.InsertPageBreakRequest{}}}, "Invalid requests[0]: Only one kind"},
		{"unsupported", []*gdocs.Request{{CreateFootnote: &gdocs.CreateFootnoteRequest{}}}, "Invalid requests[0].createFootnote: This drive does not support"},
		{"nothing to find", []*gdocs.Request{{ReplaceAllText: &gdocs.ReplaceAllTextRequest{}}}, "Invalid requests[0].replaceAllText: The text to find"},
		{"nothing to insert", []*gdocs.Request{{InsertText: &gdocs.InsertTextRequest{Location: location}}}, "Invalid requests[0].insertText: Insert text requests must specify text to insert."},
		{"no place", []*gdocs.Request{{InsertText: &gdocs.InsertTextRequest{Text: "x"}}}, "The insertion location must be specified."},
		{"behind the end", []*gdocs.Request{text(99, "x")}, "Index 99 must be less than the end index of the referenced segment"},
		{"outside paragraphs", []*gdocs.Request{text(0, "x")}, "inside the bounds of an existing paragraph"},
		{"inside a character", []*gdocs.Request{text(2, "x")}, "inside a character"},
		{"unknown segment", []*gdocs.Request{{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{SegmentId: "no"}, Text: "x"}}}, "Segment with ID no was not found."},
		{"empty range", []*gdocs.Request{span(2, 2)}, "The range should not be empty."},
		{"range without a start", []*gdocs.Request{span(0, 2)}, "Invalid requests[0].deleteContentRange: The range's start index (range.startIndex) must be provided."},
		{"style without a start", []*gdocs.Request{{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: &gdocs.Range{EndIndex: 2}, TextStyle: &gdocs.TextStyle{}, Fields: "bold"}}}, "start index"},
		{"named range without a start", []*gdocs.Request{{CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: "n", Range: &gdocs.Range{EndIndex: 2}}}}, "start index"},
		{"last line feed", []*gdocs.Request{span(14, 15)}, "newline character at the end of the segment"},
		{"line feed before a table", []*gdocs.Request{span(4, 5)}, "newline character before a table"},
		{"part of a table", []*gdocs.Request{span(4, 9)}, "part of a table"},
		{"page break in a table", []*gdocs.Request{{InsertPageBreak: &gdocs.InsertPageBreakRequest{Location: &gdocs.Location{Index: 8}}}}, "inside a table"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// § 𝒳 a ¶ [ | b ¶ / ] z ¶
			d := docx(t, para("𝒳a")+tableXML([]string{para("bbb")})+para("z"))
			_, err := Apply(d, "id", c.requests)
			var fault *opc.RequestError
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, c.want) {
				t.Errorf("got %v, want a RequestError with %q", err, c.want)
			}
		})
	}
}
