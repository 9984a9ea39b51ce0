package edge

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/platen"
)

func answerOf(t *testing.T, h HandlerFunc, r *http.Request) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var log bytes.Buffer
	w := httptest.NewRecorder()
	Handler(slog.New(slog.NewJSONHandler(&log, nil)), nil, h).ServeHTTP(w, r)
	return w, log.String()
}

func failing(err error) HandlerFunc {
	return func(http.ResponseWriter, *http.Request) error { return err }
}

func TestEachKindHasItsStatusAndTitle(t *testing.T) {
	t.Parallel()
	for kind, want := range map[platen.Kind]struct {
		status int
		title  string
	}{
		platen.KindInternal:    {500, "Internal Server Error"},
		platen.KindInvalid:     {400, "Bad Request"},
		platen.KindForbidden:   {403, "Unauthorised"},
		platen.KindNotFound:    {404, "Not Found"},
		platen.KindConflict:    {409, "Conflict"},
		platen.KindGone:        {410, "Gone"},
		platen.KindTooLarge:    {413, "Content Too Large"},
		platen.KindRateLimited: {429, "Too Many Requests"},
		platen.KindUnavailable: {503, "Service Unavailable"},
	} {
		err := fmt.Errorf("do it: %w", &platen.Error{Kind: kind, Message: "said", Err: errors.New("hidden")})
		w, _ := answerOf(t, failing(err), httptest.NewRequest("GET", "/", nil))
		var p problem
		if e := json.Unmarshal(w.Body.Bytes(), &p); e != nil {
			t.Fatal(e)
		}
		if w.Code != want.status || p.Status != want.status || p.Title != want.title || p.Code == "" || p.Type != typePrefix+p.Code {
			t.Errorf("%v: got %d and %+v, want %d %s", kind, w.Code, p, want.status, want.title)
		}
		if strings.Contains(w.Body.String(), "hidden") {
			t.Errorf("%v: the cause is shown: %s", kind, w.Body)
		}
	}
}

func TestFaultsAreShownWithTheirPointers(t *testing.T) {
	t.Parallel()
	err := &platen.Error{Kind: platen.KindInvalid, Code: "c", Message: "m", Faults: []platen.Fault{{Pointer: "/a", Message: "x"}, {Pointer: "", Message: "y"}}}
	w, _ := answerOf(t, failing(err), httptest.NewRequest("GET", "/", nil))
	if want := `"errors":[{"pointer":"/a","detail":"x"},{"pointer":"","detail":"y"}]`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("got %s, want %s", w.Body, want)
	}
}

func TestDetailsAreSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    platen.Error
		want string
	}{
		{platen.Error{Message: "the address is gone"}, "The address is gone."},
		{platen.Error{Message: "It is gone."}, "It is gone."},
		{platen.Error{Message: "the body is empty (found nothing)"}, "The body is empty (found nothing)."},
		{platen.Error{Message: "name is required", Faults: []platen.Fault{{Pointer: "/name"}}}, "name is required."},
		{platen.Error{}, ""},
	} {
		if got := Sentence(&c.e); got != c.want {
			t.Errorf("%q: got %q, want %q", c.e.Message, got, c.want)
		}
	}
}

func TestRetryAfterIsInWholeSecondsAndNeverMissing(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]string{0: "5", time.Millisecond: "1", 90 * time.Second: "90"} {
		w, _ := answerOf(t, failing(&platen.Error{Kind: platen.KindUnavailable, RetryAfter: after}), httptest.NewRequest("GET", "/", nil))
		if got := w.Header().Get("Retry-After"); got != want {
			t.Errorf("%v: got %q, want %q", after, got, want)
		}
	}
}

func TestAPanicIsA500WithALoggedStack(t *testing.T) {
	t.Parallel()
	w, log := answerOf(t, func(http.ResponseWriter, *http.Request) error { panic("the value of the panic") }, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "the value of") || !strings.Contains(w.Body.String(), w.Header().Get("X-Request-Id")) {
		t.Errorf("got %d: %s", w.Code, w.Body)
	}
	if strings.Contains(log, "the value of") || !strings.Contains(log, "panic of type string") || !strings.Contains(log, "edge_test.go") {
		t.Errorf("log: got %s, want the panic and its stack without its value", log)
	}
}

func TestAPanicAfterTheAnswerBeganIsStillLogged(t *testing.T) {
	t.Parallel()
	w, log := answerOf(t, func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusAccepted)
		panic("late")
	}, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusAccepted || w.Body.Len() != 0 || !strings.Contains(log, "edge_test.go") {
		t.Errorf("got %d %q, log %s", w.Code, w.Body, log)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	for given, kept := range map[string]bool{
		"req-1": true, "Root=1-67891233-abcdef": true, strings.Repeat("a", 128): true, "R/2026-1": true, "order 17": true, `#1 "A&B" (2)`: true,
		"": false, strings.Repeat("a", 129): false, "a\nb": false, "é": false, " a": false, "\x7f": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Request-Id", given)
		seen := ""
		w, _ := answerOf(t, func(_ http.ResponseWriter, r *http.Request) error {
			seen = RequestID(r.Context())
			return nil
		}, r)
		got := w.Header().Get("X-Request-Id")
		if got != seen || (got == given) != kept || (!kept && !platen.IsID(platen.PrefixRequest, got)) {
			t.Errorf("%q: got %q, in the handler %q, want it kept: %v", given, got, seen, kept)
		}
		if said := w.Header().Get("Platen-Warning"); strings.Contains(said, "X-Request-Id was not kept") == kept {
			t.Errorf("%q: the answer says %q, want it said where it is not kept", given, said)
		}
	}
}

func TestARequestWhoseClientLeftIsNotOurFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, err := range map[string]error{
		"a query":  fmt.Errorf("query: %w", ctx.Err()),
		"a store":  &platen.Error{Kind: platen.KindUnavailable, Code: "database_unavailable", Message: "away", Err: ctx.Err()},
		"anything": errors.New("broken pipe"),
	} {
		w, log := answerOf(t, failing(err), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
		if w.Code != 499 || strings.Contains(log, "ERROR") {
			t.Errorf("%s: got status %d and the log %s, want 499 and no error", name, w.Code, log)
		}
	}
}

func zip(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadBodyKeepsTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 1000
	for name, c := range map[string]struct {
		body     []byte
		encoding string
		chunked  bool
		want     int // bytes; -1: an error of kind
		kind     platen.Kind
	}{
		"at the limit":          {body: make([]byte, limit), want: limit},
		"over it":               {body: make([]byte, limit+1), want: -1, kind: platen.KindTooLarge},
		"over it, chunked":      {body: make([]byte, limit+1), chunked: true, want: -1, kind: platen.KindTooLarge},
		"gzip at the limit":     {body: zip(t, strings.Repeat("a", limit)), encoding: "gzip", want: limit},
		"gzip over it":          {body: zip(t, strings.Repeat("a", limit+1)), encoding: "GZIP", want: -1, kind: platen.KindTooLarge},
		"gzip bomb":             {body: zip(t, strings.Repeat("a", 700_000)), encoding: "gzip", want: -1, kind: platen.KindTooLarge},
		"gzip that is none":     {body: []byte("{}"), encoding: "gzip", want: -1, kind: platen.KindInvalid},
		"gzip cut off":          {body: zip(t, "abcdef")[:12], encoding: "gzip", want: -1, kind: platen.KindInvalid},
		"identity":              {body: []byte("{}"), encoding: "identity", want: 2},
		"another encoding":      {body: []byte("{}"), encoding: "br", want: -1, kind: platen.KindInvalid},
		"gzip twice":            {body: zip(t, "{}"), encoding: "gzip, gzip", want: -1, kind: platen.KindInvalid},
		"no body":               {want: 0},
		"gzip header, no body ": {encoding: "gzip", want: -1, kind: platen.KindInvalid},
	} {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(c.body))
		if c.chunked {
			r.ContentLength = -1
		}
		if c.encoding != "" {
			r.Header.Set("Content-Encoding", c.encoding)
		}
		got, err := ReadBody(r, limit)
		switch {
		case c.want < 0 && (err == nil || platen.KindOf(err) != c.kind):
			t.Errorf("%s: got %d bytes and %v, want %v", name, len(got), err, c.kind)
		case c.want >= 0 && (err != nil || len(got) != c.want):
			t.Errorf("%s: got %d bytes and %v, want %d", name, len(got), err, c.want)
		}
	}
}

func TestAnUnknownEncodingIs415(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("POST", "/", strings.NewReader("{}"))
	r.Header.Set("Content-Encoding", "br")
	w, _ := answerOf(t, func(_ http.ResponseWriter, r *http.Request) error {
		_, err := ReadBody(r, 10)
		return err
	}, r)
	if w.Code != http.StatusUnsupportedMediaType || w.Header().Get("Accept-Encoding") != "gzip" {
		t.Errorf("got %d, Accept-Encoding %q", w.Code, w.Header().Get("Accept-Encoding"))
	}
}

func TestAClientThatSendsTooMuchReadsThe413(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(Handler(slog.New(slog.DiscardHandler), nil, func(_ http.ResponseWriter, r *http.Request) error {
		_, err := ReadBody(r, 1<<20)
		return err
	}))
	t.Cleanup(srv.Close)
	for _, body := range []io.Reader{bytes.NewReader(make([]byte, 3<<20)), io.LimitReader(neverEnding('a'), 3<<20)} {
		resp, err := srv.Client().Post(srv.URL, "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("got %d, want 413", resp.StatusCode)
		}
	}
}

func TestABodyWithoutRoomIs503WithRetryAfterAndNotRead(t *testing.T) {
	t.Parallel()
	budget := intake.NewBudget(intake.Limits{Bytes: 1000, Caller: 1000, Unauthenticated: 100})
	for name, c := range map[string]struct {
		caller string
		length int64
		want   int
	}{
		"with credentials":             {"usr_a", 500, 200},
		"without":                      {"", 500, 503},
		"little, without":              {"", 50, 200},
		"more than there is":           {"usr_a", 2000, 503},
		"of unknown length, much":      {"", -1, 503},
		"announced as more than large": {"", 1 << 40, 413},
	} {
		r := httptest.NewRequest("POST", "/", io.LimitReader(neverEnding('a'), 500))
		if r.ContentLength = c.length; c.length == 50 {
			r.Body = io.NopCloser(io.LimitReader(neverEnding('a'), 50))
		}
		w := httptest.NewRecorder()
		Handler(slog.New(slog.DiscardHandler), budget, func(_ http.ResponseWriter, r *http.Request) error {
			if c.caller != "" {
				Authenticated(r.Context(), c.caller)
			}
			_, err := ReadBody(r, 10_000)
			return err
		}).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: got %d %s, want %d", name, w.Code, w.Body, c.want)
		}
		if c.want == 503 && (w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"code":"busy"`)) {
			t.Errorf("%s: got %v %s, want busy and Retry-After", name, w.Header(), w.Body)
		}
	}
}

func TestWhatARequestHeldIsFreeWhenItIsAnswered(t *testing.T) {
	t.Parallel()
	budget := intake.NewBudget(intake.Limits{Bytes: 200_000, Caller: 200_000, Unauthenticated: 200_000})
	h := Handler(slog.New(slog.DiscardHandler), budget, func(_ http.ResponseWriter, r *http.Request) error {
		if err := Reserve(r.Context(), 20_000); err != nil {
			return err
		}
		_, err := ReadBody(r, 100_000)
		return err
	})
	for i := range 10 {
		for _, body := range [][]byte{make([]byte, 100_000), zip(t, strings.Repeat("a", 20_000))} {
			r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
			if len(body) < 1000 {
				r.Header.Set("Content-Encoding", "gzip")
			}
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != 200 {
				t.Fatalf("request %d: got %d %s", i, w.Code, w.Body)
			}
		}
	}
}

type neverEnding byte

func (b neverEnding) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func TestOnlyWhatWeCouldNotDoIsLoggedByDefault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		logged bool
	}{
		"an answer":      {nil, false},
		"a refusal":      {&platen.Error{Kind: platen.KindInvalid, Code: "c", Message: "m"}, false},
		"a fault":        {errors.New("the disk is gone"), true},
		"an unavailable": {&platen.Error{Kind: platen.KindUnavailable, Code: "busy", Message: "m"}, true},
	} {
		var log bytes.Buffer
		Handler(slog.New(slog.NewTextHandler(&log, nil)), nil, failing(c.err)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if logged := strings.Contains(log.String(), "level=ERROR msg=request"); logged != c.logged || !logged && log.Len() > 0 {
			t.Errorf("%s: got %q", name, log.String())
		}
	}
}
