package api

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestEachErrorLeadsToWhatTheDocsSayOfIt(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	page, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]string{"/v0/workflows/": "credentials_missing", "/nothing": "path_not_found"} {
		a := x.do(t, http.MethodGet, path, "", "Authorization", "")
		if got, want := a.header.Get("Link"), "/docs/errors#"+code+`>; rel="help"`; !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "<http") {
			t.Errorf("%s: got Link %q, want one that ends in %s", path, got, want)
		}
		if !strings.Contains(string(page), "### `"+code+"`\n") {
			t.Errorf("the page has no section %s", code)
		}
	}
}
