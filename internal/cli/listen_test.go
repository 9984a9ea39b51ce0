package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/client"
)

// eventful gives the API events, the newest first, with the payload of each.
type eventful struct {
	mu     sync.Mutex
	events []object
}

func (v *eventful) add(d *desk, id string, at time.Time, payload string) {
	d.mu.Lock()
	d.answers["GET /workflows/wkf_1/events/"+id+"/"] = []byte(fmt.Sprintf(`{"id": %q, "payload": %s}`, id, payload))
	d.mu.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.events = append([]object{{"id": id, "type": "DOCUMENTS_CREATED", "state": "PENDING", "automationId": "aut_1", "createdAt": at}}, v.events...)
}

func (v *eventful) list() any {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]object{}, v.events...)
}

type delivery struct {
	header http.Header
	body   string
}

func TestListenForwardsEachNewEventOnceSignedByteForByte(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{})
	at := time.Now().Add(-time.Hour)
	v := &eventful{}
	v.add(d, "evt_old", at, `{"event_id": "evt_old"}`)
	d.answers["GET /workflows/wkf_1/events/"] = v.list
	got := make(chan delivery, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusNoContent)
		got <- delivery{r.Header, string(body)}
	}))
	t.Cleanup(receiver.Close)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- d.run(ctx, d.loggedIn("listen", "--workflow", "Letters, Kiel", "--forward-to", receiver.URL)...)
	}()
	eventually(t, func() bool { return d.count("GET /workflows/wkf_1/events/") > 0 })
	payload := `{"event_id":  "evt_1", "event_type": "DOCUMENTS_CREATED", "data": {"ünïcode<>": 1.0}}`
	v.add(d, "evt_1", at.Add(time.Minute), payload)
	first := came(t, got)
	v.add(d, "evt_gone", at.Add(2*time.Minute), "null")
	eventually(t, func() bool { return strings.Contains(d.out.String(), "evt_gone") })
	v.add(d, "evt_2", at.Add(90*time.Second), `{"event_id": "evt_2"}`) // it was slow to appear
	second := came(t, got)
	eventually(t, func() bool { return strings.Contains(d.out.String(), "evt_2") })
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("an interrupt is its good end: got %v", err)
	}
	if first.body != payload || !strings.Contains(second.body, "evt_2") || len(got) != 0 {
		t.Errorf("got %s, %s and %d more; want evt_1 as it is, and evt_2", first.body, second.body, len(got))
	}
	secret, err := os.ReadFile(filepath.Join(d.Config, listenSecretFile))
	if err != nil || !strings.Contains(d.err.String(), strings.TrimSpace(string(secret))) {
		t.Fatalf("%v; the secret is not in %s", err, d.err)
	}
	verifier, err := client.NewVerifier(string(secret))
	if err != nil {
		t.Fatal(err)
	}
	if e, err := verifier.Verify(first.header, []byte(first.body)); err != nil || e.ID != "evt_1" || first.header.Get("Webhook-Id") != "evt_1" {
		t.Errorf("got %+v, %v; want it signed with the secret that was printed", e, err)
	}
	for _, want := range []string{"evt_1  DOCUMENTS_CREATED  aut_1  204 No Content  ", " ms\n", "evt_gone  DOCUMENTS_CREATED  aut_1  its data was erased"} {
		if !strings.Contains(d.out.String(), want) {
			t.Errorf("got %s, want %q", d.out, want)
		}
	}
	if want := "Forwarded 2 events, 0 of them not taken."; !strings.Contains(d.err.String(), want) {
		t.Errorf("got %s, want %q", d.err, want)
	}
}

func came(t *testing.T, got chan delivery) delivery {
	t.Helper()
	select {
	case one := <-got:
		return one
	case <-time.After(patience):
		t.Fatal("nothing was forwarded")
		return delivery{}
	}
}

func (d *desk) count(what string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, asked := range d.asked {
		if asked == what {
			n++
		}
	}
	return n
}

// patience is longer than anything takes.
const patience = 30 * time.Second

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it did not happen")
		}
	}
}

func TestAnInterruptLetsTheForwardingUnderWayEnd(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{})
	v := &eventful{}
	v.add(d, "evt_1", time.Now().Add(-time.Minute), `{}`)
	v.add(d, "evt_2", time.Now(), `{}`)
	d.answers["GET /workflows/wkf_1/events/"] = v.list
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(receiver.Close)
	if err := d.run(ctx, d.loggedIn("listen", "--workflow", "wkf_1", "--since", "1h", "--forward-to", receiver.URL)...); err != nil {
		t.Errorf("an interrupt is its good end: got %v", err)
	}
	if got := d.out.String(); !strings.Contains(got, "evt_1  DOCUMENTS_CREATED  aut_1  202 Accepted") || strings.Contains(got, "evt_2") || !strings.Contains(d.err.String(), "Forwarded 1 event, 0 of them not taken.") {
		t.Errorf("got %s and %s, want evt_1 forwarded, and nothing after it", got, d.err)
	}
}

// What was found in one workflow is not lost because another one's events cannot be read.
func TestAFeedKeepsWhatItFoundBesideAnError(t *testing.T) {
	t.Parallel()
	d := sit(t)
	v, at := &eventful{}, time.Now()
	v.add(d, "evt_old", at, "{}")
	d.answers["GET /workflows/wkf_1/events/"] = v.list
	d.answers["GET /workflows/wkf_2/events/"] = []object{}
	api, err := Access{APIURL: d.api, Token: token}.client(d.Environment)
	if err != nil {
		t.Fatal(err)
	}
	f := newFeed(api, []eventList{{workflowID: "wkf_1"}, {workflowID: "wkf_2"}}, time.Time{})
	if found, err := f.next(t.Context()); err != nil || len(found) != 0 {
		t.Fatalf("the first look: got %v, %v", found, err)
	}
	v.add(d, "evt_1", at.Add(time.Second), "{}")
	d.mu.Lock()
	delete(d.answers, "GET /workflows/wkf_2/events/")
	d.mu.Unlock()
	if found, err := f.next(t.Context()); err == nil || !strings.Contains(err.Error(), "wkf_2") || len(found) != 1 || found[0].ID != "evt_1" {
		t.Errorf("got %v, %v; want evt_1, and which workflow's are not read", found, err)
	}
	v.add(d, "evt_2", at.Add(2*time.Second), "{}")
	if found, _ := f.next(t.Context()); len(found) != 1 || found[0].ID != "evt_2" {
		t.Errorf("got %v, want evt_2 alone", found)
	}
}

func TestListenTellsOfReceiversThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{})
	v := &eventful{}
	v.add(d, "evt_1", time.Now().Add(-time.Minute), `{}`)
	d.answers["GET /workflows/wkf_1/events/"] = v.list
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- d.run(ctx, d.loggedIn("listen", "--workflow", "wkf_1", "--since", "1h", "--forward-to", gone.URL)...)
	}()
	eventually(t, func() bool { return strings.Contains(d.out.String(), "evt_1") })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := d.out.String(); !strings.Contains(got, "no answer") || !strings.Contains(got, "refused") || !strings.Contains(d.err.String(), "1 event, 1 of them not taken") {
		t.Errorf("got %s and %s, want that nobody answered, and why", got, d.err)
	}
}

func TestListenNeedsAWorkflowThatMakesEvents(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["GET /workflows/wkf_1/"] = object{"id": "wkf_1", "name": "Mute"}
	err := d.run(t.Context(), d.loggedIn("listen", "--workflow", "wkf_1")...)
	if ExitCode(err) != ExitFailed || !strings.Contains(d.err.String(), "platen webhooks create wkf_1 URL") {
		t.Errorf("got %v and %s, want the command that cures it", err, d.err)
	}
}

func TestTheSecretOfListenStays(t *testing.T) {
	t.Parallel()
	d := sit(t)
	for range 2 {
		if err := d.run(t.Context(), "listen", "--print-secret"); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(d.out.String(), "\n")
	if _, err := client.NewVerifier(lines[0]); err != nil || lines[0] != lines[1] {
		t.Errorf("got %q, %v; want one secret twice", lines, err)
	}
	if info, err := os.Stat(filepath.Join(d.Config, listenSecretFile)); err != nil || info.Mode() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
}
