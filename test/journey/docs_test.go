package journey

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// The docs are served beside the API, which has the contract's page, and the console.
func TestTheDocsLeadToTheContractAndTheConsole(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true})
	base, err := url.Parse(strings.TrimSuffix(h.api, "/v0") + "/docs/api")
	if err != nil {
		t.Fatal(err)
	}
	read := func(at *url.URL) string {
		t.Helper()
		answer, err := http.Get(at.String())
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %d, %v", at, answer.StatusCode, err)
		}
		return string(body)
	}
	page := read(base)
	for words, want := range map[string]string{"The API's contract": `id="`, "Console": "Access token"} {
		link := regexp.MustCompile(`<a href="([^"]*)">` + words + `</a>`).FindStringSubmatch(page)
		if link == nil {
			t.Fatalf("no link %q", words)
		}
		to, err := base.Parse(link[1])
		if err != nil {
			t.Fatal(err)
		}
		if body := read(to); !strings.Contains(body, want) {
			t.Errorf("%s leads to %s, which has no %s", words, to, want)
		}
	}
}
