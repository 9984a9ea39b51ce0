package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/inside"
)

// heldEvents is an API that knows how many events each workflow has waiting for a receiver
// that works. Requests counts what it was asked.
type heldEvents struct {
	of       map[string]int
	requests int
}

func (h *heldEvents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests++
	id, asked, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v0/workflows/"), "/")
	switch {
	case strings.HasPrefix(asked, "outgoing-webhooks/state"):
		fmt.Fprintf(w, `{"state":"READY","failures":0,"heldEvents":%d}`, h.of[id])
	case strings.HasPrefix(asked, "events/counts"):
		fmt.Fprint(w, `{"pending":0}`)
	case asked == "events/":
		fmt.Fprint(w, `[{"id":"evt_1"}]`)
	default:
		fmt.Fprint(w, `{"id":"evt_1","deliveries":[{"failure":"the receiver answered 500"}]}`)
	}
}

func (h *heldEvents) receivers(t *testing.T, all []client.Workflow) ([]troubledReceiver, int) {
	t.Helper()
	from := httptest.NewRequest(http.MethodGet, "/", nil)
	found, more, err := request{Request: from, api: inside.Caller{API: h, From: from}.Client()}.receivers(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found, more
}

func sendingTo(id, address string) client.Workflow {
	return client.Workflow{ID: id, Name: id, OutgoingWebhook: &client.OutgoingWebhook{URL: address}}
}

// Workflows with one receiver have one breaker, and held events of their own.
func TestHeldEventsOfEachWorkflowOfAReceiverAreSeen(t *testing.T) {
	t.Parallel()
	h := &heldEvents{of: map[string]int{"second": 4, "third": 1}}
	found, more := h.receivers(t, []client.Workflow{sendingTo("first", "https://erp.test/"), sendingTo("second", "https://erp.test/"), sendingTo("third", "https://erp.test/"), sendingTo("other", "https://other.test/")})
	if len(found) != 1 || more != 0 || found[0].Address != "https://erp.test/" || found[0].Last != "the receiver answered 500" {
		t.Fatalf("got %+v and %d more, want the receiver of the held events", found, more)
	}
	var held []string
	for _, w := range found[0].Workflows {
		held = append(held, fmt.Sprint(w.Name, " ", w.Held))
	}
	if got, want := strings.Join(held, ", "), "first 0, second 4, third 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheFirstPageLooksAtSoManyReceiversAndNoMore(t *testing.T) {
	t.Parallel()
	var all []client.Workflow
	h := &heldEvents{of: map[string]int{}}
	for n := range 100 {
		id := fmt.Sprint("w", n)
		h.of[id] = 1
		all = append(all, sendingTo(id, fmt.Sprintf("https://%d.test/", n%40)))
	}
	found, more := h.receivers(t, all)
	if len(found) != lookedAt || more != 40-lookedAt || h.requests > 4*lookedAt {
		t.Errorf("got %d receivers, %d more and %d requests, want %d, %d and %d at most", len(found), more, h.requests, lookedAt, 40-lookedAt, 4*lookedAt)
	}
}
