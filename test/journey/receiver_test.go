package journey

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// A receiver is the integrator's server. It answers with the statuses that it
// was given, one after the other, then with 200.
type receiver struct {
	url      string
	received chan arrival

	mu       sync.Mutex
	statuses []int
	verifier *standardwebhooks.Webhook
}

// An arrival is one request to the receiver.
type arrival struct {
	id    string // the header webhook-id
	trace string // the header traceparent
	test  string // the header Platen-Test
	body  []byte
	event event
	fault error // the signature is wrong, or the body is no event
}

type event struct {
	ID   string `json:"event_id"`
	Type string `json:"event_type"`
	Data struct {
		Documents []struct {
			ID         string `json:"id"`
			URL        string `json:"url"`
			Name       string `json:"name"`
			MIMEType   string `json:"mimeType"`
			Lower      string `json:"mimetype"`
			Kind       string `json:"kind"`
			Protection string `json:"protection"`
		} `json:"documents"`
		WorkflowID    string   `json:"workflowId"`
		AutomationID  string   `json:"automationId"`
		DocumentID    string   `json:"documentId"`
		CreatedAt     string   `json:"createdAt"`
		Test          bool     `json:"test"`
		MissingFields []string `json:"missingFields"`
		Error         *struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"data"`
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	t.Helper()
	r := &receiver{received: make(chan arrival, 64), statuses: statuses}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/events"
	return r
}

func (r *receiver) trust(t *testing.T, secret string) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatalf("read the signing secret: %v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verifier = verifier
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	d := arrival{id: request.Header.Get("webhook-id"), trace: request.Header.Get("traceparent"), test: request.Header.Get("Platen-Test")}
	d.body, d.fault = io.ReadAll(request.Body)
	r.mu.Lock()
	verifier, status := r.verifier, http.StatusOK
	if len(r.statuses) > 0 {
		status, r.statuses = r.statuses[0], r.statuses[1:]
	}
	r.mu.Unlock()
	if d.fault == nil {
		d.fault = verifier.Verify(d.body, request.Header)
	}
	if d.fault == nil {
		d.fault = json.Unmarshal(d.body, &d.event)
	}
	r.received <- d
	w.WriteHeader(status)
}

// next waits for a request whose signature is right.
func (r *receiver) next(t *testing.T) arrival {
	t.Helper()
	select {
	case d := <-r.received:
		if d.fault != nil {
			t.Fatalf("event: %v: %s", d.fault, d.body)
		}
		if d.id != d.event.ID {
			t.Errorf("webhook-id: got %q, want the event's id %q", d.id, d.event.ID)
		}
		return d
	case <-time.After(patience):
		t.Fatalf("no event within %v", patience)
		return arrival{}
	}
}

// quiet fails if there was a request that nobody asked for. It does not wait:
// call it when nothing more can come.
func (r *receiver) quiet(t *testing.T) {
	t.Helper()
	select {
	case d := <-r.received:
		t.Errorf("got one more event: %s", d.body)
	default:
	}
}
