package console

import (
	"cmp"
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
	rules    map[string]string // receivers by rules, by workflow
	rests    string            // the receiver by rules that fails
	events   string            // that are not delivered
	requests int
}

func (h *heldEvents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests++
	id, asked, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v0/workflows/"), "/")
	switch {
	case strings.HasPrefix(asked, "outgoing-webhooks/state"):
		fmt.Fprintf(w, `{"state":"READY","failures":0,"heldEvents":%d}`, h.of[id])
	case asked == "receivers/":
		fmt.Fprint(w, cmp.Or(h.rules[id], "[]"))
	case h.rests != "" && asked == "receivers/"+h.rests+"/state/":
		fmt.Fprint(w, `{"state":"RESTING","failures":5,"heldEvents":1}`)
	case strings.HasPrefix(asked, "receivers/"):
		fmt.Fprint(w, `{"state":"READY","failures":0,"heldEvents":0}`)
	case asked == "events/":
		fmt.Fprint(w, cmp.Or(h.events, `[{"id":"evt_1","state":"HELD","lastFailure":"the receiver answered 500"}]`))
	default:
		http.NotFound(w, r)
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

// A receiver by rules in trouble is seen beside an outgoing webhook that works, with the events
// and the failure of its own. Both of one address have one breaker.
func TestAReceiverByRulesInTroubleIsSeen(t *testing.T) {
	t.Parallel()
	h := &heldEvents{
		of: map[string]int{}, rests: "rcv_1",
		rules: map[string]string{
			"first":  `[{"id":"rcv_1","name":"Accounts","webhookUrl":"https://accounts.test/"},{"id":"rcv_2","name":"Stock","webhookUrl":"https://stock.test/"}]`,
			"second": `[{"id":"rcv_3","name":"Same","webhookUrl":"https://erp.test/"}]`,
		},
		events: `[{"state":"PENDING","lastFailure":"of the webhook"},{"state":"PENDING","receiverId":"rcv_2","lastFailure":"of another"},
			{"state":"PENDING","receiverId":"rcv_1"},{"state":"HELD","receiverId":"rcv_1","lastFailure":"its own"},{"state":"PENDING","receiverId":"rcv_1"}]`,
	}
	found, more := h.receivers(t, []client.Workflow{sendingTo("first", "https://erp.test/"), {ID: "second", Name: "second"}})
	if len(found) != 1 || more != 0 {
		t.Fatalf("got %+v and %d more, want the receiver that rests alone", found, more)
	}
	got := found[0]
	if got.Address != "https://accounts.test/" || got.Endpoint.State != "RESTING" || got.Waiting() != 2 || got.Last != "its own" {
		t.Errorf("got %+v, want two events that wait, and why the last attempt at its own failed", got)
	}
	if one := got.First(); one.Rule.Name != "Accounts" || one.Held != 1 || one.Anchor() != "of-rcv_1" || one.Query() != "?receiver=rcv_1&" {
		t.Errorf("it is %+v of the workflow", one)
	}
	h.rests = "rcv_2"
	if found, _ := h.receivers(t, []client.Workflow{sendingTo("first", "https://erp.test/")}); len(found) != 1 || found[0].Last != "of another" || found[0].Waiting() != 1 {
		t.Errorf("got %+v, want what is of the other receiver", found)
	}
}
