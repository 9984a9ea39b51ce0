package fill_test

import (
	"fmt"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// sectioned builds a document of lines. One that is "§", or ends in " §", ends a section,
// and what is behind the sign says what its pages look like: "wide" turns them, "two" has
// two columns, "a" and "b" are headers, "next" begins behind the text before, "from 5" counts.
func sectioned(t testing.TB, text string) []byte {
	t.Helper()
	properties := func(said string) string {
		var b strings.Builder
		b.WriteString(`<w:sectPr w:rsidR="00` + fmt.Sprint(len(said)) + `">`)
		for _, id := range []string{"a", "b"} {
			if strings.Contains(" "+said+" ", " "+id+" ") {
				b.WriteString(`<w:headerReference w:type="default" r:id="` + id + `"/>`)
			}
		}
		if strings.Contains(said, "next") {
			b.WriteString(`<w:type w:val="continuous"/>`)
		}
		if strings.Contains(said, "wide") {
			b.WriteString(`<w:pgSz w:w="15840" w:h="12240" w:orient="landscape"/>`)
		} else {
			b.WriteString(`<w:pgSz w:w="12240" w:h="15840"/>`)
		}
		if _, from, ok := strings.Cut(said, "from "); ok {
			b.WriteString(`<w:pgNumType w:start="` + from[:1] + `"/>`)
		}
		if strings.Contains(said, "two") {
			b.WriteString(`<w:cols w:num="2"/>`)
		}
		return b.String() + `</w:sectPr>`
	}
	var body strings.Builder
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		words, said, ends := strings.Cut(line, "§")
		switch words = strings.TrimSpace(words); {
		case ends && i == len(lines)-1:
			body.WriteString(properties(said))
		case ends:
			body.WriteString(`<w:p><w:pPr>` + properties(said) + `</w:pPr><w:r><w:t>` + words + `</w:t></w:r></w:p>`)
		default:
			body.WriteString(drawn(words))
		}
	}
	const (
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		kind      = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
		wordML    = `application/vnd.openxmlformats-officedocument.wordprocessingml.`
		w         = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	)
	return zipped(t, [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="` + wordML + `document.main+xml"/><Override PartName="/word/a.xml" ContentType="` + wordML + `header+xml"/><Override PartName="/word/b.xml" ContentType="` + wordML + `header+xml"/></Types>`},
		{"_rels/.rels", relations + `<Relationship Id="d" Type="` + kind + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", relations + `<Relationship Id="a" Type="` + kind + `header" Target="a.xml"/><Relationship Id="b" Type="` + kind + `header" Target="b.xml"/></Relationships>`},
		{"word/document.xml", `<w:document` + w + `><w:body>` + body.String() + `</w:body></w:document>`},
		{"word/a.xml", `<w:hdr` + w + `>` + para("Header a") + `</w:hdr>`},
		{"word/b.xml", `<w:hdr` + w + `>` + para("Header b") + `</w:hdr>`},
	})
}

// shownSections are the sections of a file: what their pages look like, and their texts.
func shownSections(t testing.TB, file []byte) string {
	t.Helper()
	d, err := wml.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range d.Sections {
		var said, texts []string
		if s.Width > s.Height {
			said = append(said, "wide")
		}
		if len(s.Columns) > 1 {
			said = append(said, "two")
		}
		if h := s.Headers["default"]; h != nil {
			said = append(said, strings.TrimSuffix(strings.TrimPrefix(h.Part, "word/"), ".xml"))
		}
		if s.Start == "continuous" {
			said = append(said, "next")
		}
		if s.PageStart > 0 {
			said = append(said, fmt.Sprint("from ", s.PageStart))
		}
		for _, b := range s.Blocks {
			text := "|"
			if p, ok := b.(*wml.Paragraph); ok {
				text = ""
				for _, r := range p.Runs {
					for _, item := range r.Items {
						text += item.Text
					}
				}
			}
			texts = append(texts, text)
		}
		all = append(all, strings.Join(said, " ")+": "+strings.Join(texts, ", "))
	}
	return strings.Join(all, "; ")
}

func TestSectionBreaksGoWithWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ template, want string }{
		"a cover":                             {"{{#if Open}}\ncover\n§ wide a\n{{/if}}\nrest\n§ b", "b: rest"},
		"a cover of which only the text goes": {"{{#if Open}}\ncover\n{{/if}} § wide a\nrest\n§ b", "b: rest"},
		"a cover and the line of its break":   {"{{#if Open}}\ncover\n{{/if}}\n§ a\nrest\n§ b two", "two b: rest"},
		"a cover that stays":                  {"{{#if Paid}}\ncover\n§ wide a\n{{/if}}\nrest\n§ b", "wide a: cover, ; b: rest"},
		"an annex between pages alike":        {"one\n{{#if Open}}\n§ a\nannex\n§ wide\n{{/if}}\ntwo\n§", "a: one, two"},
		"an annex between others":             {"one\n{{#if Open}}\n§ a\nannex\n§ wide\n{{/if}}\ntwo\n§ two", "a: one; two a: two"},
		"an annex that has the only header":   {"one\n{{#if Open}}\n§\nannex\n§ b wide\n{{/if}}\ntwo\n§", ": one; b: two"},
		"an annex before other numbers":       {"one\n{{#if Open}}\n§ a\nannex\n§ wide\n{{/if}}\ntwo\n§ from 5", "a: one; a from 5: two"},
		"an annex at the end":                 {"one\n{{#if Open}}\n§ a\nannex\n{{/if}}\n§ wide b", "a: one"},
		"an annex at the end, behind a break": {"one § a\n{{#if Open}}\nannex\n{{/if}}\n§ wide b", "a: one"},
		"an annex and the last empty line":    {"one § a\n{{#if Open}}\nannex\n{{/if}}\n\n§ wide b", "a: one"},
		"text between two breaks":             {"one § a\n{{#if Open}}\nannex\n{{/if}} § wide\ntwo\n§ two", "a: one; two a: two"},
		"columns":                             {"one\n{{#if Open}}\n§ a\nnews\n§ two next\n{{/if}}\nend\n§ next", "a: one, end"},
		"a break alone":                       {"one\n{{#if Open}}\n§ a\n{{/if}}\ntwo\n§ a", "a: one, two"},
		"a break alone between others":        {"one\n{{#if Open}}\n§ a\n{{/if}}\ntwo\n§ wide b", "a: one; wide b: two"},
		"headers that go on behind":           {"one\n{{#if Open}}\n§ a\nannex\n§ b wide\n{{/if}}\ntwo § b\nthree\n§ two", "a: one; b: two; two b: three"},
		"headers of what is joined":           {"one §\n{{#if Open}}\nannex\n{{/if}} § b\ntwo\n§", ": one; b: two"},
		"several sections":                    {"one\n{{#if Open}}\n§ a\nx\n§ wide\ny\n§ two\n{{else}}\nother\n{{/if}}\ntwo\n§ a", "a: one, other, two"},
		"a branch with a break":               {"one\n{{#if Open}}\nx\n{{else}}\nyes\n§ a\n{{/if}}\ntwo\n§ wide", "a: one, yes, ; wide a: two"},
		"an empty list":                       {"one § a\n{{#each None}}\n{{A}}\n{{/each}} § wide\ntwo\n§ b", "a: one; b: two"},
		"a table":                             {"one\n{{#if Open}}\n§ a\n| x | y\n§ wide\n{{/if}}\n| {{Name}} | b\nend\n§ a", "a: one, |, , end"},
		"all of it":                           {"{{#if Open}}\none\n§ a\ntwo\n{{/if}}\n§ b", "b: "},
		"a page left empty by its author":     {"one\n§ a\n\n§ b\n{{Name}}\n§ two", "a: one, ; b: , ; two b: Ada"},
	} {
		file, _, err := filledFile(t, sectioned(t, c.template), sample)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := shownSections(t, file); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Google's first section break stays, and no request gives a section a header.
func TestSectionsThatCannotKeepTheirPagesAtGoogleAreMistakes(t *testing.T) {
	t.Parallel()
	paragraph := func(at int64, text string) *gdocs.StructuralElement {
		return &gdocs.StructuralElement{StartIndex: at, EndIndex: at + int64(len(text)) + 1, Paragraph: &gdocs.Paragraph{Elements: []*gdocs.ParagraphElement{{StartIndex: at, EndIndex: at + int64(len(text)) + 1, TextRun: &gdocs.TextRun{Content: text + "\n"}}}}}
	}
	section := func(at int64, header string) *gdocs.StructuralElement {
		return &gdocs.StructuralElement{StartIndex: at, EndIndex: at + 1, SectionBreak: &gdocs.SectionBreak{SectionStyle: &gdocs.SectionStyle{DefaultHeaderId: header}}}
	}
	for name, c := range map[string]struct {
		headers [3]string
		texts   []string // of sections, which part at "§"
		want    bool
	}{
		"a cover with another header":    {[3]string{"a", "b", ""}, []string{"{{#if No}}", "x", "§", "{{/if}}", "rest", "§", "end"}, true},
		"a cover with the same header":   {[3]string{"a", "", ""}, []string{"{{#if No}}", "x", "§", "{{/if}}", "rest", "§", "end"}, false},
		"a header that others take":      {[3]string{"a", "b", ""}, []string{"one", "§", "{{#if No}}", "x", "{{/if}}", "§", "end"}, true},
		"a header that nobody takes":     {[3]string{"a", "b", "c"}, []string{"one", "§", "{{#if No}}", "x", "{{/if}}", "§", "end"}, false},
		"sections of which all go":       {[3]string{"a", "b", "c"}, []string{"one", "{{#if No}}", "§", "x", "§", "y", "{{/if}}"}, false},
		"a section from which text goes": {[3]string{"a", "b", ""}, []string{"one", "§", "two", "{{#if No}}", "x", "{{/if}}", "§", "end"}, false},
	} {
		headers := c.headers[:]
		content := []*gdocs.StructuralElement{section(0, headers[0])}
		at := int64(1)
		for _, text := range c.texts {
			e := paragraph(at, text)
			if text == "§" {
				headers = headers[1:]
				e = section(at, headers[0])
			}
			content = append(content, e)
			at = e.EndIndex
		}
		d := &gdocs.Document{Body: &gdocs.Body{Content: content}, DocumentStyle: &gdocs.DocumentStyle{DocumentFormat: &gdocs.DocumentFormat{DocumentMode: "PAGES"}}}
		_, err := fill.ComposeDocument(d, lang.NewEvaluator(parse(t, sample), lang.Builtins{}), nonce)
		if got := err != nil && strings.Contains(err.Error(), "A section goes"); got != c.want {
			t.Errorf("%s: got %v, want a mistake: %v", name, err, c.want)
		}
	}
}
