package hooks

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/platen"
)

const key = "0123456789ABCDEFGHIJKLMNOPQ"

// inbox keeps what was accepted.
type inbox struct {
	mu     sync.Mutex
	events []platen.SourceEvent
	err    error
}

func (i *inbox) Accept(_ context.Context, e platen.SourceEvent) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.err == nil {
		i.events = append(i.events, e)
	}
	return i.err
}

type harness struct {
	*inbox
	handler http.Handler
	log     *bytes.Buffer
}

func newHarness() *harness {
	x := &harness{inbox: &inbox{}, log: &bytes.Buffer{}}
	x.handler = New(Options{
		Acceptor:  x.inbox,
		BodyLimit: 10_000,
		Log:       slog.New(slog.NewJSONHandler(x.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now:       func() time.Time { return time.Unix(1000, 0) },
	})
	return x
}

func (x *harness) do(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	return w
}

func codeOf(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var p struct{ Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Fatalf("no problem: %d %s", w.Code, w.Body)
	}
	return p.Code
}

func TestAnAcceptedEventIsAnswered200AndAnEmptyObject(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/" + key, "/" + key + "/"} {
		x := newHarness()
		w := x.do("POST", path, `{"Name":"Ada","Address":{"City":"London"}}`, "X-Request-Id", "r1")
		if w.Code != 200 || w.Body.String() != "{}" || w.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%s: got %d %q %s", path, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
		e := x.events[0]
		if !platen.IsID(platen.PrefixAutomation, e.AutomationID) || e.SourceKey != key || e.RequestID != "r1" || !e.ReceivedAt.Equal(time.Unix(1000, 0)) {
			t.Errorf("event: got %+v", e)
		}
		if want := []string{"Name", "Address.City"}; !slices.Equal(e.Fields, want) {
			t.Errorf("fields: got %v, want %v", e.Fields, want)
		}
	}
}

func TestBodiesThatSendersCannotRepairAreTakenAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"duplicate keys":    `{"a":1,"a":2}`,
		"invalid UTF-8":     "{\"a\":\"\xff\"}",
		"U+0000":            `{"a":"\u0000"}`,
		"big number":        `{"a":12345678901234567890.123}`,
		"empty":             `{}`,
		"spaces around":     " \r\n{} \n",
		"64 deep":           `{"a":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
		"exactly the limit": `{}` + strings.Repeat(" ", 9_998),
	} {
		x := newHarness()
		if w := x.do("POST", "/"+key, body); w.Code != 200 {
			t.Errorf("%s: got %d: %s", name, w.Code, w.Body)
			continue
		}
		if got := string(x.events[0].Body); got != body {
			t.Errorf("%s: stored %q, want %q", name, got, body)
		}
	}
}

func TestAByteOrderMarkIsLeftOut(t *testing.T) {
	t.Parallel()
	x := newHarness()
	if w := x.do("POST", "/"+key, "\ufeff{}"); w.Code != 200 || string(x.events[0].Body) != "{}" {
		t.Errorf("got %d and %+v", w.Code, x.events)
	}
}

func TestNoContentTypeIsRequired(t *testing.T) {
	t.Parallel()
	x := newHarness()
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "no/such; thing="} {
		if w := x.do("POST", "/"+key, `{}`, "Content-Type", contentType); w.Code != 200 {
			t.Errorf("%q: got %d: %s", contentType, w.Code, w.Body)
		}
	}
}

func TestWhatIsNoObjectIs400AndSaysWhatWasFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, contentType, says string }{
		{"", "", "empty"},
		{"[{}]", "", "a list"},
		{`"x"`, "", "a string"},
		{"12", "", "a number"},
		{"null", "", "null"},
		{"true", "", "true"},
		{"<a/>", "", "XML"},
		{"a=b&c=d", "application/x-www-form-urlencoded; charset=utf-8", "form data"},
		// The content type that curl -d sends.
		{"[{}]", "application/x-www-form-urlencoded", "a list"},
		{"<x/>", "application/x-www-form-urlencoded", "found XML"},
		{`<x a="1"/>`, "application/x-www-form-urlencoded", "found XML"},
		{"", "application/x-www-form-urlencoded", "The body is empty; send one JSON object.\""},
		{"Ada", "application/x-www-form-urlencoded", "not valid JSON at byte 1; send one JSON object and nothing after it.\""},
		{"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x--", "multipart/form-data; boundary=x", "form data"},
		{"\xff\xfe{\x00}\x00", "", "UTF-16"},
		{`{"a":1} {}`, "", "nothing after it"},
		{`{"a":`, "", "not valid JSON"},
		{`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "", "64"},
		{strings.Repeat(`{"a":`, 1900), "", "not valid JSON"},
	} {
		x := newHarness()
		w := x.do("POST", "/"+key, c.body, "Content-Type", c.contentType)
		if w.Code != 400 || codeOf(t, w) == "" || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%.20q: got %d %s, want 400 that says %q", c.body, w.Code, w.Body, c.says)
		}
		if len(x.events) != 0 {
			t.Errorf("%.20q: was accepted", c.body)
		}
	}
}

func TestAMistakeInJSONIsNamedByItsPlaceWhateverTheSenderCallsIt(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded", "text/plain", ""} {
		x := newHarness()
		w := x.do("POST", "/"+key, `{"Name": "Ada",}`, "Content-Type", contentType)
		if w.Code != 400 || codeOf(t, w) != "source_not_json" || !strings.Contains(w.Body.String(), "at byte 16") || strings.Contains(w.Body.String(), "form data") {
			t.Errorf("as %q: got %d %s, want the place of the comma too many, and no word of form data", contentType, w.Code, w.Body)
		}
	}
}

func TestABodyOverTheLimitIs413AndNeverCutOff(t *testing.T) {
	t.Parallel()
	x := newHarness()
	w := x.do("POST", "/"+key, `{}`+strings.Repeat(" ", 9_999))
	if w.Code != 413 || codeOf(t, w) != "body_too_large" || len(x.events) != 0 {
		t.Errorf("got %d %s, %d accepted", w.Code, w.Body, len(x.events))
	}
}

func TestGzipIsUnpackedWithinTheLimit(t *testing.T) {
	t.Parallel()
	x := newHarness()
	for body, want := range map[string]int{`{"a":1}`: 200, `{"a":"` + strings.Repeat("a", 10_000) + `"}`: 413} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(body))
		_ = z.Close()
		if w := x.do("POST", "/"+key, b.String(), "Content-Encoding", "gzip"); w.Code != want {
			t.Errorf("got %d, want %d: %s", w.Code, want, w.Body)
		}
	}
	if got := string(x.events[0].Body); got != `{"a":1}` {
		t.Errorf("stored %q", got)
	}
	if w := x.do("POST", "/"+key, "{}", "Content-Encoding", "br"); w.Code != 415 {
		t.Errorf("br: got %d, want 415", w.Code)
	}
}

func TestWhyAnEventWasNotAccepted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
	}{
		"unknown address":            {platen.Errorf(platen.KindNotFound, "", "no row"), 404},
		"archived":                   {platen.Errorf(platen.KindGone, "workflow_archived", "archived"), 410},
		"database away":              {platen.Errorf(platen.KindUnavailable, "", "away"), 503},
		"too slow":                   {context.DeadlineExceeded, 503},
		"unknown":                    {errors.New("bug"), 500},
		"the store blames the event": {platen.Errorf(platen.KindInvalid, "", "bad"), 500},
		"the store refuses us":       {platen.Errorf(platen.KindForbidden, "", "no"), 500},
		"the store says too large":   {platen.Errorf(platen.KindTooLarge, "", "row"), 500},
	} {
		x := newHarness()
		x.err = c.err
		w := x.do("POST", "/"+key, `{}`)
		if w.Code != c.status || codeOf(t, w) == "" {
			t.Errorf("%s: got %d %s, want %d", name, w.Code, w.Body, c.status)
		}
		if c.status == 503 && w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", name)
		}
	}
}

func TestTheNameOfAnEventIsItsIdempotencyKeyOrWebhookID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header []string
		want   string
	}{
		{nil, ""},
		{[]string{"Idempotency-Key", "a"}, "Idempotency-Key:a"},
		{[]string{"webhook-id", "a"}, "Webhook-Id:a"},
		{[]string{"webhook-id", "a", "Idempotency-Key", "b"}, "Idempotency-Key:b"},
		{[]string{"webhook-id", "a", "Idempotency-Key", " "}, "Webhook-Id:a"},
		{[]string{"Idempotency-Key", strings.Repeat("ä", 1000)}, "Idempotency-Key:" + strings.Repeat("ä", 1000)},
	} {
		x := newHarness()
		if w := x.do("POST", "/"+key, `{}`, c.header...); w.Code != 200 {
			t.Errorf("%.30q: got %d", c.header, w.Code)
		} else if got := x.events[0].EventKey; got != c.want {
			t.Errorf("%.30q: got %.30q, want %.30q", c.header, got, c.want)
		}
	}
}

func TestASourceIsLimitedWhereARateIsSet(t *testing.T) {
	t.Parallel()
	x := newHarness()
	x.handler = New(Options{Acceptor: x.inbox, RateLimit: edge.Rate{PerSecond: 1, Burst: 2}, Log: slog.New(slog.DiscardHandler)})
	for range 2 {
		if w := x.do("POST", "/"+key, `{}`); w.Code != 200 || w.Header().Get("RateLimit-Limit") != "2" {
			t.Fatalf("got %d, %v", w.Code, w.Header())
		}
	}
	w := x.do("POST", "/"+key, `{}`)
	if w.Code != 429 || codeOf(t, w) != "rate_limited" || w.Header().Get("Retry-After") == "" || len(x.events) != 2 {
		t.Errorf("got %d %s, %d accepted", w.Code, w.Body, len(x.events))
	}
	if w := x.do("POST", "/x"+key, `{}`); w.Code != 200 {
		t.Errorf("another source: got %d", w.Code)
	}
}

// keys answers every key with the same error.
type keys struct{ err error }

func (k keys) SourceGate(context.Context, string) (platen.SourceGate, error) {
	return platen.SourceGate{}, k.err
}

func (k keys) FreshGate(context.Context, string) (platen.SourceGate, error) {
	return platen.SourceGate{}, k.err
}

// unread is a body that has not come yet.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func TestAnUnknownKeyIsRefusedBeforeTheBodyIsRead(t *testing.T) {
	t.Parallel()
	x := newHarness()
	h := New(Options{Acceptor: x.inbox, Keys: keys{platen.Errorf(platen.KindNotFound, "", "no row")}, Log: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest("POST", "/"+key, unread{t})
	r.ContentLength = 1 << 20
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 404 || codeOf(t, w) != "source_not_found" {
		t.Errorf("got %d %s, want 404 source_not_found", w.Code, w.Body)
	}
}

func TestAKeyThatNobodyCanLookUpIsWaitedForWithItsBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		away     int // how often the key cannot be looked up
		accepted error
		room     int64
		want     int
	}{
		"known":                  {0, nil, 0, 200},
		"known and gone":         {0, platen.Errorf(platen.KindGone, "workflow_archived", "archived"), 0, 410},
		"known and rotated":      {0, platen.Errorf(platen.KindNotFound, "", "no row"), 0, 404},
		"away, and back":         {2, nil, 100, 200},
		"away":                   {1 << 30, nil, 100, 503},
		"away, and no room left": {2, nil, 0, 503},
	} {
		x := newHarness()
		x.err = c.accepted
		x.handler = New(Options{Acceptor: x.inbox, Keys: &gates{away: c.away}, Log: slog.New(slog.DiscardHandler), Patience: 500 * time.Millisecond,
			Bodies: intake.NewBudget(intake.Limits{Bytes: 1000, Caller: 1000, Unauthenticated: c.room})})
		if w := x.do("POST", "/"+key, `{"a":1}`); w.Code != c.want {
			t.Errorf("%s: got %d %s, want %d", name, w.Code, w.Body, c.want)
		}
	}
}

func TestOtherMethodsAre405(t *testing.T) {
	t.Parallel()
	x := newHarness()
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		w := x.do(method, "/"+key, "")
		if w.Code != 405 || w.Header().Get("Allow") != "POST" || !strings.Contains(w.Body.String(), "POST a JSON object") {
			t.Errorf("%s: got %d, Allow %q: %s", method, w.Code, w.Header().Get("Allow"), w.Body)
		}
	}
}

func TestWhatCannotBeAKeyIs404BeforeAnythingIsRead(t *testing.T) {
	t.Parallel()
	x := newHarness()
	for _, path := range []string{"/", "//", "/short", "/" + key + "/x", "//" + key, "/" + key + "//", "/" + key[:20] + "-", "/" + strings.Repeat("a", 129)} {
		if w := x.do("POST", path, `{}`); w.Code != 404 || codeOf(t, w) != "source_not_found" {
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	x := newHarness()
	x.err = errors.New("away")
	if w := x.do("GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("got %d", w.Code)
	}
	if w := x.do("POST", "/healthz", ""); w.Code != 405 {
		t.Errorf("POST: got %d, want 405", w.Code)
	}
}

func TestReadinessSaysWhetherEventsCanBeStored(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]error{"ready": nil, "away": errors.New("no connection to db.internal")} {
		h := New(Options{Log: slog.New(slog.DiscardHandler), Ready: func(context.Context) error { return wrong }})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
		switch {
		case wrong == nil && w.Code != http.StatusOK:
			t.Errorf("%s: got %d %s, want 200", name, w.Code, w.Body)
		case wrong != nil && (w.Code != http.StatusServiceUnavailable || codeOf(t, w) != "not_ready" || strings.Contains(w.Body.String(), "db.internal")):
			t.Errorf("%s: got %d %s, want 503 not_ready without where the database is", name, w.Code, w.Body)
		}
	}
}

func TestTheKeyAndTheBodyAreNeverLogged(t *testing.T) {
	t.Parallel()
	x := newHarness()
	x.do("POST", "/"+key, `{"a":"confidential"}`)
	x.do("GET", "/"+key, "")
	x.do("POST", "/"+key+"/more?x="+key, `{`)
	x.err = errors.New("bug")
	x.do("POST", "/"+key, `{"a":"confidential"}`)
	log := x.log.String()
	if strings.Contains(log, key) || strings.Contains(log, "confidential") {
		t.Errorf("log:\n%s", log)
	}
	if !strings.Contains(log, x.events[0].AutomationID) || !strings.Contains(log, "bug") {
		t.Errorf("log: want the automation and the cause in:\n%s", log)
	}
}

func FuzzBodies(f *testing.F) {
	for _, body := range []string{"", "{}", `{"a":[{"b":1},{"b":{}}]}`, "\xef\xbb\xbf{}", "[", "\"\\ud800\"", "{\"\":null}", "\x1f\x8b"} {
		f.Add(body, "", "/"+key)
	}
	x := newHarness()
	f.Fuzz(func(t *testing.T, body, encoding, path string) {
		r, err := http.NewRequest("POST", "http://hooks.test/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path = path
		r.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		x.handler.ServeHTTP(w, r)
		if !slices.Contains([]int{200, 400, 404, 405, 413, 415}, w.Code) {
			t.Errorf("got %d: %s", w.Code, w.Body)
		}
	})
}

func TestAnEventThatCameTooFarIsRefusedBeforeItsBodyIsRead(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]int{
		"": 200, "0": 200, "1": 200, "5": 200, " 5 ": 200, "05": 200,
		"6": 508, "7": 508, "99999999999999999999999999": 508, "2, 6": 508,
		// Senders cannot repair a header that somebody else wrote.
		"-7": 200, "six": 200, "5.9": 200, "0x10": 200, "\x80": 200, "1e9": 200, strings.Repeat("-", 9000): 200,
	} {
		x := newHarness()
		w := x.do("POST", "/"+key, `{"Name":"Ada"}`, "Platen-Hops", header)
		if w.Code != want {
			t.Errorf("%.20q: got %d, want %d: %s", header, w.Code, want, w.Body)
		}
		if want == 508 {
			if code := codeOf(t, w); code != "loop_detected" || len(x.events) != 0 {
				t.Errorf("%.20q: got code %s and %d events, want loop_detected and none", header, code, len(x.events))
			}
			if w := x.do("POST", "/"+key, "not JSON", "Platen-Hops", header); w.Code != 508 {
				t.Errorf("%.20q with a bad body: got %d, want 508", header, w.Code)
			}
		}
	}
}
