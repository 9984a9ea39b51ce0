package google_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
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

func TestWhatADocumentShowsHasEveryStory(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/documents/d" || r.URL.Query().Get("includeTabsContent") != "true" {
			t.Errorf("request %s", r.URL)
		}
		answer(w, 200, tabbed)
	})
	got, err := client.Shown(t.Context(), "d", platen.MIMEDocs)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Dear {{Name}},", "left {{", "}} right", "cell", "inner", "Header 1", "Header 2", "Footer", " Note", "Second tab",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestWhatADocumentWithoutTabsShows(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"revisionId":"r","body":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"a\u000bb\n"}}]}}]},
			"footers":{"f":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"foot\n"}}]}}]}}}`)
	})
	got, err := client.Shown(t.Context(), "d", platen.MIMEDocs)
	if err != nil || !slices.Equal(got, []string{"a\vb", "foot"}) {
		t.Errorf("text %q, %v", got, err)
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

func TestWhatAPresentationShowsHasShapesGroupsTablesAndTheLayoutsInUse(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/presentations/p" {
			t.Errorf("request %s", r.URL)
		}
		answer(w, 200, deck)
	})
	got, err := client.Shown(t.Context(), "p", platen.MIMESlides)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"{{Title}}", "Second", "Grouped", "Cell", "{{Layout}}", " of many"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
