package fill_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/hypertext"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/rich"
)

// htmlPieces are HTML as editors write it, by their names.
func htmlPieces(t testing.TB) map[string]string {
	t.Helper()
	content, err := os.ReadFile("../hypertext/testdata/pieces.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, text := range strings.Split("\n"+string(content), "\n=== ")[1:] {
		name, rest, _ := strings.Cut(text, "\n")
		all[name], _, _ = strings.Cut(rest, "\n---\n")
	}
	return all
}

// meant is what rich text is to be in a document, and looks what it is there, both in the
// same words: of each paragraph its kind, its place, its runs.
func meant(d rich.Document) string {
	lines := make([]string, 0, len(d))
	for _, p := range d {
		if p.Table != nil {
			if len(lines) == 0 { // no request takes the paragraph of the tag away
				lines = append(lines, "h0 in0 align= rule=false rtl=false page=false:")
			}
			lines = append(lines, meantTable(p.Table))
			continue
		}
		var b strings.Builder
		indent := p.Indent + 24*float64(p.Quote)
		if n := len(p.Lists); n > 0 {
			indent = 0
			if l := p.Lists[n-1]; l.Marked {
				indent = 36 * float64(n)
			} else {
				fmt.Fprintf(&b, "entry %d %v ", n-1, l.Ordered)
			}
		}
		fmt.Fprintf(&b, "h%d in%g align=%s rule=%v rtl=%v page=%v:", p.Heading, indent, strings.TrimPrefix(p.Align.In(p.RightToLeft), "START"), p.Rule, p.RightToLeft, p.NewPage)
		runs := p.Runs
		if p.Mark != "" {
			runs = append([]rich.Run{{Text: p.Mark + "\t"}}, runs...)
		}
		var all shownRuns
		for _, r := range runs {
			if r.Picture != nil {
				all.add("picture "+link(r.Link), "")
				continue
			}
			size := r.Size
			if r.Scale > 0 && p.Heading == 0 {
				size = math.Round(2*10*r.Scale) / 2
			}
			all.add(fmt.Sprintf("%v%v%v%v%v%v%v #%s /%s %g %s", r.Bold && p.Heading == 0, r.Italic, r.Underline && r.Link == "", r.Strike, r.Code, r.Super, r.Sub, r.Color, r.Background, size, link(r.Link)), r.Text)
		}
		lines = append(lines, b.String()+all.String())
	}
	return strings.Join(lines, "\n")
}

func link(address string) string {
	if address == "" {
		return ""
	}
	return "→" + address
}

// shownRuns joins runs of one style.
type shownRuns [][2]string

func (s *shownRuns) add(style, text string) {
	text = strings.ReplaceAll(text, "\n", "↵")
	if n := len(*s); n > 0 && (*s)[n-1][0] == style && !strings.HasPrefix(style, "picture") {
		(*s)[n-1][1] += text
		return
	}
	*s = append(*s, [2]string{style, text})
}

func (s shownRuns) String() string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, " [%s|%s]", r[0], r[1])
	}
	return b.String()
}

func meantTable(t *rich.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table of %d columns, head %d, bare %v", len(t.Widths), t.Header, t.Bare)
	for i, r := range t.Rows {
		for _, c := range r.Cells {
			content := meant(c.Content.Flat())
			if content == "" {
				content = "h0 in0 align= rule=false rtl=false page=false:"
			}
			fmt.Fprintf(&b, "\n  %d,%d %dx%d /%s %s: %s", i, c.Column, c.Span, c.Rows, c.Background, c.Vertical, strings.ReplaceAll(content, "\n", " // "))
		}
	}
	return b.String()
}

func looks(d *gdocs.Document, content []*gdocs.StructuralElement) []string {
	var lines []string
	for _, e := range content {
		switch {
		case e.Table != nil:
			lines = append(lines, looksTable(d, e.Table))
		case e.Paragraph != nil:
			lines = append(lines, looksParagraph(d, e.Paragraph))
		}
	}
	return lines
}

func looksParagraph(d *gdocs.Document, p *gdocs.Paragraph) string {
	s := p.ParagraphStyle
	heading, indent := 0, 0.0
	if level, ok := strings.CutPrefix(s.NamedStyleType, "HEADING_"); ok {
		heading = int(level[0] - '0')
	}
	if s.IndentStart != nil {
		indent = math.Round(100*s.IndentStart.Magnitude) / 100
	}
	prefix := ""
	if b := p.Bullet; b != nil {
		level := d.Lists[b.ListId].ListProperties.NestingLevels[b.NestingLevel]
		prefix, indent = fmt.Sprintf("entry %d %v ", b.NestingLevel, level.GlyphSymbol == ""), 0
	}
	align := s.Alignment
	if align == "START" {
		align = ""
	}
	var all shownRuns
	for _, r := range p.Elements {
		if r.InlineObjectElement != nil {
			address := ""
			if l := r.InlineObjectElement.TextStyle; l != nil && l.Link != nil {
				address = l.Link.Url
			}
			all.add("picture "+link(address), "")
		}
		if r.TextRun == nil {
			continue
		}
		text := strings.ReplaceAll(strings.TrimSuffix(r.TextRun.Content, "\n"), "\v", "\n")
		if text == "" {
			continue
		}
		all.add(looksRun(r.TextRun.TextStyle, heading > 0), text)
	}
	return fmt.Sprintf("%sh%d in%g align=%s rule=%v rtl=%v page=%v:", prefix, heading, indent, align, s.BorderBottom != nil, s.Direction == "RIGHT_TO_LEFT", s.PageBreakBefore) + all.String()
}

func looksRun(s *gdocs.TextStyle, isHeading bool) string {
	hex := func(c *gdocs.OptionalColor) string {
		if c == nil || c.Color == nil || c.Color.RgbColor == nil {
			return ""
		}
		rgb := c.Color.RgbColor
		return fmt.Sprintf("%02x%02x%02x", int(math.Round(255*rgb.Red)), int(math.Round(255*rgb.Green)), int(math.Round(255*rgb.Blue)))
	}
	size, address := 0.0, ""
	if s.FontSize != nil && math.Abs(s.FontSize.Magnitude-10) > 0.01 && !isHeading {
		size = math.Round(2*s.FontSize.Magnitude) / 2
	}
	if s.Link != nil {
		address = s.Link.Url
	}
	code := s.WeightedFontFamily != nil && s.WeightedFontFamily.FontFamily == "Courier New"
	return fmt.Sprintf("%v%v%v%v%v%v%v #%s /%s %g %s", s.Bold && !isHeading, s.Italic, s.Underline && address == "", s.Strikethrough, code,
		s.BaselineOffset == "SUPERSCRIPT", s.BaselineOffset == "SUBSCRIPT", hex(s.ForegroundColor), hex(s.BackgroundColor), size, link(address))
}

func looksTable(d *gdocs.Document, t *gdocs.Table) string {
	var b strings.Builder
	head, bare := 0, true
	covered := map[[2]int64]bool{}
	var cells []string
	for i, r := range t.TableRows {
		if r.TableRowStyle != nil && r.TableRowStyle.TableHeader {
			head++
		}
		for j, c := range r.TableCells {
			if covered[[2]int64{int64(i), int64(j)}] {
				continue
			}
			s := c.TableCellStyle
			columns, rows := max(s.ColumnSpan, 1), max(s.RowSpan, 1)
			for k := range rows {
				for l := range columns {
					covered[[2]int64{int64(i) + k, int64(j) + l}] = true
				}
			}
			bare = bare && (s.BorderTop == nil || s.BorderTop.Width == nil || s.BorderTop.Width.Magnitude == 0)
			background := ""
			if c := s.BackgroundColor; c != nil && c.Color != nil && c.Color.RgbColor != nil {
				background = looksRun(&gdocs.TextStyle{BackgroundColor: c}, false)
				_, background, _ = strings.Cut(background, "/")
				background, _, _ = strings.Cut(background, " ")
			}
			vertical := s.ContentAlignment
			if vertical == "TOP" {
				vertical = ""
			}
			cells = append(cells, fmt.Sprintf("\n  %d,%d %dx%d /%s %s: %s", i, j, columns, rows, background, vertical, strings.Join(looks(d, c.Content), " // ")))
		}
	}
	fmt.Fprintf(&b, "table of %d columns, head %d, bare %v", t.Columns, head, bare)
	return b.String() + strings.Join(cells, "")
}

// fillPictured fills a document, with one picture for all.
func fillPictured(t *testing.T, file []byte, data string) (*gdocs.Document, error) {
	t.Helper()
	d, err := wml.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	e := lang.NewEvaluator(parse(t, data), lang.Builtins{})
	obtain := obtained()
	e.ObtainWith(func(p lang.Picture) (lang.Obtained, error) { return obtain(lang.Picture{Source: "300x200"}) })
	requests, err := fill.ComposeDocument(resource, e, nonce)
	if err != nil {
		return nil, err
	}
	if _, err := docs.Apply(d, "id", requests); err != nil {
		t.Fatalf("Apply: %v", err)
	}
	written, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if d, err = wml.ReadDocument(written); err != nil {
		t.Fatal(err)
	}
	return docs.Get(d, "id", "title", "2")
}

// Each piece comes out of a document as it was meant.
func TestHTMLIsInDocumentsWhatEditorsMean(t *testing.T) {
	t.Parallel()
	for name, source := range htmlPieces(t) {
		read, _, err := hypertext.Read(source)
		if err != nil || len(read) == 0 {
			continue
		}
		if len(read[0].Lists) > 1 { // the tag is in front of what would nest it
			read[0].Lists = read[0].Lists[:1]
		}
		data, _ := json.Marshal(map[string]string{"Terms": source})
		filled, err := fillPictured(t, withHeadings(t, docx(t, drawn("¶begin\n{{html Terms}}\n¶end"), "", "")), string(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := strings.Join(looks(filled, filled.Body.Content), "\n")
		_, got, _ = strings.Cut(got, "|¶begin]\n")
		got, _, _ = strings.Cut(got, "\nh0 in0 align= rule=false rtl=false page=false: [falsefalsefalsefalsefalsefalsefalse # / 0 |¶end]")
		if want := meant(read); got != want {
			t.Errorf("=== %s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// inLine is the text of what is a part of a line.
func inLine(d rich.Document) string {
	text := ""
	for _, r := range d.Inline() {
		text += r.Text
	}
	return text
}

// Where no tables are, each row of one is a line. All text comes out whole.
func TestTheTextOfHTMLComesOutWhole(t *testing.T) {
	t.Parallel()
	for name, source := range htmlPieces(t) {
		read, _, err := hypertext.Read(source)
		if err != nil || strings.Contains(source, "<img") {
			continue
		}
		hasTable := slices.ContainsFunc(read, func(p rich.Paragraph) bool { return p.Table != nil })
		var lines []string
		for _, p := range read.Flat() {
			if p.Mark != "" {
				p.Runs = append([]rich.Run{{Text: p.Mark + "\t"}}, p.Runs...)
				p.Mark = ""
			}
			lines = append(lines, strings.ReplaceAll(p.Text(), "\n", "\v"))
		}
		alone, whole := strings.Join(lines, "\n"), strings.ReplaceAll(inLine(read), "\n", "\v")
		data, _ := json.Marshal(map[string]any{"M": source, "A": "value", "L": []any{map[string]string{"M": source}, map[string]string{"M": "end"}}})
		for body, want := range map[string]string{
			"x\n{{html M}}\ny":                         "x\n" + alone + "\ny",
			"{{A}} {{html M}}{{A}}":                    "value " + whole + "value",
			"x\n{{#each L}}\n{{html M}}\n{{/each}}\ny": "x\n" + alone + "\nend\ny",
		} {
			if inline := strings.HasPrefix(body, "{{A}}"); !hasTable || inline {
				filled, err := fillPictured(t, docx(t, drawn(body), "", ""), string(data))
				if err != nil {
					t.Fatal(err)
				}
				if got := plainDocument(filled); got != want {
					t.Errorf("%s of %s, in a document: got\n%q\nwant\n%q", body, name, got, want)
				}
			}
			slides, err := fillPresentation(t, pptx(t, []string{body}), string(data))
			if err != nil {
				t.Fatal(err)
			}
			if got := plainSlide(slides); got != want {
				t.Errorf("%s of %s, on a slide: got\n%q\nwant\n%q", body, name, got, want)
			}
		}
	}
}

// In rows that repeat, and in headers and notes, stands what does in text; tables are
// lines where none can be, in the first row as in its copies.
func TestHTMLStandsWhereTextDoes(t *testing.T) {
	t.Parallel()
	const data = `{"Items": [{"Text": "<p><em>one</em></p><ul><li>a</li><li>b</li></ul>"}, {"Text": "<table><tr><td>x</td><td>y</td></tr></table>"}], "T": "<p>t</p><table><tr><td>x</td><td>y</td></tr></table>"}`
	for body, want := range map[string]string{
		"| {{html Items.Text}} | z\nend":                         "| *one* // - a // - b | z\n| x\ty | z\nend",
		"| {{html Items[1].Text}} | {{html Items[0].Text}}\nend": "|  // | x | y //  | *one* // - a // - b\nend",
		"{{#each Items}}\n{{html Text}}\n{{/each}}\nend":         "*one*\n- a\n- b\n| x | y\nend",
		"{{html T}}\nend": "t\n| x | y\nend",
	} {
		filled, _, err := fillDocument(t, withHeadings(t, docx(t, drawn(body), "{{html T}}", "{{html T}}")), data)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimRight(styledDocument(filled, filled.Body.Content), "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", body, got, want)
		}
		if got := styledDocument(filled, filled.Headers["kix.header1"].Content); got != "t\n| x | y\n" {
			t.Errorf("header: got %q", got)
		}
		if got := styledDocument(filled, filled.Footnotes["kix.footnote2"].Content); got != "t↵x\ty" {
			t.Errorf("footnote: got %q", got)
		}
	}
	slides, err := fillPresentation(t, pptx(t, []string{"| {{html Items.Text}} | x"}), data)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"*one*\n- a\n- b", "x\ty"} {
		if got := styledText(slides.Slides[0].PageElements[0].Table.TableRows[i].TableCells[0].Text); got != want {
			t.Errorf("row %d of a slide: got %q, want %q", i, got, want)
		}
	}
}

// Text that is at the right of its paragraph stays there, in which direction it runs.
func TestTextOfHTMLIsAtItsSide(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`<p dir="rtl" style="text-align:right">שלום</p>`: "START RIGHT_TO_LEFT",
		`<p dir="rtl" style="text-align:left">שלום</p>`:  "END RIGHT_TO_LEFT",
		`<p dir="rtl" style="text-align:end">שלום</p>`:   "END RIGHT_TO_LEFT",
		`<p style="text-align:right">a</p>`:              "END LEFT_TO_RIGHT",
	} {
		data, _ := json.Marshal(map[string]string{"T": source})
		filled, err := fillPictured(t, docx(t, drawn("{{html T}}"), "", ""), string(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range filled.Body.Content {
			if e.Paragraph == nil {
				continue
			}
			if s := e.Paragraph.ParagraphStyle; s.Alignment+" "+s.Direction != want {
				t.Errorf("%s: got %s %s, want %s", source, s.Alignment, s.Direction, want)
			}
			break
		}
	}
}

// Numbers and boxes stay where a table is lines, and each row is one.
func TestSignsStayInLinesOfTables(t *testing.T) {
	t.Parallel()
	slides, err := fillPresentation(t, pptx(t, []string{"{{html T}}"}), `{"T": "<table><tr><td><ol start=\"3\"><li>x</li></ol></td><td>y<br>z</td></tr></table>"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := plainSlide(slides), "3. x\ty z"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A list in a cell counts once, not with each of its entries.
func TestListsInCellsCountOnce(t *testing.T) {
	t.Parallel()
	row := "<tr><td><ul>" + strings.Repeat("<li>a</li>", 10) + "</ul></td></tr>"
	data, _ := json.Marshal(map[string]string{"T": "<table>" + strings.Repeat(row, 45) + "</table>"})
	if _, err := fillPictured(t, docx(t, drawn("{{html T}}"), "", ""), string(data)); err != nil {
		t.Error(err)
	}
}

// What is left out of HTML is noted, and fails nothing.
func TestWhatIsLeftOutOfHTMLIsNoted(t *testing.T) {
	t.Parallel()
	f, err := fill.New(platen.Document{OutputName: "x"}, []byte(`{"T": "<p onclick='a'>x</p><script>y</script>"}`), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := wml.ReadDocument(docx(t, drawn("{{html T}}"), "", ""))
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.Try(fill.Template{Document: resource})
	want := []platen.Finding{{Code: "html_left_out", Message: "{{html T}}: the HTML has onclick, <script>. That was left out, and nothing was fetched."}}
	if err != nil || len(out.Findings) > 0 || !slices.Equal(out.Notes, want) {
		t.Errorf("got %+v, %+v, %v", out.Findings, out.Notes, err)
	}
	if slices.ContainsFunc(out.Notes, func(f platen.Finding) bool { return !f.IsOfFilling() }) {
		t.Error("the PDF that is made then would take the note away")
	}
}

// HTML that is too large, or has more than a document takes, is a finding of the data
// that names its field.
func TestHTMLThatIsTooLargeIsAFindingOfTheData(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"<i>" + strings.Repeat("a", hypertext.MaxSize):             "html_too_large T",
		strings.Repeat("<b>a</b> ", 19_000):                        "document_too_large ",
		strings.Repeat("<ul><li>a</li></ul><p>b</p>", 401):         "document_too_large ",
		"<table>" + strings.Repeat("<tr><td>a", 5001) + "</table>": "html_too_large T",
	} {
		data, _ := json.Marshal(map[string]string{"T": name})
		_, e, err := fillDocument(t, docx(t, drawn("{{html T}}"), "", ""), string(data))
		if err == nil || len(e.Findings()) != 1 || !e.Findings()[0].Data {
			t.Fatalf("%.20s: got %v, %v", name, e.Findings(), err)
		}
		if got := e.Findings()[0].Code + " " + e.Findings()[0].Field; got != want {
			t.Errorf("%.20s: got %s (%s), want %s", name, got, e.Findings()[0].Message, want)
		}
	}
}
