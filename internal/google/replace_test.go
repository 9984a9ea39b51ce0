package google_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// A pair is a text and what is to take its place.
type pair struct{ find, replace string }

// replaceTexts replaces texts one after the other.
func replaceTexts(pairs ...pair) func(*docsapi.Document) ([]*docsapi.Request, error) {
	return func(*docsapi.Document) ([]*docsapi.Request, error) {
		var all []*docsapi.Request
		for _, p := range pairs {
			all = append(all, &docsapi.Request{ReplaceAllText: &docsapi.ReplaceAllTextRequest{
				ContainsText: &docsapi.SubstringMatchCriteria{Text: p.find, MatchCase: true}, ReplaceText: p.replace,
			}})
		}
		return all, nil
	}
}

// replaceSlideTexts is replaceTexts for presentations.
func replaceSlideTexts(pairs ...pair) func(*slidesapi.Presentation) ([]*slidesapi.Request, error) {
	return func(*slidesapi.Presentation) ([]*slidesapi.Request, error) {
		var all []*slidesapi.Request
		for _, p := range pairs {
			all = append(all, &slidesapi.Request{ReplaceAllText: &slidesapi.ReplaceAllTextRequest{
				ContainsText: &slidesapi.SubstringMatchCriteria{Text: p.find, MatchCase: true}, ReplaceText: p.replace,
			}})
		}
		return all, nil
	}
}

// replaceTextsIn is replaceTexts in a file of either kind.
func replaceTextsIn(ctx context.Context, client *google.Client, fileID, mimeType string, pairs ...pair) (int, error) {
	if mimeType == platen.MIMESlides {
		return client.EditPresentation(ctx, fileID, platen.ReadWhole, replaceSlideTexts(pairs...))
	}
	return client.EditDocument(ctx, fileID, platen.ReadWhole, replaceTexts(pairs...))
}

// replaceIn is what a drive does with a batch: the requests run in order over
// the text.
func replaceIn(text *string, find, with string) int {
	n := strings.Count(*text, find)
	*text = strings.ReplaceAll(*text, find, with)
	return n
}

func TestAFillFillsNoValueAgainAndIsOfTheRevisionThatWasRead(t *testing.T) {
	t.Parallel()
	text := "{{A}} {{B}} {{A}} {{C}}"
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(w, 200, `{"revisionId":"r1","body":{"content":[{"startIndex":1,"endIndex":24,"paragraph":{"elements":[{"startIndex":1,"endIndex":24,"textRun":{"content":"`+text+`\n"}}]}}]}}`)
			return
		}
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
	filling, err := fill.New(platen.Document{}, []byte(`{"A":"{{B}}","B":"b{{A}}","C":""}`), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := filling.Fill(t.Context(), client, platen.File{ID: "d", MIMEType: platen.MIMEDocs}, nil)
	if err != nil || out.Requests != 6 {
		t.Errorf("%d requests, %v; want 6", out.Requests, err)
	}
	if want := "{{B}} b{{A}} {{B}} "; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
}

// shows serves a drive that shows a file, and gives these replies.
func shows(t *testing.T, file string, replies ...string) *google.Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(w, 200, file)
			return
		}
		answer(w, 200, `{"replies":[`+strings.Join(replies, ",")+`]}`)
	})
}

func TestATagThatIsNotReplacedIsNoticed(t *testing.T) {
	t.Parallel()
	client := shows(t, `{"body":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"{{B}}\n"}}]}}]}}`,
		`{"replaceAllText":{"occurrencesChanged":1}}`, `{"replaceAllText":{}}`, `{"replaceAllText":{"occurrencesChanged":1}}`, `{}`)
	_, err := client.EditDocument(t.Context(), "d", platen.ReadWhole, replaceTexts(pair{"{{A}}", "one"}, pair{"{{B}}", "two"}, pair{"one", "1"}, pair{"two", "2"}))
	refused, ok := errors.AsType[*platen.Error](err)
	if !ok || refused.Kind != platen.KindInvalid || refused.Code != platen.CodeTagLeft || !strings.Contains(err.Error(), "{{B}}") {
		t.Errorf("got %v; want %s that names {{B}}", err, platen.CodeTagLeft)
	}
}

func TestATagThatIsReplacedInSomePlacesOnlyIsNoticed(t *testing.T) {
	t.Parallel()
	client := shows(t, `{}`, `{"replaceAllText":{"occurrencesChanged":2}}`, `{"replaceAllText":{"occurrencesChanged":1}}`)
	if _, err := client.EditDocument(t.Context(), "d", platen.ReadWhole, replaceTexts(pair{"{{A}}", "one"}, pair{"one", "1"})); platen.KindOf(err) != platen.KindInternal {
		t.Errorf("got %v, want KindInternal", err)
	}
}

func TestATagInNotesOrAnUnusedLayoutMayStay(t *testing.T) {
	t.Parallel()
	for find, want := range map[string]bool{"{{Notes}}": true, "{{Unused}}": true, "{{Layout}}": false, "{{Title}}": false} {
		_, err := shows(t, deck, `{}`).EditPresentation(t.Context(), "p", platen.ReadWhole, replaceSlideTexts(pair{find, ""}))
		if (err == nil) != want {
			t.Errorf("%s: %v, want no error: %v", find, err, want)
		}
	}
}

func TestAStaleRevisionIsAConflictAndQuotesNoValue(t *testing.T) {
	t.Parallel()
	client := refusing(t, 400, fault(400, "badRequest", "The required revision ID 'r1' does not match the latest revision. secret-value"))
	for _, mimeType := range []string{platen.MIMEDocs, platen.MIMESlides} {
		_, err := replaceTextsIn(t.Context(), client, "d", mimeType, pair{"{{A}}", "secret-value"})
		if platen.KindOf(err) != platen.KindConflict || strings.Contains(err.Error(), "secret-value") {
			t.Errorf("%s: %v, want KindConflict without the value", mimeType, err)
		}
	}
}
