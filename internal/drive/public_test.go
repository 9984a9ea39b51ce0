package drive

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAnAddressOfNoFileSaysToABrowserHowToGoOn(t *testing.T) {
	h := newHarness(t)
	for accept, want := range map[string]string{
		"text/html,application/xhtml+xml,*/*;q=0.8": "text/html; charset=utf-8",
		"*/*": "text/plain; charset=utf-8",
	} {
		for _, path := range []string{"/d/nothing", "/open?id=nothing"} {
			r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", h.url+path, nil))
			r.Header.Set("Accept", accept)
			response := must[*http.Response](t)(http.DefaultClient.Do(r))
			body := must[[]byte](t)(io.ReadAll(response.Body))
			response.Body.Close()
			if got := response.Header.Get("Content-Type"); response.StatusCode != 404 || got != want || !strings.Contains(string(body), "There is no file at this address") {
				t.Errorf("%s for %s: got %d %s: %s", path, accept, response.StatusCode, got, body)
			}
			if strings.HasPrefix(want, "text/html") && (!strings.Contains(string(body), "Close this page") || !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'none'")) {
				t.Errorf("%s: got %v %s", path, response.Header, body)
			}
		}
	}
}
