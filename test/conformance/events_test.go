package conformance

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Section 6.

// A receiver is an integrator's server. It holds each event against the
// contract and checks its signature.
type receiver struct {
	t        *testing.T
	stack    *harness
	url      string
	received chan object

	mu       sync.Mutex
	verifier *standardwebhooks.Webhook
	answers  chan struct{} // closed when it may answer; nil: at once
}

func newReceiver(t *testing.T, s *harness) *receiver {
	t.Helper()
	r := &receiver{t: t, stack: s, received: make(chan object, 16)}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/events"
	return r
}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var event object
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	r.mu.Lock()
	verifier, answers := r.verifier, r.answers
	r.mu.Unlock()
	if err == nil {
		err = verifier.Verify(body, request.Header)
	}
	if err != nil || request.Method != http.MethodPost || request.Header.Get("Content-Type") != "application/json" || request.Header.Get("webhook-id") != event["event_id"] {
		r.t.Errorf("event: %s with %v, %v: %s", request.Method, request.Header, err, body)
	}
	r.stack.contract.checkEvent(r.t, request.Header, body)
	if event["event_type"] == "BATCH_COMPLETED" {
		return // nobody waits for it
	}
	select {
	case r.received <- event:
	case <-r.t.Context().Done(): // the test has ended, and reads no more
	}
	if answers != nil {
		<-answers
	}
}

// wait keeps the receiver from answering until the function that it returns is
// called, or the test ends.
func (r *receiver) wait(t *testing.T) (answer func()) {
	t.Helper()
	answers := make(chan struct{})
	answer = sync.OnceFunc(func() { close(answers) })
	t.Cleanup(answer)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = answers
	return answer
}

func (r *receiver) next(t *testing.T) object {
	t.Helper()
	select {
	case event := <-r.received:
		return event
	case <-time.After(patience):
		t.Fatalf("no event within %v", patience)
		return nil
	}
}

// quiet fails if an event came that nobody asked for. It does not wait: call
// it when nothing more can come.
func (r *receiver) quiet(t *testing.T) {
	t.Helper()
	select {
	case event := <-r.received:
		t.Errorf("one more event: %v", event)
	default:
	}
}

// file waits for an event of an output and returns the id of its first file.
func (r *receiver) file(t *testing.T) string {
	t.Helper()
	return text(t, r.files(t)[0], "id")
}

func (r *receiver) files(t *testing.T) []object {
	t.Helper()
	event := r.next(t)
	field(t, event, "event_type", "DOCUMENTS_CREATED")
	list, _ := inner(t, event, "data")["documents"].([]any)
	if len(list) == 0 {
		t.Fatalf("the event links to nothing: %v", event)
	}
	var files []object
	for _, f := range list {
		files = append(files, f.(object))
	}
	return files
}

// trust has it verify events by a secret.
func (r *receiver) trust(t *testing.T, secret string) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.verifier = verifier
	r.mu.Unlock()
}

// complete gives a workflow a template that says text, lets the receiver
// trust its secret, and returns it as it is then.
func (c client) complete(t *testing.T, r *receiver, w object, template string) object {
	t.Helper()
	r.trust(t, text(t, c.do(t, "GET", path(t, w, "outgoing-webhooks", "secret"), nil).is(http.StatusOK).object(), "secret"))
	c.document(t, w, object{"file_id": c.stack.template(t, template)})
	return c.again(t, w)
}

func (c client) runnable(t *testing.T, r *receiver, template string) object {
	t.Helper()
	return c.complete(t, r, c.workflow(t, object{"name": "A", "outgoingWebhook": object{"webhookUrl": r.url}}), template)
}

func eventOfOutput(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.runnable(t, r, "Dear {{Name}}")
	document := path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"))
	s.ada.patch(t, document, object{"createPdfCopy": true})
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	files := r.files(t)
	if len(files) != 2 {
		t.Errorf("files: got %v, want the PDF and the document", files)
	}
	for _, f := range files {
		response, err := http.Get(text(t, f, "url"))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("link to %v: got %s", f["name"], response.Status)
		}
	}
}

func eventPlaceholders(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.runnable(t, r, "{{Name}} of {{Address.City}}, {{Number}}")
	document := path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"))
	s.ada.patch(t, document, object{"outputName": "For {{Name}} at {{Timestamp}}"})
	s.post(t, source(t, w), `{"Name": "Ada", "Address": {"City": "London"}, "Number": 12345678901234567890}`).is(http.StatusOK)
	f := r.files(t)[0]
	form(t, f, "name", `^For Ada at \d{4}-\d\d-\d\d `)
	if got, want := s.text(t, text(t, f, "id")), "Ada of London, 12345678901234567890"; got != want {
		t.Errorf("the output says %q, want %q", got, want)
	}
}

func eventNeedsWebhook(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.workflow(t, object{"name": "A"})
	first := s.ada.document(t, w, object{"file_id": s.template(t, "Dear {{Name}}")})
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	s.ada.ended(t, w, "COMPLETED")
	// Configured now, it gets the events of later outputs alone.
	s.ada.do(t, "POST", path(t, w, "outgoing-webhooks"), object{"webhookUrl": r.url}).is(http.StatusCreated)
	s.ada.complete(t, r, w, "Second {{Name}}")
	s.ada.patch(t, path(t, w, "documents", text(t, first, "id")), object{"outputName": "Late"})
	s.post(t, source(t, w), object{"Name": "Bea"}).is(http.StatusOK)
	for range 2 { // one for each of its two documents
		if got := s.text(t, r.file(t)); strings.Contains(got, "Ada") {
			t.Errorf("an event came for an output that was made before there was an outgoing webhook: %s", got)
		}
	}
	r.quiet(t)
}
