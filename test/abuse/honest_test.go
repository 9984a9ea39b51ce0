package abuse

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/testkit/program"
)

const (
	// canary is in all that is the honest tenant's: nobody else is answered with it.
	canary = "Canary-7f3a"
	// numberField of an event is in its document's name, and so in its delivery.
	numberField = "Attack Number"
	// patience is how long an event may take to be answered, and to be delivered.
	patience = time.Minute
)

// The honest tenant sends events and receives what became of them.
type honest struct {
	*service
	token, driveToken  string
	workflow, document string
	file               string // its template's
	source             string // the address
	received           chan int
	http               *http.Client
}

func newHonest(t *testing.T, s *service) *honest {
	t.Helper()
	h := &honest{service: s, received: make(chan int, 1024), http: &http.Client{Timeout: patience}}
	t.Cleanup(h.http.CloseIdleConnections)
	h.token, h.driveToken = s.tenant(t, "Ada", "Honest")
	receiver := httptest.NewServer(http.HandlerFunc(h.receive))
	t.Cleanup(receiver.Close)
	w := s.workflow(t, h.token, h.driveToken, canary, receiver.URL+"/"+canary)
	h.workflow, h.document, h.file, h.source = w.id, w.document, w.file, w.source
	return h
}

// tenant makes a user in a team of its own, with an account of the drive.
func (s *service) tenant(t *testing.T, name, team string) (token, driveToken string) {
	t.Helper()
	email := strings.ToLower(name) + "@attack.example"
	s.Operate(t, "team", "create", "--name", team)
	token, driveToken = s.Enroll(t, name, email, "--team", team)
	s.Connect(t, email, driveToken)
	return token, driveToken
}

// A workflow makes a letter of each event, and a PDF of it.
type workflow struct{ id, document, file, source string }

func (s *service) workflow(t *testing.T, token, driveToken, name, receiver string) workflow {
	t.Helper()
	file := s.Template(t, driveToken, name, examples.Letter)
	var made struct {
		ID        string
		Source    struct{ WebhookURL string }
		Documents []struct{ ID string }
	}
	s.must(t, "POST", "http://"+s.api+"/v0/workflows/", token, "application/json",
		`{"name":"`+name+`","document":{"fileId":"`+file+`"},"outgoingWebhook":{"webhookUrl":"`+receiver+`"}}`, &made)
	w := workflow{made.ID, made.Documents[0].ID, file, made.Source.WebhookURL}
	s.must(t, "PATCH", "http://"+s.api+"/v0/workflows/"+w.id+"/documents/"+w.document+"/", token, "application/json",
		`{"outputName":"`+name+` {{`+numberField+`}} end","createPdfCopy":true}`, nil)
	return w
}

// must makes a request that succeeds.
func (s *service) must(t *testing.T, method, address, token, contentType, body string, answer any) {
	t.Helper()
	if err := ask(t.Context(), http.DefaultClient, method, address, token, contentType, body, answer); err != nil {
		t.Fatal(err)
	}
}

func ask(ctx context.Context, client *http.Client, method, address, token, contentType, body string, answer any) error {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", contentType)
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, address, err)
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: got %s %.300s", method, address, response.Status, said)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(said, answer)
}

// receive takes the number out of the name of an event's document.
func (h *honest) receive(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	_, rest, _ := bytes.Cut(body, []byte(canary+" "))
	digits, _, _ := bytes.Cut(rest, []byte(" end"))
	if n, err := strconv.Atoi(string(digits)); err == nil {
		h.received <- n
	}
}

// Waits are how long events took to be answered, and to be delivered.
type waits struct{ answered, delivered []time.Duration }

// percentile is the time within which so many of a hundred are.
func percentile(of int, all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)*of/100]
}

// A load is the honest tenant's events, one at each tick, until ctx ends.
type load struct {
	h *honest

	mu    sync.Mutex
	sent  map[int]time.Time // those that were not delivered yet
	waits waits
	fault error // the first
}

// lives sends an event at each tick until ctx ends, and returns when all that were
// sent have been delivered. Numbers go on from first.
func (h *honest) lives(t *testing.T, ctx context.Context, every time.Duration, first int) (waits, int) {
	t.Helper()
	l := &load{h: h, sent: map[int]time.Time{}}
	over, stop := context.WithCancel(t.Context())
	defer stop()
	go l.collect(over)
	event, err := examples.Get(examples.Letter)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	tick := time.NewTicker(every)
	defer tick.Stop()
	n := first
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			number := n
			n++
			all.Go(func() { l.send(t.Context(), number, event.Event) })
		case <-ctx.Done():
		}
	}
	all.Wait()
	err = program.Within(patience, func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.sent) > 0 {
			return fmt.Errorf("%d of %d events were not delivered", len(l.sent), n-first)
		}
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, err := range []error{err, l.fault} {
		if err != nil {
			t.Errorf("the honest tenant: %v", err)
		}
	}
	if len(l.waits.answered) == 0 || len(l.waits.delivered) == 0 {
		t.Fatal("the honest tenant: no event was answered and delivered")
	}
	return l.waits, n
}

func (l *load) collect(ctx context.Context) {
	for {
		select {
		case n := <-l.h.received:
			l.mu.Lock()
			if begun, ok := l.sent[n]; ok {
				delete(l.sent, n)
				l.waits.delivered = append(l.waits.delivered, time.Since(begun))
			}
			l.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

func (l *load) send(ctx context.Context, n int, event json.RawMessage) {
	body := strings.TrimSuffix(strings.TrimSpace(string(event)), "}") + fmt.Sprintf(`,%q:"%d","Secret":%q}`, numberField, n, canary)
	begun := time.Now()
	l.mu.Lock()
	l.sent[n] = begun
	l.mu.Unlock()
	err := ask(ctx, l.h.http, "POST", l.h.source, "", "application/json", body, nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waits.answered = append(l.waits.answered, time.Since(begun)); err == nil {
		return
	}
	delete(l.sent, n)
	if l.fault == nil {
		l.fault = fmt.Errorf("an event: %w", err)
	}
}

// stillHas holds that what is the honest tenant's is there as it was.
func (h *honest) stillHas(t *testing.T) {
	t.Helper()
	var w struct {
		Name            string
		OutgoingWebhook struct{ WebhookURL string }
	}
	h.must(t, "GET", "http://"+h.api+"/v0/workflows/"+h.workflow+"/", h.token, "", "", &w)
	if w.Name != canary || !strings.HasSuffix(w.OutgoingWebhook.WebhookURL, canary) {
		t.Errorf("the workflow became %+v", w)
	}
	var file struct {
		Name    string
		Trashed bool
	}
	h.must(t, "GET", "http://"+h.drive+"/drive/v3/files/"+h.file+"?fields=name,trashed", "Bearer "+h.driveToken, "", "", &file)
	if file.Name != canary || file.Trashed {
		t.Errorf("the template became %+v", file)
	}
}
