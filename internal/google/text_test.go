package google_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
)

const tabbed = `{"revisionId":"r1","tabs":[{
	"documentTab":{
		"headers":{"h2":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"Header 2\n"}}]}}]},"h1":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"Header 1\n"}}]}}]}},
		"body":{"content":[
			{"sectionBreak":{}},
			{"paragraph":{"elements":[{"textRun":{"content":"Dear {{"}},{"textRun":{"content":"Na"}},{"textRun":{"content":"me}},\n"}}]}},
			{"paragraph":{"elements":[{"textRun":{"content":"left {{"}},{"inlineObjectElement":{}},{"textRun":{"content":"}} right\n"}}]}},
			{"paragraph":{"elements":[{"textRun":{"content":"\n"}}]}},
			{"tableOfContents":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"Contents\n"}}]}}]}},
			{"table":{"tableRows":[{"tableCells":[{"content":[{"paragraph":{"elements":[{"textRun":{"content":"cell\n"}}]}},
				{"table":{"tableRows":[{"tableCells":[{"content":[{"paragraph":{"elements":[{"textRun":{"content":"inner\n"}}]}}]}]}]}}]}]}]}}]},
		"footers":{"f":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"Footer\n"}}]}}]}},
		"footnotes":{"n":{"content":[{"paragraph":{"elements":[{"textRun":{"content":" Note\n"}}]}}]}}},
	"childTabs":[{"documentTab":{"body":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"Second tab\n"}}]}}]}}}]}]}`

func TestTextOfADocumentHasEveryStory(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/documents/d" || r.URL.Query().Get("includeTabsContent") != "true" {
			t.Errorf("request %s", r.URL)
		}
		answer(w, 200, tabbed)
	})
	got, err := client.Text(t.Context(), "d", platen.MIMEDocs)
	if err != nil {
		t.Fatal(err)
	}
	want := platen.Text{Revision: "r1", Passages: []string{
		"Header 1", "Header 2", "Dear {{Name}},", "left {{", "}} right", "cell", "inner", "Footer", " Note", "Second tab",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestTextOfADocumentWithoutTabs(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"revisionId":"r","body":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"a\u000bb\n"}}]}}]},
			"footers":{"f":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"foot\n"}}]}}]}}}`)
	})
	got, err := client.Text(t.Context(), "d", platen.MIMEDocs)
	if err != nil || !slices.Equal(got.Passages, []string{"a\vb", "foot"}) {
		t.Errorf("text %q, %v", got.Passages, err)
	}
}

const deck = `{"revisionId":"p1",
	"slides":[{"objectId":"s1","pageElements":[
		{"objectId":"a","shape":{"text":{"textElements":[{"paragraphMarker":{}},{"textRun":{"content":"{{Ti"}},{"textRun":{"content":"tle}}\n"}},{"paragraphMarker":{}},{"textRun":{"content":"Second\n"}}]}}},
		{"objectId":"g","elementGroup":{"children":[{"objectId":"b","shape":{"text":{"textElements":[{"textRun":{"content":"Grouped"}}]}}}]}},
		{"objectId":"t","table":{"tableRows":[{"tableCells":[{"text":{"textElements":[{"textRun":{"content":"Cell\n"}}]}},{}]}]}},
		{"objectId":"i","image":{}}],
		"slideProperties":{"layoutObjectId":"l1","masterObjectId":"m1","notesPage":{"objectId":"n1","pageElements":[{"shape":{"text":{"textElements":[{"textRun":{"content":"{{Notes}}\n"}}]}}}]}}}],
	"layouts":[{"objectId":"l1","pageElements":[{"shape":{"text":{"textElements":[{"textRun":{"content":"{{Layout}}\n"}}]}}}]},
		{"objectId":"l2","pageElements":[{"shape":{"text":{"textElements":[{"textRun":{"content":"{{Unused}}\n"}}]}}}]}],
	"masters":[{"objectId":"m1","pageElements":[{"shape":{"text":{"textElements":[{"autoText":{"type":"SLIDE_NUMBER","content":"1"}},{"textRun":{"content":" of many\n"}}]}}}]}]}`

func TestTextOfAPresentationHasShapesGroupsTablesAndNotes(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/presentations/p" {
			t.Errorf("request %s", r.URL)
		}
		answer(w, 200, deck)
	})
	got, err := client.Text(t.Context(), "p", platen.MIMESlides)
	if err != nil {
		t.Fatal(err)
	}
	want := platen.Text{Revision: "p1", Passages: []string{
		"{{Title}}", "Second", "Grouped", "Cell", "{{Notes}}", "{{Layout}}", "{{Unused}}", " of many",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// replaceIn is what a drive does with a batch: the requests run in order over
// the text.
func replaceIn(text *string, find, with string) int {
	n := strings.Count(*text, find)
	*text = strings.ReplaceAll(*text, find, with)
	return n
}

func TestReplaceFillsNoValueAgainAndCounts(t *testing.T) {
	t.Parallel()
	text := "{{A}} {{B}} {{A}} {{C}}"
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var batch docsapi.BatchUpdateDocumentRequest
		decode(t, r, &batch)
		if r.URL.Path != "/v1/documents/d:batchUpdate" || batch.WriteControl == nil || batch.WriteControl.RequiredRevisionId != "r1" {
			t.Errorf("request %s with %+v", r.URL, batch.WriteControl)
		}
		var replies []string
		for _, q := range batch.Requests {
			if !q.ReplaceAllText.ContainsText.MatchCase {
				t.Error("a request that ignores case")
			}
			n := replaceIn(&text, q.ReplaceAllText.ContainsText.Text, q.ReplaceAllText.ReplaceText)
			replies = append(replies, fmt.Sprintf(`{"replaceAllText":{"occurrencesChanged":%d}}`, n))
		}
		answer(w, 200, `{"replies":[`+strings.Join(replies, ",")+`]}`)
	})
	places, err := client.Replace(t.Context(), "d", platen.MIMEDocs, "r1", []platen.Replacement{
		{Find: "{{A}}", Replace: "{{B}}"}, {Find: "{{B}}", Replace: "b{{A}}"}, {Find: "{{C}}", Replace: ""},
	})
	if err != nil || places != 4 {
		t.Errorf("%d places, %v; want 4", places, err)
	}
	if want := "{{B}} b{{A}} {{B}} "; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
}

func TestATagThatIsNotReplacedIsNoticed(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"replies":[{"replaceAllText":{"occurrencesChanged":1}},{"replaceAllText":{}},{"replaceAllText":{"occurrencesChanged":1}},{}]}`)
	})
	places, err := client.Replace(t.Context(), "d", platen.MIMEDocs, "r1", []platen.Replacement{{Find: "{{A}}", Replace: "1"}, {Find: "{{B}}", Replace: "2"}})
	if places != 1 || platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "{{B}}") {
		t.Errorf("%d places, %v; want 1 and KindInvalid that names {{B}}", places, err)
	}
}

func TestATagInNotesOrAnUnusedLayoutMayStay(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(w, 200, deck)
			return
		}
		var batch slidesapi.BatchUpdatePresentationRequest
		decode(t, r, &batch)
		answer(w, 200, `{"replies":[`+strings.TrimSuffix(strings.Repeat("{},", len(batch.Requests)), ",")+`]}`)
	})
	for find, want := range map[string]bool{"{{Notes}}": true, "{{Unused}}": true, "{{Layout}}": false, "{{Title}}": false} {
		_, err := client.Replace(t.Context(), "p", platen.MIMESlides, "p1", []platen.Replacement{{Find: find}})
		if (err == nil) != want {
			t.Errorf("%s: %v, want no error: %v", find, err, want)
		}
	}
}

func TestAStaleRevisionIsAConflictAndQuotesNoValue(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 400, fault(400, "badRequest", "The required revision ID 'r1' does not match the latest revision. secret-value"))
	})
	for _, mimeType := range []string{platen.MIMEDocs, platen.MIMESlides} {
		_, err := client.Replace(t.Context(), "d", mimeType, "r1", []platen.Replacement{{Find: "{{A}}", Replace: "secret-value"}})
		if platen.KindOf(err) != platen.KindConflict || strings.Contains(err.Error(), "secret-value") {
			t.Errorf("%s: %v, want KindConflict without the value", mimeType, err)
		}
	}
}

func TestReplaceIsBounded(t *testing.T) {
	t.Parallel()
	client := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the drive was called") })
	_, err := client.Replace(t.Context(), "d", platen.MIMEDocs, "r", []platen.Replacement{{Find: "{{A}}", Replace: strings.Repeat("x", 5<<20)}})
	if platen.KindOf(err) != platen.KindTooLarge {
		t.Errorf("5 MiB: %v, want KindTooLarge", err)
	}
	if n, err := client.Replace(t.Context(), "d", platen.MIMEDocs, "r", nil); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
}
