package docs

import (
	"slices"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

func TestTextIsInsertedWhereTheRequestSays(t *testing.T) {
	t.Parallel()
	atEnd := func(segment, text string) *gdocs.Request {
		return &gdocs.Request{InsertText: &gdocs.InsertTextRequest{EndOfSegmentLocation: &gdocs.EndOfSegmentLocation{SegmentId: segment}, Text: text}}
	}
	field := `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>1</w:t><w:fldChar w:fldCharType="end"/></w:r>`
	for name, c := range map[string]struct {
		body     string
		requests []*gdocs.Request
		want     string
	}{
		"into nothing":                     {`<w:p/>`, []*gdocs.Request{insertAt(1, "a")}, "§a¶"},
		"before the line feed":             {para("ab"), []*gdocs.Request{insertAt(3, "c")}, "§abc¶"},
		"before a page number":             {`<w:p>` + field + `</w:p>`, []*gdocs.Request{insertAt(1, "p ")}, "§p <PAGE_NUMBER>¶"},
		"behind a page number":             {`<w:p>` + field + `</w:p>`, []*gdocs.Request{insertAt(2, " p")}, "§<PAGE_NUMBER> p¶"},
		"a line feed alone":                {para("ab"), []*gdocs.Request{insertAt(2, "\n")}, "§a¶b¶"},
		"line feeds at a beginning":        {para("ab"), []*gdocs.Request{insertAt(1, "\n\n")}, "§¶¶ab¶"},
		"behind what was inserted":         {para("ab"), []*gdocs.Request{insertAt(2, "x\ny"), insertAt(5, "z")}, "§ax¶yzb¶"},
		"at the end of the body":           {para("a") + para("b"), []*gdocs.Request{atEnd("", "!\n?")}, "§a¶b!¶?¶"},
		"around what Google does not keep": {para("ab"), []*gdocs.Request{insertAt(2, "x\x0ey\uf8ffz")}, "§axyzb¶"},
		"in the second section":            {`<w:p><w:pPr><w:sectPr/></w:pPr></w:p>` + para("two"), []*gdocs.Request{insertAt(3, "x")}, "§¶§xtwo¶"},
		"in a table in a table":            {tableXML([]string{tableXML([]string{`<w:p/>`}) + `<w:p/>`}) + `<w:p/>`, []*gdocs.Request{insertAt(7, "in")}, "§[|[|in¶/]¶/]¶"},
		"in the second row":                {tableXML([]string{para("a")}, []string{para("b")}) + `<w:p/>`, []*gdocs.Request{insertAt(4, "12"), insertAt(11, "3")}, "§[|12a¶/|b3¶/]¶"},
	} {
		if got := applyTo(t, c.body, c.requests...); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	doc := get(t, apply(t, docx(t, `<w:p/>`), atEnd("kix.header1", "!"), atEnd("kix.footnote2", "?")))
	if got := outline(doc.Headers["kix.header1"].Content) + outline(doc.Footnotes["kix.footnote2"].Content); got != "Head {{Name}}!¶Note {{Name}}?¶" {
		t.Errorf("got %q", got)
	}
}

// documents.batchUpdate, InsertTextRequest: inserting a newline makes a
// paragraph with the style of the one at the index.
func TestALineFeedMakesAParagraphOfTheSameStyle(t *testing.T) {
	t.Parallel()
	d := apply(t, docx(t, `<w:p><w:pPr><w:keepNext/><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>ab</w:t></w:r></w:p>`), insertAt(2, "\n"))
	content := get(t, d).Body.Content
	if got := outline(content); got != "§a¶b¶" {
		t.Fatalf("got %q", got)
	}
	for _, e := range content[1:] {
		p := e.Paragraph
		if p.ParagraphStyle.Alignment != "CENTER" || !p.ParagraphStyle.KeepWithNext || !p.Elements[0].TextRun.TextStyle.Bold {
			t.Errorf("%q: got %+v with %+v", p.Elements[0].TextRun.Content, p.ParagraphStyle, p.Elements[0].TextRun.TextStyle)
		}
	}
}

func TestInsertedTextTakesTheStyleOfTheTextBeforeIt(t *testing.T) {
	t.Parallel()
	d := apply(t, docx(t, `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>slanted</w:t></w:r></w:p>`), insertAt(5, "X"))
	first := get(t, d).Body.Content[1].Paragraph.Elements[0].TextRun
	if first.Content != "boldX" || !first.TextStyle.Bold || first.TextStyle.Italic {
		t.Errorf("got %q as %+v, want boldX in bold", first.Content, first.TextStyle)
	}
}

func TestPlacesWhereNothingCanBeInsertedAreRefused(t *testing.T) {
	t.Parallel()
	at := func(l *gdocs.Location, end *gdocs.EndOfSegmentLocation) *gdocs.Request {
		return &gdocs.Request{InsertText: &gdocs.InsertTextRequest{Location: l, EndOfSegmentLocation: end, Text: "x"}}
	}
	// § 𝒳 a ¶ [ row cell b ¶ ] z ¶ are 0, 1-2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12.
	body := para("𝒳a") + tableXML([]string{para("b")}) + para("z")
	const outside = "The insertion index must be inside the bounds of an existing paragraph. You can still create new paragraphs by inserting newlines."
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"nowhere":             {at(nil, nil), "The insertion location must be specified."},
		"two places":          {at(&gdocs.Location{Index: 1}, &gdocs.EndOfSegmentLocation{}), "Only one of location and endOfSegmentLocation may be set."},
		"before the text":     {insertAt(-1, "x"), outside},
		"the section break":   {insertAt(0, "x"), outside},
		"the table":           {insertAt(5, "x"), outside},
		"the row":             {insertAt(6, "x"), outside},
		"the cell":            {insertAt(7, "x"), outside},
		"the table's end":     {insertAt(10, "x"), outside},
		"half a character":    {insertAt(2, "x"), "Index 2 is inside a character of two UTF-16 units."},
		"the end":             {insertAt(13, "x"), "Index 13 must be less than the end index of the referenced segment, 13."},
		"the end of a header": {at(&gdocs.Location{SegmentId: "kix.header1", Index: 14}, nil), "Index 14 must be less than the end index of the referenced segment, 14."},
		"another tab":         {at(&gdocs.Location{TabId: "t.1", Index: 1}, nil), `The tab "t.1" was not found.`},
		"the end of a tab":    {at(nil, &gdocs.EndOfSegmentLocation{TabId: "t.x"}), `The tab "t.x" was not found.`},
		"another segment":     {at(nil, &gdocs.EndOfSegmentLocation{SegmentId: "kix.no"}), "Segment with ID kix.no was not found."},
		"nothing that stays":  {insertAt(1, "\ue000\x07\f\x1f"), "Insert text requests must specify text to insert."},
		"without a text":      {&gdocs.Request{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: 1}}}, "Insert text requests must specify text to insert."},
	} {
		if got, want := refuse(t, docx(t, body), insertAt(1, "ok"), deleteRange(1, 3), c.request), "Invalid requests[2].insertText: "+c.want; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	apply(t, docx(t, body), at(&gdocs.Location{TabId: tabID, Index: 12}, nil))
}

func TestARangeIsDeletedWithTheParagraphsThatItJoins(t *testing.T) {
	t.Parallel()
	section := `<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>one</w:t></w:r></w:p>`
	cell := tableXML([]string{para("ab") + para("cd"), para("e")})
	for name, c := range map[string]struct {
		body     string
		from, to int64
		want     string
	}{
		"a character of two units":    {para("a𝒳b"), 2, 4, "§ab¶"},
		"the first character":         {para("abc"), 1, 2, "§bc¶"},
		"all but the line feed":       {para("abc"), 1, 4, "§¶"},
		"an empty paragraph":          {para("a") + `<w:p/>` + para("b"), 3, 4, "§a¶b¶"},
		"from inside to inside":       {para("ab") + para("cd") + para("ef"), 2, 8, "§af¶"},
		"whole paragraphs":            {para("ab") + para("cd") + para("ef"), 4, 7, "§ab¶ef¶"},
		"a paragraph and the next":    {para("ab") + para("cd") + para("ef"), 1, 5, "§d¶ef¶"},
		"up to a line feed":           {para("ab") + para("cd") + tableXML([]string{para("x")}) + para("y"), 3, 6, "§ab¶[|x¶/]y¶"},
		"a table from inside to text": {para("ab") + tableXML([]string{para("x")}) + para("yz"), 2, 11, "§az¶"},
		"a table and its neighbours":  {para("ab") + tableXML([]string{para("x")}) + para("yz"), 1, 10, "§yz¶"},
		"a table alone":               {tableXML([]string{para("x")}) + para("yz"), 1, 7, "§yz¶"},
		"in a cell":                   {cell + `<w:p/>`, 5, 8, "§[|ad¶|e¶/]¶"},
		"a paragraph of a cell":       {cell + `<w:p/>`, 4, 7, "§[|cd¶|e¶/]¶"},
		"in the next cell":            {cell + `<w:p/>`, 11, 12, "§[|ab¶cd¶|¶/]¶"},
		"in the next section":         {section + para("two"), 6, 8, "§one¶§o¶"},
		"nothing of a section break":  {section + para("two"), 1, 4, "§¶§two¶"},
		"a section break":             {section + para("two"), 5, 6, "§one¶two¶"},
		"a section break and text":    {section + para("two"), 3, 7, "§onwo¶"},
		"several section breaks":      {section + section + para("two"), 2, 11, "§otwo¶"},
	} {
		if got := applyTo(t, c.body, deleteRange(c.from, c.to)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestAJoinedParagraphKeepsTheStyleOfTheFirstAndTheEndOfASection(t *testing.T) {
	t.Parallel()
	d := docx(t, `<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t>one</w:t></w:r></w:p>`+
		`<w:p><w:pPr><w:jc w:val="right"/><w:sectPr><w:pgMar w:left="20"/></w:sectPr></w:pPr><w:r><w:t>two</w:t></w:r></w:p>`+para("three"))
	content := get(t, apply(t, d, deleteRange(4, 5))).Body.Content
	if got := outline(content); got != "§onetwo¶§three¶" {
		t.Errorf("got %q", got)
	}
	if got := content[1].Paragraph.ParagraphStyle.Alignment; got != "CENTER" {
		t.Errorf("got the alignment %s, want CENTER", got)
	}
	if got := content[0].SectionBreak.SectionStyle.MarginLeft.Magnitude; got != 1 {
		t.Errorf("got a left margin of %v in the first section, want 1", got)
	}
}

// documents.batchUpdate, DeleteContentRangeRequest: the ranges that it names as
// invalid.
func TestRangesThatCannotBeDeletedAreRefused(t *testing.T) {
	t.Parallel()
	// § a ¶ [ row cell b ¶ c ¶ ] [ row cell d ¶ ] 𝒳 ¶ § e ¶
	body := para("a") + tableXML([]string{para("b") + para("c")}) + `<w:p/>` + tableXML([]string{para("d")}) +
		`<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>𝒳</w:t></w:r></w:p>` + para("e")
	const (
		empty   = "The range should not be empty."
		feed    = "The range cannot include the newline character before a table or section break unless that is deleted too."
		partial = "The range cannot include the first section break or a part of a table."
		last    = "The range cannot include the newline character at the end of the segment."
		half    = "The range begins or ends inside a character of two UTF-16 units."
	)
	if got, want := places(get(t, docx(t, body)).Body.Content), "0-1, 1-3, 3-11 row 4-10 cell 5-10(6-8, 8-10), 11-12, 12-18 row 13-17 cell 14-17(15-17), 18-21, 21-22, 22-24"; got != want {
		t.Fatalf("got the document %s, want %s", got, want)
	}
	for name, c := range map[string]struct {
		from, to int64
		want     string
	}{
		"empty":                           {2, 2, empty},
		"turned round":                    {3, 2, empty},
		"before the text":                 {-1, 2, empty},
		"past the end":                    {22, 25, "Index 25 must be less than the end index of the referenced segment, 24."},
		"the last line feed":              {22, 24, last},
		"the last line feed of a cell":    {9, 10, last},
		"all of a cell":                   {6, 10, last},
		"out of a cell":                   {9, 12, last},
		"the beginning of a table":        {3, 4, partial},
		"a row":                           {4, 10, partial},
		"into a table":                    {1, 7, partial},
		"the line feed before a table":    {2, 3, feed},
		"text and line feed before one":   {1, 3, feed},
		"the paragraph between tables":    {11, 12, feed},
		"the line feed before a section":  {20, 21, feed},
		"the paragraph before a section":  {18, 21, feed},
		"the first section break":         {0, 1, partial},
		"the first half of a character":   {18, 19, half},
		"the second half of a character":  {19, 20, half},
		"from a table into half a letter": {12, 19, half},
	} {
		d := docx(t, body)
		if got, want := refuse(t, d, insertAt(22, "x"), deleteRange(22, 23), deleteRange(c.from, c.to)), "Invalid requests[2].deleteContentRange: "+c.want; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	none := &gdocs.Request{DeleteContentRange: &gdocs.DeleteContentRangeRequest{}}
	if got, want := refuse(t, docx(t, body), none), "Invalid requests[0].deleteContentRange: The range must be specified."; got != want {
		t.Errorf("no range: got %q, want %q", got, want)
	}
	elsewhere := &gdocs.Request{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: rangeFrom("kix.footer9", 0, 1)}}
	if got, want := refuse(t, docx(t, body), elsewhere), "Invalid requests[0].deleteContentRange: Segment with ID kix.footer9 was not found."; got != want {
		t.Errorf("no segment: got %q, want %q", got, want)
	}
}

func TestAPageBreakBeginsAParagraphBehindIt(t *testing.T) {
	t.Parallel()
	pageBreak := func(at *gdocs.Location, end *gdocs.EndOfSegmentLocation) *gdocs.Request {
		return &gdocs.Request{InsertPageBreak: &gdocs.InsertPageBreakRequest{Location: at, EndOfSegmentLocation: end}}
	}
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"at the beginning": {pageBreak(&gdocs.Location{Index: 1}, nil), "§<page>¶ab¶c¶"},
		"inside":           {pageBreak(&gdocs.Location{Index: 2}, nil), "§a<page>¶b¶c¶"},
		"before a feed":    {pageBreak(&gdocs.Location{Index: 3}, nil), "§ab<page>¶¶c¶"},
		"at the end":       {pageBreak(nil, &gdocs.EndOfSegmentLocation{}), "§ab¶c<page>¶¶"},
	} {
		if got := applyTo(t, para("ab")+para("c"), c.request); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	body := para("a") + tableXML([]string{para("b")}) + para("c")
	for want, request := range map[string]*gdocs.Request{
		"Page breaks cannot be inserted inside a table.":                       pageBreak(&gdocs.Location{Index: 6}, nil),
		"Page breaks cannot be inserted inside a header, footer or footnote.":  pageBreak(&gdocs.Location{SegmentId: "kix.header1"}, nil),
		"Index 12 must be less than the end index of the referenced segment, ": pageBreak(&gdocs.Location{Index: 12}, nil),
	} {
		if got := refuse(t, docx(t, body), request); !strings.HasPrefix(got, "Invalid requests[0].insertPageBreak: "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Properties have an order, in which those of a tracked change are last
// (ECMA-376 part 1, 17.3.1.26).
func TestTheEndOfASectionMovesInFrontOfATrackedChange(t *testing.T) {
	t.Parallel()
	d := docx(t, `<w:p><w:pPr><w:jc w:val="center"/><w:pPrChange w:id="1" w:author="Ada"><w:pPr/></w:pPrChange></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`+
		`<w:p><w:pPr><w:sectPr><w:type w:val="continuous"/></w:sectPr></w:pPr><w:r><w:t>b</w:t></w:r></w:p><w:p><w:r><w:t>c</w:t></w:r></w:p>`)
	apply(t, d, &gdocs.Request{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: &gdocs.Range{StartIndex: 2, EndIndex: 3}}})
	var got []string
	for _, e := range element(t, bodyXML(t, d)).FindElement("./w:p/w:pPr").ChildElements() {
		got = append(got, e.Tag)
	}
	if want := []string{"jc", "sectPr", "pPrChange"}; !slices.Equal(got, want) {
		t.Errorf("the merged paragraph has %v, want %v", got, want)
	}
}
