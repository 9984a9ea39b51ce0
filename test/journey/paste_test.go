package journey

import (
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

// lineToCopy is the command that the page of a workflow prints for a shell.
var lineToCopy = regexp.MustCompile(`curl -H [^<]*`)

// What the page prints is pasted as it stands: before the first event, after events whose
// pictures have addresses that do not look so, and after an event that failed.
func TestTheLineToCopyMakesDocumentsAtTheFirstPaste(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("the line is for curl, which is not on this machine")
	}
	provider := testkit.NewOpenID(t)
	provider.Claim(map[string]any{"email": email, "email_verified": true})
	h := open(t, options{provider: provider})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser, base := http.Client{Jar: jar}, strings.TrimSuffix(h.api, "/v0")
	answer, err := browser.Get(base + "/console/sign-in/provider")
	readPage(t, answer, err)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(pngOf(t, 80, 20)) }))
	t.Cleanup(site.Close)

	w := h.createWorkflow(t, object{"name": "Pasted"})
	h.addDocument(t, w, h.write(t, "Invoice", `{{image logo}} {{image Siegel 20mm}} {{link Shop "shop"}} {{= CURRENCY(SUM(Posten.Preis); "EUR"; "de-DE")}}`), object{"onMissing": "fail"})
	h.addDocument(t, w, h.write(t, "Note", "{{#each Posten}}{{Menge}} {{Name}}, {{/each}}{{ean13 Artikelnummer}} {{= DATE(Faellig; Muster; Zone; Sprache)}} {{= CURRENCY(2; DEFAULT(Geld; \"EUR\"))}}"+
		"{{qr GIROCODE(Firma; Konto; Rest; Zweck; Bank)}}{{qr SWISSQR(CHKonto; Absender; Offen; CHGeld; Empfaenger; Zeichen)}}"), object{"onMissing": "fail"})
	r := newReceiver(t)
	h.register(t, w, r)
	made := func(what string) {
		t.Helper()
		for range 2 {
			if e := r.next(t).event; e.Type != platen.EventDocumentsCreated {
				t.Errorf("%s: got %s: %+v", what, e.Type, e.Data.Error)
			}
		}
	}
	paste := func(what string) {
		t.Helper()
		answer, err := browser.Get(base + "/console/workflows/" + w.ID + "/data/")
		line := html.UnescapeString(lineToCopy.FindString(readPage(t, answer, err)))
		said, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output()
		if err != nil || strings.TrimSpace(string(said)) != "{}" {
			t.Fatalf("%s: %s said %q, %v", what, line, said, err)
		}
		made(what + ": " + line)
	}
	paste("before the first event")
	posten := []object{{"Name": "Kette", "Preis": "14,00", "Menge": 2}, {"Name": "Licht", "Preis": 3, "Menge": 1}}
	event := object{"logo": site.URL + "/brand", "siegel": site.URL + "/x?id=1", "Shop": "https://shop.example/x", "Posten": posten, "Artikelnummer": "4012345678901",
		"Faellig": "31.1.2026", "Muster": "yyyy", "Zone": "UTC", "Sprache": "de", "Geld": "CHF", "Firma": "Shop", "Konto": "DE89370400440532013000", "Rest": 3, "Zweck": "R 1", "Bank": "COBADEFFXXX",
		"CHKonto": "CH93 0076 2011 6238 5295 7", "Absender": "Robert Schneider AG; Rue du Lac; 1268; 2501; Biel; CH", "Offen": 3, "CHGeld": "CHF", "Empfaenger": "Pia Rutschmann; Marktgasse; 28; 9400; Rorschach; CH", "Zeichen": "RF18539007547034"}
	postObject(t, w.Source.WebhookURL, event)
	made("an event of a shop")
	paste("after an event with addresses")
	posten[0]["Preis"] = "vierzehn"
	postObject(t, w.Source.WebhookURL, object{"Posten": "none", "Betrag": fmt.Sprint(posten)})
	for range 2 {
		r.next(t)
	}
	paste("after an event that failed")
}
