package journey

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// tester makes a receiver the workflow's test receiver, and lets it check signatures by
// the secret of tests.
func (h *harness) tester(t *testing.T, w workflow) *receiver {
	t.Helper()
	r := newReceiver(t)
	at := "/workflows/" + w.ID + "/outgoing-webhooks/test-receiver/"
	h.call(t, http.MethodPut, at, object{"webhookUrl": r.url}, nil, http.StatusCreated)
	var secret struct{ Secret string }
	h.call(t, http.MethodGet, at+"secret/", nil, &secret, http.StatusOK)
	r.trust(t, secret.Secret)
	return r
}

// testAddress is where what is sent becomes a test.
func (h *harness) testAddress(t *testing.T, w workflow) string {
	t.Helper()
	var source struct{ TestWebhookURL string }
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/source/", nil, &source, http.StatusOK)
	return source.TestWebhookURL
}

// A listed is an entry of any list.
type listed struct {
	ID      string
	State   string
	Attempt int
	Test    bool
}

// list is what a list has with a query.
func (h *harness) list(t *testing.T, w workflow, what, query string) (found []listed) {
	t.Helper()
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/"+what+"/"+query, nil, &found, http.StatusOK)
	return found
}

func TestATestIsMarkedAndReachesTheTestReceiverAlone(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	h := open(t, options{smtp: box.Start(t)})
	w := h.createWorkflow(t, object{"name": "Letters"})
	template := h.write(t, "Letter", strings.Repeat("Dear {{Name}}\n", 120))
	h.addDocument(t, w, template, object{"outputName": "Open letter to {{Name}}", "createPdfCopy": true, "email": toCustomer})
	h.addDocument(t, w, template, object{"outputName": "Letter to {{Name}}", "createPdfCopy": true, "removeOutput": true, "enablePdfPassword": true, "pdfPassword": "open-{{Name}}"})
	live := newReceiver(t)
	h.register(t, w, live)
	tests := h.tester(t, w)

	postObject(t, h.testAddress(t, w), object{"Name": "Ada", "Email": "ada@example.org"})
	for range 2 {
		got := tests.next(t)
		if got.test != "true" || !got.event.Data.Test || got.event.Type != "DOCUMENTS_CREATED" {
			t.Errorf("event: got header %q and %+v, want it to say that it is of a test", got.test, got.event)
		}
		pdf := got.event.Data.Documents[0]
		if !strings.HasPrefix(pdf.Name, "[TEST] ") || !strings.HasSuffix(pdf.Name, "etter to Ada.pdf") {
			t.Errorf("name: got %q, want it to begin with [TEST]", pdf.Name)
		}
		password := ""
		if pdf.Protection == "password" {
			password = "open-Ada"
		}
		content, _ := get(t, pdf.URL)
		wantMarked(t, newPaper(t, content), password)
	}
	var run listed
	eventually(t, "the test has ended", func() error {
		found := h.list(t, w, "automations", "?test=true")
		if len(found) != 1 || found[0].State != string(platen.AutomationCompleted) || !found[0].Test {
			return fmt.Errorf("got %+v", found)
		}
		run = found[0]
		return nil
	})
	if state, code, _ := h.mailOf(t, w, run.ID); state != "NOT_SENT" || code != "test_mode" {
		t.Errorf("mail: got %s, %q, want NOT_SENT, test_mode", state, code)
	}
	if mails := box.Mails(); len(mails) > 0 {
		t.Errorf("the customer got %d mails, want none", len(mails))
	}
	live.quiet(t)
	for what, n := range map[string]int{"automations": 1, "outputs": 2, "events": 2} {
		if found := h.list(t, w, what, ""); len(found) > 0 {
			t.Errorf("%s: got %+v, want no tests among them", what, found)
		}
		if found := h.list(t, w, what, "?test=true"); len(found) != n || !found[0].Test {
			t.Errorf("%s of tests: got %+v, want %d", what, found, n)
		}
	}

	postObject(t, w.Source.WebhookURL, object{"Name": "Bob", "Email": "bob@example.org"})
	for range 2 {
		if got := live.next(t); got.test != "" || got.event.Data.Test || strings.HasPrefix(got.event.Data.Documents[0].Name, "[TEST]") {
			t.Errorf("event of no test: got header %q and %+v", got.test, got.event)
		}
	}
	tests.quiet(t)
}

// wantMarked looks at each page, and at the encryption.
func wantMarked(t *testing.T, p paper, password string) {
	t.Helper()
	pages := strings.Split(strings.TrimSuffix(p.text(t, password), "\f"), "\f")
	if len(pages) < 2 {
		t.Fatalf("got %d pages, want several", len(pages))
	}
	for i, page := range pages {
		if !says(page, "TEST") {
			t.Errorf("page %d has no mark: %.100q", i+1, page)
		}
	}
	if said, ok := witness(t, "qpdf", "--check", "--password="+password, string(p)); !ok {
		t.Errorf("qpdf --check: %s", said)
	}
	if said, _ := witness(t, "qpdf", "--show-encryption", "--password="+password, string(p)); strings.Contains(said, "not encrypted") != (password == "") {
		t.Errorf("password %q: qpdf says %s", password, said)
	}
}

func TestARetryOfATestIsATest(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	live := newReceiver(t)
	w := h.letter(t, live, object{"createPdfCopy": true, "onMissing": "fail"})
	tests := h.tester(t, w)
	postObject(t, h.testAddress(t, w), object{"Other": "Ada"})
	failed := tests.next(t)
	if failed.event.Type != "DOCUMENT_FAILED" || !failed.event.Data.Test {
		t.Fatalf("got %+v, want DOCUMENT_FAILED of a test", failed.event)
	}
	at := "/workflows/" + w.ID + "/automations/" + failed.event.Data.AutomationID + "/"
	eventually(t, "it has failed", func() error {
		var a listed
		h.call(t, http.MethodGet, at, nil, &a, http.StatusOK)
		if a.State != string(platen.AutomationFailed) {
			return fmt.Errorf("got %+v", a)
		}
		return nil
	})
	h.call(t, http.MethodPost, at+"retry/", nil, nil, http.StatusAccepted)
	if again := tests.next(t); again.event.Type != "DOCUMENT_FAILED" || !again.event.Data.Test || again.id == failed.id {
		t.Errorf("after the retry: got %+v, want another DOCUMENT_FAILED of a test", again.event)
	}
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/events/"+failed.id+"/redeliver/", nil, nil, http.StatusAccepted)
	if again := tests.next(t); again.id != failed.id || again.test != "true" {
		t.Errorf("redelivered: got %+v, want the first event at the test receiver", again.event)
	}
	live.quiet(t)
}
