package fill_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
	gslides "google.golang.org/api/slides/v1"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/template/markdown"
)

// withHeadings gives a document the styles of headings, in bold.
func withHeadings(t testing.TB, file []byte) []byte {
	t.Helper()
	p, err := opc.ReadPackage(file)
	if err != nil {
		t.Fatal(err)
	}
	styles := `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">`
	for level := 1; level <= 3; level++ {
		styles += fmt.Sprintf(`<w:style w:type="paragraph" w:styleId="H%d"><w:name w:val="heading %d"/><w:pPr><w:spacing w:before="240"/></w:pPr><w:rPr><w:b/><w:sz w:val="%d"/></w:rPr></w:style>`, level, level, 40-4*level)
	}
	p.SetPart("word/styles.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml", []byte(styles+`</w:styles>`))
	if _, err := p.Relate(p.MainPart(), "styles", "/word/styles.xml", false); err != nil {
		t.Fatal(err)
	}
	content, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A styledRun is text with the marks that Markdown has for it.
type styledRun struct {
	text                       string
	bold, italic, strike, code bool
	link                       string
}

// writeRuns writes text as Markdown has it.
func writeRuns(runs []styledRun) string {
	var b strings.Builder
	for _, r := range runs {
		text := strings.ReplaceAll(strings.TrimSuffix(r.text, "\n"), "\v", "↵")
		if strings.TrimSpace(text) == "" {
			b.WriteString(text)
			continue
		}
		mark := ""
		for _, m := range []struct {
			is   bool
			sign string
		}{{r.bold, "**"}, {r.italic, "*"}, {r.strike, "~~"}, {r.code, "`"}} {
			if m.is {
				mark += m.sign
			}
		}
		closing := []rune(mark)
		for i, j := 0, len(closing)-1; i < j; i, j = i+1, j-1 {
			closing[i], closing[j] = closing[j], closing[i]
		}
		inner := strings.Trim(text, " ")
		before, behind, _ := strings.Cut(text, inner)
		text = mark + inner + string(closing)
		if r.link != "" {
			text = "[" + text + "](" + r.link + ")"
		}
		b.WriteString(before + text + behind)
	}
	return b.String()
}

// A numbering counts the entries of lists.
type numbering map[string]int

func (n numbering) next(list string, level int64) int {
	for deeper := level + 1; deeper < 9; deeper++ {
		delete(n, fmt.Sprint(list, deeper))
	}
	key := fmt.Sprint(list, level)
	n[key]++
	return n[key]
}

// styledDocument writes a document as Markdown.
func styledDocument(d *gdocs.Document, content []*gdocs.StructuralElement) string {
	counted := numbering{}
	var lines []string
	for _, e := range content {
		if e.Table != nil {
			for _, r := range e.Table.TableRows {
				line := "|"
				for _, c := range r.TableCells {
					line += " " + strings.ReplaceAll(styledDocument(d, c.Content), "\n", " // ") + " |"
				}
				lines = append(lines, strings.TrimSuffix(line, " |"))
			}
		}
		if e.Paragraph == nil {
			continue
		}
		var runs []styledRun
		for _, r := range e.Paragraph.Elements {
			if r.TextRun == nil {
				continue
			}
			s := r.TextRun.TextStyle
			run := styledRun{text: r.TextRun.Content, bold: s.Bold, italic: s.Italic, strike: s.Strikethrough}
			run.code = s.WeightedFontFamily != nil && s.WeightedFontFamily.FontFamily == "Courier New"
			if s.Link != nil {
				run.link = s.Link.Url
			}
			runs = append(runs, run)
		}
		s := e.Paragraph.ParagraphStyle
		prefix := ""
		if level, ok := strings.CutPrefix(s.NamedStyleType, "HEADING_"); ok {
			prefix = strings.Repeat("#", int(level[0]-'0')) + " "
			for i := range runs {
				runs[i].bold = false // which its style brings
			}
		}
		switch b := e.Paragraph.Bullet; {
		case b != nil:
			sign := "-"
			if n := counted.next(b.ListId, b.NestingLevel); d.Lists[b.ListId].ListProperties.NestingLevels[b.NestingLevel].GlyphType == "DECIMAL" || strings.HasSuffix(d.Lists[b.ListId].ListProperties.NestingLevels[b.NestingLevel].GlyphType, "ALPHA") || strings.HasSuffix(d.Lists[b.ListId].ListProperties.NestingLevels[b.NestingLevel].GlyphType, "ROMAN") {
				sign = fmt.Sprintf("%d.", n)
			}
			prefix = strings.Repeat("  ", int(b.NestingLevel)) + sign + " "
		case s.IndentStart != nil && s.IndentStart.Magnitude > 0:
			prefix = strings.Repeat("> ", int(math.Round(s.IndentStart.Magnitude/24))) + prefix
		case s.BorderBottom != nil:
			prefix = "---"
		}
		lines = append(lines, strings.TrimRight(prefix+writeRuns(runs), " "))
	}
	return strings.Join(lines, "\n")
}

// styledText writes the text of a shape as Markdown. A heading is text that is bold as a
// whole and larger than the rest.
func styledText(text *gslides.TextContent) string {
	if text == nil {
		return ""
	}
	var lines []string
	var runs []styledRun
	prefix, largest, numbers := "", 0.0, [9]int{}
	flush := func() {
		for level, factor := range []float64{1.6, 1.35, 1.15} {
			if math.Abs(largest-18*factor) < 0.3 {
				prefix += strings.Repeat("#", level+1) + " "
				for i := range runs {
					runs[i].bold = false
				}
			}
		}
		lines = append(lines, strings.TrimRight(prefix+writeRuns(runs), " "))
		runs, prefix, largest = nil, "", 0
	}
	for i, e := range text.TextElements {
		switch {
		case e.ParagraphMarker != nil:
			if i > 0 {
				flush()
			}
			switch b, s := e.ParagraphMarker.Bullet, e.ParagraphMarker.Style; {
			case b != nil:
				clear(numbers[b.NestingLevel+1:])
				sign := "-"
				if numbers[b.NestingLevel]++; strings.HasSuffix(b.Glyph, ".") {
					sign = fmt.Sprintf("%d.", numbers[b.NestingLevel])
				} else {
					numbers[b.NestingLevel] = 0
				}
				prefix = strings.Repeat("  ", int(b.NestingLevel)) + sign + " "
			case s.IndentStart != nil && s.IndentStart.Magnitude > 0:
				prefix = strings.Repeat("> ", int(math.Round(s.IndentStart.Magnitude/24)))
			}
		case e.TextRun != nil:
			s := e.TextRun.Style
			run := styledRun{text: e.TextRun.Content, bold: s.Bold, italic: s.Italic, strike: s.Strikethrough, code: s.FontFamily == "Courier New"}
			if s.Link != nil {
				run.link = s.Link.Url
			}
			if strings.TrimSpace(run.text) != "" && s.FontSize != nil {
				largest = max(largest, s.FontSize.Magnitude)
			}
			runs = append(runs, run)
		}
	}
	flush()
	return strings.Join(lines, "\n")
}

// styledSlide writes the shapes of the first slide as Markdown.
func styledSlide(p *gslides.Presentation) string {
	var lines []string
	for _, e := range p.Slides[0].PageElements {
		if e.Table == nil {
			lines = append(lines, styledText(e.Shape.Text))
			continue
		}
		for _, r := range e.Table.TableRows {
			line := "|"
			for _, c := range r.TableCells {
				line += " " + strings.ReplaceAll(styledText(c.Text), "\n", " // ") + " |"
			}
			lines = append(lines, strings.TrimSuffix(line, " |"))
		}
	}
	return strings.Join(lines, "\n")
}

const terms = `{"Name": "Ada", "Evil": "{{Name}}", "None": "", "Terms": "# Terms\n\nPay **within *14* days** by ~~cash~~ ` + "`{{Name}}`" + `,\nsee [our site](https://example.com/a?b=c).\n\n## Parts\n\n1. One\n   - inner\n     - deep\n2. Two\n\n   again\n3. Three {{Name}}\n\n> quoted\n\n- a\n- b\n  1. x\n  2. y\n- c\n\nline  \nbreak <b>raw</b> ![a picture](x.png) [bad](javascript:x)",
	"Rule": "a\n\n***\nb", "Table": "| Name | *Qty* |\n|---|--:|\n| Bolt \\| | **3** |\n| Nut | |\n\nend", "Nest": "- - a\n\n        code\n  1. b\n  - c\n\n> # deep\n> > - x",
	"Items": [{"Text": "*one*\n\n- a\n- b"}, {"Text": "# two"}]}`

const termsShown = "# Terms\n" +
	"Pay **within** ***14*** **days** by ~~cash~~ `{{Name}}`, see [our site](https://example.com/a?b=c).\n" +
	"## Parts\n" +
	"1. One\n" +
	"  - inner\n" +
	"    - deep\n" +
	"2. Two↵again\n" +
	"3. Three {{Name}}\n" +
	"> quoted\n" +
	"- a\n" +
	"- b\n" +
	"  1. x\n" +
	"  2. y\n" +
	"- c\n" +
	"line↵break <b>raw</b> a picture bad"

func TestMarkdownBecomesStyledParagraphs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"before\n{{markdown Terms}}\nafter":                              "before\n" + termsShown + "\nafter",
		"{{markdown Terms}}":                                             termsShown,
		"before\n{{markdown None}}\nafter {{markdown None}}":             "before\n\nafter",
		"In a line: {{markdown Items[0].Text}}; {{Name}}":                "In a line: *one*↵a↵b; Ada",
		"{{#each Items}}\n{{@index}}\n{{markdown Text}}\n{{/each}}\nend": "1\n*one*\n- a\n- b\n2\n# two\nend",
		"{{#each Items}}\n{{markdown Text}}\n{{/each}}\nend":             "*one*\n- a\n- b\n# two\nend",
		"{{#if Name}}\n{{markdown Items[1].Text}}\n{{/if}}\nend":         "# two\nend",
		"{{#if Name}}{{markdown Items[1].Text}}{{/if}} end":              "two end",
		"* {{markdown Items[0].Text}}\nend":                              "- *one*\n- a\n- b\nend",
		"{ {{markdown Evil}}}}":                                          "{ {{Name}}}}",
	} {
		filled, _, err := fillDocument(t, withHeadings(t, docx(t, drawn(body), "", "")), terms)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimRight(styledDocument(filled, filled.Body.Content), "\n"); got != want {
			t.Errorf("%s, in a document: got\n%s\nwant\n%s", body, got, want)
		}
		slides, err := fillPresentation(t, pptx(t, []string{body}), terms)
		if err != nil {
			t.Fatal(err)
		}
		if got := styledText(slides.Slides[0].PageElements[0].Shape.Text); got != want {
			t.Errorf("%s, on a slide: got\n%s\nwant\n%s", body, got, want)
		}
	}
}

func TestPartsOfMarkdownThatLooksAreNotAll(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]struct{ document, slide string }{
		"Rule":  {"a\n---\nb", "a\n\nb"},
		"Table": {"**Name**\t***Qty***\nBolt |\t**3**\nNut\t\nend", "**Name**\t***Qty***\nBolt |\t**3**\nNut\t\nend"},
		"Nest":  {"-\n  - a↵`code`\n  1. b\n  - c\n> # deep\n- x", "-\n  - a↵`code`\n  1. b\n  - c\n> # deep\n- x"},
	} {
		body := "{{markdown " + field + "}}"
		filled, _, err := fillDocument(t, withHeadings(t, docx(t, drawn(body), "", "")), terms)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimRight(styledDocument(filled, filled.Body.Content), "\n"); got != c.document {
			t.Errorf("%s, in a document: got\n%s\nwant\n%s", field, got, c.document)
		}
		slides, err := fillPresentation(t, pptx(t, []string{body}), terms)
		if err != nil {
			t.Fatal(err)
		}
		if got := styledText(slides.Slides[0].PageElements[0].Shape.Text); got != c.slide {
			t.Errorf("%s, on a slide: got\n%s\nwant\n%s", field, got, c.slide)
		}
	}
}

// In cells, in new rows and new tables, in headers and notes.
func TestMarkdownStandsWhereTextDoes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"| {{markdown Items.Text}} | x\nend":                                      "| *one* // - a // - b | x\n| # two | x\nend",
		"| {{markdown Items[0].Text}} | {{markdown Items[1].Text}}\nend":          "| *one* // - a // - b | # two\nend",
		"{{#each Items}}\n| {{markdown Text}} | {{@index}}\n{{/each}}\nend":       "\n| *one* // - a // - b | 1\n| # two | 2\nend",
		"| {{#each Items}}{{@index}} | a // {{markdown Text}} // b{{/each}}\nend": "| 1 | a // *one* // - a // - b // b\n| 2 | a // # two // b\nend",
	} {
		filled, _, err := fillDocument(t, withHeadings(t, docx(t, drawn(body), "{{markdown Items[0].Text}}", "{{markdown Items[1].Text}}")), terms)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(strings.TrimRight(styledDocument(filled, filled.Body.Content), "\n"), "\n\n", "\n")
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", body, got, want)
		}
		if got := styledDocument(filled, filled.Headers["kix.header1"].Content); got != "*one*\n- a\n- b" {
			t.Errorf("header: got %s", got)
		}
	}
	slides, err := fillPresentation(t, pptx(t, []string{"| {{markdown Items.Text}} | x"}), terms)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"*one*\n- a\n- b", "# two"} {
		if got := styledText(slides.Slides[0].PageElements[0].Table.TableRows[i].TableCells[0].Text); got != want {
			t.Errorf("row %d of a slide: got %s, want %s", i, got, want)
		}
	}
}

func TestMarkdownStandsOnRepeatedSlidesAndInNotes(t *testing.T) {
	t.Parallel()
	slides, err := fillPresentation(t, pptxWithNotes(t, [][]string{{"{{#each Items}}", "a\n{{markdown Text}}", "{{/each}}"}}, []string{"{{markdown Text}}"}), terms)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]string{{"*one*\n- a\n- b", "one↵a↵b"}, {"# two", "two"}} {
		if got := styledText(slides.Slides[i].PageElements[0].Shape.Text); got != "a\n"+want[0] {
			t.Errorf("slide %d: got %s, want %s", i, got, want[0])
		}
		if got := styledText(slides.Slides[i].SlideProperties.NotesPage.PageElements[0].Shape.Text); got != want[1] {
			t.Errorf("notes of slide %d: got %s, want %s", i, got, want[1])
		}
	}
}

func TestHeadingsAreBoldAndLargerWhereThereIsNoStyleForThem(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:r><w:rPr><w:sz w:val="20"/></w:rPr><w:t>{{markdown M}}</w:t></w:r></w:p>`
	filled, _, err := fillDocument(t, docx(t, body, "", ""), `{"M": "# a\n## b\n### c\n#### d\ne"}`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{16, 13.5, 11.5, 10, 10} {
		p := filled.Body.Content[i+1].Paragraph
		s := p.Elements[0].TextRun.TextStyle
		if s.FontSize.Magnitude != want || s.Bold != (i < 4) || p.ParagraphStyle.NamedStyleType != "NORMAL_TEXT" {
			t.Errorf("line %d: got %v points, bold %t, %s; want %v", i, s.FontSize.Magnitude, s.Bold, p.ParagraphStyle.NamedStyleType, want)
		}
	}
}

func TestMarkdownThatIsTooLargeIsAFindingOfTheData(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"long": strings.Repeat("a\n\n", 50_000), "costly": strings.Repeat("[", 40_000)} {
		data, err := json.Marshal(map[string]string{"M": text})
		if err != nil {
			t.Fatal(err)
		}
		_, e, err := fillDocument(t, docx(t, drawn("{{markdown M}}"), "", ""), string(data))
		if err == nil || len(e.Findings()) != 1 || e.Findings()[0].Code != "markdown_too_large" || !e.Findings()[0].Data {
			t.Errorf("%s: got %v, %v", name, e.Findings(), err)
		}
	}
}

func TestMarkdownOfManyListsIsAFindingBeforeADriveRefusesIt(t *testing.T) {
	t.Parallel()
	for lists, fits := range map[int]bool{200: true, 201: false} {
		data, err := json.Marshal(map[string]string{"M": strings.Repeat("- a\n\n1. b\n\n", lists)})
		if err != nil {
			t.Fatal(err)
		}
		_, e, err := fillDocument(t, docx(t, drawn("{{markdown M}}"), "", ""), string(data))
		if (err == nil) != fits || !fits && e.Findings()[0].Code != "document_too_large" {
			t.Errorf("%d lists of each kind: got %v", lists, err)
		}
	}
}

// plainDocument is the text of a body of paragraphs, without the signs of its lists.
func plainDocument(d *gdocs.Document) string {
	text := ""
	for _, e := range d.Body.Content {
		if e.Paragraph != nil {
			for _, r := range e.Paragraph.Elements {
				text += r.TextRun.Content
			}
		}
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\n")
}

// plainSlide is that of the first shape.
func plainSlide(p *gslides.Presentation) string {
	text := ""
	for _, e := range p.Slides[0].PageElements[0].Shape.Text.TextElements {
		if e.TextRun != nil {
			text += e.TextRun.Content
		}
	}
	return strings.TrimSuffix(text, "\n")
}

// drawMarkdown draws pieces of Markdown, good and bad.
func drawMarkdown(t *rapid.T) string {
	inline := rapid.SampledFrom([]string{"word", "**bold**", "*it*", "_x_", "`c`", "``{{A}}``", "~~s~~", "[l](https://e.com)", "![alt](p.png)", "<b>", "&amp;", "\\*", "{{A}}", "{", "}", "{{", "}}",
		"*", "**", "_", "`", "[", "]", "(", ")", "<", "!", "|", "  \n", "\\\n", "\n", " ", "𝒳", "\t", "<https://e.com>", "www.e.com", "#", "é"})
	lead := rapid.SampledFrom([]string{"", "", "", "# ", "## ", "###### ", "- ", "  - ", "    - ", "1. ", "   1. ", "2) ", "> ", "> > ", "> - ", "* * *", "---\n", "    ", "\t", "| a | b |\n|---|---|\n| ", "~~~\n", "<div>\n", "- - ", "===\n"})
	end := rapid.SampledFrom([]string{"\n", "\n\n", "\n\n", "\n\n\n"})
	var b strings.Builder
	for range rapid.IntRange(0, 8).Draw(t, "lines") {
		b.WriteString(lead.Draw(t, "lead"))
		for range rapid.IntRange(0, 5).Draw(t, "words") {
			b.WriteString(inline.Draw(t, "inline"))
		}
		b.WriteString(end.Draw(t, "end"))
	}
	return b.String()
}

// The text of what comes out is that of the Markdown, wherever its tag stands.
func TestTheTextOfMarkdownComesOutWhole(t *testing.T) {
	t.Parallel()
	manyTimes(t, 5, func(rt *rapid.T) {
		source := drawMarkdown(rt)
		read, err := markdown.Read(source)
		if err != nil {
			rt.Fatal(err)
		}
		data, err := json.Marshal(map[string]any{"M": source, "A": "value", "L": []any{map[string]string{"M": source}, map[string]string{"M": "end"}}})
		if err != nil {
			rt.Fatal(err)
		}
		whole := strings.ReplaceAll(inLine(read), "\n", "\v")
		var lines []string
		for _, p := range read {
			lines = append(lines, strings.ReplaceAll(p.Text(), "\n", "\v"))
		}
		alone := strings.Join(lines, "\n")
		for body, want := range map[string]string{
			"x\n{{markdown M}}\ny":                         "x\n" + alone + "\ny",
			"{{A}} {{markdown M}}{{A}}":                    "value " + whole + "value",
			"x\n{{#each L}}\n{{markdown M}}\n{{/each}}\ny": "x\n" + alone + "\nend\ny",
			"{{#each L}}{{markdown M}};{{/each}}":          whole + ";end;",
		} {
			filled, _, err := fillDocument(t, docx(t, drawn(body), "", ""), string(data))
			if err != nil {
				rt.Fatal(err)
			}
			if got := plainDocument(filled); got != want {
				rt.Fatalf("%s of %q, in a document: got\n%q\nwant\n%q", body, source, got, want)
			}
			slides, err := fillPresentation(t, pptx(t, []string{body}), string(data))
			if err != nil {
				rt.Fatal(err)
			}
			if got := plainSlide(slides); got != want {
				rt.Fatalf("%s of %q, on a slide: got\n%q\nwant\n%q", body, source, got, want)
			}
		}
	})
}
