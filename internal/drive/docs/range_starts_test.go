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

func TestStartsOfEveryKindOfRangeAreNoted(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"deleteContentRange", "updateTextStyle", "updateParagraphStyle", "createParagraphBullets", "deleteParagraphBullets", "createNamedRange"} {
		for start, want := range map[string]bool{`"startIndex":0,`: true, ``: false, `"startIndex":null,`: false} {
			body := []byte(`{"requests":[{"` + kind + `":{"range":{` + start + `"endIndex":2}}}]}`)
			var batch gdocs.BatchUpdateDocumentRequest
			if err := json.Unmarshal(body, &batch); err != nil {
				t.Fatal(err)
			}
			if err := MarkStarts(body, batch.Requests); err != nil {
				t.Fatal(err)
			}
			if got := begins(rangeOf(batch.Requests[0]), noStart) == nil; got != want {
				t.Errorf("%s with %q: got %t, want %t", kind, start, got, want)
			}
		}
	}
}

func TestARequestWithoutARangeHasNone(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*gdocs.Request{
		"null": nil, "empty": {}, "without": {UpdateTextStyle: &gdocs.UpdateTextStyleRequest{}}, "of another kind": {InsertText: &gdocs.InsertTextRequest{}},
	} {
		if got := rangeOf(r); got != nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestTheBodyIsReadOnlyWhereARangeMayBeginAtZero(t *testing.T) {
	t.Parallel()
	later := []*gdocs.Request{{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 2}}}, nil}
	if err := MarkStarts([]byte("no JSON"), later); err != nil {
		t.Errorf("no range begins at 0: got %v", err)
	}
	if err := MarkStarts([]byte("no JSON"), append(later, deleteBullets(0, 2))); err == nil {
		t.Error("a range may begin at 0: got no fault of a body that cannot be read")
	}
}

func TestARangeThatBeginsElsewhereIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	requests := []*gdocs.Request{
		{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 2}}},
		{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: &gdocs.Range{EndIndex: 2}}},
	}
	body := `{"requests":[{"deleteContentRange":{"range":{"startIndex":1}}},{"deleteContentRange":{"range":{"startIndex":0}}},{"deleteContentRange":{"range":{"startIndex":0}}}]}`
	if err := MarkStarts([]byte(body), requests); err != nil {
		t.Fatal(err)
	}
	if got := rangeOf(requests[0]).ForceSendFields; got != nil {
		t.Errorf("got %q", got)
	}
	if err := begins(rangeOf(requests[1]), noStart); err != nil {
		t.Error("the second range begins at 0, but that is not noted")
	}
}
