package journey

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
)

// A browser that follows every redirect ends on the first page of the console, and what
// its user does there is done in the user's name.
func TestAUserSignsInAtAProviderAndMakesAWorkflow(t *testing.T) {
	t.Parallel()
	provider := testkit.NewOpenID(t)
	h := open(t, options{idle: true, provider: provider})
	provider.Claim(map[string]any{"email": email, "email_verified": true})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser, base := http.Client{Jar: jar}, strings.TrimSuffix(h.api, "/v0")
	read := func(answer *http.Response, err error) string {
		t.Helper()
		return readPage(t, answer, err)
	}
	if home := read(browser.Get(base + "/console/sign-in/provider")); !strings.Contains(home, "Ada Lovelace") {
		t.Fatalf("not the page of who signed in: %s", home)
	}
	var audit []struct {
		Action  string `json:"action"`
		Outcome string `json:"outcome"`
	}
	h.call(t, http.MethodGet, "/audit/", nil, &audit, http.StatusOK)
	if last := audit[len(audit)-1]; last.Action != "GET /console/sign-in/callback" || last.Outcome != "done" {
		t.Errorf("the audit ends with %+v, want the sign-in", last)
	}
	read(browser.PostForm(base+"/console/new-workflow", url.Values{"name": {"Made in a browser"}}))
	var made []struct {
		Name string `json:"name"`
	}
	h.call(t, http.MethodGet, "/workflows/", nil, &made, http.StatusOK)
	if len(made) != 1 || made[0].Name != "Made in a browser" {
		t.Errorf("got %+v, want the workflow that was made", made)
	}
}

// readPage is what a browser got, unless it got an error.
func readPage(t *testing.T, answer *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v: %s", answer.StatusCode, err, body)
	}
	return string(body)
}

func TestAProviderIsSetUpAsPrinted(t *testing.T) {
	t.Parallel()
	provider := testkit.NewOpenID(t)
	provider.Claim(map[string]any{"email": email, "email_verified": true})
	h := open(t, options{idle: true})
	b := h.beside(t)
	b.follow(t, put(t, pages.Typed(t, "docs/console.md", "Sign in with your organization's account"),
		"https://login.example.com", provider.URL, "SECRET=…", "SECRET="+provider.ClientSecret, "serve …", "serve"))
	b.ready(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser, base := http.Client{Jar: jar}, strings.TrimSuffix(b.api, "/v0")
	answer, err := browser.Get(base + "/console/sign-in")
	if page := readPage(t, answer, err); !strings.Contains(page, "Sign in with Example Inc.") {
		t.Errorf("no button that leads to the provider: %s", page)
	}
	answer, err = browser.Get(base + "/console/sign-in/provider")
	if home := readPage(t, answer, err); !strings.Contains(home, "Ada Lovelace") {
		t.Errorf("not the page of who signed in: %s", home)
	}
}
