package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

const keyHeader = "Idempotency-Key"

func TestARepeatWithTheSameKeyGetsTheFirstAnswerAndDoesNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A"}`)
	for name, c := range map[string]struct {
		path, again, body string
		status            int
	}{
		"workflow":         {"/v0/workflows/", "/v0/workflows", `{"name":"B","document":{}}`, 201},
		"document":         {wf + "/documents/", wf + "/documents/", ``, 201},
		"outgoing webhook": {wf + "/outgoing-webhooks/", wf + "/outgoing-webhooks", `{"webhookUrl":"https://example.com"}`, 201},
		"bad body":         {"/v0/workflows/", "/v0/workflows/", `{"nome":"B"}`, 400},
		"not there":        {"/v0/workflows/wkf_0000000000000001/documents/", "/v0/workflows/wkf_0000000000000001/documents/", `{}`, 403},
	} {
		first := x.do(t, "POST", c.path, c.body, keyHeader, name).is(c.status)
		workflows, copies := len(x.store.ByID), len(x.cloud.Copies)
		again := x.do(t, "POST", c.again, c.body, keyHeader, name).is(c.status)
		if first.body != again.body || first.header.Get("Content-Type") != again.header.Get("Content-Type") || first.header.Get("ETag") != again.header.Get("ETag") {
			t.Errorf("%s: got %s, want the first answer %s", name, again.body, first.body)
		}
		if got := again.header.Get("Idempotent-Replayed"); got != "true" || first.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: Idempotent-Replayed: got %q, and %q in the first", name, got, first.header.Get("Idempotent-Replayed"))
		}
		if len(x.store.ByID) != workflows || len(x.cloud.Copies) != copies {
			t.Errorf("%s: the repeat did something", name)
		}
	}
}

func TestAKeyBelongsToOneRequestOfOneUser(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A"}`)
	x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, keyHeader, "k").is(201)
	x.do(t, "POST", "/v0/workflows/", `{"name":"C"}`, keyHeader, "k").problem(409, "idempotency_key_reused")
	x.do(t, "POST", wf+"/documents/", `{"name":"B"}`, keyHeader, "k").problem(409, "idempotency_key_reused")
	a := x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, keyHeader, "k", "Authorization", memory.BobToken).is(201)
	if a.header.Get("Idempotent-Replayed") != "" || !strings.Contains(a.body, `"Bob"`) {
		t.Errorf("another user: got %s, want a workflow of his own", a.body)
	}
	// Other methods are what they are, however often they are sent.
	x.do(t, "PATCH", wf+"/", `{"name":"B"}`, keyHeader, "k").is(200)
	x.do(t, "GET", wf+"/", ``, keyHeader, "k").is(200)
}

func TestAKeyThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for _, key := range []string{"", "  ", strings.Repeat("k", 256), "a\tb", "ä", "a\x7f"} {
		x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, keyHeader, key).problem(400, "idempotency_key_invalid")
	}
	r := httptest.NewRequest("POST", "/v0/workflows/", strings.NewReader(`{"name":"B"}`))
	r.Header = http.Header{"Authorization": {memory.AdaToken}, keyHeader: {"a", "a"}}
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	answer{t, w.Code, w.Header(), w.Body.String()}.problem(400, "idempotency_key_invalid")
	x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, keyHeader, strings.Repeat("~", 255)).is(201)
	if len(x.store.ByID) != 1 {
		t.Errorf("workflows: got %d, want 1", len(x.store.ByID))
	}
}

func TestAnAnswerOf500AndAboveIsNotKept(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for _, fault := range []error{errors.New("bug"), platen.Errorf(platen.KindUnavailable, "away", "away")} {
		x.store.Fail = fault
		if a := x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, keyHeader, "k"); a.status < 500 {
			t.Fatalf("got %d", a.status)
		}
	}
	x.store.Fail = nil
	a := x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, keyHeader, "k").is(201)
	if a.header.Get("Idempotent-Replayed") != "" {
		t.Error("it is marked as replayed")
	}
}

func TestAPanicReleasesTheKey(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.cloud.During = func() { panic("boom") }
	x.do(t, "POST", "/v0/workflows/", `{"name":"B","document":{}}`, keyHeader, "k").problem(500, "internal_error")
	x.cloud.During = nil
	x.do(t, "POST", "/v0/workflows/", `{"name":"B","document":{}}`, keyHeader, "k").is(201)
}

func TestARepeatWhileTheFirstIsUnderWayWaitsOrIs409(t *testing.T) {
	t.Parallel()
	const body = `{"name":"B","document":{}}`
	for _, patient := range []bool{false, true} {
		x := newHarness(t, func(o *Options) {
			if patient {
				o.KeyWait = time.Minute
			}
		})
		working, goOn := make(chan struct{}), make(chan struct{})
		x.cloud.During = sync.OnceFunc(func() { close(working); <-goOn })
		var first answer
		var side sync.WaitGroup
		side.Go(func() { first = x.do(t, "POST", "/v0/workflows/", body, keyHeader, "k") })
		<-working
		if !patient {
			a := x.do(t, "POST", "/v0/workflows/", body, keyHeader, "k")
			a.problem(409, "idempotency_in_progress")
			if a.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After: got %q, want 1", a.header.Get("Retry-After"))
			}
			close(goOn)
			side.Wait()
			continue
		}
		var second answer
		side.Go(func() { second = x.do(t, "POST", "/v0/workflows/", body, keyHeader, "k") })
		close(goOn)
		side.Wait()
		if diff := cmp.Diff(first.object(), second.object()); diff != "" || len(x.store.ByID) != 1 {
			t.Errorf("the repeat differs, or did something (-first +second):\n%s", diff)
		}
	}
}

func TestAnUnpackedBodyIsWhatCounts(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	first := x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, keyHeader, "k").is(201)
	again := x.do(t, "POST", "/v0/workflows/", zipped(t, `{"name":"B"}`), keyHeader, "k", "Content-Encoding", "gzip").is(201)
	if first.body != again.body {
		t.Errorf("got %s, want %s", again.body, first.body)
	}
	x.do(t, "POST", "/v0/workflows/", "{}", keyHeader, "l", "Content-Encoding", "br").is(415)
	x.do(t, "POST", "/v0/workflows/", strings.Repeat(" ", bodyLimit+1), keyHeader, "l").problem(413, "body_too_large")
}

func TestAnAnswerThatIsTooLargeToBeKeptIsRepeatedWithoutItsBody(t *testing.T) {
	t.Parallel()
	a := &held{header: http.Header{"Content-Length": {"x"}, "Etag": {"y"}}, status: 201}
	a.body.Write(make([]byte, maxKeptAnswer+1))
	if k := a.kept(); k.Status != 201 || k.Body != nil || k.Header.Get("Content-Length") != "" || k.Header.Get("ETag") != "y" {
		t.Errorf("got %d with %d bytes and %v", k.Status, len(k.Body), k.Header)
	}
}
