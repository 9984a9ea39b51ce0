package slides

import (
	"fmt"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

func insertInto(id string, at int64, text string) *gslides.Request {
	return &gslides.Request{InsertText: &gslides.InsertTextRequest{ObjectId: id, InsertionIndex: at, Text: text}}
}

func deleteFrom(id string, r *gslides.Range) *gslides.Request {
	return &gslides.Request{DeleteText: &gslides.DeleteTextRequest{ObjectId: id, TextRange: r}}
}

func TestTextsAreEditedByTheirIndexes(t *testing.T) {
	t.Parallel()
	two := para("ab") + para("cd")
	number := `<a:p><a:r><a:t>p</a:t></a:r><a:fld id="{1}" type="slidenum"><a:t>1</a:t></a:fld></a:p>`
	from := func(n int64) *gslides.Range { return &gslides.Range{Type: "FROM_START_INDEX", StartIndex: &n} }
	for name, c := range map[string]struct {
		paragraphs string
		request    *gslides.Request
		want       string
	}{
		"into a shape without paragraphs":  {``, insertInto(box, 0, "new"), "new\n"},
		"at the beginning":                 {two, insertInto(box, 0, "x"), "xab\ncd\n"},
		"before a line feed":               {two, insertInto(box, 2, "x"), "abx\ncd\n"},
		"behind a line feed":               {two, insertInto(box, 3, "x"), "ab\nxcd\n"},
		"at the end":                       {two, insertInto(box, 5, "x\ny"), "ab\ncdx\ny\n"},
		"half a character goes behind it":  {para("𝄞a"), insertInto(box, 1, "x"), "𝄞xa\n"},
		"without what Google strips":       {two, insertInto(box, 1, "\x05x\ue123"), "axb\ncd\n"},
		"behind a slide number":            {number, insertInto(box, 2, "!"), "p<SLIDE_NUMBER>!\n"},
		"all":                              {two, deleteFrom(box, wholeText()), ""},
		"from an index":                    {two, deleteFrom(box, from(1)), "a\n"},
		"a paragraph with its feed":        {two, deleteFrom(box, textRange(0, 3)), "cd\n"},
		"a feed with the paragraph behind": {two, deleteFrom(box, textRange(2, 5)), "ab\n"},
		"over three paragraphs":            {two + para("ef"), deleteFrom(box, textRange(1, 7)), "af\n"},
		"a slide number":                   {number, deleteFrom(box, textRange(1, 2)), "p\n"},
		"half a character takes all of it": {para("a𝄞b"), deleteFrom(box, textRange(1, 2)), "ab\n"},
		"its other half, too":              {para("a𝄞b"), deleteFrom(box, textRange(2, 3)), "ab\n"},
		"one of two units":                 {para("a𝄞b"), deleteFrom(box, textRange(1, 3)), "ab\n"},
	} {
		p := pptx(t, sp("2", c.paragraphs), "")
		apply(t, p, c.request)
		if got := contentOf(t, first(t, reread(t, p)).Shape.Text); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestDeletingFromATextWithoutParagraphsChangesNothing(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", ""), "")
	before := slideXML(t, p)
	apply(t, p, deleteFrom(box, wholeText()))
	if got := slideXML(t, p); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
}

func TestJoinedParagraphsKeepTheStyleOfTheFirstAndItsEnd(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", `<a:p><a:pPr algn="ctr"/><a:r><a:rPr b="1"/><a:t>ab</a:t></a:r><a:endParaRPr i="1"/></a:p>`+
		`<a:p><a:pPr algn="r"/><a:r><a:rPr u="sng"/><a:t>cd</a:t></a:r><a:endParaRPr b="1"/></a:p>`), "")
	apply(t, p, deleteFrom(box, textRange(2, 4)))
	want := `<a:p><a:pPr algn="ctr"/><a:r><a:rPr b="1"/><a:t>ab</a:t></a:r><a:r><a:rPr u="sng"/><a:t>d</a:t></a:r><a:endParaRPr i="1"/></a:p></p:txBody>`
	if got := slideXML(t, p); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

func TestTextsThatCannotBeEditedAreRefused(t *testing.T) {
	t.Parallel()
	cell := func(row, column int64) *gslides.TableCellLocation {
		return &gslides.TableCellLocation{RowIndex: row, ColumnIndex: column}
	}
	picture := `<p:pic><p:nvPicPr><p:cNvPr id="5" name="x"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill/><p:spPr/></p:pic>`
	silent := `<p:sp><p:nvSpPr><p:cNvPr id="6" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/></p:sp>`
	table := strings.Replace(tableXML("a", "b"), `<a:tc><a:txBody><a:bodyPr/>`+para("b")+`</a:txBody></a:tc>`, `<a:tc/>`, 1)
	into := func(id string, at *gslides.TableCellLocation) *gslides.Request {
		return &gslides.Request{InsertText: &gslides.InsertTextRequest{ObjectId: id, CellLocation: at, Text: "x"}}
	}
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"no object":              {insertInto("NO_SUCH_OBJECT", 0, "x"), "insertText: The object (NO_SUCH_OBJECT) could not be found."},
		"a page":                 {insertInto("slide_256", 0, "x"), "insertText: The object (slide_256) could not be found."},
		"a picture":              {insertInto("slide_256_5", 0, "x"), "insertText: The object (slide_256_5) does not allow text editing."},
		"a shape without a text": {insertInto("slide_256_6", 0, "x"), "insertText: The object (slide_256_6) does not allow text editing."},
		"a group":                {insertInto("slide_256_20", 0, "x"), "insertText: The object (slide_256_20) does not allow text editing."},
		"a table as a whole":     {insertInto("slide_256_9", 0, "x"), "insertText: The object (slide_256_9) does not allow text editing."},
		"a cell of a shape":      {into(box, cell(0, 0)), "insertText: The object (slide_256_2) is not a table."},
		"no such row":            {into("slide_256_9", cell(1, 0)), "insertText: The cell (1, 0) is not in the table."},
		"no such column":         {into("slide_256_9", cell(0, 2)), "insertText: The cell (0, 2) is not in the table."},
		"a cell without a text":  {into("slide_256_9", cell(0, 1)), "insertText: The cell (0, 1) does not allow text editing."},
		"no text":                {insertInto(box, 0, ""), "insertText: The text to insert must not be empty."},
		"before the text":        {insertInto(box, -1, "x"), "insertText: The insertion index -1 should not be greater than the existing text length, 3."},
		"behind the text":        {insertInto(box, 4, "x"), "insertText: The insertion index 4 should not be greater than the existing text length, 3."},
		"deleted of no object":   {deleteFrom("none", wholeText()), "deleteText: The object (none) could not be found."},
		"no range":               {deleteFrom(box, nil), "deleteText: The text range must be specified."},
		"nothing":                {deleteFrom(box, textRange(1, 1)), "deleteText: The startIndex 1 must be less than the endIndex 1."},
		"past the end":           {deleteFrom(box, textRange(1, 4)), "deleteText: The endIndex 4 should not be greater than the existing text length, 3."},
		"at the end":             {deleteFrom(box, &gslides.Range{Type: "FROM_START_INDEX", StartIndex: index(3)}), "deleteText: The startIndex 3 must be less than the endIndex 3."},
	} {
		p := pptx(t, sp("2", para("abc"))+picture+silent+group(sp("3", para("in")))+table, "")
		if got := refuse(t, p, insertInto(box, 0, "x"), deleteFrom(box, textRange(0, 1)), c.request); got != "Invalid requests[2]."+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Range.type says which of the indexes a range has.
func TestARangeHasTheIndexesOfItsType(t *testing.T) {
	t.Parallel()
	const (
		all   = "A range of type ALL must not specify startIndex or endIndex."
		from  = "A range of type FROM_START_INDEX must specify startIndex and no endIndex."
		fixed = "A range of type FIXED_RANGE must specify startIndex and endIndex."
		kind  = "The range type must be ALL, FROM_START_INDEX or FIXED_RANGE."
	)
	one, two := index(1), index(2)
	for _, c := range []struct {
		r    gslides.Range
		want string
	}{
		{gslides.Range{Type: "ALL"}, "0 to 5"},
		{gslides.Range{Type: "ALL", StartIndex: one}, all},
		{gslides.Range{Type: "ALL", EndIndex: two}, all},
		{gslides.Range{Type: "FROM_START_INDEX", StartIndex: one}, "1 to 5"},
		{gslides.Range{Type: "FROM_START_INDEX"}, from},
		{gslides.Range{Type: "FROM_START_INDEX", StartIndex: one, EndIndex: two}, from},
		{gslides.Range{Type: "FIXED_RANGE", StartIndex: one, EndIndex: two}, "1 to 2"},
		{gslides.Range{Type: "FIXED_RANGE", StartIndex: index(0), EndIndex: index(5)}, "0 to 5"},
		{gslides.Range{Type: "FIXED_RANGE", EndIndex: two}, fixed},
		{gslides.Range{Type: "FIXED_RANGE", StartIndex: one}, fixed},
		{gslides.Range{Type: "FIXED_RANGE", StartIndex: two, EndIndex: one}, "The startIndex 2 must be less than the endIndex 1."},
		{gslides.Range{Type: "FIXED_RANGE", StartIndex: index(-1), EndIndex: one}, "The startIndex -1 must be less than the endIndex 1."},
		{gslides.Range{Type: "FIXED_RANGE", StartIndex: one, EndIndex: index(6)}, "The endIndex 6 should not be greater than the existing text length, 5."},
		{gslides.Range{}, kind},
		{gslides.Range{Type: "RANGE_TYPE_UNSPECIFIED", StartIndex: one, EndIndex: two}, kind},
	} {
		from, to, err := span(&c.r, 5, fmt.Errorf)
		got := fmt.Sprintf("%d to %d", from, to)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", sent(t, &c.r), got, c.want)
		}
	}
}
