package check_test

import (
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/check"
)

// linking is a document of these paragraphs; what stands behind an arrow is the
// address that the paragraph leads to.
func linking(lines ...string) *docsapi.Document {
	var content []*docsapi.StructuralElement
	for _, line := range lines {
		text, address, linked := strings.Cut(line, " → ")
		run := &docsapi.TextRun{Content: text + "\n"}
		if linked {
			run.TextStyle = &docsapi.TextStyle{Link: &docsapi.Link{Url: address}}
		}
		content = append(content, &docsapi.StructuralElement{Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{{TextRun: run}}}})
	}
	return &docsapi.Document{Body: &docsapi.Body{Content: content}}
}

func TestAddressesOfLinksAreCheckedWhereTheyStand(t *testing.T) {
	t.Parallel()
	document := linking(
		"order → https://example.com/{{Nam}}",
		"{{#each Orders}}",
		"order → https://example.com/%7B%7BNo%7D%7D?of=%7b%7bName%7d%7d",
		"{{/each}}",
		"order → https://example.com/{{No}}",
		"{{#each Orders}}x{{/each}} → https://example.com/{{No}}",
		"order → https://example.com/{{Name",
		"order → https://example.com/{{#if Name}}a",
		"order → https://example.com/{{= SUMM(1)}}",
		"order → https://example.com/%7Bplain%7D",
	)
	findings, err := find(ofDocument(document), []string{"Name", "Orders.No"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"paragraph 1, address of a link: unknown_field → Name",
		"paragraph 5, address of a link: unknown_field → Orders.No",
		"paragraph 6, address of a link: unknown_field → Orders.No",
		"paragraph 7, address of a link: tag_not_closed",
		"paragraph 8, address of a link: block_not_closed",
		"paragraph 9, address of a link: unknown_function → SUM",
	}
	if got := told(findings); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := findings[0].Around; got != "https://example.com/{{Nam}}" {
		t.Errorf("around: got %q", got)
	}
}

// Each address with tags of blocks is looked at for itself, also where there are
// no others.
func TestABlockInOneAddressDoesNotEndInAnother(t *testing.T) {
	t.Parallel()
	findings, err := find(ofDocument(linking("a → https://x.at/{{#if Name}}", "b → https://x.at/{{/if}}", "c → https://x.at/{{#each Orders}}{{No}}")), []string{"Name", "Orders.No"}, nil)
	want := []string{"paragraph 1, address of a link: block_not_closed", "paragraph 2, address of a link: block_not_open", "paragraph 3, address of a link: block_not_closed"}
	if got := told(findings); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestConditionsAroundAnAddressTakeNoNamesFromIt(t *testing.T) {
	t.Parallel()
	const deep = 9
	template := func(before, line, behind string) *check.Template {
		lines := []string{"{{#each Orders}}" + strings.Repeat("{{#if No}}", deep)}
		lines = append(lines, before+line+" → https://example.com/{{No}}", behind+strings.Repeat("{{/if}}", deep)+"{{/each}}")
		return ofDocument(linking(lines...))
	}
	inner := strings.Repeat("{{#if No}}", deep)
	for name, c := range map[string]*check.Template{
		"around the paragraph":     template("", "order", ""),
		"from within it on":        template(inner, "order", strings.Repeat("{{/if}}", deep)),
		"a list from within it on": template(inner+"{{#each Orders}}"+inner, "order", strings.Repeat("{{/if}}", deep)+"{{/each}}"+strings.Repeat("{{/if}}", deep)),
	} {
		findings, err := find(c, []string{"Orders.No"}, nil)
		if got := told(findings); err != nil || len(got) > 0 {
			t.Errorf("%s: got %q, %v; want nothing", name, got, err)
		}
	}
	schema, err := template("", "order", "").Schema()
	if err != nil || strings.Contains(string(schema), `"required":["No"]`) {
		t.Errorf("got %s, %v; want No not required, which stands inside of conditions", schema, err)
	}
}

func TestWhatDataMakesOfAnAddressHasItsPlace(t *testing.T) {
	t.Parallel()
	template := ofDocument(linking("Dear {{Name}}", "us → {{Home}}", "you → https://example.com/{{= 1 / Name}}"))
	findings, err := find(template, nil, []byte(`{"Name": 0, "Home": "ftp://example.com"}`))
	want := []string{"paragraph 2, address of a link: link_unusable", "paragraph 3, address of a link: division_by_zero"}
	if got := told(findings); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestTheSchemaAsksForWhatAddressesNeed(t *testing.T) {
	t.Parallel()
	template := ofDocument(linking("{{#each Orders}}", "order → https://example.com/{{No}}", "{{/each}}", "{{#if Paid}}", "us → https://example.com/{{Shop}}", "{{/if}}"))
	got, err := template.Schema()
	const want = `"properties":{"Orders":{"type":"array","items":{"type":"object","properties":{"No":{"type":["string","number","boolean","array","null"]}},"required":["No"]}},"Paid":{"description":"Asked for by conditions only."},"Shop":{"type":["string","number","boolean","array","null"]}},"required":["Orders"]`
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if n := template.Tags(); n != 6 {
		t.Errorf("got %d tags, want 6", n)
	}
}

// Only a picture that stands in the line of text, or on a slide, gives its
// place to another, and only where the tag is all that it says of itself.
func TestTagsInDescriptionsThatNothingFillsAreFound(t *testing.T) {
	t.Parallel()
	described := func(text string) docsapi.InlineObject {
		return docsapi.InlineObject{InlineObjectProperties: &docsapi.InlineObjectProperties{EmbeddedObject: &docsapi.EmbeddedObject{Description: text}}}
	}
	document := linking("a", "b")
	document.InlineObjects = map[string]docsapi.InlineObject{"one": described("{{image Logo}}"), "two": described("The {{image Logo}} of {{Name}}"), "three": described("{a}")}
	document.PositionedObjects = map[string]docsapi.PositionedObject{"four": {PositionedObjectProperties: &docsapi.PositionedObjectProperties{EmbeddedObject: &docsapi.EmbeddedObject{Title: "{{image Logo}}"}}}}
	first, second := document.Body.Content[0].Paragraph, document.Body.Content[1].Paragraph
	for _, id := range []string{"one", "two", "three"} {
		first.Elements = append(first.Elements, &docsapi.ParagraphElement{InlineObjectElement: &docsapi.InlineObjectElement{InlineObjectId: id}})
	}
	second.PositionedObjectIds = []string{"four"}
	image := func(text string) []*slidesapi.PageElement {
		return []*slidesapi.PageElement{{Image: &slidesapi.Image{}, Description: text}}
	}
	slides := &slidesapi.Presentation{
		Slides: []*slidesapi.Page{
			{PageElements: append(image("{{image Logo}}"), image("{{Logo}} of ours")...), SlideProperties: &slidesapi.SlideProperties{NotesPage: &slidesapi.Page{PageElements: image("{{qr Logo}}")}}},
			{PageElements: image("{{image Logo}}")},
		},
		Masters: []*slidesapi.Page{{PageElements: image("{{image Logo}}")}},
	}
	for name, c := range map[string]struct {
		template *check.Template
		want     []string
	}{
		"document": {ofDocument(document), []string{"paragraph 1, description of a picture: tag_not_filled", "paragraph 2, description of a picture: tag_not_filled"}},
		"slides": {ofPresentation(slides), []string{
			"slide 1, description of a picture: tag_not_filled", "notes of slide 1, description of a picture: tag_not_filled", "master, description of a picture: tag_not_filled",
		}},
	} {
		findings, err := find(c.template, []string{"Logo", "Name"}, nil)
		if got := told(findings); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestTagsInChipsAreNotFilled(t *testing.T) {
	t.Parallel()
	for name, chip := range map[string]*docsapi.ParagraphElement{
		"a person":   {Person: &docsapi.Person{PersonProperties: &docsapi.PersonProperties{Name: "{{Name}}"}}},
		"a link":     {RichLink: &docsapi.RichLink{RichLinkProperties: &docsapi.RichLinkProperties{Title: "Offer", Uri: "https://example.com/{{Name}}"}}},
		"a date":     {DateElement: &docsapi.DateElement{DateElementProperties: &docsapi.DateElementProperties{DisplayText: "{{Name}}"}}},
		"a dropdown": {Dropdown: &docsapi.Dropdown{DropdownProperties: &docsapi.DropdownProperties{DisplayValue: "{{Name}}"}}},
	} {
		p := paragraph("Dear {{Name}}")
		p.Paragraph.Elements = append(p.Paragraph.Elements, chip)
		findings, err := find(ofDocument(bodyOf(p)), []string{"Name"}, nil)
		if got, want := told(findings), []string{"paragraph 1, chip: tag_not_filled"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestAddressesInTextThatOnlyReplacingReachesAreNotFilled(t *testing.T) {
	t.Parallel()
	linked := func(text string) *slidesapi.PageElement {
		return &slidesapi.PageElement{Shape: &slidesapi.Shape{Text: &slidesapi.TextContent{TextElements: []*slidesapi.TextElement{
			{ParagraphMarker: &slidesapi.ParagraphMarker{}},
			{TextRun: &slidesapi.TextRun{Content: text + "\n", Style: &slidesapi.TextStyle{Link: &slidesapi.Link{Url: "https://example.com/{{Nam}}"}}}},
		}}}}
	}
	slides := &slidesapi.Presentation{
		Slides:  []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{linked("here")}}},
		Layouts: []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{linked("here")}}},
	}
	document := linking("See the note")
	note := linking("here → https://example.com/{{Nam}}").Body.Content
	document.Footnotes = map[string]docsapi.Footnote{"note": {Content: note}, "box": {Content: note}}
	body := document.Body.Content[0].Paragraph
	body.Elements = append(body.Elements, &docsapi.ParagraphElement{FootnoteReference: &docsapi.FootnoteReference{FootnoteId: "note"}})
	for name, c := range map[string]struct {
		template *check.Template
		want     []string
	}{
		"slides": {ofPresentation(slides), []string{"slide 1, address of a link: unknown_field → Name", "layout, address of a link: tag_not_filled"}},
		"document": {ofDocument(document), []string{
			"note or text box, paragraph 1, address of a link: tag_not_filled", "note or text box, paragraph 1, address of a link: unknown_field → Name",
		}},
	} {
		findings, err := find(c.template, []string{"Name"}, nil)
		if got := told(findings); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestWhatStandsOutsideTheFileIsWorkedOutWithTheData(t *testing.T) {
	t.Parallel()
	template := ofDocument(linking("{{= 1 / Zero}} {{= 1 / 0}}"))
	template.Add("outputName", "{{= 1 / 0}} for {{Name}}")
	template.Add("pdfPassword", "{{= DATE(Name)}} {{qr Name}}")
	findings, err := find(template, nil, []byte(`{"Name": "Ada", "Zero": 0}`))
	want := []string{
		"paragraph 1: division_by_zero", "paragraph 1: division_by_zero",
		"outputName: division_by_zero", "pdfPassword: not_a_date", "pdfPassword: picture_in_text",
	}
	if got := told(findings); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
