package check_test

import (
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/check"
)

func paragraph(text string) *docsapi.StructuralElement {
	return &docsapi.StructuralElement{Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{{TextRun: &docsapi.TextRun{Content: text + "\n"}}}}}
}

func cellOf(elements ...*docsapi.StructuralElement) *docsapi.TableCell {
	return &docsapi.TableCell{Content: elements}
}

func tableOf(rows ...[]*docsapi.TableCell) *docsapi.StructuralElement {
	table := &docsapi.Table{}
	for _, cells := range rows {
		table.TableRows = append(table.TableRows, &docsapi.TableRow{TableCells: cells})
	}
	return &docsapi.StructuralElement{Table: table}
}

func shapeOf(text string) *slidesapi.PageElement {
	return &slidesapi.PageElement{Shape: &slidesapi.Shape{Text: textOf(text)}}
}

func textOf(text string) *slidesapi.TextContent {
	return &slidesapi.TextContent{TextElements: []*slidesapi.TextElement{{ParagraphMarker: &slidesapi.ParagraphMarker{}}, {TextRun: &slidesapi.TextRun{Content: text}}}}
}

// placesOf are the places of a template that has a mistake in each of them, in
// reading order.
func placesOf(template *check.Template) []string {
	var places []string
	for _, f := range template.Findings([]string{"Name"}) {
		places = append(places, f.Where)
	}
	return places
}

func TestEveryPlaceOfADocumentIsNamedAndReadInItsOrder(t *testing.T) {
	t.Parallel()
	const bad = "{{Gone}}"
	document := &docsapi.Document{
		Body: &docsapi.Body{Content: []*docsapi.StructuralElement{
			{SectionBreak: &docsapi.SectionBreak{}},
			paragraph(bad),
			tableOf([]*docsapi.TableCell{cellOf(paragraph("x")), cellOf(paragraph("x"), paragraph(bad))}, []*docsapi.TableCell{cellOf(paragraph(bad), tableOf([]*docsapi.TableCell{cellOf(paragraph(bad))}))}),
			paragraph("x"),
			paragraph(bad),
			tableOf([]*docsapi.TableCell{cellOf(paragraph(bad))}),
		}},
		Headers:   map[string]docsapi.Header{"b": {Content: []*docsapi.StructuralElement{paragraph(bad)}}, "a": {Content: []*docsapi.StructuralElement{paragraph("x"), paragraph(bad)}}},
		Footers:   map[string]docsapi.Footer{"f": {Content: []*docsapi.StructuralElement{tableOf([]*docsapi.TableCell{cellOf(paragraph(bad))})}}},
		Footnotes: map[string]docsapi.Footnote{"n": {Content: []*docsapi.StructuralElement{paragraph(bad)}}},
	}
	want := []string{
		"paragraph 1", "table 1, row 1, cell 2, paragraph 2", "table 1, row 2, cell 1, paragraph 1", "table 1, row 2, cell 1, table 1, row 1, cell 1, paragraph 1",
		"paragraph 3", "table 2, row 1, cell 1, paragraph 1",
		"header, paragraph 2", "header, paragraph 1", "footer, table 1, row 1, cell 1, paragraph 1", "note or text box, paragraph 1",
	}
	if got := placesOf(ofDocument(document)); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A document without tabs, with one, and with one inside another.
func TestTabsAreNamedWhereThereAreSeveral(t *testing.T) {
	t.Parallel()
	tab := func(title string, children ...*docsapi.Tab) *docsapi.Tab {
		return &docsapi.Tab{TabProperties: &docsapi.TabProperties{Title: title}, DocumentTab: &docsapi.DocumentTab{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{paragraph("{{Gone}}")}}}, ChildTabs: children}
	}
	for _, c := range []struct {
		tabs []*docsapi.Tab
		want string
	}{
		{[]*docsapi.Tab{tab("One")}, "paragraph 1"},
		{[]*docsapi.Tab{tab("One"), tab("Two")}, `tab "One", paragraph 1;tab "Two", paragraph 1;`},
		{[]*docsapi.Tab{tab("One", tab("Inner"))}, `tab "One", paragraph 1;tab "Inner", paragraph 1;`},
		{[]*docsapi.Tab{tab("One"), {TabProperties: &docsapi.TabProperties{Title: "of another kind"}}}, `tab "One", paragraph 1`},
	} {
		if got := strings.Join(placesOf(ofDocument(&docsapi.Document{Tabs: c.tabs})), ";"); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestEveryPlaceOfAPresentationIsNamedAndReadInItsOrder(t *testing.T) {
	t.Parallel()
	const bad = "{{Gone}}"
	page := func(elements ...*slidesapi.PageElement) *slidesapi.Page {
		return &slidesapi.Page{PageElements: elements}
	}
	second := page(shapeOf("x"), &slidesapi.PageElement{ElementGroup: &slidesapi.Group{Children: []*slidesapi.PageElement{shapeOf(bad)}}},
		&slidesapi.PageElement{Table: &slidesapi.Table{TableRows: []*slidesapi.TableRow{{TableCells: []*slidesapi.TableCell{{Text: textOf("x")}, {}}}, {TableCells: []*slidesapi.TableCell{{Text: textOf("x")}, {Text: textOf(bad)}}}}}})
	second.SlideProperties = &slidesapi.SlideProperties{NotesPage: page(shapeOf(bad))}
	layout := page(shapeOf(bad))
	layout.LayoutProperties = &slidesapi.LayoutProperties{DisplayName: "Title"}
	presentation := &slidesapi.Presentation{
		Slides:  []*slidesapi.Page{page(shapeOf(bad), &slidesapi.PageElement{Line: &slidesapi.Line{}}, &slidesapi.PageElement{Shape: &slidesapi.Shape{}}), second},
		Layouts: []*slidesapi.Page{layout, page(shapeOf(bad))},
		Masters: []*slidesapi.Page{page(shapeOf(bad))},
	}
	want := []string{"slide 1", "slide 2", "slide 2, row 2, cell 2", "notes of slide 2", `layout "Title"`, "layout", "master"}
	if got := placesOf(ofPresentation(presentation)); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The boxes of a block over slides may lie in front of what it holds.
func TestABlockOverSlidesHoldsAllOfThemAndTheirNotes(t *testing.T) {
	t.Parallel()
	noted := &slidesapi.Page{PageElements: []*slidesapi.PageElement{shapeOf("{{Name}}"), shapeOf("{{/each}}\n"), shapeOf("{{#each Items}}\n")}}
	noted.SlideProperties = &slidesapi.SlideProperties{NotesPage: &slidesapi.Page{PageElements: []*slidesapi.PageElement{shapeOf("{{Qty}} {{Height}}")}}}
	template := ofPresentation(&slidesapi.Presentation{Slides: []*slidesapi.Page{noted}})
	got := told(template.Findings([]string{"Items.Name", "Items.Qty"}))
	if want := []string{"notes of slide 1: unknown_field"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	schema, err := template.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if want := `"Items":{"type":"array","items":{"type":"object","properties":{"Height":`; !strings.Contains(string(schema), want) {
		t.Errorf("got the schema %s, want %s in it", schema, want)
	}
}

// What is no text stands between the letters, and no tag holds it.
func TestNoTagGoesOnOverWhatIsNoText(t *testing.T) {
	t.Parallel()
	run := func(text string) *docsapi.ParagraphElement {
		return &docsapi.ParagraphElement{TextRun: &docsapi.TextRun{Content: text}}
	}
	for name, between := range map[string]*docsapi.ParagraphElement{
		"a picture": {InlineObjectElement: &docsapi.InlineObjectElement{InlineObjectId: "o"}}, "a page number": {AutoText: &docsapi.AutoText{}},
		"a page break": {PageBreak: &docsapi.PageBreak{}}, "a footnote": {FootnoteReference: &docsapi.FootnoteReference{FootnoteId: "n"}},
		"an element that has no words": run("\ue907"),
	} {
		p := &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{run("{{Na"), between, run("me}}\n")}}
		template := ofDocument(&docsapi.Document{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{{Paragraph: p}}}})
		if got := told(template.Findings([]string{"Name"})); len(got) == 0 || template.Tags() != 0 {
			t.Errorf("%s inside a tag: got %q and %d tags, want it broken", name, got, template.Tags())
		}
	}
	whole := &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{run("{{Na"), run("me}}\n")}}
	template := ofDocument(&docsapi.Document{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{{Paragraph: whole}}}})
	if got := told(template.Findings([]string{"Name"})); len(got) > 0 || template.Tags() != 1 {
		t.Errorf("a tag of two looks: got %q and %d tags, want one tag", got, template.Tags())
	}
	text := &slidesapi.TextContent{TextElements: []*slidesapi.TextElement{{ParagraphMarker: &slidesapi.ParagraphMarker{}}, {TextRun: &slidesapi.TextRun{Content: "{{Na"}}, {AutoText: &slidesapi.AutoText{}}, {TextRun: &slidesapi.TextRun{Content: "me}}\n"}}}}
	slides := ofPresentation(&slidesapi.Presentation{Slides: []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{{Shape: &slidesapi.Shape{Text: text}}}}}})
	if slides.Tags() != 0 {
		t.Errorf("a slide number inside a tag: got %d tags", slides.Tags())
	}
}

func TestTextsAreThePassagesAndWhatStandsBesideThem(t *testing.T) {
	t.Parallel()
	template := ofDocument(linking("a", "{{#each L}}", "b → https://x.at/{{No}}", "{{/each}}"))
	template.Add("outputName", "{{Name}}\nsecond line")
	want := []string{"a", "{{#each L}}", "b", "{{/each}}", "{{#each L}}", "https://x.at/{{No}}", "{{/each}}", "{{Name}}", "second line"}
	if got := template.Texts(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := template.Tags(); got != 4 {
		t.Errorf("got %d tags, want 4", got)
	}
}
