package docs

import (
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

// suggested has text that is inserted, deleted and moved by tracked changes.
const suggested = `<w:p><w:r><w:t xml:space="preserve">a </w:t></w:r><w:ins w:id="1" w:author="x"><w:r><w:t>new</w:t></w:r></w:ins>` +
	`<w:del w:id="2" w:author="x"><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:t>.</w:t></w:r></w:p>` +
	`<w:p><w:moveFrom w:id="3"><w:r><w:t>x</w:t></w:r></w:moveFrom><w:ins w:id="4"><w:del w:id="5"><w:r><w:delText>y</w:delText></w:r></w:del></w:ins></w:p>` +
	`<w:tbl><w:tr><w:trPr><w:del w:id="6"/></w:trPr><w:tc><w:p><w:pPr><w:rPr><w:del w:id="7"/></w:rPr></w:pPr></w:p></w:tc></w:tr></w:tbl>`

// inline resolves a document whose suggestions read as text.
func inline(t *testing.T, body string) *wml.Document {
	t.Helper()
	d := docx(t, body)
	if err := InlineSuggestions(d.Package); err != nil {
		t.Fatal(err)
	}
	d, err := wml.Resolve(d.Package)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Google's answer to documents.get has a run that is suggested to be inserted beside
// one to be deleted, both with content and indexes.
func TestSuggestedTextIsShownInlineWithTheIdsOfItsSuggestions(t *testing.T) {
	t.Parallel()
	doc, err := GetInline(inline(t, suggested+para("z")), "id", "Title", "rev")
	if err != nil {
		t.Fatal(err)
	}
	checkIndexes(t, "body", doc.Body.Content, 0)
	if got, want := outline(doc.Body.Content), "§a newold.¶xy¶[|¶/]z¶"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var got []string
	for _, e := range append(doc.Body.Content[1].Paragraph.Elements, doc.Body.Content[2].Paragraph.Elements...) {
		r := e.TextRun
		got = append(got, strings.TrimSuffix(r.Content, "\n")+" +"+strings.Join(r.SuggestedInsertionIds, ",")+" -"+strings.Join(r.SuggestedDeletionIds, ","))
	}
	want := "a  + -|new +suggest.1 -|old + -suggest.2|. + -|x + -suggest.3|y +suggest.4 -suggest.5| + -"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

func TestABatchEditsBesideSuggestionsAndLeavesThemTracked(t *testing.T) {
	t.Parallel()
	d := inline(t, suggested+para("z"))
	before := bodyXML(t, docx(t, suggested+para("z")))
	if _, err := ApplyInline(d, "id", []*gdocs.Request{insertAt(10, "!"), deleteRange(1, 2)}); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(strings.Replace(before, `>a </w:t>`, `> </w:t>`, 1), `>.</w:t>`, `>.!</w:t>`, 1)
	if got := bodyXML(t, reread(t, d)); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// deleteContentRange over a suggestion is answered 500 by Google.
func TestTheDeletionOfSuggestedTextFailsAndIsNoFaultOfTheRequest(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*gdocs.Request{"inserted": deleteRange(3, 4), "deleted": deleteRange(8, 9), "over both": deleteRange(1, 10), "in the next paragraph": deleteRange(11, 12)} {
		_, err := ApplyInline(inline(t, suggested+para("z")), "id", []*gdocs.Request{r})
		if _, ok := err.(*opc.RequestError); err == nil || ok || !strings.Contains(err.Error(), errSuggested.Error()) {
			t.Errorf("%s: got %v, want %v", name, err, errSuggested)
		}
	}
	if got := applyTo(t, suggested+para("z"), deleteRange(3, 4)); !strings.HasPrefix(got, "§a ew.¶") {
		t.Errorf("on our own drive: got %q, want the text without a letter", got)
	}
}
