package handbook_test

import (
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/docs"
	"github.com/platenhq/platen/internal/handbook"
)

var served = handbook.New(slog.New(slog.DiscardHandler))

func get(t *testing.T, address string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	return w
}

// pages are the bodies of all, by their addresses.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(docs.Pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		at := handbook.Root + strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "README")
		w := get(t, at)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", at, w.Code)
		}
		all[at] = w.Body.String()
		return nil
	})
	if err != nil || len(all) < 45 {
		t.Fatalf("found %d pages: %v", len(all), err)
	}
	return all
}

func TestEveryLinkLeadsSomewhereAndNoPageFetchesFromElsewhere(t *testing.T) {
	t.Parallel()
	all := pages(t)
	link, fetched := regexp.MustCompile(`<a[^>]* href="([^"]*)"`), regexp.MustCompile(`<(?:img|link)[^>]* (?:src|href)="([^"]*)"`)
	for at, body := range all {
		if found := regexp.MustCompile(`(?i)<(script|iframe|object|style)|@import|<[^>]* (style|on[a-z]+)=`).FindString(body); found != "" {
			t.Errorf("%s has %q", at, found)
		}
		base := &url.URL{Path: at}
		for _, found := range fetched.FindAllStringSubmatch(body, -1) {
			to, err := base.Parse(found[1])
			if err != nil || to.Host != "" || get(t, to.Path).Code != http.StatusOK {
				t.Errorf("%s fetches %s, which is not there", at, found[1])
			}
		}
		for _, found := range link.FindAllStringSubmatch(body, -1) {
			to, err := base.Parse(found[1])
			if err != nil {
				t.Errorf("%s links to %q: %v", at, found[1], err)
				continue
			}
			if to.Host != "" || to.Path == handbook.Root+"contract" || to.Path == "/" {
				continue
			}
			target, there := all[to.Path]
			if !there || to.Fragment != "" && !strings.Contains(target, ` id="`+to.Fragment+`"`) {
				t.Errorf("%s links to %s, which is not there", at, found[1])
			}
		}
	}
}

func TestTheContentsAreOnEachPageAndSayWhereOneIs(t *testing.T) {
	t.Parallel()
	for at, body := range pages(t) {
		for _, want := range []string{"<p>Get started</p>", "<p>Guides</p>", "<p>Concepts</p>", "<p>Reference</p>", `contract">The API's contract</a>`, `name="viewport"`, `role="search"`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s", at, want)
			}
		}
		if at != handbook.Root && !strings.Contains(body, `aria-current="page"`) {
			t.Errorf("%s is not in the contents", at)
		}
	}
}

func TestASearchFindsTheSectionThatAnswers(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"token_revoked":                     "errors#token_revoked",
		"urn:platen:problem:token_revoked":  "errors#token_revoked",
		"rotate key":                        "production#rotate-the-key",
		"  PLATEN_TEMPORAL_SKIP_ATTRIBUTES": "production#",
		"back up":                           "restore#",
		"platen user disable":               "commands#platen-user-disable",
	} {
		w := get(t, handbook.Root+"search?"+url.Values{"q": {query}}.Encode())
		first := regexp.MustCompile(`<li><a href="\./([^"]*)"[^>]*>[^<]*</a>(?: <span class="soft">|<p>)`).FindStringSubmatch(w.Body.String())
		if first == nil || !strings.HasPrefix(first[1], want) {
			t.Errorf("%q: got %v first, want %s", query, first, want)
		}
	}
	for _, query := range []string{"conformance", "answers to bad requests"} {
		body := get(t, handbook.Root+"search?"+url.Values{"q": {query}}.Encode()).Body.String()
		generated := regexp.MustCompile(`<li><a href="\./((?:conformance|bad-inputs)[^"]*)"[^>]*>[^<]*</a>(?: <span class="soft">|<p>)`)
		if found := generated.FindStringSubmatch(body); found != nil {
			t.Errorf("%q finds %s, which a program writes", query, found[1])
		}
	}
	for _, query := range []string{"", "xyzzy-nothing", `<script>xyzzy(1)</script>`, strings.Repeat("ü", 5000), "\xff\xfe"} {
		w := get(t, handbook.Root+"search?"+url.Values{"q": {query}}.Encode())
		if body := w.Body.String(); w.Code != http.StatusOK || strings.Contains(body, `class="found"`) || strings.Contains(body, "<script>") {
			t.Errorf("%.20q: got %d %s", query, w.Code, body)
		}
	}
}

func TestPagesAreFoundUnderTheNamesOfTheirFiles(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/docs": "docs/", "/docs/api.md": "api", "/docs/README.md": "./", "/docs/guides/send-an-event.md": "../guides/send-an-event",
	} {
		w := get(t, address)
		if got := w.Header().Get("Location"); w.Code != http.StatusMovedPermanently || got != want {
			t.Errorf("%s: got %d to %q, want %q", address, w.Code, got, want)
		}
	}
	for _, address := range []string{"/docs/nothing", "/docs/../go.mod", "/docs/docs.go", "/docs/decisions/", "/docs/design/runs", "/docs/nothing.png"} {
		if w := get(t, address); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", address, w.Code)
		}
	}
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/docs/api", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: got %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

func TestPicturesOfPagesAreServed(t *testing.T) {
	t.Parallel()
	const address = "/docs/fidelity/offer-with-options.docx.png"
	if w := get(t, address); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%s: got %d, %q, want a picture", address, w.Code, w.Header().Get("Content-Type"))
	}
	if page := get(t, "/docs/fidelity").Body.String(); !strings.Contains(page, `src="fidelity/offer-with-options.docx.png"`) {
		t.Error("the page about fidelity shows no pages side by side")
	}
}

func TestWhatIsFoundUnderItsAddressIsKeptAndNothingElse(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/docs/api": "public, max-age=300", "/docs/nothing": "no-store", "/docs/search?q=token": "no-store", "/docs/nothing.png": "no-store",
	} {
		w := get(t, address)
		if got := w.Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
		policy := w.Header().Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "style-src 'self'", "img-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q has no %s", address, policy, part)
			}
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: types may be guessed", address)
		}
	}
}

func TestWhatASearchShowsIsCutBetweenWords(t *testing.T) {
	t.Parallel()
	body := get(t, handbook.Root+"search?q=automation").Body.String()
	words := map[string]bool{}
	err := fs.WalkDir(docs.Pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		raw, err := docs.Pages.ReadFile(name)
		for _, word := range regexp.MustCompile(`[\p{L}\p{N}_]+`).FindAllString(string(raw), -1) {
			words[word] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	cut := regexp.MustCompile(`<p>(?:… ([\p{L}\p{N}_]+))?.*?(?:([\p{L}\p{N}_]+)[^\p{L}\p{N}_<]* …)?</p></li>`)
	found := cut.FindAllStringSubmatch(strings.NewReplacer("<mark>", "", "</mark>", "").Replace(body), -1)
	for _, one := range found {
		for _, word := range one[1:] {
			if word != "" && !words[word] {
				t.Errorf("%q is a part of a word: %s", word, one[0])
			}
		}
	}
	if len(found) < 20 {
		t.Errorf("looked at %d sections", len(found))
	}
}
