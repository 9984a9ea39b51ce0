package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/client"
)

// An answer is what a server says to one request.
type answer struct {
	status int
	header map[string]string
	body   string
}

// A server gives answers in turn, and notes what it was asked.
type server struct {
	answers []answer
	asked   []*http.Request
	bodies  []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.asked, s.bodies = append(s.asked, r), append(s.bodies, string(body))
	if len(s.answers) == 0 {
		http.Error(w, "asked too often", http.StatusTeapot)
		return
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	for name, value := range next.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(next.status)
	_, _ = io.WriteString(w, next.body)
}

func (s *server) client(t *testing.T, changes ...func(*client.Options)) *client.Client {
	t.Helper()
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	o := client.Options{Address: listening.URL, Token: "plt_test"}
	for _, change := range changes {
		change(&o)
	}
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func problem(status int, code string) answer {
	return answer{status: status, header: map[string]string{"Content-Type": "application/problem+json"}, body: `{"code": "` + code + `", "detail": "Why.", "requestId": "req_1", "errors": [{"pointer": "/name", "detail": "is empty"}]}`}
}

func TestAPostIsRepeatedWithTheSameKey(t *testing.T) {
	t.Parallel()
	s := &server{answers: []answer{problem(503, "busy"), problem(502, ""), {status: 201, body: `{"id": "wkf_1"}`}}}
	w, err := s.client(t).CreateWorkflow(t.Context(), client.NewWorkflow{Name: "Letters"})
	if err != nil || w.ID != "wkf_1" {
		t.Fatalf("got %+v, %v", w, err)
	}
	var keys []string
	for i, r := range s.asked {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if s.bodies[i] != s.bodies[0] || r.Header.Get("Authorization") != "plt_test" {
			t.Errorf("try %d: got %s with %q", i+1, s.bodies[i], r.Header.Get("Authorization"))
		}
	}
	if len(keys) != 3 || keys[0] == "" || keys[0] != keys[1] || keys[0] != keys[2] {
		t.Errorf("keys: got %q, want three times the same", keys)
	}
}

func TestWhatIsRefusedIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]answer{
		"by the API": problem(422, "name_missing"), "by somebody else": {status: 404, body: "<html>"},
		"for long": {status: 429, header: map[string]string{"Retry-After": "3600"}, body: `{"code": "rate_limited", "detail": "Later."}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{answers: []answer{c}}
			_, err := s.client(t).CreateWorkflow(t.Context(), client.NewWorkflow{})
			var refused *client.Error
			if !errors.As(err, &refused) || refused.Status != c.status || len(s.asked) != 1 {
				t.Errorf("got %v after %d requests, want the answer of one", err, len(s.asked))
			}
		})
	}
	s := &server{answers: []answer{problem(422, "name_missing")}}
	_, err := s.client(t).CreateWorkflow(t.Context(), client.NewWorkflow{})
	if client.CodeOf(err) != "name_missing" || err.Error() != "Why.\n  /name is empty (name_missing)" {
		t.Errorf("got %q, want what to do, each fault, and the code", err)
	}
}

// Proxies between us and the API may answer with a date.
func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 4, 12, 0, 0, 0, time.UTC)
	for given, want := range map[string]time.Duration{
		"90": 90 * time.Second, "-1": 0, "soon": 0, "": 0, "99999999999999": 100 * 365 * 24 * time.Hour,
		noon.Add(time.Minute).Format(http.TimeFormat):  time.Minute,
		noon.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		s := &server{answers: []answer{{status: 429, body: `{"code": "rate_limited", "detail": "Later."}`, header: map[string]string{"Retry-After": given, "Date": noon.Format(http.TimeFormat)}}}}
		_, err := s.client(t, func(o *client.Options) { o.Tries = 1 }).Me(t.Context())
		var refused *client.Error
		if !errors.As(err, &refused) || refused.RetryAfter != want {
			t.Errorf("Retry-After %q: got %+v, want %v", given, refused, want)
		}
	}
}

// An event that may have been stored is not sent twice without a key of its own.
func TestASourceEventIsRepeatedOnlyWithAKey(t *testing.T) {
	t.Parallel()
	failing := &server{answers: []answer{problem(500, ""), {status: 200, body: `{}`}}}
	c := failing.client(t)
	source := strings.TrimSuffix(c.Address(), "/v0") + "/key"
	if err := c.Send(client.WithRequestID(t.Context(), "order-17"), source, []byte(`{}`)); err != nil || len(failing.asked) != 2 {
		t.Errorf("got %v after %d tries, want it sent again under its key", err, len(failing.asked))
	}
	for _, r := range failing.asked {
		if got := r.Header.Get("X-Request-Id"); got != "order-17" {
			t.Errorf("the request is named %q, want order-17", got)
		}
		if r.Header.Get("Authorization") != "" || r.Header.Get("Idempotency-Key") == "" {
			t.Errorf("a source was asked with %v", r.Header)
		}
	}
}

func TestAListIsReadAsFarAsItsReaderGoes(t *testing.T) {
	t.Parallel()
	page := func(from int, next string) answer {
		a := answer{status: 200, body: fmt.Sprintf(`[{"id": "wkf_%d"}, {"id": "wkf_%d"}]`, from, from+1)}
		if next != "" {
			a.header = map[string]string{"Link": `<https://elsewhere.example/v0/workflows/?limit=200&cursor=` + next + `>; rel="next"`}
		}
		return a
	}
	s := &server{answers: []answer{page(1, "two"), page(3, "three"), page(5, "")}}
	c := s.client(t)
	all, err := client.Collect(c.Workflows(t.Context(), client.WorkflowQuery{}))
	if err != nil || len(all) != 6 || all[5].ID != "wkf_6" {
		t.Errorf("got %d workflows, %v", len(all), err)
	}
	var cursors []string
	for _, r := range s.asked {
		cursors = append(cursors, r.URL.Query().Get("cursor"))
	}
	if !slices.Equal(cursors, []string{"", "two", "three"}) {
		t.Errorf("got pages %q, and want them of the client's own address", cursors)
	}
	s.answers, s.asked = []answer{page(1, "two")}, nil
	for w, err := range c.Workflows(t.Context(), client.WorkflowQuery{}) {
		if err != nil || w.ID != "wkf_1" {
			t.Errorf("got %s, %v", w.ID, err)
		}
		break
	}
	s.answers = []answer{page(1, "two"), problem(404, "token_unknown")}
	if some, err := client.Collect(c.Workflows(t.Context(), client.WorkflowQuery{})); len(some) != 2 || client.CodeOf(err) != "token_unknown" {
		t.Errorf("got %d workflows and %v, want those before the error, and it", len(some), err)
	}
}

func TestATokenGoesNowhereInClearText(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"https://platen.example": true, "https://platen.example/v0/": true, "http://127.0.0.1:8080/v0": true, "http://localhost": true,
		"http://platen.example/v0": false, "platen.example": false, "https://u:p@platen.example": false, "ftp://platen.example": false, "https://platen.example?x=1": false,
	} {
		_, err := client.New(client.Options{Address: address, Token: "plt_test"})
		if (err == nil) != good {
			t.Errorf("%s: got %v, want good: %t", address, err, good)
		}
	}
	if _, err := client.New(client.Options{Address: "https://platen.example", Token: "a b"}); err == nil {
		t.Error("a token with a blank is taken")
	}
	s := &server{answers: []answer{{status: 302, header: map[string]string{"Location": "https://elsewhere.example/"}}}}
	if _, err := s.client(t).Me(t.Context()); err == nil || len(s.asked) != 1 {
		t.Errorf("a redirect: got %v after %d requests, want it refused", err, len(s.asked))
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{answers: []answer{{status: 503, header: map[string]string{"Retry-After": "20"}, body: `{"code": "busy", "detail": "Later."}`}}}
		c, err := client.New(client.Options{Address: "https://platen.example", Token: "plt_test", HTTP: &http.Client{Transport: at{s}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := c.Me(ctx); !errors.Is(err, context.DeadlineExceeded) || client.CodeOf(err) != "busy" {
			t.Errorf("got %v, want that the time is over, and what was waited for", err)
		}
	})
}

// at asks a server without a network, which a synthetic clock does not know.
type at struct{ server *server }

func (a at) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return w.Result(), nil
}

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

func TestAnEventIsTakenOnlyFromWhoeverKnowsTheSecret(t *testing.T) {
	t.Parallel()
	v, err := client.NewVerifier(secret)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"event_id": "evt_1", "event_type": "DOCUMENTS_CREATED", "data": {"workflowId": "wkf_1", "documents": [{"id": "f", "kind": "pdf"}]}}`)
	signed := func(at time.Time) http.Header {
		h := http.Header{}
		if err := v.Sign(h, "evt_1", at, body); err != nil {
			t.Fatal(err)
		}
		return h
	}
	e, err := v.Verify(signed(time.Now()), body)
	if err != nil || e.ID != "evt_1" || e.Type != client.DocumentsCreated || e.Data.Documents[0].Kind != "pdf" {
		t.Errorf("got %+v, %v", e, err)
	}
	other, err := client.NewVerifier("whsec_" + strings.Repeat("QUJD", 8))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]func() error{
		"another secret": func() error { _, err := other.Verify(signed(time.Now()), body); return err },
		"another body":   func() error { _, err := v.Verify(signed(time.Now()), append(body, ' ')); return err },
		"an old event":   func() error { _, err := v.Verify(signed(time.Now().Add(-time.Hour)), body); return err },
		"no signature":   func() error { _, err := v.Verify(http.Header{}, body); return err },
	} {
		if err := got(); !errors.Is(err, client.ErrSignature) {
			t.Errorf("%s: got %v, want ErrSignature", name, err)
		}
	}
	for _, bad := range []string{"", "whsec_", "whsec_short", secret[6:]} {
		if _, err := client.NewVerifier(bad); err == nil {
			t.Errorf("the secret %q is taken", bad)
		}
	}
}

func TestAPageIsReadAlone(t *testing.T) {
	t.Parallel()
	s := &server{answers: []answer{{status: 200, header: map[string]string{"Link": `</v0/workflows/?cursor=two&limit=1>; rel="next"`}, body: `[{"id": "wkf_1"}]`}, {status: 200, body: `[]`}}}
	c := s.client(t)
	page := client.Page{Limit: 1, Cursor: "one"}
	found, err := client.Collect(c.Workflows(client.WithPage(t.Context(), &page), client.WorkflowQuery{Statuses: []string{"COMPLETE"}}))
	if err != nil || len(found) != 1 || page.Next != "two" || len(s.asked) != 1 {
		t.Fatalf("got %v, %v after %d requests and %+v, want the entry of one page", found, err, len(s.asked), page)
	}
	if got, want := s.asked[0].URL.RawQuery, "cursor=one&limit=1&status=COMPLETE"; got != want {
		t.Errorf("got %s asked, want %s", got, want)
	}
	last := client.Page{Cursor: page.Next, Next: "stale"}
	if _, err := client.Collect(c.Workflows(client.WithPage(t.Context(), &last), client.WorkflowQuery{})); err != nil || last.Next != "" {
		t.Errorf("got %+v, %v, want no page behind the last", last, err)
	}
}

func TestAChangeIsOfWhatStillHasTheETag(t *testing.T) {
	t.Parallel()
	s := &server{answers: []answer{{status: 200, header: map[string]string{"ETag": `"a"`}, body: `{}`}, {status: 200, body: `{}`}, {status: 200, body: `{}`}}}
	c := s.client(t)
	var tag string
	if _, err := c.Workflow(client.WithETag(t.Context(), &tag), "wkf_1"); err != nil || tag != `"a"` {
		t.Fatalf("got %s, %v, want the ETag", tag, err)
	}
	ctx := client.WithIfMatch(t.Context(), tag)
	if _, err := c.UpdateWorkflow(ctx, "wkf_1", client.WorkflowChange{Name: "Letters"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Workflow(ctx, "wkf_1"); err != nil {
		t.Fatal(err)
	}
	if got, read := s.asked[1].Header.Get("If-Match"), s.asked[2].Header.Get("If-Match"); got != tag || read != "" {
		t.Errorf("If-Match: got %q at the change and %q at the read, want %q at the change alone", got, read, tag)
	}
}

func TestWhatIsSentOnceHasNoKeyButTheCallers(t *testing.T) {
	t.Parallel()
	s := &server{answers: []answer{{status: 201, body: `{}`}, {status: 201, body: `{}`}}}
	c := s.client(t, func(o *client.Options) { o.Tries = 1 })
	for i, ctx := range []context.Context{t.Context(), client.WithIdempotencyKey(t.Context(), "k")} {
		if _, err := c.CreateWorkflow(ctx, client.NewWorkflow{Name: "Letters"}); err != nil {
			t.Fatal(err)
		}
		if got, want := s.asked[i].Header.Get("Idempotency-Key"), []string{"", "k"}[i]; got != want {
			t.Errorf("Idempotency-Key: got %q, want %q", got, want)
		}
	}
}

func TestAnEventThatIsWaitedForIsAnsweredWithItsAutomation(t *testing.T) {
	t.Parallel()
	s := &server{answers: []answer{
		{202, nil, `{"id": "aut_1", "state": "RUNNING"}`}, {200, nil, `{"id": "aut_1", "state": "COMPLETED"}`}, {200, nil, `{}`}, {200, nil, `{"id": "aut_1", "state": "CANCELLED"}`},
	}}
	c := s.client(t)
	source := strings.TrimSuffix(c.Address(), "/v0") + "/key"
	for _, want := range []client.Automation{{ID: "aut_1", State: "RUNNING"}, {ID: "aut_1", State: "COMPLETED"}, {}} {
		if a, err := c.SendWaiting(t.Context(), source, map[string]string{}, 30*time.Second); err != nil || a.ID != want.ID || a.State != want.State {
			t.Errorf("got %s %s, %v; want %s %s", a.ID, a.State, err, want.ID, want.State)
		}
	}
	if a, err := c.CancelAutomation(client.WithWait(t.Context(), 1500*time.Millisecond), "wkf_1", "aut_1"); err != nil || !a.Ended() {
		t.Errorf("got %+v, %v; want one that has ended", a, err)
	}
	for i, want := range []string{"wait=30", "wait=30", "wait=30", "wait=1"} {
		if got := s.asked[i].Header.Get("Prefer"); got != want {
			t.Errorf("request %d: got Prefer: %s, want %s", i, got, want)
		}
	}
}

// What compresses an answer makes its entity tag weak, and If-Match takes no weak one.
func TestAnAnswerWhoseEntityTagIsAskedForIsNotCompressed(t *testing.T) {
	t.Parallel()
	s := &server{answers: []answer{{status: 200, body: `{}`, header: map[string]string{"ETag": `"a"`}}, {status: 200, body: `{}`}}}
	c := s.client(t)
	var etag string
	if _, err := c.Workflow(client.WithETag(t.Context(), &etag), "wkf_1"); err != nil || etag != `"a"` {
		t.Fatalf("got %q, %v", etag, err)
	}
	if _, err := c.Me(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := []string{s.asked[0].Header.Get("Accept-Encoding"), s.asked[1].Header.Get("Accept-Encoding")}; got[0] != "identity" || got[1] != "gzip" {
		t.Errorf("Accept-Encoding: got %q, want identity and gzip", got)
	}
}
