package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/check"
)

// told are the findings as "place: code → cure".
func told(findings []check.Finding) []string {
	var lines []string
	for _, f := range findings {
		line := f.Where + ": " + f.Code
		if len(f.Nearest) > 0 {
			line += " → " + f.Nearest[0]
		}
		lines = append(lines, line)
	}
	return lines
}

// paragraphs writes where each paragraph's finding is expected.
func paragraphs(findings ...string) []string {
	for i, f := range findings {
		findings[i] = fmt.Sprintf("paragraph %d: %s", i+1, f)
	}
	return findings
}

func TestTemplatesOfOtherSystemsFailInPlainWords(t *testing.T) {
	t.Parallel()
	cases := []struct {
		system string
		lines  []string
		want   []string
	}{
		{"docxtemplater", []string{"Dear {first_name},", "{#users}", "{name}", "{/users}", "{^users}", "{@raw}", "{%logo}"},
			paragraphs("foreign_tag → {{first_name}}", "foreign_tag → {{#each users}}", "foreign_tag → {{name}}", "foreign_tag → {{/each}}",
				"foreign_tag → {{#if not users}}", "foreign_tag → {{raw}}", "foreign_tag → {{image logo}}")},
		{"mail merge", []string{"Dear «First_Name»,", "«AddressBlock»"}, paragraphs("foreign_tag → {{First_Name}}", "foreign_tag → {{AddressBlock}}")},
		{"Jinja", []string{"{% for item in items %}", "{{ price|round(2) }}", "{%tr endfor %}", "{%p if paid %}", "{%p else %}", "{% endif %}", "{# a note #}", "{% set x = 1 %}", "{{r rich}}"},
			paragraphs("foreign_tag → {{#each items}}", "foreign_tag → {{= ROUND(price, 2)}}", "foreign_tag → {{/each}}", "foreign_tag → {{#if paid}}",
				"foreign_tag → {{else}}", "foreign_tag → {{/if}}", "foreign_tag", "foreign_tag", "foreign_tag → {{rich}}")},
		{"Carbone", []string{"{d.customer.name}", "{d.items[i].price:formatC(2)}", "{c.now}"},
			paragraphs("foreign_tag → {{customer.name}}", "foreign_tag → {{items.price}}", "foreign_tag → {{now}}")},
		{"Mustache", []string{"{{#items}}", "{{name}}", "{{/items}}", "{{^items}}", "{{{raw}}}", "{{&raw}}", "{{>part}}", "{{! a note }}"},
			[]string{"paragraph 1: unknown_block → {{#each items}}", "paragraph 3: unknown_block → {{/each}}", "paragraph 4: foreign_tag → {{#if not items}}",
				"paragraph 5: foreign_tag → {{raw}}", "paragraph 6: foreign_tag → {{raw}}", "paragraph 7: foreign_tag", "paragraph 8: foreign_tag"}},
		{"Handlebars", []string{"{{#unless paid}}"}, paragraphs("unknown_block → {{#if not paid}}")},
		{"docx-templates", []string{"+++INS project.name+++", "+++FOR p IN people+++", "+++END-FOR p+++"},
			paragraphs("foreign_tag → {{project.name}}", "foreign_tag → {{#each people}}", "foreign_tag → {{/each}}")},
		{"others", []string{"${customer.name}", "<<[name]>>"}, paragraphs("foreign_tag → {{customer.name}}", "foreign_tag → {{name}}")},
	}
	for _, c := range cases {
		t.Run(c.system, func(t *testing.T) {
			t.Parallel()
			findings, err := fileFindings(docx(t, c.lines...), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(findings); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			for _, f := range findings {
				if f.Message == "" || f.Around == "" || f.Tag == "" {
					t.Errorf("%+v says too little", f)
				}
			}
		})
	}
}

func TestTagsThatFormattingBrokeAreFoundWithTheirCure(t *testing.T) {
	t.Parallel()
	findings, err := fileFindings(docx(t, "a { {Name} } b", "a {{Name} } b", "a ｛｛Nam｝｝ b", "a {{Name} b", "a {Name}} b", "{{Customer", "Name}} b", "{{Name}}"),
		[]byte(`{"Name": "Ada", "Customer Name": "Bob"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := paragraphs("tag_broken → {{Name}}", "tag_broken → {{Name}}", "tag_broken → {{Name}}", "tag_not_closed → {{Name}}", "tag_not_opened → {{Name}}", "tag_broken → {{Customer Name}}")
	if got := told(findings); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is in single braces or quotes beside tags of ours is text, unless the
// source has a field of that name.
func TestTextThatOnlyLooksLikeATagIsLeftAlone(t *testing.T) {
	t.Parallel()
	lines := []string{"{{Name}} {note} «Wort» {A79C9582-19D1-11D1-91C7-C4252BDEA3A4} { … } f(x) = {1, 2} a << b >> c", "1+++2", "100% {%", "«пакет»"}
	findings, err := fileFindings(docx(t, lines...), []byte(`{"Name": "Ada"}`))
	if err != nil || len(findings) > 0 {
		t.Errorf("got %q, %v", told(findings), err)
	}
	if findings, err = fileFindings(docx(t, "{{Name}} {Total}"), []byte(`{"Name": "Ada", "Total": 1}`)); err != nil || len(findings) != 1 {
		t.Errorf("a known field in single braces: got %q, %v", told(findings), err)
	}
	if findings, err = fileFindings(docx(t, "{{r name}} {{a|b}}"), []byte(`{"r name": "Ada", "a|b": 1}`)); err != nil || len(findings) > 0 {
		t.Errorf("fields with odd names: got %q, %v", told(findings), err)
	}
}

// The name of an output has a tag by default, also of a template of another system.
func TestATagOutsideTheFileDoesNotMakeItsTemplateOurs(t *testing.T) {
	t.Parallel()
	template := ofDocument(linking("<<order>>", "«Total»", "{city}"))
	template.Add("outputName", "{{Timestamp}}")
	findings, err := find(template, nil, nil)
	want := paragraphs("foreign_tag → {{order}}", "foreign_tag → {{Total}}", "foreign_tag → {{city}}")
	if got := told(findings); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// What is explained as another system's is not told once more as a field that
// the source does not have.
func TestAPlaceIsExplainedOnce(t *testing.T) {
	t.Parallel()
	lines := []string{"{{price|round(2)}}", "{{{prise}}}", "{{^price}}", "{{r price}}", "{{> part}}", "{{price}"}
	findings, err := find(ofDocument(linking(lines...)), []string{"price", "name"}, nil)
	want := paragraphs("foreign_tag → {{= ROUND(price, 2)}}", "foreign_tag → {{price}}", "foreign_tag → {{#if not price}}", "foreign_tag → {{price}}", "foreign_tag", "tag_not_closed → {{price}}")
	if got := told(findings); err != nil || !slices.Equal(got, want) {
		t.Errorf("got\n%s\n%v; want\n%s", strings.Join(got, "\n"), err, strings.Join(want, "\n"))
	}
}

func TestPlacesOfSlidesAndTabsAreNamed(t *testing.T) {
	t.Parallel()
	shape := func(text string) *slidesapi.PageElement {
		return &slidesapi.PageElement{Shape: &slidesapi.Shape{Text: &slidesapi.TextContent{TextElements: []*slidesapi.TextElement{{TextRun: &slidesapi.TextRun{Content: text}}}}}}
	}
	notes := &slidesapi.Page{PageElements: []*slidesapi.PageElement{shape("{{= WEEKDAY()}}")}}
	slides := ofPresentation(&slidesapi.Presentation{Slides: []*slidesapi.Page{
		{PageElements: []*slidesapi.PageElement{shape("{{#if A}}")}, SlideProperties: &slidesapi.SlideProperties{NotesPage: notes}},
		{PageElements: []*slidesapi.PageElement{shape("{{Nam}}\n"), shape("{{/if}}")}},
	}})
	paragraph := func(text string) *docsapi.Body {
		return &docsapi.Body{Content: []*docsapi.StructuralElement{{Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{{TextRun: &docsapi.TextRun{Content: text}}}}}}}
	}
	tab := func(title, text string) *docsapi.Tab {
		return &docsapi.Tab{TabProperties: &docsapi.TabProperties{Title: title}, DocumentTab: &docsapi.DocumentTab{Body: paragraph(text)}}
	}
	tabs := ofDocument(&docsapi.Document{Tabs: []*docsapi.Tab{tab("One", "{{#if A}}"), tab("Two", "{{/if}}")}})
	tabs.Add("outputName", "Bill {{Nam}}")
	for _, c := range []struct {
		name     string
		template *check.Template
		want     []string
	}{
		{"a block over slides and their notes", slides, []string{"notes of slide 1: unknown_function", "slide 2: unknown_field → Name"}},
		{"no block over tabs", tabs, []string{`tab "One", paragraph 1: block_not_closed`, `tab "Two", paragraph 1: block_not_open`, "outputName: unknown_field → Name", ": tabs_printed"}},
	} {
		findings, err := find(c.template, []string{"Name", "A"}, nil)
		if got := told(findings); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// A picture whose description is a tag is a placeholder for another one.
func TestTagsOfPicturesAndLayoutsAreChecked(t *testing.T) {
	t.Parallel()
	picture := &slidesapi.PageElement{Image: &slidesapi.Image{}, Description: " {{image Logoo}} "}
	layout := &slidesapi.Page{LayoutProperties: &slidesapi.LayoutProperties{DisplayName: "Title"}, PageElements: []*slidesapi.PageElement{
		{Shape: &slidesapi.Shape{Text: &slidesapi.TextContent{TextElements: []*slidesapi.TextElement{{TextRun: &slidesapi.TextRun{Content: "{{= SUMM(1)}}"}}}}}}}}
	slides := ofPresentation(&slidesapi.Presentation{
		Slides:  []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{picture, {Image: &slidesapi.Image{}, Title: "a {{Nobody}} in words"}}}},
		Layouts: []*slidesapi.Page{layout},
	})
	document := ofDocument(&docsapi.Document{
		Body: &docsapi.Body{Content: []*docsapi.StructuralElement{{Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{
			{TextRun: &docsapi.TextRun{Content: "{{Na"}}, {InlineObjectElement: &docsapi.InlineObjectElement{InlineObjectId: "o"}}, {InlineObjectElement: &docsapi.InlineObjectElement{InlineObjectId: "none"}},
		}}}}},
		InlineObjects: map[string]docsapi.InlineObject{"o": {InlineObjectProperties: &docsapi.InlineObjectProperties{EmbeddedObject: &docsapi.EmbeddedObject{Title: "{{qr Logoo}}"}}}},
	})
	for name, c := range map[string]struct {
		template *check.Template
		want     []string
	}{
		"slides":   {slides, []string{"slide 1: unknown_field → Logo", "slide 1, description of a picture: tag_not_filled", `layout "Title": unknown_function → SUM`}},
		"document": {document, []string{"paragraph 1: tag_not_closed", "paragraph 1: unknown_field → Logo"}},
	} {
		findings, err := find(c.template, []string{"Logo"}, nil)
		if got := told(findings); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
	schema, err := document.Schema()
	if err != nil || !strings.Contains(string(schema), `"Logoo"`) {
		t.Errorf("schema: got %s, %v", schema, err)
	}
}

// FuzzFindings looks for a template that cannot be looked at.
func FuzzFindings(f *testing.F) {
	f.Add("{{a}} {#b} {%for%} «x» {{ {{", "｛｛x｝｝ { {y} }")
	f.Fuzz(func(t *testing.T, one, two string) {
		paragraph := func(text string) *docsapi.StructuralElement {
			return &docsapi.StructuralElement{Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{{TextRun: &docsapi.TextRun{Content: text}}}}}
		}
		template := ofDocument(&docsapi.Document{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{paragraph(one), paragraph(two)}}})
		findings, err := find(template, []string{"a"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Where == "" || f.Message == "" {
				t.Errorf("%+v says too little", f)
			}
		}
	})
}

func TestBracesAroundNothingAreNoTagOfAnotherSystem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{ }}": "paragraph 1: not_a_tag", "{{}}": "paragraph 1: not_a_tag", "{{\u00a0}}": "paragraph 1: not_a_tag", "{{\u200b}}": "paragraph 1: not_a_tag",
		"{{ }": "paragraph 1: tag_not_closed", "{{ ": "paragraph 1: tag_not_closed", "{ }}": "paragraph 1: tag_not_opened",
		"{ }": "", "${ }": "", "{% %}": "",
	} {
		findings, err := fileFindings(docx(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(told(findings), "; "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
