package activities_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// mailedAll is a mail about an invoice that brings a contract, too.
func mailedAll(email platen.Email) (*post, *activities.Mails) {
	email.AllOutputs = true
	p, m := mailed(email, ada)
	contract := p.plan.Documents[0]
	contract.OutputID, contract.Document.ID, contract.Document.Email = "out_2", "doc_2", nil
	p.plan.Documents = append(p.plan.Documents, contract)
	o := p.outputs["out_1"]
	pdf := platen.File{ID: "pdf2", Name: "Contract Ada.pdf", URL: "https://drive/pdf2"}
	p.files["pdf2"] = stored{File: pdf, content: "%PDF contract"}
	o.ID, o.DocumentID, o.PDF, o.PDFID = "out_2", "doc_2", &pdf, "pdf2"
	p.outputs["out_2"] = o
	return p, m
}

// second changes the output of the contract.
func (p *post) second(change func(*platen.Output)) {
	o := p.outputs["out_2"]
	change(&o)
	p.outputs["out_2"] = o
}

// gather makes the steps by which a run sends the mail.
func (p *post) gather(t *testing.T, m *activities.Mails) platen.MailState {
	t.Helper()
	p.leased, m.Documents = false, p.documents() // another process
	result, err := m.GatherOutputs(t.Context(), stepOfMail)
	if err == nil && result.State == platen.MailPending {
		result, err = m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail, InRun: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	return result.State
}

func TestOneMailBringsTheOutputsOfAllDocuments(t *testing.T) {
	t.Parallel()
	p, m := mailedAll(toAda)
	for range 2 {
		if got := p.gather(t, m); got != platen.MailSent {
			t.Fatalf("got %s, want SENT", got)
		}
	}
	if len(p.letters) != 1 {
		t.Fatalf("got %d letters, want 1", len(p.letters))
	}
	if got, want := fmt.Sprintf("%s", p.letters[0].Files), "[{Letter Ada.pdf application/pdf %PDF} {Contract Ada.pdf application/pdf %PDF contract}]"; got != want {
		t.Errorf("files: got %s, want %s", got, want)
	}
	if !slices.Equal(p.mail.Outputs, []string{"out_1", "out_2"}) {
		t.Errorf("outputs: got %v, want both", p.mail.Outputs)
	}
}

func TestAMailOfAllOutputsWaitsForEachOfThem(t *testing.T) {
	t.Parallel()
	for _, state := range []platen.OutputState{platen.OutputPending, platen.OutputReview} {
		for _, id := range []string{"out_1", "out_2"} {
			p, m := mailedAll(toAda)
			o := p.outputs[id]
			o.State = state
			p.outputs[id] = o
			if got := p.gather(t, m); got != "" || p.mail != nil || len(p.letters) > 0 {
				t.Errorf("%s is %s: got %q, %+v and %d letters, want nothing yet", id, state, got, p.mail, len(p.letters))
			}
			o.State = platen.OutputDone
			p.outputs[id] = o
			if got := p.gather(t, m); got != platen.MailSent || len(p.letters[0].Files) != 2 {
				t.Errorf("%s is made: got %s, want SENT with both", id, got)
			}
		}
	}
}

func TestAMailOfAllOutputsFailsWithOneAndARetryBeginsIt(t *testing.T) {
	t.Parallel()
	p, m := mailedAll(toAda)
	p.second(func(o *platen.Output) { o.State, o.FailureCode = platen.OutputFailed, "tag_unknown" })
	for range 2 {
		if got := p.gather(t, m); got != platen.MailFailed || p.mail.Code != platen.CodeEmailOutputMissing || len(p.letters) > 0 {
			t.Fatalf("got %s, %+v and %d letters, want FAILED", got, p.mail, len(p.letters))
		}
	}
	if want := "The mail is to bring all outputs of its run, and that of document doc_2 failed (tag_unknown): retry the automation, or take email.allOutputs away."; p.mail.Message != want {
		t.Errorf("got %q, want %q", p.mail.Message, want)
	}
	p.second(func(o *platen.Output) { o.State = platen.OutputDone })
	if got := p.gather(t, m); got != platen.MailSent || len(p.letters) != 1 || len(p.letters[0].Files) != 2 {
		t.Errorf("after the retry: got %s and %+v, want SENT with both", got, p.letters)
	}
}

func TestAMailOfAllOutputsEndsWithACancelledRun(t *testing.T) {
	t.Parallel()
	p, m := mailedAll(toAda)
	p.second(func(o *platen.Output) { o.State, o.FailureCode = platen.OutputFailed, platen.CodeCancelled })
	if got := p.gather(t, m); got != platen.MailFailed || p.mail.Code != platen.CodeCancelled {
		t.Errorf("got %s, %+v, want FAILED as cancelled", got, p.mail)
	}
}

// What happens to an output between two attempts leaves no part out.
func TestNoAttemptSendsAMailWithAPartMissing(t *testing.T) {
	t.Parallel()
	for state, want := range map[platen.OutputState]platen.MailState{platen.OutputPending: platen.MailPending, platen.OutputReview: platen.MailPending, platen.OutputFailed: platen.MailFailed} {
		for _, number := range []int{0, 2} {
			p, m := mailedAll(toAda)
			p.second(func(o *platen.Output) { o.State = state })
			_, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail, Number: number})
			if p.mail.State != want || p.mail.Code != platen.CodeEmailOutputMissing || len(p.letters) > 0 || (err != nil) != (want == platen.MailPending) {
				t.Errorf("%s, mail %d: got %+v, %v and %d letters, want %s", state, number, p.mail, err, len(p.letters), want)
			}
		}
	}
}

func TestAllFilesOfAMailHaveOneLimit(t *testing.T) {
	t.Parallel()
	const half = platen.MaxEmailAttached/2 + 1
	large := func(p *post, known bool) {
		for _, id := range []string{"out_1", "out_2"} {
			o := p.outputs[id]
			pdf := *o.PDF
			if known {
				pdf.Size = half
			}
			o.PDF = &pdf
			p.outputs[id] = o
			f := p.files[pdf.ID]
			f.content = strings.Repeat("x", half)
			p.files[pdf.ID] = f
		}
	}
	for _, known := range []bool{true, false} {
		p, m := mailedAll(toAda)
		large(p, known)
		const want = "The 2 files of the mail have 10.0 MiB together, or more: they are larger than the 10 MiB that a mail may bring: set email.linkDays, or email.attach to link."
		if got := p.gather(t, m); got != platen.MailFailed || p.mail.Code != platen.CodeEmailTooLarge || p.mail.Message != want {
			t.Errorf("got %s, %+v, want FAILED with the size", got, p.mail)
		}
		email := toAda
		email.LinkDays = 30
		p, m = mailedAll(email)
		m.Link = func(_, id string) string { return "https://api/mailed/" + id }
		large(p, known)
		if got := p.gather(t, m); got != platen.MailSent {
			t.Fatalf("with links: got %s, want SENT", got)
		}
		if l := p.letters[0]; l.Files != nil || l.Text != "Dear Ada\n\nLetter Ada.pdf\nhttps://api/mailed/out_1\n\nContract Ada.pdf\nhttps://api/mailed/out_1~out_2\n" {
			t.Errorf("got %+v, want a link to each", l)
		}
	}
}

func TestAMailOfAllOutputsNamesTheDocumentWithoutAPDF(t *testing.T) {
	t.Parallel()
	link := toAda
	link.Attach, link.LinkDays = platen.AttachLink, 30
	for _, email := range []platen.Email{toAda, link} {
		p, m := mailedAll(email)
		m.Link = func(_, id string) string { return "https://api/mailed/" + id }
		p.second(func(o *platen.Output) { o.PDF, o.Copy = nil, &platen.File{ID: "copy"} })
		if got := p.gather(t, m); got != platen.MailFailed || p.mail.Code != platen.CodeEmailWithoutPDF || !strings.Contains(p.mail.Message, "doc_2") {
			t.Errorf("%s: got %s, %+v, want FAILED", email.Attach, got, p.mail)
		}
	}
}

// The office file of a document whose PDF people approve leaves with no other document's mail.
func TestAMailOfAllOutputsBringsNoFileThatNobodyApproved(t *testing.T) {
	t.Parallel()
	email := toAda
	email.Attach = platen.AttachOffice
	p, m := mailedAll(email)
	for _, id := range []string{"out_1", "out_2"} {
		o := p.outputs[id]
		o.Copy = &platen.File{ID: "copy", Name: "Letter"}
		p.outputs[id] = o
	}
	p.plan.Documents[1].Document.Approval = &platen.Approval{By: []string{"lead@example.com"}}
	if got := p.gather(t, m); got != platen.MailFailed || p.mail.Code != platen.CodeApprovalOfPDF || len(p.letters) > 0 {
		t.Errorf("got %s, %+v, want FAILED", got, p.mail)
	}
}

func TestAWorkerThatDiesSendsTheSameLetterOfAllOutputsOrNone(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for at := 1; at <= 12; at++ {
			p, m := mailedAll(toAda)
			p.dieAt, p.dieAfter = at, after
			if gathered, err := m.GatherOutputs(t.Context(), stepOfMail); err == nil && gathered.State == platen.MailPending {
				_, _ = m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
			}
			p.dieAt = 0
			again := &activities.Mails{Documents: p.documents(), Store: p, Server: p}
			if got := p.gather(t, again); got != platen.MailSent || len(p.letters) > 2 {
				t.Fatalf("at call %d, after it %t: got %s and %d letters, want SENT", at, after, got, len(p.letters))
			}
			for _, l := range p.letters {
				if fmt.Sprint(l) != fmt.Sprint(p.letters[0]) || len(l.Files) != 2 {
					t.Errorf("at call %d, after it %t: got %+v, want the same letter with both", at, after, l)
				}
			}
		}
	}
}

func TestFilesOfAMailHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, attach := range []platen.Attachment{platen.AttachPDF, platen.AttachLink, platen.AttachOffice} {
		email := toAda
		email.Attach, email.HTML = attach, "<p>Dear Ada</p>"
		p, m := mailedAll(email)
		for id, name := range map[string]string{"out_1": "Letter Ada", "out_2": "letter ada"} {
			o := p.outputs[id]
			pdf := *o.PDF
			pdf.Name = name + ".pdf"
			o.PDF, o.Copy = &pdf, &platen.File{ID: o.PDF.ID, Name: name}
			p.outputs[id] = o
		}
		if got := p.gather(t, m); got != platen.MailSent {
			t.Fatalf("%q: got %s, want SENT", attach, got)
		}
		l, want := p.letters[0], "letter ada (2)"
		var names []string
		for _, f := range l.Files {
			names = append(names, f.Name)
		}
		all := strings.Join(names, "\n")
		if attach == platen.AttachLink {
			all = l.HTML
			if !strings.Contains(l.Text, "Letter Ada.pdf\nhttps://drive/pdf\n\n"+want+".pdf\nhttps://drive/pdf2\n") {
				t.Errorf("got the text %q, want both names", l.Text)
			}
		}
		if !strings.Contains(all, want+".") {
			t.Errorf("%q: got %q, want %q", attach, all, want)
		}
	}
}
