package console

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestThePreviewSpeaksTheLanguageOfTheBrowserOrElseOfTheWorkflow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ browser, locale, language, button string }{
		{"de-AT,en;q=0.5", "", "de", "Vorlage ausfüllen"}, {"fr", "de", "fr", "Remplir le modèle"}, {"ja", "es-MX", "es", "Rellenar la plantilla"},
		{"", "de-AT", "de", "Vorlage ausfüllen"}, {"", "", "en", "Fill the template"}, {"en", "de", "en", "Fill the template"},
	} {
		f := newFake()
		f.workflow.Locale = c.locale
		f.form.Findings = []platen.TemplateFinding{{Where: "paragraph 3", Code: "unknown_field", Message: "The source has no field Nam.", Tag: "{{Nam}}"}}
		r := httptest.NewRequest("GET", address, nil)
		r.Header.Set("Accept-Language", c.browser)
		w := f.send(r, &bytes.Buffer{})
		body := w.Body.String()
		if !strings.Contains(body, `<html lang="`+c.language+`">`) || !strings.Contains(body, ">"+c.button+"<") || !strings.Contains(w.Header().Get("Vary"), "Accept-Language") {
			t.Errorf("%+v: got\n%s", c, body)
		}
		if c.language != "en" && strings.Contains(body, "The source has no field") {
			t.Errorf("%+v: a mistake is in English", c)
		}
	}
}

func TestThePreviewIsInTheLanguageThatWasChosenInTheConsole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{languageCookie, securePrefix + languageCookie} {
		r := httptest.NewRequest("GET", address, nil)
		r.Header.Set("Accept-Language", "de")
		r.AddCookie(&http.Cookie{Name: name, Value: "fr"})
		if body := newFake().send(r, &bytes.Buffer{}).Body.String(); !strings.Contains(body, `<html lang="fr">`) {
			t.Errorf("%s: got\n%.300s", name, body)
		}
	}
}

// What the service says in English alone stands on no page of another language.
func TestRefusalsOfThePreviewAreInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.formErr = &platen.Error{Kind: platen.KindInvalid, Message: "English words."}
	r := httptest.NewRequest("GET", address, nil)
	r.Header.Set("Accept-Language", "de")
	if body := f.send(r, nil).Body.String(); strings.Contains(body, "English words.") || !strings.Contains(body, "Die Seiten der Vorlage können nicht erstellt werden") {
		t.Errorf("got\n%s", body)
	}
	gone := httptest.NewRequest("GET", "/preview/"+docID+"?sig=x", nil)
	gone.Header.Set("Accept-Language", "fr")
	if body := f.send(gone, nil).Body.String(); !strings.Contains(body, "Cette page n’existe pas") {
		t.Errorf("got\n%s", body)
	}
}
