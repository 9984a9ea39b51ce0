package docs

import (
	"fmt"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/edit"
)

// layout writes where everything of a segment stands.
func layout(nodes []*node) string {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "(%d-%d", n.start, n.end)
		if n.paragraph != nil {
			b.WriteString(n.paragraph.text)
		}
		if n.table != nil {
			for _, r := range n.table.rows {
				r.settle()
				fmt.Fprintf(&b, "[%d-%d", r.start, r.end)
				for _, c := range r.cells {
					fmt.Fprintf(&b, "{%d-%d%s}", c.start, c.end, layout(c.nodes))
				}
				b.WriteString("]")
			}
		}
		b.WriteString(")")
	}
	return b.String()
}

func TestEditsKeepTheLayoutThatReadingAnewGives(t *testing.T) {
	t.Parallel()
	inner := tableXML([]string{para("in"), para("ner")}) + para("x")
	body := para("first") + tableXML([]string{para("a𝒳"), inner}, []string{para("c") + para("d"), para("")}) + para("last")
	rapid.Check(t, func(rt *rapid.T) {
		d := docx(t, body)
		b := &batch{pkg: d.Package, document: d}
		for range rapid.IntRange(1, 12).Draw(rt, "edits") {
			at := rapid.Int64Range(0, 60).Draw(rt, "at")
			to := at + rapid.Int64Range(1, 6).Draw(rt, "length")
			table := &gdocs.TableCellLocation{TableStartLocation: &gdocs.Location{Index: at}, RowIndex: rapid.Int64Range(0, 2).Draw(rt, "row")}
			requests := []*gdocs.Request{
				{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: at}, Text: rapid.SampledFrom([]string{"x", "𝒳y", "a\nb"}).Draw(rt, "text")}},
				{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: &gdocs.Range{StartIndex: at, EndIndex: to}}},
				{InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: table, InsertBelow: rapid.Bool().Draw(rt, "below")}},
				{DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: table}},
				{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: &gdocs.Range{StartIndex: at, EndIndex: to}, TextStyle: &gdocs.TextStyle{Bold: true}, Fields: "bold"}},
			}
			request := rapid.SampledFrom(requests).Draw(rt, "request")
			if _, err := edit.ApplyBatch([]*gdocs.Request{request}, b.apply); err != nil {
				continue
			}
			got, err := b.segment("", "", nil)
			if err != nil {
				rt.Fatal(err)
			}
			fresh := bodySegment(got.part, got.root)
			if was, want := layout(got.nodes), layout(fresh.nodes); was != want {
				rt.Fatalf("got  %s\nwant %s", was, want)
			}
		}
	})
}

func TestTextThatIsGivenAStyleGetsAllThatTheFileMeansByIt(t *testing.T) {
	t.Parallel()
	strange := `<w:rPr><w:rStyle w:val="Strange"/><w:b/><w:emboss/><w:lang w:val="de-AT"/></w:rPr>`
	d := docx(t, `<w:p><w:r>`+strange+`<w:t>model</w:t></w:r></w:p>`+para("plain text"))
	model := get(t, d).Body.Content[1].Paragraph.Elements[0].TextRun.TextStyle
	fields := "backgroundColor,baselineOffset,bold,fontSize,foregroundColor,italic,link,smallCaps,strikethrough,underline,weightedFontFamily"
	_, err := Apply(d, "id", []*gdocs.Request{{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{
		Range: &gdocs.Range{StartIndex: 9, EndIndex: 12}, TextStyle: model, Fields: fields,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `<w:r><w:t xml:space="preserve">pl</w:t></w:r><w:r>` + strange + `<w:t xml:space="preserve">ain</w:t></w:r><w:r><w:t xml:space="preserve"> text</w:t></w:r>`
	if got := bodyXML(t, reread(t, d)); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

func TestStylesThatTheFileDoesNotHaveAreSetFieldByField(t *testing.T) {
	t.Parallel()
	d := docx(t, para("abc"))
	_, err := Apply(d, "id", []*gdocs.Request{
		{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 4}, Fields: "bold,fontSize,foregroundColor,underline", TextStyle: &gdocs.TextStyle{
			Bold: true, FontSize: points(20), Underline: true, ForegroundColor: color(&dml.RGB{R: 255})}}},
		{UpdateParagraphStyle: &gdocs.UpdateParagraphStyleRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 2}, Fields: "alignment,spaceAbove", ParagraphStyle: &gdocs.ParagraphStyle{Alignment: "END", SpaceAbove: points(6)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := get(t, reread(t, d)).Body.Content[1].Paragraph
	s := p.Elements[0].TextRun.TextStyle
	if !s.Bold || s.FontSize.Magnitude != 20 || !s.Underline || s.ForegroundColor.Color.RgbColor.Red != 1 {
		t.Errorf("text style: got %+v", s)
	}
	if p.ParagraphStyle.Alignment != "END" || p.ParagraphStyle.SpaceAbove.Magnitude != 6 {
		t.Errorf("paragraph style: got %+v", p.ParagraphStyle)
	}
	for _, bad := range []*gdocs.Request{
		{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 2}, TextStyle: &gdocs.TextStyle{}}},
		{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 2}, TextStyle: &gdocs.TextStyle{}, Fields: "colour"}},
		{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 99}, TextStyle: &gdocs.TextStyle{}, Fields: "bold"}},
		{UpdateParagraphStyle: &gdocs.UpdateParagraphStyleRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 2}, ParagraphStyle: &gdocs.ParagraphStyle{}, Fields: "tabStops"}},
		{CreateParagraphBullets: &gdocs.CreateParagraphBulletsRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 2}, BulletPreset: "X"}},
	} {
		if _, err := Apply(d, "id", []*gdocs.Request{bad}); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

func TestNewRowsLookLikeTheRowBesideThem(t *testing.T) {
	t.Parallel()
	row := `<w:tr><w:trPr><w:cantSplit/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:shd w:val="clear" w:fill="EEEEEE"/></w:tcPr>` +
		`<w:p><w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:rPr><w:i/></w:rPr><w:t>a</w:t></w:r></w:p></w:tc></w:tr>`
	d := docx(t, `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>`+row+`</w:tbl>`+para("end"))
	at := &gdocs.TableCellLocation{TableStartLocation: &gdocs.Location{Index: 1}}
	_, err := Apply(d, "id", []*gdocs.Request{
		{InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: at, InsertBelow: true}},
		{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: 8}, Text: "b"}},
		{MergeTableCells: &gdocs.MergeTableCellsRequest{TableRange: &gdocs.TableRange{
			TableCellLocation: &gdocs.TableCellLocation{TableStartLocation: &gdocs.Location{Index: 1}, RowIndex: 1}, RowSpan: 1, ColumnSpan: 2}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(strings.Replace(row, "<w:r>", `<w:r>`, 1), "<w:t>a</w:t>", "<w:t>b</w:t>", 1)
	want = strings.Replace(want, `<w:jc w:val="right"/>`, `<w:jc w:val="right"/><w:rPr><w:i/></w:rPr>`, 1)
	if got := bodyXML(t, reread(t, d)); !strings.Contains(got, row+want) {
		t.Errorf("got %s, want %s in it", got, row+want)
	}
}
