package drive

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestHealthIsToldWithoutCredentials(t *testing.T) {
	h := newHarness(t)
	get := func(path string) int {
		t.Helper()
		r, err := http.Get(h.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		return r.StatusCode
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := get(path); got != http.StatusOK {
			t.Errorf("%s: got %d, want 200", path, got)
		}
	}
	before := h.pool.Stat().AcquireCount()
	const times = 20
	for range times {
		get("/readyz")
	}
	if got := h.pool.Stat().AcquireCount() - before; got >= times {
		t.Errorf("%d requests took %d connections to the database, want one every two seconds", times, got)
	}

	h.url = h.serve() // without an answer that it keeps
	if _, err := h.pool.Exec(t.Context(), `ALTER TABLE drive.migrations RENAME TO other`); err != nil {
		t.Fatal(err)
	}
	if got := get("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz on a database without migrations: got %d, want 503", got)
	}
	h.url = h.serve()
	h.pool.Close()
	if got := get("/healthz"); got != http.StatusOK {
		t.Errorf("/healthz without a database: got %d, want 200", got)
	}
	if got := get("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz without a database: got %d, want 503", got)
	}
}

func TestTheRootSaysWhatThisIs(t *testing.T) {
	h := newHarness(t)
	r, err := http.Get(h.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(text), "Platen drive") || strings.Count(string(text), "\n") != 1 {
		t.Errorf("got %s: %q, %v; want one line", r.Status, text, err)
	}
}
