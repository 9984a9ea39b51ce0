package docs

import (
	"fmt"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/testkit/property"
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
	property.Check(t, func(rt *rapid.T) {
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
		{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: 10}, Text: "b"}},
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

// everyTextField is a mask that means a style as a whole.
const everyTextField = "backgroundColor,baselineOffset,bold,fontSize,foregroundColor,italic,link,smallCaps,strikethrough,underline,weightedFontFamily"

func TestRequestsForStylesAreRefusedInGooglesWords(t *testing.T) {
	t.Parallel()
	text := func(r *gdocs.Range, s *gdocs.TextStyle, fields string) *gdocs.Request {
		return &gdocs.Request{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: r, TextStyle: s, Fields: fields}}
	}
	paragraph := func(r *gdocs.Range, s *gdocs.ParagraphStyle, fields string) *gdocs.Request {
		return &gdocs.Request{UpdateParagraphStyle: &gdocs.UpdateParagraphStyleRequest{Range: r, ParagraphStyle: s, Fields: fields}}
	}
	here := rangeFrom("", 1, 2)
	for want, r := range map[string]*gdocs.Request{
		"updateTextStyle: At least one field must be listed in fields.":                                           text(here, &gdocs.TextStyle{}, ""),
		`updateTextStyle: The field "colour" is not a field of the style.`:                                        text(here, &gdocs.TextStyle{}, "bold,colour"),
		"updateTextStyle: The text style must be specified.":                                                      text(here, nil, "bold"),
		"updateTextStyle: The range should not be empty.":                                                         text(nil, &gdocs.TextStyle{}, "bold"),
		"updateTextStyle: The range's start index (range.startIndex) must be provided.":                           text(&gdocs.Range{EndIndex: 2}, &gdocs.TextStyle{}, "bold"),
		"updateTextStyle: Index 8 must be less than the end index of the referenced segment, 3.":                  text(rangeFrom("", 1, 8), &gdocs.TextStyle{}, "bold"),
		"updateTextStyle: Segment with ID kix.no was not found.":                                                  text(rangeFrom("kix.no", 1, 2), &gdocs.TextStyle{}, "bold"),
		"updateTextStyle: This drive makes no links but to addresses (link.url).":                                 text(here, &gdocs.TextStyle{Link: &gdocs.Link{BookmarkId: "x"}}, "link"),
		"updateParagraphStyle: At least one field must be listed in fields.":                                      paragraph(here, &gdocs.ParagraphStyle{}, ""),
		`updateParagraphStyle: The field "bold" is not a field of the style.`:                                     paragraph(here, &gdocs.ParagraphStyle{}, "bold"),
		"updateParagraphStyle: The paragraph style must be specified.":                                            paragraph(here, nil, "alignment"),
		"updateParagraphStyle: The range should not be empty.":                                                    paragraph(rangeFrom("", 2, 1), &gdocs.ParagraphStyle{}, "alignment"),
		`updateParagraphStyle: This drive cannot set the field "tabStops" of a paragraph's style by itself.`:      paragraph(here, &gdocs.ParagraphStyle{}, "alignment,tabStops"),
		"updateParagraphStyle: The named style type HEADING_7 is unknown.":                                        paragraph(here, &gdocs.ParagraphStyle{NamedStyleType: "HEADING_7"}, "namedStyleType"),
		"updateParagraphStyle: The named style type HEADING_ is unknown.":                                         paragraph(here, &gdocs.ParagraphStyle{NamedStyleType: "HEADING_"}, "namedStyleType"),
		"updateParagraphStyle: The named style type HEADING_12 is unknown.":                                       paragraph(here, &gdocs.ParagraphStyle{NamedStyleType: "HEADING_12"}, "namedStyleType"),
		"updateParagraphStyle: The named style type  is unknown.":                                                 paragraph(here, &gdocs.ParagraphStyle{}, "namedStyleType"),
		"updateParagraphStyle: This document has no style for HEADING_1.":                                         paragraph(here, &gdocs.ParagraphStyle{NamedStyleType: "HEADING_1"}, "namedStyleType"),
		"updateParagraphStyle: Segment with ID kix.textbox1 is a text box, which only replaceAllText can change.": paragraph(rangeFrom("kix.textbox1", 0, 1), &gdocs.ParagraphStyle{}, "alignment"),
	} {
		d := docxWith(t, para("a"), map[string]string{
			"header1": `<w:hdr` + namespaces + `><w:p><w:r><w:drawing><wp:anchor><w:txbxContent>` + para("box") + `</w:txbxContent></wp:anchor></w:drawing></w:r></w:p></w:hdr>`,
		})
		if got := refuse(t, d, insertAt(1, "x"), deleteRange(1, 2), r); got != "Invalid requests[2]."+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAMaskMayNameAllFieldsOrAPartOfOne(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		"*":                             `{"bold":true,"link":{"url":"https://example.com/x"}}`,
		"link.url , bold":               `{"bold":true,"link":{"url":"https://example.com/x"}}`,
		"bold":                          `{"bold":true}`,
		"weightedFontFamily.fontFamily": `{}`,
	} {
		d := docxWith(t, `<w:p><w:r><w:t>a</w:t></w:r></w:p>`, map[string]string{"styles": `<w:styles` + namespaces + `><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>`})
		s := get(t, apply(t, d, styleText(1, 2, &gdocs.TextStyle{Bold: true, Link: &gdocs.Link{Url: "https://example.com/x"}}, fields))).Body.Content[1].Paragraph.Elements[0].TextRun.TextStyle
		s.FontSize, s.WeightedFontFamily = nil, nil
		if got := sent(t, s); got != want {
			t.Errorf("%s: got %s, want %s", fields, got, want)
		}
	}
}

func TestAStyleOfTheFileIsGivenWithItsLink(t *testing.T) {
	t.Parallel()
	const body = `<w:p><w:hyperlink r:id="l" w:history="1"><w:r><w:rPr><w:rStyle w:val="Link"/><w:emboss/></w:rPr><w:t>go</w:t></w:r></w:hyperlink><w:r><w:t>here</w:t></w:r></w:p>`
	d := docx(t, body)
	style := get(t, d).Body.Content[1].Paragraph.Elements[0].TextRun.TextStyle
	apply(t, d, styleText(3, 5, style, everyTextField))
	want := `<w:hyperlink r:id="l" w:history="1"><w:r><w:rPr><w:rStyle w:val="Link"/><w:emboss/></w:rPr><w:t xml:space="preserve">he</w:t></w:r></w:hyperlink><w:r><w:t xml:space="preserve">re</w:t></w:r>`
	if got := bodyXML(t, d); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	// Of a style that only differs by its address, the properties are known.
	d = docx(t, body)
	elsewhere := *style
	elsewhere.Link = &gdocs.Link{Url: "https://example.com/elsewhere"}
	plain := get(t, d).Body.Content[1].Paragraph.Elements[1].TextRun.TextStyle
	if plain.Link != nil {
		t.Fatalf("got %+v", plain)
	}
	linked := *plain
	linked.Link = elsewhere.Link
	doc := get(t, apply(t, d, styleText(3, 7, &linked, everyTextField)))
	if r := doc.Body.Content[1].Paragraph.Elements[1].TextRun; r.Content != "here" || r.TextStyle.Link == nil || r.TextStyle.Link.Url != elsewhere.Link.Url {
		t.Errorf("got %q with %+v", r.Content, r.TextStyle.Link)
	}
}

func TestAMarkIsStyledWithTheLineFeedOfItsParagraph(t *testing.T) {
	t.Parallel()
	const model = `<w:rPr><w:b/><w:emboss/></w:rPr>`
	for to, want := range map[int64]string{
		10: `<w:p><w:r>` + model + `<w:t xml:space="preserve">b</w:t></w:r></w:p>`,
		11: `<w:p><w:pPr>` + model + `</w:pPr><w:r>` + model + `<w:t xml:space="preserve">b</w:t></w:r></w:p>`,
	} {
		d := docx(t, `<w:p><w:r>`+model+`<w:t>model</w:t></w:r></w:p>`+para("a")+para("b"))
		style := get(t, d).Body.Content[1].Paragraph.Elements[0].TextRun.TextStyle
		apply(t, d, styleText(9, to, style, everyTextField))
		if got := bodyXML(t, d); !strings.Contains(got, want) {
			t.Errorf("to %d: got %s, want %s in it", to, got, want)
		}
	}
}

// Several runs may look alike and differ in what Google has no words for: each is
// shown with a style of its own, and a client that says its words alone means the
// shortest, whichever stands first.
func TestPropertiesThatAreShownAlikeAreToldApart(t *testing.T) {
	t.Parallel()
	long, short, other := `<w:rPr><w:b/><w:emboss/><w:imprint/></w:rPr>`, `<w:rPr><w:b/><w:emboss/></w:rPr>`, `<w:rPr><w:b/><w:shadow/></w:rPr>`
	run := func(properties string) string { return `<w:r>` + properties + `<w:t>x</w:t></w:r>` }
	for name, all := range map[string][]string{"first": {short, long, other}, "last": {long, other, short}, "between": {other, short, long}} {
		body := `<w:p>` + run(all[0]) + run(all[1]) + run(all[2]) + `</w:p>` + para("y")
		give := func(style *gdocs.TextStyle, want string) {
			t.Helper()
			d := docx(t, body)
			apply(t, d, styleText(5, 6, style, everyTextField))
			if got, want := bodyXML(t, d), `<w:r>`+want+`<w:t xml:space="preserve">y</w:t></w:r>`; !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s in it", name, got, want)
			}
		}
		elements := get(t, docx(t, body)).Body.Content[1].Paragraph.Elements
		if len(elements) != 3 {
			t.Fatalf("%s: got %d runs, want 3", name, len(elements))
		}
		for i, properties := range all {
			give(elements[i].TextRun.TextStyle, properties)
		}
		words := *elements[0].TextRun.TextStyle
		words.FontSize = points(words.FontSize.Magnitude)
		give(&words, short)
	}
}
