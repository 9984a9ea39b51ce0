package journey

import (
	"errors"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// approvers are asked about each letter whose amount is high.
var approvers = object{"by": []string{"lead@example.com"}, "when": "Total > 10000"}

// askedBy waits for the mail to an address, and returns the address of its page, which is not
// one of those in but.
func (h *harness) askedBy(t *testing.T, box *mailbox.Box, address string, but ...string) (link, text string) {
	t.Helper()
	eventually(t, "a mail to "+address, func() error {
		for _, m := range box.Mails() {
			if len(m.To) != 1 || m.To[0] != address {
				continue
			}
			raw, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(m.Text)))
			if err != nil {
				return err
			}
			text = string(raw)
			for field := range strings.FieldsSeq(text) {
				if strings.Contains(field, platen.ReviewsPath) && !slices.Contains(but, field) {
					link = field
					return nil
				}
			}
		}
		return errors.New("there is none with a link")
	})
	return link, text
}

// opened opens a page, or sends a form of it, in a browser that reads one language.
func opened(t *testing.T, method, address, language string, form url.Values) (status int, page string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Language", language)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := http.DefaultClient.Do(r)
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

func (h *harness) reviewing(t *testing.T) (box *mailbox.Box, r *receiver, w workflow) {
	t.Helper()
	box, r = &mailbox.Box{}, newReceiver(t)
	*h = *open(t, options{smtp: box.Start(t), schedule: ten})
	w = h.letter(t, r, object{"outputName": "Offer for {{Name}}", "createPdfCopy": true, "removeOutput": true, "email": toCustomer, "approval": approvers})
	return box, r, w
}

// inReview waits until the automation waits for people, and returns it.
func (h *harness) inReview(t *testing.T, w workflow) (automation, output string) {
	t.Helper()
	a := h.finished(t, w.ID, platen.AutomationReview)
	var found []struct {
		ID     string
		Review struct{ SHA256 string }
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/?state=REVIEW", nil, &found, http.StatusOK)
	if len(found) != 1 || len(found[0].Review.SHA256) != 64 {
		t.Fatalf("got %+v, want one output in REVIEW with the hash of its PDF", found)
	}
	return a.id, found[0].ID
}

func TestADocumentLeavesWhenItIsApproved(t *testing.T) {
	t.Parallel()
	var h harness
	box, r, w := h.reviewing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org", "Total": 20000})
	_, output := h.inReview(t, w)
	link, text := h.askedBy(t, box, "lead@example.com")
	if !strings.Contains(text, "Please approve: Offer for Ada") {
		t.Errorf("the mail does not say what it is about:\n%s", text)
	}

	// A scanner that follows the link decides nothing.
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		if status, _ := opened(t, method, link, "en", nil); status != http.StatusOK {
			t.Errorf("%s: got %d, want 200", method, status)
		}
	}
	status, page := opened(t, http.MethodGet, link, "de", nil)
	if status != http.StatusOK || !strings.Contains(page, "Bitte freigeben: Offer for Ada") || !strings.Contains(page, "document.pdf") {
		t.Errorf("got %d and a page without its words:\n%s", status, page)
	}
	if status, pdf := opened(t, http.MethodGet, link+"/document.pdf", "en", nil); status != http.StatusOK || !strings.HasPrefix(pdf, "%PDF-") {
		t.Errorf("the pages: got %d, %.20q", status, pdf)
	}
	for _, m := range box.Mails() {
		if m.To[0] == "ada@example.org" {
			t.Fatal("the customer got the document before it was approved")
		}
	}
	if events := h.events(t, w.ID); len(events) != 0 {
		t.Fatalf("got events %v before it was approved", events)
	}
	if open := h.openRuns(t); open != 0 {
		t.Errorf("got %d open runs, want none while it waits", open)
	}

	if status, page := opened(t, http.MethodPost, link, "en", url.Values{"decision": {"approve"}}); status != http.StatusOK || !strings.Contains(page, "You have approved this document") {
		t.Errorf("after the button: got %d\n%s", status, page)
	}
	if d := r.next(t); d.event.Type != platen.EventDocumentsCreated {
		t.Errorf("got event %s, want %s", d.event.Type, platen.EventDocumentsCreated)
	}
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	if state, code, _ := h.mailOf(t, w, a.id); state != "SENT" {
		t.Errorf("the mail is %s %q, want SENT", state, code)
	}
	// The same answer again is one decision, and another does not come through.
	opened(t, http.MethodPost, link, "en", url.Values{"decision": {"approve"}})
	opened(t, http.MethodPost, link, "en", url.Values{"decision": {"reject"}, "reason": {"Too late."}})
	var o []struct {
		State  string
		Files  []struct{ ID string }
		Review struct {
			Verdict string
			Answers []struct {
				By       string
				Approves bool
			}
		}
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/?id="+output, nil, &o, http.StatusOK)
	if len(o) != 1 || o[0].State != "DONE" || o[0].Review.Verdict != "APPROVED" || len(o[0].Review.Answers) != 1 || o[0].Review.Answers[0].By != "lead@example.com" {
		t.Errorf("got %+v, want it DONE, approved once", o)
	}
	var audited int
	if err := h.database.QueryRow(t.Context(), `SELECT count(*) FROM audit WHERE actor = 'approver' AND object_id = $1 AND action = 'approve by link' AND outcome = 'done' AND actor_id = 'approver 1'`, output).Scan(&audited); err != nil || audited == 0 {
		t.Errorf("the audit has %d entries (%v), want who approved", audited, err)
	}
}

func TestADocumentThatIsRejectedDoesNotLeave(t *testing.T) {
	t.Parallel()
	var h harness
	box, r, w := h.reviewing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org", "Total": 20000})
	automation, output := h.inReview(t, w)
	link, _ := h.askedBy(t, box, "lead@example.com")
	if status, page := opened(t, http.MethodPost, link, "fr", url.Values{"decision": {"reject"}}); status != http.StatusBadRequest || !strings.Contains(page, "Dites pourquoi") {
		t.Errorf("without a reason: got %d\n%s", status, page)
	}
	if status, page := opened(t, http.MethodPost, link, "es", url.Values{"decision": {"reject"}, "reason": {"Wrong town."}}); status != http.StatusOK || !strings.Contains(page, "Usted ha rechazado este documento") {
		t.Errorf("got %d\n%s", status, page)
	}
	if d := r.next(t); d.event.Type != platen.EventDocumentFailed {
		t.Errorf("got event %s, want %s", d.event.Type, platen.EventDocumentFailed)
	}
	h.finished(t, w.ID, platen.AutomationFailed)
	var o []struct {
		Error  struct{ Code string }
		Review struct{ Answers []struct{ Reason string } }
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/?id="+output, nil, &o, http.StatusOK)
	if len(o) != 1 || o[0].Error.Code != "approval_rejected" || len(o[0].Review.Answers) != 1 || o[0].Review.Answers[0].Reason != "Wrong town." {
		t.Errorf("got %+v, want it rejected, with its reason", o)
	}
	for _, m := range box.Mails() {
		if m.To[0] == "ada@example.org" {
			t.Error("the customer got a document that was rejected")
		}
	}

	// A retry makes it again, and asks again: the link of before leads nowhere.
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/automations/"+automation+"/retry/", nil, nil, http.StatusAccepted)
	h.inReview(t, w)
	if status, _ := opened(t, http.MethodGet, link, "en", nil); status != http.StatusGone {
		t.Errorf("the link of before: got %d, want 410", status)
	}
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/automations/"+automation+"/cancel/", nil, nil, http.StatusAccepted)
}

// What the condition is false for waits for nobody, and says so.
func TestASmallAmountWaitsForNobody(t *testing.T) {
	t.Parallel()
	var h harness
	_, r, w := h.reviewing(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Bob", "Email": "bob@example.org", "Total": 12})
	r.next(t)
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	var found struct {
		Skipped []struct{ Part, When string }
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+a.id+"/", nil, &found, http.StatusOK)
	if len(found.Skipped) != 1 || found.Skipped[0].Part != "approval" || found.Skipped[0].When != "Total > 10000" {
		t.Errorf("got %+v, want that the approval was skipped", found.Skipped)
	}
}

// playApproved is a run that ends in REVIEW, the one that a decision starts, and what looks
// after the output between them.
func playApproved(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten})
	r := newReceiver(t)
	w := h.letter(t, r, object{"outputName": "Letter for {{Name}}", "createPdfCopy": true, "removeOutput": true, "approval": object{"by": []string{email}}})
	send(t, w)
	automation, output := h.inReview(t, w)
	first, err := h.temporal.DescribeWorkflowExecution(t.Context(), automation, "")
	if err != nil {
		t.Fatal(err)
	}
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outputs/"+output+"/approve/", nil, nil, http.StatusOK)
	r.next(t)
	h.finished(t, w.ID, platen.AutomationCompleted)
	return h, map[string]run{
		"run-in-review":  {id: automation, runID: first.GetWorkflowExecutionInfo().GetExecution().GetRunId()},
		"run-approved":   {id: automation},
		"review-decided": {id: "review-" + output},
	}
}

// openRuns is how many automations take a place.
func (h *harness) openRuns(t *testing.T) (n int) {
	t.Helper()
	if err := h.database.QueryRow(t.Context(), `SELECT count(*) FROM automations WHERE state = 'RUNNING' AND parked_at IS NULL OR leased_until > now()`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Who is asked may correct the data by the link where the document lets them: the document is
// made again with its number, and all are asked once more.
func TestADocumentThatIsCorrectedIsMadeAgain(t *testing.T) {
	t.Parallel()
	box, r := &mailbox.Box{}, newReceiver(t)
	h := open(t, options{smtp: box.Start(t), schedule: ten})
	w := h.letter(t, r, object{"outputName": "Offer {{Number offers}} for {{Name}}", "createPdfCopy": true, "removeOutput": true, "numbers": []string{"offers"},
		"approval": object{"by": []string{"lead@example.com", email}, "correctByLink": true}})
	postObject(t, w.Source.WebhookURL, object{"Name": "Aad", "Total": 20000})
	automation, output := h.inReview(t, w)
	link, _ := h.askedBy(t, box, "lead@example.com")
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outputs/"+output+"/approve/", nil, nil, http.StatusOK)
	if _, page := opened(t, http.MethodGet, link, "de", nil); !strings.Contains(page, "Daten korrigieren") || !strings.Contains(page, `value="Aad"`) {
		t.Errorf("the page has no form for the data:\n%s", page)
	}
	if status, page := opened(t, http.MethodPost, link, "en", url.Values{"decision": {"correct"}, "v0": {"Ada"}, "v1": {"many"}}); status != http.StatusBadRequest || !strings.Contains(page, "Total must be a number") || !strings.Contains(page, `value="Ada"`) {
		t.Errorf("a number that is none: got %d\n%s", status, page)
	}
	if status, page := opened(t, http.MethodPost, link, "en", url.Values{"decision": {"correct"}, "v0": {"Aad"}, "v1": {"20000"}}); status != http.StatusBadRequest || !strings.Contains(page, "Change something first") {
		t.Errorf("nothing changed: got %d\n%s", status, page)
	}
	opened(t, http.MethodPost, link, "en", url.Values{"decision": {"correct"}, "v0": {"Ada"}, "v1": {"20000"}})
	type shown struct {
		State, Name string
		Review      struct {
			Round      int
			Answers    []object
			Correction struct {
				By     string
				Fields []string
			}
		}
	}
	var found []shown
	eventually(t, "the next round", func() error {
		found = nil
		h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/?id="+output, nil, &found, http.StatusOK)
		if len(found) != 1 || found[0].State != "REVIEW" || found[0].Review.Round != 2 {
			return fmt.Errorf("got %+v", found)
		}
		return nil
	})
	if o := found[0]; o.Name != "Offer 1 for Ada" || len(o.Review.Answers) != 0 || o.Review.Correction.By != "lead@example.com" || strings.Join(o.Review.Correction.Fields, " ") != "Name" {
		t.Errorf("got %+v, want offer 1 for Ada, which nobody has approved yet", o)
	}
	if status, _ := opened(t, http.MethodGet, link, "en", nil); status != http.StatusGone {
		t.Errorf("the link of before: got %d, want 410", status)
	}
	var data struct{ Data, SourceData object }
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/"+output+"/data/", nil, &data, http.StatusOK)
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+automation+"/", nil, &data, http.StatusOK)
	if data.Data["Name"] != "Ada" || data.SourceData["Name"] != "Aad" {
		t.Errorf("got %v, want the corrected data of the output, and what was sent of the automation", data)
	}
	next, _ := h.askedBy(t, box, "lead@example.com", link)
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outputs/"+output+"/approve/", object{"round": 1}, nil, http.StatusBadRequest)
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outputs/"+output+"/approve/", object{"round": 2}, nil, http.StatusOK)
	opened(t, http.MethodPost, next, "en", url.Values{"decision": {"approve"}})
	if d := r.next(t); d.event.Type != platen.EventDocumentsCreated {
		t.Errorf("got event %s, want %s", d.event.Type, platen.EventDocumentsCreated)
	}
	h.finished(t, w.ID, platen.AutomationCompleted)
	var audited int
	if err := h.database.QueryRow(t.Context(), `SELECT count(*) FROM audit WHERE actor = 'approver' AND object_id = $1 AND action = 'correct by link' AND outcome = 'done' AND fields = '{Name}'`, output).Scan(&audited); err != nil || audited != 1 {
		t.Errorf("the audit has %d entries (%v), want who corrected which field", audited, err)
	}
}
