package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
)

const token = "plt_test"

// A desk is where an integrator sits, with an API that answers what a test gives it.
type desk struct {
	*Environment
	t        *testing.T
	api      string // its address
	out, err *said
	answers  map[string]any // by method and path below the address; a func() any is asked each time
	mu       sync.Mutex
	asked    []string // method and path
	bodies   map[string][]byte
	headers  map[string]http.Header
}

// said is what a command wrote so far.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

type object = map[string]any

// A refusal is an answer that asks to come again after so many seconds.
type refusal struct {
	status int
	after  string
}

// A problem is an answer that says what is wrong.
type problem struct {
	status int
	body   object
}

func sit(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, out: &said{}, err: &said{}, bodies: map[string][]byte{}, headers: map[string]http.Header{}, answers: map[string]any{
		"GET /me/": object{"user": object{"name": "Ada", "email": "ada@example.com"}, "token": object{"write": true}},
	}}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	d.api = server.URL + "/v0"
	d.Environment = &Environment{In: strings.NewReader(""), Out: d.out, Err: d.err, Config: filepath.Join(t.TempDir(), "platen")}
	return d
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	what := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v0")
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked, d.bodies[what], d.headers[what] = append(d.asked, what), body.Bytes(), r.Header
	answer, ok := d.answers[what]
	status := http.StatusOK
	switch {
	case strings.HasPrefix(r.URL.Path, "/v0/") && r.Header.Get("Authorization") != token:
		status, answer = http.StatusForbidden, object{"code": "token_unknown", "detail": "Nobody has this token."}
	case !ok:
		status, answer = http.StatusNotFound, object{"code": "path_not_found", "detail": "There is no " + what + "."}
	}
	if f, ok := answer.(func() any); ok {
		answer = f()
	}
	if refused, ok := answer.(refusal); ok {
		status, answer = refused.status, object{"code": "rate_limited", "detail": "Later."}
		w.Header().Set("Retry-After", refused.after)
	}
	if wrong, ok := answer.(problem); ok {
		status, answer = wrong.status, wrong.body
	}
	raw, ok := answer.([]byte)
	if !ok {
		raw, _ = json.Marshal(answer)
	}
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// loggedIn has the token in the environment.
func (d *desk) loggedIn(args ...string) []string {
	return append(args, "--api-url", d.api, "--token", token)
}

func (d *desk) run(ctx context.Context, args ...string) error {
	d.t.Helper()
	parser, err := kong.New(&Commands{}, kong.Name("platen"), kong.Bind(d.Environment), kong.BindTo(ctx, (*context.Context)(nil)), kong.Exit(func(int) {}))
	if err != nil {
		d.t.Fatal(err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return Usage(err)
	}
	return parsed.Run()
}
