package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/platenhq/platen/internal/catalog"
)

// english are words by which a text that nobody translated is known.
var english = regexp.MustCompile(`(?i)\b(the|is|are|and|of|not|this|with|were|that|which|until|nothing|it|its)\b`)

// leftInEnglish are the texts of a page that are not in its language, and not marked as
// English.
func leftInEnglish(t *testing.T, page string) (found []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode && english.MatchString(n.Data) {
			found = append(found, strings.TrimSpace(n.Data))
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "lang" && a.Val == "en":
				return
			case (a.Key == "aria-label" || a.Key == "placeholder" || a.Key == "title" || a.Key == "alt") && english.MatchString(a.Val):
				found = append(found, a.Key+": "+a.Val)
			}
		}
		if n.Data == "code" || n.Data == "script" || n.Data == "pre" {
			return
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(root)
	return found
}

func TestEachPageIsInTheLanguageOfTheBrowser(t *testing.T) {
	t.Parallel()
	api := ofWorkflow().with(answers{
		"GET /v0/workflows/": "[" + workflowWith("COMPLETE", "") + "]", "GET /v0/automations/": "[]", "GET /v0/series/": "[]", "GET /v0/automations/counts/": "[]", "GET /v0/outputs/": "[]",
		"GET /automations/counts/": "[]", "GET /batches/": "[]", "GET /public-form/": "{}",
	})
	for _, language := range catalog.Languages()[1:] {
		site := NewSite(SiteOptions{API: api, Hooks: http.NotFoundHandler(), Mails: true, Sealer: openSealer{}, PublicURL: "https://api.test", Now: toldClock})
		for _, path := range []string{
			"/", "/?span=days", "/console/workflows/", "/console/find?q=Kiel", "/console/find?q=aut_", "/console/new-workflow", "/console/import-workflow", "/console/series/", "/console/sign-in", "/console/nowhere",
			toldPath, toldPath + "template/", toldPath + "data/", toldPath + "delivery/", toldPath + "settings/", toldPath + "outputs/", toldPath + "runs/", toldPath + "events/", toldPath + "batches/", toldPath + "runs/" + toldRun + "/?data=shown",
			toldPath + "runs/?from=x", toldPath + "delivery/?done=receiver",
		} {
			r := toldRequest(t, http.MethodGet, path, nil)
			r.Header.Set("Accept-Language", language+"-XX,en;q=0.5")
			w := httptest.NewRecorder()
			site.ServeHTTP(w, r)
			page := w.Body.String()
			if !strings.Contains(page, `<html lang="`+language+`">`) {
				t.Errorf("%s in %s: got %d, want a page in this language\n%.300s", path, language, w.Code, page)
			}
			for _, text := range leftInEnglish(t, page) {
				t.Errorf("%s in %s: %q is in English", path, language, text)
			}
		}
	}
}

func TestALanguageThatWasChosenStays(t *testing.T) {
	t.Parallel()
	site := NewSite(SiteOptions{API: ofWorkflow(), Sealer: openSealer{}, PublicURL: "https://api.test", Now: toldClock})
	chosen := httptest.NewRecorder()
	site.ServeHTTP(chosen, toldRequest(t, http.MethodPost, languagePath, url.Values{"language": {"fr"}, "next": {toldPath + "runs/?state=FAILED"}}))
	cookies := chosen.Result().Cookies()
	if at := chosen.Header().Get("Location"); chosen.Code != http.StatusSeeOther || at != toldPath+"runs/?state=FAILED" || len(cookies) != 1 || cookies[0].MaxAge < 300*24*60*60 {
		t.Fatalf("got %d to %s with %v, want the way back and a cookie for a year", chosen.Code, at, cookies)
	}
	r := toldRequest(t, http.MethodGet, toldPath+"runs/", nil)
	r.Header.Set("Accept-Language", "de")
	r.AddCookie(cookies[0])
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	if page := w.Body.String(); !strings.Contains(page, `<html lang="fr">`) || !strings.Contains(page, "Exécutions") {
		t.Errorf("got %d, want the page in French:\n%.300s", w.Code, page)
	}
	for _, other := range []string{"", "xx", "de-AT", "//evil.test"} {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, toldRequest(t, http.MethodPost, languagePath, url.Values{"language": {other}}))
		if w.Code != http.StatusBadRequest || len(w.Result().Cookies()) > 0 {
			t.Errorf("%q: got %d with %v, want a refusal", other, w.Code, w.Result().Cookies())
		}
	}
}

// What the script says in English is what the catalogue translates.
func TestTheScriptOfTheConsoleHasTheTextsOfTheCatalogue(t *testing.T) {
	t.Parallel()
	for file, all := range map[string]texts{"site/site.js": siteTexts, "site/pages.js": pagesTexts} {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range all {
			if !strings.Contains(string(script), "  "+name+": \""+text+"\",\n") {
				t.Errorf("%s does not say %q as %s", file, text, name)
			}
		}
	}
}
