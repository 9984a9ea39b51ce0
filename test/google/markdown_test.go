package google_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/test/google/referee"
)

// A tag of Markdown takes the place of the last paragraph, whose line feed no request
// may delete, and of one between others.
func TestMarkdownIsFilledByRequestsThatGoogleTakes(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	client := w.client(t)
	for _, behind := range []string{"", "behind\n"} {
		tagged := read(t, []byte(smallDocument))
		s := tagged.Segments[0]
		at := len(s.Units) - len("Bye.\n")
		paragraph := s.Units[len(s.Units)-1].Raw
		s.Units = append(s.Units[:at:at], referee.Text("{{markdown Rich}}\n"+behind, s.Units[at].Style, paragraph)...)
		body, out, err := w.fillFile(t, client, document{tagged}, platen.MIMEDocs)
		if err != nil {
			t.Fatalf("%v; findings %v", err, out.Findings)
		}
		want := "HEADING_1 Terms\nPay **soon** 🦊, [here].\nNUMBERED_DECIMAL_ALPHA_ROMAN 0 one\nBULLET_DISC_CIRCLE_SQUARE 1 in\nNUMBERED_DECIMAL_ALPHA_ROMAN 0 two\n24 said {{Name}}\n_\nend\n" + behind
		for _, interpretation := range referee.Interpretations() {
			_, after, err := tagged.Apply(body, interpretation)
			if err != nil {
				t.Fatalf("in %+v: %v", interpretation, err)
			}
			if got := lastParagraphs(t, after.JSON()); got != want {
				t.Errorf("in %+v: got\n%s\nwant\n%s", interpretation, got, want)
			}
		}
	}
}

// lastParagraphs writes what stands behind the table of the first tab.
func lastParagraphs(t *testing.T, answer []byte) string {
	t.Helper()
	var d docs.Document
	if err := json.Unmarshal(answer, &d); err != nil {
		t.Fatal(err)
	}
	out, behind := "", false
	for _, e := range d.Tabs[0].DocumentTab.Body.Content {
		if behind = behind || e.Table != nil; !behind || e.Paragraph == nil {
			continue
		}
		s := e.Paragraph.ParagraphStyle
		if b := e.Paragraph.Bullet; b != nil {
			out += fmt.Sprintf("%s %d ", strings.TrimPrefix(b.ListId, "made."), b.NestingLevel)
		}
		switch {
		case s.NamedStyleType != "NORMAL_TEXT":
			out += s.NamedStyleType + " "
		case s.IndentStart != nil && s.IndentStart.Magnitude > 0:
			out += fmt.Sprint(s.IndentStart.Magnitude, " ")
		case s.BorderBottom != nil:
			out += "_"
		}
		for _, r := range e.Paragraph.Elements {
			text := r.TextRun.Content
			switch style := r.TextRun.TextStyle; {
			case style.Link != nil:
				text = "[" + text + "]"
			case style.Bold:
				text = "**" + text + "**"
			}
			out += text
		}
	}
	return out
}

func TestMarkdownOnSlidesIsFilledByRequestsThatGoogleTakes(t *testing.T) {
	t.Parallel()
	base, err := referee.ReadPresentation([]byte(smallPresentation))
	if err != nil {
		t.Fatal(err)
	}
	slide := base.Slides()[1]
	slide["pageElements"] = []any{shape("made", "before\n{{markdown Rich}}")}
	w := newWire(t)
	body, out, err := w.fillFile(t, w.client(t), presentation{base.Clone()}, platen.MIMESlides)
	if err != nil {
		t.Fatalf("%v; findings %v", err, out.Findings)
	}
	_, after, err := base.Apply(body)
	if err != nil {
		t.Fatal(err)
	}
	var p slides.Presentation
	if err := json.Unmarshal(after.JSON(), &p); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range p.Slides[1].PageElements[0].Shape.Text.TextElements {
		switch {
		case e.ParagraphMarker != nil && e.ParagraphMarker.Bullet != nil:
			b := e.ParagraphMarker.Bullet
			got += fmt.Sprintf("%s %d ", strings.TrimPrefix(b.ListId, "made."), b.NestingLevel)
		case e.TextRun != nil && e.TextRun.Style.Bold:
			got += "**" + e.TextRun.Content + "**"
		case e.TextRun != nil:
			got += e.TextRun.Content
		}
	}
	const want = "before\n**Terms**\nPay **soon** 🦊, here.\nNUMBERED_DIGIT_ALPHA_ROMAN 0 one\nBULLET_DISC_CIRCLE_SQUARE 1 in\nNUMBERED_DIGIT_ALPHA_ROMAN 0 two\nsaid {{Name}}\n\nend\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
