package lifecycle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/installation"
)

const (
	senders      = 4
	senderSecret = "correct-horse-battery"
)

// Events are accepted by two processes and delivered by a worker while an operator does
// what docs/production.md says; each event is signed with the secret that was there
// before, and each reading shows what was stored before.
func TestKeysAreRotatedUnderLoadAndTheOldOneIsTakenAway(t *testing.T) {
	t.Parallel()
	s := newService(t, installation.Options{})
	older, newer := s.Operate(t, "key"), s.Operate(t, "key")
	s.Set("PLATEN_SECRET_KEYS", older)
	s.install(t, []string{"drive"}, []string{"serve-1", "serve-2", "worker"})
	l := newLoad(t, s)
	l.sign(t)
	l.begin(t)
	early := l.awaitMore(t, senders)

	for _, keys := range []string{older + "," + newer, newer + "," + older} {
		s.Set("PLATEN_SECRET_KEYS", keys)
		l.replaceAll(t)
		l.awaitMore(t, senders)
	}
	s.Operate(t, "key", "rotate")
	l.awaitMore(t, senders)
	if listed := s.Operate(t, "key", "list"); !strings.Contains(spaced(listed), "2 of 2 nothing 0") || strings.Contains(listed, "not given") {
		t.Fatalf("after the rotation the old key encrypts something:\n%s", listed)
	}
	s.Set("PLATEN_SECRET_KEYS", newer)
	l.replaceAll(t)
	l.awaitMore(t, senders)
	l.end(t)
	s.reads(t, l, early)
}

// spaced has one space where a table has several.
func spaced(table string) string { return strings.Join(strings.Fields(table), " ") }

// reads sees that what was accepted under the first key can be read and sent once more.
func (s *service) reads(t *testing.T, l *load, early letter) {
	t.Helper()
	path := "/workflows/" + s.workflow
	var whole struct {
		SourceData map[string]string `json:"sourceData"`
	}
	s.call(t, 0, http.MethodGet, path+"/automations/"+early.automation+"/", nil, &whole)
	if whole.SourceData["Name"] != early.name {
		t.Errorf("source data of the first event: got %v, want the name %q", whole.SourceData, early.name)
	}
	s.call(t, 1, http.MethodPost, path+"/events/"+early.event+"/redeliver/", nil, nil)
	installation.Eventually(t, "an event that is delivered once more", func() error {
		if n := l.times(early.event); n < 2 {
			return fmt.Errorf("it came %d time(s)", n)
		}
		return nil
	})
	l.wantNoFault(t)
}

// A load sends an event when the one before has been delivered, and reads what is
// stored, by both processes in turns.
type load struct {
	s        *service
	verifier *standardwebhooks.Webhook
	secret   string
	// A process that is replaced gets no requests meanwhile, as behind a balancer.
	away    [2]sync.RWMutex
	stopped atomic.Bool
	running sync.WaitGroup
	browsed atomic.Int64

	mu     sync.Mutex
	faults []string
	came   map[string]int         // by id of the event
	wait   map[string]chan letter // by name
	last   chan letter
	sent   int
}

// A letter is an event that was delivered.
type letter struct{ name, event, automation string }

func newLoad(t *testing.T, s *service) *load {
	t.Helper()
	l := &load{s: s, came: map[string]int{}, wait: map[string]chan letter{}, last: make(chan letter)}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	s.configure(t, server.URL, object{
		"outputName": "Letter {{Name}}", "createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "open-{{Name}}",
	})
	path := "/workflows/" + s.workflow
	var told struct {
		Secret string `json:"secret"`
	}
	s.call(t, 0, http.MethodGet, path+"/outgoing-webhooks/secret/", nil, &told)
	l.secret = told.Secret
	var err error
	if l.verifier, err = standardwebhooks.NewWebhook(told.Secret); err != nil {
		t.Fatal(err)
	}
	return l
}

// sign has the source ask senders for signatures, as GitHub makes them.
func (l *load) sign(t *testing.T) {
	t.Helper()
	l.s.call(t, 0, http.MethodPost, "/workflows/"+l.s.workflow+"/source/verification/", object{"scheme": "GITHUB", "secrets": []string{senderSecret}}, nil)
}

// ServeHTTP is the receiver.
func (l *load) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = l.verifier.Verify(raw, r.Header)
	}
	var body struct {
		Type string `json:"event_type"`
		Data struct {
			AutomationID string `json:"automationId"`
			Documents    []struct {
				Name string `json:"name"`
			} `json:"documents"`
		} `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &body)
	}
	if err != nil || body.Type != platen.EventDocumentsCreated || len(body.Data.Documents) == 0 {
		l.fault("an event: %v: %.300s", err, raw)
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	id := r.Header.Get("webhook-id")
	name := strings.TrimSuffix(strings.TrimPrefix(body.Data.Documents[0].Name, "Letter "), ".pdf")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came[id]++
	if waiting := l.wait[name]; waiting != nil {
		delete(l.wait, name)
		waiting <- letter{name, id, body.Data.AutomationID} // it has room
	}
}

func (l *load) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

func (l *load) times(event string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.came[event]
}

func (l *load) begin(t *testing.T) {
	for i := range senders {
		l.running.Go(func() {
			for n := 0; !l.stopped.Load(); n++ {
				l.once(t, i+n, fmt.Sprintf("%d-%d", i, n))
			}
		})
	}
	t.Cleanup(func() { l.stopped.Store(true) })
}

// once sends an event, waits until it is delivered, and reads.
func (l *load) once(t *testing.T, turn int, name string) {
	body, _ := json.Marshal(map[string]string{"Name": name})
	mac := hmac.New(sha256.New, []byte(senderSecret))
	mac.Write(body)
	delivered := make(chan letter, 1)
	l.mu.Lock()
	l.wait[name], l.sent = delivered, l.sent+1
	l.mu.Unlock()
	l.ask(t, turn, http.MethodPost, func(at int) string { return l.s.hooks[at] + l.s.source }, body, map[string]string{
		"X-Hub-Signature-256": "sha256=" + hex.EncodeToString(mac.Sum(nil)),
	})
	var got letter
	select {
	case got = <-delivered:
	case <-time.After(installation.Patience):
		l.fault("the event %s was accepted and is not delivered after %v", name, installation.Patience)
		l.stopped.Store(true)
	}
	read := l.ask(t, turn+1, http.MethodGet, func(at int) string {
		return l.s.api[at] + "/v0/workflows/" + l.s.workflow + "/outgoing-webhooks/secret/"
	}, nil, map[string]string{"Authorization": l.s.token})
	if !strings.Contains(string(read), l.secret) {
		l.fault("the secret that signs events: got %s, want %s", read, l.secret)
	}
	select {
	case l.last <- got:
	default:
	}
}

// ask sends a request to a process that is there, and wants a 200.
func (l *load) ask(t *testing.T, turn int, method string, address func(at int) string, body []byte, header map[string]string) []byte {
	at := turn % len(l.away)
	if !l.away[at].TryRLock() {
		at = 1 - at
		l.away[at].RLock()
	}
	defer l.away[at].RUnlock()
	status, answer, err := send(t, method, address(at), body, header)
	if err != nil || status != http.StatusOK {
		l.fault("%s to process %d: got %d, %v: %.300s", method, at+1, status, err, answer)
	}
	return answer
}

// awaitMore returns the first of n more events that were delivered.
func (l *load) awaitMore(t *testing.T, n int) (first letter) {
	t.Helper()
	for i := range n {
		select {
		case got := <-l.last:
			if i == 0 {
				first = got
			}
		case <-time.After(installation.Patience):
			t.Fatalf("no event was delivered within %v", installation.Patience)
		}
	}
	return first
}

// replaceAll replaces the processes one by one.
func (l *load) replaceAll(t *testing.T) {
	t.Helper()
	for at := range l.away {
		name := fmt.Sprintf("serve-%d", at+1)
		l.away[at].Lock()
		l.s.Stop(t, name)
		l.s.Start(t, name)
		l.away[at].Unlock()
	}
	l.s.Stop(t, "worker")
	l.s.Start(t, "worker")
}

// end stops the load when everything that was accepted is delivered.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.stopped.Store(true)
	l.running.Wait()
	l.wantNoFault(t)
	t.Logf("%d events were accepted and delivered", l.sent)
}

func (l *load) wantNoFault(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, fault := range l.faults {
		t.Error(fault)
	}
}
