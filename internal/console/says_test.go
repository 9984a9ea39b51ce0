package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

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
		"GET /v0/workflows/": "[" + workflowWith("COMPLETE", "") + "]", "GET /v0/automations/": "[]", "GET /v0/series/": "[]", "GET /v0/usage/": "[]", "GET /v0/automations/counts/": "[]", "GET /v0/outputs/": "[]",
		"GET /automations/counts/": "[]", "GET /batches/": "[]", "GET /public-form/": "{}",
	})
	for _, language := range catalog.Languages()[1:] {
		site := NewSite(SiteOptions{API: api, Hooks: http.NotFoundHandler(), Mails: true, Sealer: openSealer{}, PublicURL: "https://api.test", Now: toldClock})
		for _, path := range []string{
			"/", "/?span=days", "/console/workflows/", "/console/find?q=Kiel", "/console/find?q=aut_", "/console/new-workflow", "/console/import-workflow", "/console/series/", "/console/usage/", "/console/sign-in", "/console/nowhere",
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

// A message names fields, values and cures. What its code means stands for it only where
// that says as much.
func TestNothingThatTheServiceSaysIsLostInALanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, code, message, want string }{
		{"en", "fields_missing", "The event lacks <Name>.", "The event lacks &lt;Name&gt;."},
		{"de", "fields_missing", "The event lacks <Name>.", `Ohne diese Felder wird das Dokument nicht erstellt. <span lang="en">The event lacks &lt;Name&gt;.</span>`},
		{"fr", "of_another_release", "Something else.", `<span lang="en">Something else.</span>`},
		{"es", "drive_unavailable", "The drive does not answer.", "El drive no responde ahora. Se reintenta por sí solo."},
		{"de", "data_unusable", "The template cannot be filled with this data. Preis: this text is not a number. Write one such as 14.00. Items, item 2, Qty: this text is not a number. Write one such as 14.00.",
			"Die Vorlage lässt sich mit diesen Daten nicht füllen. Preis: Dieser Text ist keine Zahl. Schreiben Sie eine wie 14,00, ohne Währung. Items, Position 2, Qty: Dieser Text ist keine Zahl. Schreiben Sie eine wie 14,00, ohne Währung."},
		{"de", "", "Preis: \"sieben\" – write a number such as 14.00.", "Preis: „sieben“ – schreiben Sie eine Zahl wie 14,00."},
		{"de", "", "Preis: \"14,00 €\" – write 14.00.", "Preis: „14,00 €“ – schreiben Sie 14.00."},
		{"de", "", "Preis: \"1.400\" – write 1400.00, or 1.40.", "Preis: „1.400“ – schreiben Sie 1400.00, oder 1.40."},
		{"fr", "email_address_refused", "The mail server refused an address that the mail goes to (550 5.1.1). Nobody got it.", "Le serveur de messagerie a refusé une adresse à laquelle va l’e-mail (550 5.1.1). Personne ne l’a reçu."},
		{"de", "data_unusable", "The template cannot be filled with this data. <Something new>. And 3 more.", `Die Vorlage lässt sich mit diesen Daten nicht füllen. <span lang="en">&lt;Something new&gt;.</span> Und 3 weitere.`},
		{"es", "fields_missing", "", "Sin estos campos no se crea el documento."},
		{"de", "", "", ""},
	} {
		if got := theirs(catalog.In(c.language), c.code, c.message); string(got) != c.want {
			t.Errorf("%s in %s: got %q, want %q", c.code, c.language, got, c.want)
		}
	}
}

func TestAReviewSaysUntilWhenInWordsThatAScriptPutsIntoTheZoneOfTheBrowser(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 31, 3, 54, 0, 0, time.UTC)
	const want = `Sie können bis <time datetime="2026-12-31T03:54:00.000000+00:00">31. Dezember 2026, 03:54 Uhr (UTC)</time> antworten.`
	if got := until(catalog.In("de"), at); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDurationsHaveTheDecimalSignOfTheLanguage(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"en": "1.5 s", "de": "1,5 s", "fr": "1,5 s", "es": "1,5 s"} {
		if got := seconds(catalog.In(language), 1500*time.Millisecond); got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
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
