package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/quotedprintable"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/browser"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// looked are the screens of all that a test looks at: each with 'make browser', else one,
// which is a telephone's if there is one.
func looked(all map[string]browser.Options) map[string]browser.Options {
	if os.Getenv(browser.RequiredVariable) != "" {
		return all
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].Width, all[a].Width), cmp.Compare(a, b))
	})
	return map[string]browser.Options{names[0]: all[names[0]]}
}

// screensOf are those that pages are looked at on: one, and with 'make browser' each.
func screensOf() map[string]browser.Options {
	screens := map[string]browser.Options{"light": {}}
	if os.Getenv(browser.RequiredVariable) != "" {
		screens["dark"], screens["telephone"], screens["telephone-dark"] = browser.Options{Dark: true}, browser.Options{Width: 390}, browser.Options{Width: 390, Dark: true}
	}
	return screens
}

// review is the address of the page on which an address decides, out of its mail.
func review(t *testing.T, box *mailbox.Box, address string) string {
	t.Helper()
	tick, late := time.NewTicker(50*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for {
		for _, m := range box.Mails() {
			text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(m.Text)))
			if err != nil {
				t.Fatal(err)
			}
			for field := range strings.FieldsSeq(string(text)) {
				if m.To[0] == address && strings.Contains(field, platen.ReviewsPath) {
					return field
				}
			}
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("no mail with a link to %s: %v", address, box.Mails())
		}
	}
}

// Whoever is asked for an approval has a telephone and no account.
func TestDocumentsAreApprovedInChromium(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	smtp := box.Start(t)
	i := install(t, func(s *config.Serve, w *config.Work) {
		s.SMTPFrom, w.SMTPFrom = "offers@example.com", "offers@example.com"
		w.SMTPURL, w.SMTPClearText.Setting = platen.Secret("smtp://"+smtp), config.Of(true)
	})
	w := i.invoices(t)
	at := i.origin + "/v0/workflows/" + w.ID
	var made struct{ Documents []struct{ ID string } }
	i.ask(t, "GET", at+"/", "", &made)
	people := []string{"lead@example.com"}
	for screen := range screensOf() {
		people = append(people, screen+"@example.com")
	}
	by, err := json.Marshal(people)
	if err != nil {
		t.Fatal(err)
	}
	i.ask(t, "PATCH", at+"/documents/"+made.Documents[0].ID+"/", fmt.Sprintf(`{"outputName":"Offer for {{Name}}","approval":{"by":%s}}`, by), &struct{}{})
	i.ask(t, "POST", w.Source.WebhookURL, `{"Name":"Frau Jensen"}`, &struct{}{})
	for screen, o := range screensOf() {
		link := review(t, &box, screen+"@example.com")
		o.Hosts = []string{i.host}
		v := visitor{browser.Open(t, o), t, screen}
		v.Visit(link)
		untilState(v.Page, ".pages", "drawn")
		v.reads("h1", "Please approve: Offer for Frau Jensen")
		v.looks("review")
		v.Press(`button[value=approve]`)
		v.reads("h1", "You have approved this document")
		v.looks("review-approved")
	}
	var runs []struct{ ID string }
	i.ask(t, "GET", at+"/automations/", "", &runs)
	for screen, o := range screensOf() {
		v := visitor{i.signIn(t, o), t, screen}
		v.reads("main", "Waiting for approval", "Offer for Frau Jensen")
		v.looks("home-review")
		v.Visit(i.origin + "/console/workflows/" + w.ID + "/runs/" + runs[0].ID + "/")
		v.reads("main", "lead@example.com")
		v.looks("run-review")
		v.Visit(i.origin + "/console/workflows/" + w.ID + "/delivery/?form=approval-" + made.Documents[0].ID)
		v.reads("main", "Change who approves each output")
		v.looks("approval-form")
	}
}

func TestPagesOfEInvoicesFitInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	var w workflow
	i.ask(t, "POST", i.origin+"/v0/workflows/", fmt.Sprintf(`{"name":%q}`, workflowName), &w)
	at := i.origin + "/v0/workflows/" + w.ID
	read := func(name string) string {
		content, err := os.ReadFile("../../examples/e-invoices/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	d := i.upload(t, http.MethodPost, at+"/documents/upload/", []byte(read("invoice.docx")))
	i.ask(t, "PATCH", at+"/documents/"+d.ID+"/", `{"outputName":"RE-{{Number invoices}}","numbers":["invoices"],"createPdfCopy":true,"einvoice":`+read("einvoice.json")+`}`, &struct{}{})
	i.ask(t, "POST", w.Source.WebhookURL, read("invoice.json"), &struct{}{})
	i.ended(t, w)
	var outputs []struct {
		ID    string
		Files []struct{ ID string }
	}
	i.ask(t, "GET", at+"/outputs/", "", &outputs)
	for screen, o := range screensOf() {
		v := visitor{i.signIn(t, o), t, screen}
		v.Visit(i.origin + "/console/workflows/" + w.ID + "/documents/" + d.ID + "/einvoice")
		v.reads("main", "BT-27", "Seller name")
		if got := v.Evaluate(`document.querySelector("[name='map/BT-27']").value`); got != "Nordlicht Segel GmbH" {
			t.Errorf("%s: BT-27 is filled with %q, want the seller's name", screen, got)
		}
		v.looks("einvoice-map")
		v.Visit(i.origin + "/console/e-invoice")
		v.looks("einvoice-read")
		v.Choose("#invoice", file(t, "invoice.pdf", i.content(t, "/v0/workflows/"+w.ID+"/outputs/"+outputs[0].ID+"/pdf/")))
		v.Press("main form button")
		v.reads("main", "Nordlicht Segel GmbH", "The invoice breaks no rule")
		v.looks("einvoice-read-done")
	}
}

// content reads a file of the API.
func (i installation) content(t *testing.T, path string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.origin+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", i.token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %s, %v", path, response.Status, err)
	}
	return content
}
