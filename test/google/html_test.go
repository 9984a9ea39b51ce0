package google_test

import (
	"encoding/json"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/test/google/referee"
)

// A tag of HTML becomes paragraphs, lists and a table by requests that Google takes.
func TestHTMLIsFilledByRequestsThatGoogleTakes(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	client := w.client(t)
	for _, behind := range []string{"", "behind\n"} {
		tagged := read(t, []byte(smallDocument))
		s := tagged.Segments[0]
		at := len(s.Units) - len("Bye.\n")
		paragraph := s.Units[len(s.Units)-1].Raw
		s.Units = append(s.Units[:at:at], referee.Text("{{html Page}}\n"+behind, s.Units[at].Style, paragraph)...)
		body, out, err := w.fillFile(t, client, document{tagged}, platen.MIMEDocs)
		if err != nil {
			t.Fatalf("%v; findings %v", err, out.Findings)
		}
		for _, interpretation := range referee.Interpretations() {
			_, after, err := tagged.Apply(body, interpretation)
			if err != nil {
				t.Fatalf("in %+v: %v", interpretation, err)
			}
			var d docs.Document
			if err := json.Unmarshal(after.JSON(), &d); err != nil {
				t.Fatal(err)
			}
			tables, last := 0, ""
			for _, e := range d.Tabs[0].DocumentTab.Body.Content {
				switch {
				case e.Table != nil:
					tables++
					last = ""
				case e.Paragraph != nil:
					for _, r := range e.Paragraph.Elements {
						if r.TextRun != nil {
							last += r.TextRun.Content
						}
					}
				}
			}
			if want := "end\n" + behind; tables != 2 || last != want {
				t.Errorf("in %+v: got %d tables, and behind the last %q, want %q", interpretation, tables, last, want)
			}
		}
	}
}
