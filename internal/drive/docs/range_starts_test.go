package docs

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

func noStart(string, ...any) error { return errors.New("no start") }

// It is not parallel: it measures what the process takes.
func TestStartsAreReadInALittleMemory(t *testing.T) {
	const requests = 50_000
	one := `{"deleteContentRange":{"range":{"startIndex":0,"endIndex":2}}}`
	body := []byte(`{"requests":[` + strings.Repeat(one+",", requests-1) + one + `]}`)
	var batch gdocs.BatchUpdateDocumentRequest
	if err := json.Unmarshal(body, &batch); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := MarkStarts(body, batch.Requests); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / requests; got > 100 {
		t.Errorf("got %d bytes for each request, want 100 at most", got)
	}
	if err := begins(batch.Requests[requests-1].DeleteContentRange.Range, noStart); err != nil {
		t.Errorf("the last request: %v", err)
	}
}

func TestAStartIsOneThatTheBodyGives(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"startIndex":0,"endIndex":2}`:    true,
		`{"STARTINDEX":0,"endIndex":2}`:    true,
		`{"startIndex":null,"endIndex":2}`: false,
		`{"endIndex":2}`:                   false,
	} {
		body := []byte(`{"requests":[null,{},{"updateTextStyle":{"range":` + text + `}}]}`)
		var batch gdocs.BatchUpdateDocumentRequest
		if err := json.Unmarshal(body, &batch); err != nil {
			t.Fatal(err)
		}
		if err := MarkStarts(body, batch.Requests); err != nil {
			t.Fatal(err)
		}
		if got := begins(rangeOf(batch.Requests[2]), noStart) == nil; got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
}
