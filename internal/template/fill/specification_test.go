package fill_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
)

// example is a template of docs/templates.md with its data and result. One of slides
// is carried out as a presentation alone, one of a document as that, and one of a chart as
// the description of one in both.
type example struct {
	section, data, template, result string
	ofSlides, ofDocument, ofChart   bool
	styled                          bool // the result has its styles, as Markdown
}

var fence = regexp.MustCompile("(?ms)^(## [^\n]*)$|^```(data once|data|template document|template|slides|chart|result styled|result)\n(.*?)^```$")

func examples(t *testing.T) []example {
	t.Helper()
	page, err := os.ReadFile("../../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	var section, data, once, template string
	var kind string
	for _, m := range fence.FindAllStringSubmatch(string(page), -1) {
		text := strings.TrimSuffix(m[3], "\n")
		switch m[2] {
		case "":
			section = m[1]
		case "data":
			data = text
		case "data once":
			once = text
		case "template", "template document", "slides", "chart":
			template, kind = text, m[2]
		case "result", "result styled":
			e := example{section, data, template, text, kind == "slides", kind == "template document", kind == "chart", m[2] == "result styled"}
			if once != "" {
				e.data, once = once, ""
			}
			all = append(all, e)
		}
	}
	if len(all) < 12 {
		t.Fatalf("got %d examples", len(all))
	}
	return all
}

// asShapes draws the lines of an example as shapes: tables apart from text.
func asShapes(text string) []string {
	var shapes []string
	for line := range strings.SplitSeq(text, "\n") {
		n := len(shapes)
		if n > 0 && strings.HasPrefix(shapes[n-1], "|") == strings.HasPrefix(line, "|") {
			shapes[n-1] += "\n" + line
			continue
		}
		shapes = append(shapes, line)
	}
	return shapes
}

// asSlides draws an example as slides: parts of it between lines of dashes, each with
// shapes between empty lines.
func (e example) asSlides() (slides [][]string) {
	if !e.ofSlides {
		return [][]string{asShapes(e.template)}
	}
	for slide := range strings.SplitSeq(e.template, "\n---\n") {
		slides = append(slides, strings.Split(slide, "\n\n"))
	}
	return slides
}

// shown is a filled presentation as the result of an example has it.
func (e example) shown(p *gslides.Presentation) string {
	if e.styled {
		return styledSlide(p)
	}
	all := shownSlides(p)
	if !e.ofSlides {
		return plainSpaces(strings.Join(all[0], "\n"))
	}
	slides := make([]string, len(all))
	for i, shapes := range all {
		slides[i] = strings.Join(shapes, "\n\n")
	}
	return plainSpaces(strings.Join(slides, "\n---\n"))
}

// drawn is the template as a document.
func (e example) drawn(t testing.TB) []byte {
	t.Helper()
	file := docx(t, drawn(e.template), "", "")
	if e.styled {
		file = withHeadings(t, file)
	}
	return file
}

// shownDocument is shown for a document.
func (e example) shownDocument(d *gdocs.Document) string {
	write := shown(d.Body.Content)
	if e.styled {
		write = styledDocument(d, d.Body.Content)
	}
	return plainSpaces(strings.TrimRight(write, "\n"))
}

// plainSpaces makes the spaces of a locale those of a keyboard.
func plainSpaces(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }

func TestExamplesOfTheSpecificationComeOutAsItSays(t *testing.T) {
	t.Parallel()
	for _, e := range examples(t) {
		if e.ofChart {
			for kind, got := range chartsOfBoth(t, e.template, e.data) {
				if got != e.result {
					t.Errorf("%s, in a %s: got\n%s\nwant\n%s", e.section, kind, got, e.result)
				}
			}
			continue
		}
		if !e.ofSlides {
			filled, _, err := fillDocument(t, e.drawn(t), e.data)
			if err != nil {
				t.Errorf("%s, as a document: %v\n%s", e.section, err, e.template)
			} else if got := e.shownDocument(filled); got != e.result {
				t.Errorf("%s, as a document: got\n%s\nwant\n%s", e.section, got, e.result)
			}
		}
		if e.ofDocument {
			continue
		}
		slides, err := fillPresentation(t, pptx(t, e.asSlides()...), e.data)
		if err != nil {
			t.Errorf("%s, as a presentation: %v\n%s", e.section, err, e.template)
		} else if got := e.shown(slides); got != e.result {
			t.Errorf("%s, as a presentation: got\n%s\nwant\n%s", e.section, got, e.result)
		}
	}
}

var mistake = regexp.MustCompile("(?m)^\\| `(.*)` \\| `(.*)` \\|$")

func TestMistakesOfTheSpecificationAreFound(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	data := examples(t)[0].data
	found := mistake.FindAllStringSubmatch(string(page), -1)
	if len(found) < 10 {
		t.Fatalf("got %d mistakes", len(found))
	}
	for _, m := range found {
		file := docx(t, drawn(m[1]), "", "")
		if strings.HasPrefix(m[1], "{{chart") {
			file = chartDocx(t, m[1], chartXML("barChart"), "inline")
		}
		_, e, err := fillDocument(t, file, data)
		var codes []string
		for _, f := range e.Findings() {
			codes = append(codes, f.Code)
		}
		if err == nil || len(codes) == 0 || codes[0] != m[2] {
			t.Errorf("%s: got %v, %v; want %s", m[1], codes, err, m[2])
		}
		if _, err := fillPresentation(t, pptx(t, []string{m[1]}), data); err == nil {
			t.Errorf("%s: no error in a presentation", m[1])
		}
		in := lang.InspectFor([]string{m[1]}, []string{"Qty", "Paid", "Customer Name", "Items.Qty", "Total", "Logo"}, nil, invoices)
		if needsData := m[2] == "not_a_number" || m[2] == "division_by_zero" || m[2] == "not_a_date" || m[2] == "unknown_currency" || m[2] == "not_a_list" || m[2] == "link_unusable" || m[2] == "wrong_limit"; !needsData && (len(in) == 0 || in[0].Code != m[2]) {
			t.Errorf("%s: without data got %+v, want %s", m[1], in, m[2])
		}
	}
}
