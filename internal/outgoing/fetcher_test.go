package outgoing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/outgoing"
)

func TestAddressesAreReadWithinTheirLimit(t *testing.T) {
	t.Parallel()
	server := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/five", http.StatusFound)
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		case "/stream":
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush() // no Content-Length
			_, _ = w.Write([]byte(strings.Repeat("x", 100)))
		default:
			_, _ = w.Write([]byte("12345"))
		}
	})
	f := outgoing.NewFetcher(outgoing.Options{AllowPrivate: loopback()})
	if got, err := f.Fetch(t.Context(), server.URL+"/five", 5); err != nil || string(got) != "12345" {
		t.Errorf("got %q, %v", got, err)
	}
	for path, want := range map[string]platen.Kind{
		"/four": platen.KindInvalid, "/moved": platen.KindInvalid, "/gone": platen.KindInvalid, "/stream": platen.KindInvalid, "/broken": platen.KindUnavailable,
	} {
		if _, err := f.Fetch(t.Context(), server.URL+path, 4); platen.KindOf(err) != want || strings.Contains(err.Error(), server.URL) {
			t.Errorf("%s: got %v, want kind %v without the address", path, err, want)
		}
	}
	for name, address := range map[string]string{
		"nobody listens": "http://127.0.0.1:1/secret",
		"no such host":   "https://secret.invalid/secret",
	} {
		if _, err := f.Fetch(t.Context(), address, 4); platen.KindOf(err) != platen.KindUnavailable || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: got %v, want it unavailable without the address", name, err)
		}
	}
	guarded := outgoing.NewFetcher(outgoing.Options{})
	for _, address := range []string{server.URL, "http://169.254.169.254/latest", "http://[::1]/", "ftp://example.com/", "file:///etc/passwd", "https://"} {
		if _, err := guarded.Fetch(t.Context(), address, 10); platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %v, want it refused", address, err)
		}
	}
}
