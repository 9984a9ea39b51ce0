package journey

import (
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

var (
	makeAddress  = regexp.MustCompile(`formaction="([^"]*/make\?[^"]*)"[^>]*value="make"`)
	changeInForm = regexp.MustCompile(`href="([^"]*of=aut_[^"]*)">Change the data in a form`)
	onceOfForm   = regexp.MustCompile(`name="once" value="([^"]+)"`)
)

// Somebody who signed in fills the form of a preview and makes a document of it, once
// however often the button is pressed. Nobody else can.
func TestADocumentIsMadeFromTheFormOfItsPreview(t *testing.T) {
	t.Parallel()
	provider := testkit.NewOpenID(t)
	provider.Claim(map[string]any{"email": email, "email_verified": true})
	h := open(t, options{provider: provider})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", `{{Name}} owes {{= Total * 2}}.{{#if Paid}} Paid.{{/if}}`), object{"outputName": "For {{Name}}", "createPdfCopy": true, "removeOutput": true, "onMissing": "fail"})
	r := newReceiver(t)
	h.register(t, w, r)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser, base := http.Client{Jar: jar}, strings.TrimSuffix(h.api, "/v0")

	answer, err := browser.Get(d.PreviewURL)
	if page := readPage(t, answer, err); strings.Contains(page, "Make this document") {
		t.Error("a visitor who did not sign in is offered to make the document")
	}
	answer, err = browser.Get(base + "/console/sign-in/provider")
	readPage(t, answer, err)
	answer, err = browser.Get(d.PreviewURL)
	page := readPage(t, answer, err)
	at, once := makeAddress.FindStringSubmatch(page), onceOfForm.FindStringSubmatch(page)
	if at == nil || once == nil {
		t.Fatalf("the page offers to make no document: %s", page)
	}
	preview, err := url.Parse(d.PreviewURL)
	if err != nil {
		t.Fatal(err)
	}
	to, err := preview.Parse(html.UnescapeString(at[1]))
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"f.Name": {"Ada"}, "f.Total": {"21"}, "f.Paid": {"yes"}, "once": once[1:], "do": {"make"}}

	visitor := http.Client{}
	answer, err = visitor.PostForm(to.String(), form)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("somebody who did not sign in: got %d, want 401", answer.StatusCode)
	}
	foreign, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to.String(), strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	answer, err = browser.Do(foreign)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("a form of another page: got %d, want 403", answer.StatusCode)
	}

	var runs [2]string
	for i := range runs { // a button that is pressed twice
		answer, err = browser.PostForm(to.String(), form)
		readPage(t, answer, err)
		runs[i] = answer.Request.URL.Path
	}
	if !strings.HasPrefix(runs[0], "/console/workflows/"+w.ID+"/runs/aut_") || runs[1] != runs[0] {
		t.Errorf("got the pages %q, want one run's", runs)
	}
	e := r.next(t).event
	if e.Type != platen.EventDocumentsCreated {
		t.Fatalf("got %s: %+v", e.Type, e.Data.Error)
	}
	content, _ := get(t, e.Data.Documents[0].URL)
	if said := newPaper(t, content).text(t, ""); !says(said, "Ada owes 42. Paid.") {
		t.Errorf("got the document %q", said)
	}

	// The data of an event that failed is changed in the form; what the form does not ask
	// for stays.
	postObject(t, w.Source.WebhookURL, object{"name": "Bea", "Total": "vierzehn", "Customer": object{"No": 7}})
	if failed := r.next(t).event; failed.Type != platen.EventDocumentFailed {
		t.Fatalf("got %s, want a failure", failed.Type)
	}
	var ofFailed string
	eventually(t, "the run has failed", func() error {
		all := h.automations(t, w.ID)
		i := slices.IndexFunc(all, func(a automationRow) bool { return a.state == string(platen.AutomationFailed) })
		if i < 0 {
			return fmt.Errorf("got %v", all)
		}
		ofFailed = all[i].id
		return nil
	})
	answer, err = browser.Get(base + "/console/workflows/" + w.ID + "/runs/" + ofFailed + "/")
	change := changeInForm.FindStringSubmatch(readPage(t, answer, err))
	if change == nil {
		t.Fatal("the page of the run leads to no form")
	}
	answer, err = browser.Get(html.UnescapeString(change[1]))
	page = readPage(t, answer, err)
	if !strings.Contains(page, `value="Bea"`) || !strings.Contains(page, `value="vierzehn"`) {
		t.Fatalf("the form has not the data of the run: %s", page)
	}
	if to, err = preview.Parse(html.UnescapeString(makeAddress.FindStringSubmatch(page)[1])); err != nil {
		t.Fatal(err)
	}
	answer, err = browser.PostForm(to.String(), url.Values{"f.Name": {"Bea"}, "f.Total": {"14"}, "once": onceOfForm.FindStringSubmatch(page)[1:], "do": {"make"}})
	readPage(t, answer, err)
	if e = r.next(t).event; e.Type != platen.EventDocumentsCreated {
		t.Fatalf("got %s: %+v", e.Type, e.Data.Error)
	}
	content, _ = get(t, e.Data.Documents[0].URL)
	if said := newPaper(t, content).text(t, ""); !says(said, "Bea owes 28.") {
		t.Errorf("got the document %q", said)
	}
	var changed struct {
		SourceData object `json:"sourceData"`
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+path.Base(answer.Request.URL.Path)+"/", nil, &changed, http.StatusOK)
	if got, want := fmt.Sprint(changed.SourceData), "map[Customer:map[No:7] Total:14 name:Bea]"; got != want {
		t.Errorf("got the data %s, want %s", got, want)
	}

	form.Set("do", "test")
	form.Set("f.Name", "Grace")
	answer, err = browser.PostForm(to.String(), form)
	readPage(t, answer, err)
	var tests []object
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/?test=true", nil, &tests, http.StatusOK)
	if len(tests) != 1 {
		t.Errorf("got %d tests, want one", len(tests))
	}
}
