package slides

import (
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

func TestNewRowsLookLikeTheRowBesideThem(t *testing.T) {
	t.Parallel()
	const id = "slide_256_9"
	table := strings.Replace(tableXML("a", "b"), `<a:r><a:t>a</a:t></a:r>`, `<a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>a</a:t></a:r>`, 1)
	d := pptx(t, table, "")
	at := func(row, column int64) *gslides.TableCellLocation {
		return &gslides.TableCellLocation{RowIndex: row, ColumnIndex: column}
	}
	_, err := Apply(d, "id", []*gslides.Request{
		{InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: id, CellLocation: at(0, 0), InsertBelow: true, Number: 2}},
		{InsertText: &gslides.InsertTextRequest{ObjectId: id, CellLocation: at(1, 0), Text: "new"}},
		{DeleteTableRow: &gslides.DeleteTableRowRequest{TableObjectId: id, CellLocation: at(2, 0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `<a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>new</a:t></a:r>`
	if got := slideXML(t, d); !strings.Contains(got, want) || strings.Count(got, "<a:tr ") != 2 {
		t.Errorf("got %s, want two rows, one with %s", got, want)
	}
	if _, err := Apply(pptx(t, table, ""), "id", []*gslides.Request{{InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: id, CellLocation: at(0, 0), Number: 21}}}); err == nil {
		t.Error("21 rows at once: no error")
	}
}

func TestTextGetsAStyleOfThePresentation(t *testing.T) {
	t.Parallel()
	const id = "slide_256_2"
	model := `<a:rPr lang="de" sz="900" i="1" spc="300"/>`
	d := pptx(t, sp("2", `<a:p><a:r>`+model+`<a:t>model</a:t></a:r></a:p>`+para("plain text")), "")
	style := get(t, d).Slides[0].PageElements[0].Shape.Text.TextElements[1].TextRun.Style
	fields := "backgroundColor,baselineOffset,bold,fontFamily,fontSize,foregroundColor,italic,link,smallCaps,strikethrough,underline"
	span := func(from, to int64) *gslides.Range {
		return &gslides.Range{Type: "FIXED_RANGE", StartIndex: &from, EndIndex: &to}
	}
	_, err := Apply(d, "id", []*gslides.Request{
		{UpdateTextStyle: &gslides.UpdateTextStyleRequest{ObjectId: id, TextRange: span(8, 11), Style: style, Fields: fields}},
		{UpdateTextStyle: &gslides.UpdateTextStyleRequest{ObjectId: id, TextRange: span(12, 13), Style: &gslides.TextStyle{Bold: true}, Fields: "bold"}},
		{UpdateParagraphStyle: &gslides.UpdateParagraphStyleRequest{ObjectId: id, TextRange: span(8, 9), Style: &gslides.ParagraphStyle{Alignment: "CENTER"}, Fields: "alignment"}},
		{CreateParagraphBullets: &gslides.CreateParagraphBulletsRequest{ObjectId: id, TextRange: span(8, 9)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `<a:p><a:pPr algn="ctr"><a:buChar char="•"/></a:pPr><a:r><a:t>pl</a:t></a:r><a:r>` + model + `<a:t>ain</a:t></a:r><a:r><a:t> </a:t></a:r><a:r><a:rPr b="1"/><a:t>t</a:t></a:r><a:r><a:t>ext</a:t></a:r></a:p>`
	if got := slideXML(t, d); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	_, err = Apply(d, "id", []*gslides.Request{{DeleteParagraphBullets: &gslides.DeleteParagraphBulletsRequest{ObjectId: id, TextRange: span(8, 9)}}})
	if got := slideXML(t, d); err != nil || !strings.Contains(got, `<a:pPr algn="ctr"><a:buNone/></a:pPr>`) {
		t.Errorf("bullet taken away: %v, %s", err, got)
	}
}

func TestTheLastSlideCannotBeDeleted(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"slide_256", "master_slideMaster1"} {
		if _, err := Apply(pptx(t, "", ""), "id", []*gslides.Request{{DeleteObject: &gslides.DeleteObjectRequest{ObjectId: id}}}); err == nil {
			t.Errorf("%s: no error", id)
		}
	}
}
