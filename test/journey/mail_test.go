package journey

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
	"github.com/platenhq/platen/internal/testkit/pages"
)

// mailOf is what the automation's answer says of the mail about its one output.
func (h *harness) mailOf(t *testing.T, w workflow, automation string) (state, code string, attempts int) {
	t.Helper()
	var a struct {
		Outputs []struct {
			Mail struct {
				State    string
				Attempts int
				Error    *struct{ Code string }
			}
		}
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+automation+"/", nil, &a, http.StatusOK)
	m := a.Outputs[0].Mail
	if m.Error != nil {
		code = m.Error.Code
	}
	return m.State, code, m.Attempts
}

var toCustomer = object{"to": "{{Email}}", "subject": "Letter for {{Name}}", "text": "Dear {{Name}}", "attach": "pdf"}

func (h *harness) mailing(t *testing.T) workflow {
	t.Helper()
	return h.letter(t, nil, object{"outputName": "Letter for {{Name}}", "createPdfCopy": true, "removeOutput": true, "email": toCustomer})
}

func playMailed(t *testing.T) (*harness, map[string]run) {
	var box mailbox.Box
	h, id := playMail(t, &box)
	return h, map[string]run{"run-mailed": {id: id}}
}

func allToCustomer() object {
	all := maps.Clone(toCustomer)
	all["allOutputs"] = true
	return all
}

// One of three outputs waits for people, and one fails until its automation is retried: the
// customer gets one mail, with all of them.
func TestACustomerGetsAllOutputsInOneMailOnceTheLastIsMade(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	h := open(t, options{smtp: box.Start(t), schedule: ten, idle: true})
	g := h.behind(t)
	w := h.letter(t, nil,
		object{"outputName": "Invoice for {{Name}}", "createPdfCopy": true, "email": allToCustomer()},
		object{"outputName": "Contract for {{Name}}", "createPdfCopy": true, "approval": object{"by": []string{email}}})
	terms := h.addDocument(t, w, h.write(t, "Terms", "Dear {{Name}}"), object{"outputName": "Terms for {{Name}}", "createPdfCopy": true})
	g.set(func(r *http.Request) verdict {
		if isCopy(r) && r.URL.Path == "/drive/v3/files/"+terms.File.ID+"/copy" {
			return verdict{status: http.StatusNotFound}
		}
		return verdict{}
	})
	toCustomers := func() (all []mailbox.Received) {
		for _, m := range box.Mails() {
			if slices.Contains(m.To, "ada@example.org") {
				all = append(all, m)
			}
		}
		return all
	}
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org"})
	automation, output := h.inReview(t, w)
	if got := toCustomers(); len(got) != 0 {
		t.Fatalf("while an output waits: got %d mails, want none", len(got))
	}
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outputs/"+output+"/approve/", nil, nil, http.StatusOK)
	h.finished(t, w.ID, platen.AutomationFailed)
	if state, code, attempts := h.mailOf(t, w, automation); state != "FAILED" || code != platen.CodeEmailOutputMissing || attempts != 0 {
		t.Errorf("with one that failed: got %s, %q in %d attempts, want FAILED", state, code, attempts)
	}
	g.open()
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/automations/"+automation+"/retry/", nil, nil, http.StatusAccepted)
	h.finished(t, w.ID, platen.AutomationCompleted)
	if state, code, attempts := h.mailOf(t, w, automation); state != "SENT" || code != "" || attempts != 1 {
		t.Errorf("after the retry: got %s, %q in %d attempts, want SENT in one", state, code, attempts)
	}
	got := toCustomers()
	if len(got) != 1 {
		t.Fatalf("got %d mails, want one", len(got))
	}
	for _, name := range []string{"Invoice", "Contract", "Terms"} {
		if !strings.Contains(got[0].Text, `"`+name+` for Ada.pdf"`) {
			t.Errorf("the mail brings no %s", name)
		}
	}
}

// One mail brings what the run makes of two documents.
func playMailedAll(t *testing.T) (*harness, map[string]run) {
	var box mailbox.Box
	h := open(t, options{schedule: ten, smtp: box.Start(t)})
	w := h.letter(t, nil,
		object{"outputName": "Invoice for {{Name}}", "createPdfCopy": true, "email": allToCustomer()},
		object{"outputName": "Contract for {{Name}}", "createPdfCopy": true})
	postObject(t, w.Source.WebhookURL, object{"Name": canary + "-Ada", "Email": canary + "@example.com"})
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	letters := box.Mails()
	if len(letters) != 1 {
		t.Fatalf("got %d mails, want one", len(letters))
	}
	for _, name := range []string{"Invoice for", "Contract for"} {
		if !strings.Contains(letters[0].Text, name) {
			t.Errorf("the mail does not bring %q:\n%.2000s", name, letters[0].Text)
		}
	}
	return h, map[string]run{"run-mailed-together": {id: a.id}}
}

// The mail server takes the first attempt and does not say so.
func playMailedAfterARetry(t *testing.T) (*harness, map[string]run) {
	box := mailbox.Box{Lose: 1}
	h, id := playMail(t, &box)
	var output string
	if err := h.database.QueryRow(t.Context(), `SELECT id FROM outputs WHERE automation_id = $1`, id).Scan(&output); err != nil {
		t.Fatal(err)
	}
	return h, map[string]run{"run-first-mail-failed": {id: id}, "mail-after-a-retry": {id: "mail-" + output}}
}

func playMail(t *testing.T, box *mailbox.Box) (h *harness, automation string) {
	t.Helper()
	h = open(t, options{schedule: ten, smtp: box.Start(t)})
	w := h.letter(t, nil, object{"outputName": "Letter for {{Name}}", "createPdfCopy": true, "email": object{"to": "{{Name}}@example.org", "subject": "Letter", "text": "Dear {{Name}}"}})
	send(t, w)
	return h, h.finished(t, w.ID, platen.AutomationCompleted).id
}

func TestACustomerGetsTheOutputByMail(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	h := open(t, options{smtp: box.Start(t)})
	w := h.mailing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org"})
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	if state, code, attempts := h.mailOf(t, w, a.id); state != "SENT" || code != "" || attempts != 1 {
		t.Errorf("got %s, %q in %d attempts, want SENT in one", state, code, attempts)
	}
	metrics := h.shown(t, "/metrics")
	for _, want := range []string{`platen_mails_total{code="",kind="output",state="SENT"} 1`, "platen_mail_send_duration_seconds_count 1"} {
		if !strings.Contains(metrics, "\n"+want+"\n") {
			t.Errorf("metrics: want %s", want)
		}
	}
	got := box.Mails()
	if len(got) != 1 || len(got[0].To) != 1 || got[0].To[0] != "ada@example.org" {
		t.Fatalf("got %+v, want one mail to ada@example.org", got)
	}
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF-"))[:6]
	for _, want := range []string{"Subject: Letter for Ada", "Dear Ada", "application/pdf", `"Letter for Ada.pdf"`, pdf, "Message-ID: <out_"} {
		if !strings.Contains(got[0].Text, want) {
			t.Errorf("the mail has no %q", want)
		}
	}
}

// The mail server takes the mail and dies before it says so: the run is over by then,
// and a program that knows the Message-ID shows one mail.
func TestAMailWhoseAnswerIsLostIsSentOnceMoreUnderItsMessageID(t *testing.T) {
	t.Parallel()
	box := mailbox.Box{Lose: 1}
	h := open(t, options{smtp: box.Start(t)})
	w := h.mailing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org"})
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	eventually(t, "the mail SENT", func() error {
		if state, code, attempts := h.mailOf(t, w, a.id); state != "SENT" || attempts != 2 {
			return fmt.Errorf("got %s, %s in %d attempts", state, code, attempts)
		}
		return nil
	})
	if got := box.Mails(); len(got) != 2 || got[0].Text != got[1].Text {
		t.Errorf("got %d mails that are not alike, want two copies of one", len(got))
	}
}

func TestAnAddressThatIsRefusedFailsTheMailAlone(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	box := mailbox.Box{Refuse: func(string) error {
		asked.Add(1)
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "nobody"}
	}}
	h := open(t, options{smtp: box.Start(t)})
	w := h.mailing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org"})
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	if state, code, _ := h.mailOf(t, w, a.id); state != "FAILED" || code != platen.CodeEmailAddressRefused || asked.Load() != 1 {
		t.Errorf("got %s, %q after %d tries, want FAILED, %s after one", state, code, asked.Load(), platen.CodeEmailAddressRefused)
	}
	if strings.Contains(h.log.String(), "ada@example.org") {
		t.Error("the log names the customer's address")
	}
}

// The customer has a new address: the same PDF goes there, and nothing is made again.
func TestAnOutputIsMailedAgainAsPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("the page reads JSON with node, which is not on this machine")
	}
	box := mailbox.Box{Refuse: func(to string) error {
		if to == "ada@old.example" {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "nobody"}
		}
		return nil
	}}
	h := open(t, options{smtp: box.Start(t)})
	w := h.mailing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@old.example"})
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	var unsent []struct{ ID, AutomationID string }
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/?mail=FAILED", nil, &unsent, http.StatusOK)
	if len(unsent) != 1 || unsent[0].AutomationID != a.id {
		t.Fatalf("got %+v, want the output whose mail FAILED", unsent)
	}
	before := fmt.Sprintf(`
API=%s TOKEN=%s WORKFLOW=%s
json() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }
`, h.api, h.token, w.ID)
	if said := shell(t, reader+before+strings.ReplaceAll(pages.Typed(t, "docs/mails.md", "Mail an output again"), "out_…", unsent[0].ID)); said != "PENDING\n" {
		t.Errorf("got %q, want the mail PENDING", said)
	}
	eventually(t, "the mail SENT", func() error {
		if state, code, _ := h.mailOf(t, w, a.id); state != "SENT" {
			return fmt.Errorf("got %s, %s", state, code)
		}
		return nil
	})
	got := box.Mails()
	if len(got) != 1 || len(got[0].To) != 1 || got[0].To[0] != "ada@example.com" {
		t.Fatalf("got %+v, want one mail to ada@example.com", got)
	}
	for _, want := range []string{"Subject: Letter for Ada", "application/pdf", `"Letter for Ada.pdf"`, "Message-ID: <" + unsent[0].ID + ".2@"} {
		if !strings.Contains(got[0].Text, want) {
			t.Errorf("the mail has no %q", want)
		}
	}
	if n := len(h.automations(t, w.ID)); n != 1 {
		t.Errorf("got %d automations, want the one", n)
	}
	if strings.Contains(h.log.String(), "ada@example.com") {
		t.Error("the log names the customer's address")
	}
}

func TestWithoutAMailServerNoDocumentMayAskForMails(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), nil)
	h.call(t, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+d.ID+"/", object{"email": toCustomer}, nil, http.StatusBadRequest)
}

func TestAnOwnerIsMailedWhenAWorkflowBeginsToFail(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	h := open(t, options{smtp: box.Start(t), idle: true})
	h.worker.SMTPNotices = config.Switch{Setting: config.Of(true)}
	w := h.createWorkflow(t, object{"name": "Invoices"})
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	if _, err := h.database.Exec(t.Context(), `
		UPDATE automations
		SET state = 'FAILED', reason = '', finished_at = now(), failure_code = 'template_faulty', failure = 'Why.'
		WHERE workflow_id = $1`, w.ID); err != nil {
		t.Fatal(err)
	}
	h.startWorker(t, h.parts.Running, slog.New(slog.NewTextHandler(h.log, nil)))
	select {
	case <-box.Came():
	case <-time.After(patience):
		t.Fatal("no mail came")
	}
	got := box.Mails()[0]
	for _, want := range []string{`Subject: Workflow "Invoices" failed`, "Why. (template_faulty)", "/console/workflows/" + w.ID + "/"} {
		if !strings.Contains(strings.ReplaceAll(got.Text, "=\r\n", ""), want) {
			t.Errorf("the mail has no %q:\n%s", want, got.Text)
		}
	}
	if got.To[0] != email {
		t.Errorf("got a mail to %q, want one to %s", got.To, email)
	}
}

func TestTheMailsPageWorksAsPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("the page reads JSON with node, which is not on this machine")
	}
	var box mailbox.Box
	h := open(t, options{smtp: box.Start(t), idle: true})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), object{})
	here := strings.NewReplacer("http://127.0.0.1:8080/v0", h.api, "plt_…", h.token, "wkf_…", w.ID, "doc_…", d.ID)
	first := reader + here.Replace(pages.Typed(t, "docs/mails.md", "Send outputs by mail"))
	if said := shell(t, first); said != "{{Email}}\n" {
		t.Errorf("got %q, want the address that was set", said)
	}
}

// The mail server refuses one of three addresses: the others get the mail, and a second one
// goes to that address alone.
func TestAMailToSeveralPeopleIsSentAsPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("the page reads JSON with node, which is not on this machine")
	}
	var opened atomic.Bool
	box := mailbox.Box{Refuse: func(to string) error {
		if to == "bob@example.org" && !opened.Load() {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "nobody"}
		}
		return nil
	}}
	h := open(t, options{smtp: box.Start(t)})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), object{"createPdfCopy": true})
	setting, listing, _ := strings.Cut(pages.Typed(t, "docs/mails.md", "Write to several people"), "OUTPUT=")
	here := func(output string) *strings.Replacer {
		return strings.NewReplacer("http://127.0.0.1:8080/v0", h.api, "plt_…", h.token, "wkf_…", w.ID, "doc_…", d.ID, "out_…", output)
	}
	settings := reader + here("").Replace(pages.Typed(t, "docs/mails.md", "Send outputs by mail"))
	if said := shell(t, settings+here("").Replace(setting)); said != "{{Email}}\narchive@example.com\n" {
		t.Errorf("got %q, want the addresses that were set", said)
	}
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org", "Accountant": "bob@example.org", "Clerk": "carl@example.com", "Number": 7})
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	var made struct{ Outputs []struct{ ID string } }
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+a.id+"/", nil, &made, http.StatusOK)
	output := made.Outputs[0].ID
	said := shell(t, settings+here(output).Replace("OUTPUT="+listing))
	for _, want := range []string{"ada@example.org", "bob@example.org", "REFUSED", "550 5.1.1", "archive@example.com"} {
		if !strings.Contains(said, want) {
			t.Errorf("got %s, want %s in it", said, want)
		}
	}
	if state, code, _ := h.mailOf(t, w, a.id); state != "PARTLY_SENT" || code != platen.CodeEmailAddressRefused {
		t.Errorf("got %s, %s, want PARTLY_SENT", state, code)
	}
	opened.Store(true)
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outputs/"+output+"/mail/", nil, nil, http.StatusAccepted)
	eventually(t, "the mail SENT", func() error {
		if state, code, _ := h.mailOf(t, w, a.id); state != "SENT" {
			return fmt.Errorf("got %s, %s", state, code)
		}
		return nil
	})
	got := box.Mails()
	if len(got) != 2 || fmt.Sprint(got[0].To, got[1].To) != "[ada@example.org archive@example.com] [bob@example.org]" {
		t.Fatalf("got %+v, want a mail to two, and one to the third", got)
	}
	for _, want := range []string{"To: <ada@example.org>", "Cc: <bob@example.org>", "Reply-To: <carl@example.com>"} {
		if !strings.Contains(got[1].Text, want) {
			t.Errorf("the mail has no %q:\n%s", want, got[1].Text)
		}
	}
	if strings.Contains(got[0].Text+got[1].Text, "archive@") {
		t.Error("a mail names a recipient of Bcc")
	}
}

// A mail in HTML is filled with the event: values are text in it, in the workflow's locale.
func TestAMailInHTMLIsSentAsPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("the page reads JSON with node, which is not on this machine")
	}
	var box mailbox.Box
	h := open(t, options{smtp: box.Start(t)})
	w := h.createWorkflow(t, object{"name": "Letters", "locale": "de-CH"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), object{"createPdfCopy": true})
	here := strings.NewReplacer("http://127.0.0.1:8080/v0", h.api, "plt_…", h.token, "wkf_…", w.ID, "doc_…", d.ID)
	if said := shell(t, reader+here.Replace(pages.Typed(t, "docs/mails.md", "Send outputs by mail")+pages.Typed(t, "docs/mails.md", "Write mails in HTML"))); !strings.Contains(said, "{{#each Items}}") {
		t.Errorf("got %q, want the HTML that was set", said)
	}
	h.call(t, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+d.ID+"/", object{"email": object{"to": "{{Email}}", "subject": "s", "html": "<img src=https://example.com/x.png>"}}, nil, http.StatusBadRequest)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada <b>", "Email": "ada@example.org", "Number": 7, "Items": []object{{"What": "Tee", "Price": 1234.5}}})
	h.finished(t, w.ID, platen.AutomationCompleted)
	got := strings.ReplaceAll(box.Mails()[0].Text, "=\r\n", "")
	for _, want := range []string{"multipart/alternative", `<html lang=3D"de-CH">`, "<p>Dear Ada &lt;b&gt;,</p>", "Dear Ada <b>,", "1&#39;234.50", "application/pdf"} {
		if !strings.Contains(got, want) {
			t.Errorf("the mail has no %q:\n%.4000s", want, got)
		}
	}
}

func TestALinkIsSentAsPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("the page reads JSON with node, which is not on this machine")
	}
	var box mailbox.Box
	h := open(t, options{smtp: box.Start(t)})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), object{"createPdfCopy": true})
	here := strings.NewReplacer("http://127.0.0.1:8080/v0", h.api, "plt_…", h.token, "wkf_…", w.ID, "doc_…", d.ID)
	if said := shell(t, reader+here.Replace(pages.Typed(t, "docs/mails.md", "Send outputs by mail")+pages.Typed(t, "docs/mails.md", "Send a link"))); said != "{{Email}}\n30\n" {
		t.Errorf("got %q, want the days that were set", said)
	}
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org", "Number": 7})
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	text := strings.ReplaceAll(box.Mails()[0].Text, "=\r\n", "")
	_, link, found := strings.Cut(text, "/mailed/")
	link = strings.TrimSuffix(h.api, "/v0") + "/mailed/" + strings.Fields(link)[0]
	if !found {
		t.Fatalf("the mail has no link:\n%s", text)
	}
	read := func() (int, string) {
		t.Helper()
		answer, err := http.Get(link)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	if status, body := read(); status != http.StatusOK || !strings.HasPrefix(body, "%PDF-") {
		t.Errorf("got %d, %.100q, want the PDF", status, body)
	}
	var made struct {
		Outputs []struct {
			ID   string
			Mail struct{ LinkUntil *time.Time }
		}
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+a.id+"/", nil, &made, http.StatusOK)
	if until := made.Outputs[0].Mail.LinkUntil; until == nil || time.Until(*until) < 29*24*time.Hour || time.Until(*until) > 31*24*time.Hour {
		t.Errorf("got a link until %v, want 30 days", until)
	}
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outputs/"+made.Outputs[0].ID+"/mail/revoke/", nil, nil, http.StatusOK)
	if status, body := read(); status != http.StatusNotFound || strings.Contains(body, "%PDF") {
		t.Errorf("revoked: got %d, %.100q, want nothing", status, body)
	}
}

// The program for one machine takes the settings of the mail server, too.
func TestMailsAreTriedOnOneMachineAsPrinted(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	v := visit(t)
	page := put(t, pages.Typed(t, "docs/mails.md", "Try mails on one machine"), "127.0.0.1:1025", box.Start(t))
	commands := terminals + page + `
platen login http://$API/v0 <"$DATA/demo-token"
platen workflows create Letters --file examples/letter.docx
DOCUMENT=$(platen documents list Letters | grep -o 'doc_[0-9A-Za-z]*' | head -1)
platen documents update Letters "$DOCUMENT" --pdf --mail-to ada@example.org --mail-subject Letter --mail-text Hello
platen trigger Letters examples/letter.json --wait
echo ` + allRan + "\nwait\n"
	said := typed(t, commands, append(v.settings, "API="+v.api, "DATA="+v.instance.DataDir)...)
	got := box.Mails()
	if len(got) != 1 || got[0].From != "invoices@example.com" || got[0].To[0] != "ada@example.org" {
		t.Errorf("got %+v, want the mail; the commands said %s", got, said)
	}
}

// What is printed goes into a file of settings: each line is a variable of the programs.
func TestTheMailServerIsSetUpAsPrinted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("programs trust a server of this test by SSL_CERT_FILE, which Go does not read on macOS")
	}
	web := httptest.NewTLSServer(nil) // for its certificate, which is that of 127.0.0.1
	t.Cleanup(web.Close)
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	if err := os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	box := mailbox.Box{User: "user", Password: "password", TLS: &tls.Config{Certificates: web.TLS.Certificates}}
	h := open(t, options{idle: true})
	b := h.beside(t, "SSL_CERT_FILE="+trusted)
	b.follow(t, "set -o allexport\n"+put(t, pages.Typed(t, "docs/mails.md", "Set up the mail server"), "mail.example.com:587", box.Start(t))+"platen serve\nplaten worker\n")
	b.ready(t)
	h.api, h.hooks = b.api, b.hooks
	w := h.mailing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org"})
	h.finished(t, w.ID, platen.AutomationCompleted)
	got := box.Mails()
	if len(got) != 1 || got[0].From != "invoices@example.com" || len(got[0].To) != 1 || got[0].To[0] != "ada@example.org" {
		t.Fatalf("got %+v, want one mail from invoices@example.com to ada@example.org", got)
	}
	if want := `From: "Example Ltd" <invoices@example.com>`; !strings.Contains(got[0].Text, want) {
		t.Errorf("the mail has no %q:\n%s", want, got[0].Text)
	}
}
