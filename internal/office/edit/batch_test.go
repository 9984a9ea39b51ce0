package edit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

// A request of two kinds, as the API has them.
type request struct {
	InsertText *string `json:"insertText,omitempty"`
	DeleteText *string `json:"deleteText"`
	Comment    string  `json:"comment"` // no kind: not a pointer
}

func inserting(text string) *request { return &request{InsertText: &text} }

func TestABatchAnswersEachRequestInItsOrder(t *testing.T) {
	t.Parallel()
	got, err := ApplyBatch([]*request{inserting("a"), inserting("b"), {DeleteText: new(string), Comment: "c"}}, func(q *request, _ RequestFault) (*string, error) {
		if q.InsertText == nil {
			return nil, nil
		}
		return q.InsertText, nil
	})
	if err != nil || len(got) != 3 || *got[0] != "a" || *got[1] != "b" || got[2] != nil {
		t.Errorf("got %v, %v; want a, b and nil", got, err)
	}
	if got, err := ApplyBatch([]*request{}, func(*request, RequestFault) (*string, error) { return nil, nil }); err != nil || got == nil || len(got) != 0 {
		t.Errorf("of no requests: got %v, %v; want no responses", got, err)
	}
}

func TestABatchEndsWithItsFirstFault(t *testing.T) {
	t.Parallel()
	text := "x"
	for _, c := range []struct {
		name     string
		requests []*request
		want     string
		applied  string
	}{
		{"no kind", []*request{inserting("a"), {Comment: "c"}, inserting("b")}, "Invalid requests[1]: No request set.", "a"},
		{"no request", []*request{nil}, "Invalid requests[0]: No request set.", ""},
		{"two kinds", []*request{{InsertText: &text, DeleteText: &text}}, "Invalid requests[0]: Only one kind of request may be set, found insertText, deleteText.", ""},
		{"a fault of the request", []*request{inserting("a"), inserting("bad 5%"), inserting("b")}, `Invalid requests[1].insertText: The text "bad 5%" is 6 long.`, "a"},
	} {
		applied := ""
		responses, err := ApplyBatch(c.requests, func(q *request, invalid RequestFault) (*string, error) {
			if strings.HasPrefix(*q.InsertText, "bad") {
				return nil, invalid("The text %q is %d long.", *q.InsertText, len(*q.InsertText))
			}
			applied += *q.InsertText
			return q.InsertText, nil
		})
		var fault *opc.RequestError
		if !errors.As(err, &fault) || fault.Message != c.want || responses != nil {
			t.Errorf("%s: got %v, %v; want %q", c.name, responses, err, c.want)
		}
		if applied != c.applied {
			t.Errorf("%s: applied %q, want %q", c.name, applied, c.applied)
		}
	}
}

func TestABatchHasTenThousandRequestsAtMost(t *testing.T) {
	t.Parallel()
	apply := func(q *request, _ RequestFault) (*string, error) { return q.InsertText, nil }
	if got, err := ApplyBatch(slices.Repeat([]*request{inserting("a")}, 10_000), apply); err != nil || len(got) != 10_000 {
		t.Errorf("got %d responses, %v; want 10000", len(got), err)
	}
	_, err := ApplyBatch(slices.Repeat([]*request{inserting("a")}, 10_001), apply)
	if want := "Too many requests: 10001, at most 10000 in one batch."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// Google's reference of InsertTextRequest.text names what is stripped.
func TestInsertedTextLosesControlCharactersAndThePrivateArea(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x00\x08b": "ab", "a\t\n\vb": "a\t\n\vb", "a\x0C\x1Fb": "ab", "a b\x7F": "a b\x7F",
		"\uD7FF\uE000\uF8FF\uF900": "\uD7FF\uF900", "𝒳": "𝒳", "": "",
	} {
		if got := InsertableText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestIndexesCountUTF16CodeUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 0, "abc": 3, "é€漢": 3, "𝒳": 2, "a𝒳b": 4} {
		if got := Units(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		at    int64
		bytes int
		whole bool
	}{
		{-1, 0, true}, {0, 0, true}, {1, 1, true}, {2, 3, true}, // behind é, of two bytes
		{3, 7, false}, {4, 7, true}, // 𝒳, of four bytes and two units
		{5, 8, true}, {6, 8, true},
	} {
		if got, whole := ByteOffset("aé𝒳b", c.at); got != c.bytes || whole != c.whole {
			t.Errorf("%d units: got %d bytes, %t; want %d, %t", c.at, got, whole, c.bytes, c.whole)
		}
	}
	if got, whole := ByteOffset("", 3); got != 0 || !whole {
		t.Errorf("of nothing: got %d, %t; want 0, true", got, whole)
	}
}
