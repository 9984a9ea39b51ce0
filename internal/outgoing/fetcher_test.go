package outgoing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
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
	f := outgoing.NewFetcher(outgoing.NewClient(outgoing.Options{AllowPrivate: loopback()}))
	if got, err := f.Fetch(t.Context(), server.URL+"/five", 5); err != nil || string(got) != "12345" {
		t.Errorf("got %q, %v", got, err)
	}
	for path, want := range map[string]platen.Kind{
		"/four": platen.KindTooLarge, "/moved": platen.KindInvalid, "/gone": platen.KindInvalid, "/stream": platen.KindTooLarge, "/broken": platen.KindUnavailable,
	} {
		if _, err := f.Fetch(t.Context(), server.URL+path, 4); platen.KindOf(err) != want || strings.Contains(err.Error(), server.URL) {
			t.Errorf("%s: got %v, want kind %v without the address", path, err, want)
		}
	}
	if _, err := f.Fetch(t.Context(), "http://127.0.0.1:1/secret", 4); platen.KindOf(err) != platen.KindUnavailable || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("nobody listens: got %v, want it unavailable without the address", err)
	}
	guarded := outgoing.NewFetcher(outgoing.NewClient(outgoing.Options{}))
	for _, address := range []string{server.URL, "http://169.254.169.254/latest", "http://[::1]/", "ftp://example.com/", "file:///etc/passwd", "https://"} {
		if _, err := guarded.Fetch(t.Context(), address, 10); platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %v, want it refused", address, err)
		}
	}
}

func TestWhatTimeDoesNotCureIsRefusedWithoutTheAddress(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := receiver(t, func(http.ResponseWriter, *http.Request) {})
	f := outgoing.NewFetcher(outgoing.NewClient(outgoing.Options{AllowPrivate: loopback()}))
	for name, c := range map[string]struct{ address, host, why string }{
		"a name that does not exist":     {"https://nobody.invalid/secret?secret", "nobody.invalid", "there is no such host"},
		"a certificate that nobody made": {secure.URL + "/secret", "127.0.0.1", "authority that is not trusted"},
		"no TLS":                         {"https" + strings.TrimPrefix(plain.URL, "http") + "/secret", "127.0.0.1", "does not speak TLS"},
	} {
		_, err := f.Fetch(t.Context(), c.address, 4)
		if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), c.why) || strings.Contains(err.Error(), c.host) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want it refused because %s, without the address and its host", name, err, c.why)
		}
	}
}
