package google_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

// answersVariable names a folder with answers that Google gave (captures.json).
const answersVariable = "PLATEN_GOOGLE_ANSWERS"

func oneRequest(*docsapi.Document) ([]*docsapi.Request, error) {
	return []*docsapi.Request{{ReplaceAllText: &docsapi.ReplaceAllTextRequest{}}}, nil
}

func oneSlidesRequest(*slidesapi.Presentation) ([]*slidesapi.Request, error) {
	return []*slidesapi.Request{{ReplaceAllText: &slidesapi.ReplaceAllTextRequest{}}}, nil
}

// refusing serves a drive that reads and refuses what it is to change.
func refusing(t *testing.T, status int, body string) *google.Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(w, 200, `{"revisionId":"r1"}`)
			return
		}
		answer(w, status, body)
	})
}

func TestARefusedBatchSaysWhichRequestItWasAndNoValue(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Invalid requests[12].deleteContentRange: The range Ada 5550199 should not be empty.":     "Invalid requests[12].deleteContentRange",
		"Invalid requests[0].insertComment: Index 5550199 must be less than the end index, Ada.":  "Invalid requests[0].insertComment",
		"Invalid requests[7].insertText: Ada's revision 5550199 does not fit":                     "Invalid requests[7].insertText",
		"Invalid requests[3]: Ada 5550199":                                                        "Invalid requests[3]",
		"Ada 5550199 Invalid requests[4].insertText: Ada":                                         "",
		"Invalid requests[5].Ada 5550199: no kind of request":                                     "",
		"Invalid requests[5550199555].insertText: Ada":                                            "",
		"Invalid value at 'requests[0].insert_text.text' (TYPE_STRING), \"Ada 5550199\"":          "",
		"Invalid JSON payload received. Unknown name \"Ada 5550199\" at 'requests[0].insertText'": "",
	} {
		body := `{"error":{"code":400,"message":` + string(must(json.Marshal(message))) + `,"status":"INVALID_ARGUMENT"}}`
		client := refusing(t, 400, body)
		_, inDocument := client.EditDocument(t.Context(), "x", platen.ReadWhole, oneRequest)
		_, inSlides := client.EditPresentation(t.Context(), "x", platen.ReadWhole, oneSlidesRequest)
		_, replaced := client.EditDocument(t.Context(), "x", platen.ReadWhole, replaceTexts(pair{"{{A}}", "Ada"}))
		for _, err := range []error{inDocument, inSlides, replaced} {
			e, ok := errors.AsType[*platen.Error](err)
			if !ok || e.Code != "drive_request_refused" {
				t.Fatalf("%q: got %v, want drive_request_refused", message, err)
			}
			if !strings.Contains(err.Error(), "INVALID_ARGUMENT") || want != "" && !strings.HasSuffix(err.Error(), ": "+want) || want == "" && strings.Contains(err.Error(), "requests[") {
				t.Errorf("%q: the log says %q, want it to end with %q", message, err, want)
			}
			if strings.Contains(err.Error(), "Ada") || strings.Contains(err.Error(), "5550199") || strings.Contains(e.Message, "requests[") {
				t.Errorf("%q: a value is quoted, or the client's message names requests: %v", message, err)
			}
		}
	}
}

func TestTheReasonOfAnswersInTheNewerFormDecides(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"SERVICE_DISABLED":                "drive_api_disabled",
		"ACCESS_TOKEN_SCOPE_INSUFFICIENT": "drive_connection_broken",
		"ANOTHER":                         "drive_file_forbidden", // by the status
	} {
		body := `{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `"}]}}`
		_, err := refusing(t, 403, body).EditDocument(t.Context(), "x", platen.ReadWhole, oneRequest)
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != want {
			t.Errorf("%s: got %v, want %s", reason, err, want)
		}
	}
}

func TestADriveThatDoesNotAnswerInTimeIsSaidToBeSlow(t *testing.T) {
	t.Parallel()
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := client.EditDocument(ctx, "x", platen.ReadWhole, oneRequest)
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != "drive_unavailable" || !strings.Contains(e.Message, "in time") {
		t.Errorf("got %v, want drive_unavailable, and that it did not answer in time", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestErrorsThatGoogleGaveAreClassified(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(answersVariable)
	if dir == "" {
		t.Skipf("%s names no folder with answers that Google gave", answersVariable)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "captures.json"))
	if err != nil {
		t.Fatal(err)
	}
	var captures []struct {
		What   string
		Status int
		Body   json.RawMessage
	}
	if err := json.Unmarshal(raw, &captures); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, c := range captures {
		if c.Status != http.StatusBadRequest {
			continue
		}
		refused++
		_, err := refusing(t, c.Status, string(c.Body)).EditDocument(t.Context(), "x", platen.ReadWhole, oneRequest)
		e, ok := errors.AsType[*platen.Error](err)
		switch {
		case !ok:
			t.Errorf("%s: got %v", c.What, err)
		case strings.Contains(c.What, "requiredRevisionId"):
			if e.Code != "drive_revision_stale" || e.Kind != platen.KindConflict {
				t.Errorf("%s: got %v, want drive_revision_stale", c.What, err)
			}
		case e.Code != "drive_request_refused" || !strings.Contains(err.Error(), ": Invalid requests["):
			t.Errorf("%s: got %v, want drive_request_refused and which request it was", c.What, err)
		}
	}
	if refused < 3 {
		t.Errorf("%d refusals among the answers, want at least 3", refused)
	}
}
