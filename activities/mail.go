package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// Mails sends outputs by mail. Its methods are activities of RunAutomation and of
// DeliverMail.
type Mails struct {
	Documents *Documents
	Store     MailStore
	// Server is the mail server; nil: this installation sends no mail, and each mail
	// fails with platen.CodeEmailUnset.
	Server MailServer
	// Senders are the mail servers of owners, by which mails leave that name one.
	Senders *Senders
	// Link is the address at which everybody may read the file of a mail; nil: the public
	// address of the API is not known.
	Link func(workflowID, mailID string) string
	// ReturnPath is the address that a mail comes back to when it cannot be delivered. bounces is
	// MailSender.Bounces of its sender, and empty for the server of the installation. nil, also
	// what it returns: to the sender's, which nobody reads here.
	ReturnPath func(bounces string) func(outputID string, number int) string

	turns turns
}

// MailStore keeps the mails about outputs.
type MailStore interface {
	// BeginMail notes that an attempt begins, which nobody else makes for lease. A mail
	// that has ended is returned as it is. KindConflict: another attempt is under way.
	BeginMail(ctx context.Context, key platen.MailKey, lease time.Duration) (platen.Mail, error)
	// RecordMail stores the outcome of an attempt. PENDING: there is to be another.
	RecordMail(ctx context.Context, m platen.Mail) error
	// SkipMail notes that no mail is sent, and why.
	SkipMail(ctx context.Context, key platen.MailKey, code, message string) error
	// HoldMail notes why a mail waits that no attempt is made for now. One that has ended stays
	// as it is.
	HoldMail(ctx context.Context, key platen.MailKey, code, message string) error
	// GiveUpMail ends a mail that was not sent.
	GiveUpMail(ctx context.Context, key platen.MailKey, code, message string) error
	// ReopenMail has a mail sent that was given up with platen.CodeEmailOutputMissing before
	// an attempt began. Every other mail stays as it is.
	ReopenMail(ctx context.Context, key platen.MailKey) error
}

// MailServer takes letters.
type MailServer interface {
	// Host is where ids of letters are unique.
	Host() string
	// Deliver hands over a letter, and returns what became of each recipient that it is
	// for; nil: nothing. The error is nil if the server took it for all of these.
	// KindUnavailable: another time may do for those that are RecipientPending;
	// KindInvalid: it does not for any that is left.
	Deliver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error)
}

// MailInput names the output that is sent.
type MailInput struct {
	Step
	// Number is that of the mail; see platen.MailKey.
	Number int `json:",omitempty"`
	// InRun: the attempt is a step of the automation's run, which is not kept waiting for
	// another.
	InRun bool
}

func (in MailInput) key() platen.MailKey {
	return platen.MailKey{AutomationID: in.AutomationID, OutputID: in.OutputID, Number: in.Number}
}

// MailResult says where a mail stands.
type MailResult struct {
	State platen.MailState // empty: there is nothing to send
}

// mailsAtOnce is how many mails of one owner a worker sends at once: drives and mail
// servers that are slow for one are not to hold the others.
const mailsAtOnce = 4

// errMailWaits: other mails of the owner have all places.
var errMailWaits = &platen.Error{
	Kind: platen.KindRateLimited, Code: "mail_waits_for_others", RetryAfter: 2 * time.Second, Message: "Other mails of this owner are being sent; this one comes after them.",
}

// mailLease is longer than an attempt takes: when it expires, another may begin.
const mailLease = 8 * time.Minute

// SendMail makes one attempt to send the mail about an output that was made. A failure
// that another attempt cannot cure ends the mail, and is no error.
//
// Run twice: an attempt is noted before it is made, and no other begins meanwhile. If its
// outcome is lost, the attempt is repeated under the same Message-ID and with the same
// bytes, so that a server or a program that has the mail can leave the repeat out. A mail
// that is recorded as sent is not sent again.
func (m *Mails) SendMail(ctx context.Context, in MailInput) (MailResult, error) {
	result, err := m.send(ctx, in)
	if err != nil && in.InRun && MayPass(err) {
		return MailResult{State: platen.MailPending}, nil
	}
	return result, err
}

func (m *Mails) send(ctx context.Context, in MailInput) (MailResult, error) {
	j, err := m.Documents.job(ctx, in.Step)
	if err != nil {
		return MailResult{}, err
	}
	if j.plan.Test {
		err := m.Store.SkipMail(ctx, in.key(), platen.CodeTestMode, platen.MessageTestMode)
		return MailResult{State: platen.MailNotSent}, err
	}
	o, err := m.Documents.Outputs.Output(ctx, in.OutputID)
	if err != nil {
		return MailResult{}, fmt.Errorf("read output %s: %w", in.OutputID, err)
	}
	if o.State != platen.OutputDone || j.planned.Document.Email == nil && in.Number <= 1 {
		return MailResult{}, nil
	}
	by, err := m.carrier(ctx, j.plan.OwnerID, j.planned.Document.Email.SenderName())
	if e, ok := errors.AsType[*platen.Error](err); ok && platen.FailsAtSender(e.Code) { // the breaker is open
		if unnoted := m.Store.HoldMail(ctx, in.key(), e.Code, e.Message); unnoted != nil {
			return MailResult{}, unnoted
		}
	}
	if err != nil {
		return MailResult{}, err
	}
	defer by.giveBack()
	mail, err := m.Store.BeginMail(ctx, in.key(), mailLease)
	if err != nil || mail.State != platen.MailPending {
		return MailResult{State: mail.State}, err
	}
	return m.attempt(ctx, by, j, o, mail, in.InRun)
}

// GatherOutputs tells whether the mail about an output can bring those of all documents of
// its run: PENDING if so, and FAILED, noted with the mail, if one of them failed. An empty
// state: there is no mail, or an output is still to be made, and is asked about once it is.
//
// Run twice: a mail that was begun stays as it is.
func (m *Mails) GatherOutputs(ctx context.Context, in Step) (MailResult, error) {
	plan, err := m.Documents.Plans.PinnedPlan(ctx, in.AutomationID)
	if err != nil {
		return MailResult{}, fmt.Errorf("read the plan of %s: %w", in.AutomationID, err)
	}
	if _, ok := plan.Output(in.OutputID); !ok {
		return MailResult{}, platen.ErrForgotten("output " + in.OutputID)
	}
	key := MailInput{Step: in}.key()
	outputs, err := m.ofRun(ctx, plan)
	if err != nil {
		return MailResult{}, err
	}
	own := slices.IndexFunc(outputs, func(o platen.Output) bool { return o.ID == in.OutputID })
	if outputs[own].State != platen.OutputDone || slices.ContainsFunc(outputs, func(o platen.Output) bool { return !o.HasEnded() }) {
		return MailResult{}, nil
	}
	if err := m.Store.ReopenMail(ctx, key); err != nil {
		return MailResult{}, err
	}
	missing := firstMissing(outputs)
	if missing == nil || plan.Test { // a test sends none
		return MailResult{State: platen.MailPending}, nil
	}
	return MailResult{State: platen.MailFailed}, m.Store.GiveUpMail(ctx, key, missing.Code, missing.Message)
}

// ofRun reads the outputs of a plan, in the order of their documents.
func (m *Mails) ofRun(ctx context.Context, plan platen.Plan) ([]platen.Output, error) {
	outputs := make([]platen.Output, len(plan.Documents))
	for i, p := range plan.Documents {
		var err error
		if outputs[i], err = m.Documents.Outputs.Output(ctx, p.OutputID); err != nil {
			return nil, fmt.Errorf("read output %s: %w", p.OutputID, err)
		}
	}
	return outputs, nil
}

// firstMissing says which output keeps a mail from bringing them all; nil: none. One that was
// cancelled is the reason before all others: nobody is to retry then.
func firstMissing(outputs []platen.Output) *platen.Error {
	var missing *platen.Error
	for _, o := range outputs {
		if o.State == platen.OutputDone {
			continue
		}
		if e := platen.ErrEmailOutputMissing(o); missing == nil || e.Code == platen.CodeCancelled {
			missing = e
		}
	}
	return missing
}

// attempt makes an attempt that was noted, and records its outcome. The short one in the
// run is made again where the server did not say that it took the mail, a long one is not.
func (m *Mails) attempt(ctx context.Context, by carrier, j job, o platen.Output, mail platen.Mail, inRun bool) (MailResult, error) {
	// An earlier attempt may have had a link in place of its file.
	err := m.once(ctx, by, j, o, &mail, mail.LinkUntil != nil)
	if e, ok := errors.AsType[*platen.Error](err); ok && e.Code == platen.CodeEmailTooLarge && mail.LinkUntil == nil && linkDays(j.planned.Document) > 0 {
		err = m.once(ctx, by, j, o, &mail, true)
	}
	mail.State, mail.Code, mail.Message = platen.MailSent, "", ""
	if err != nil {
		mail.State, mail.Code, mail.Message = platen.MailPending, "internal", "The mail could not be sent for a reason on our side. It is tried again."
		if e, known := errors.AsType[*platen.Error](err); known {
			mail.Code, mail.Message = e.Code, e.Message
		}
		switch {
		case inRun && mail.Code == platen.CodeEmailUnconfirmed:
			err = nil // PENDING
		case !MayPass(err):
			mail.State, err = platen.MailFailed, nil
			switch {
			case mail.Accepted > 0:
				mail.State = platen.MailPartlySent
			case mail.Code == platen.CodeEmailBounced:
				mail.State = platen.MailBounced
			}
		}
	}
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if unrecorded := m.Store.RecordMail(recording, mail); unrecorded != nil {
		return MailResult{}, unrecorded
	}
	return MailResult{State: mail.State}, err
}

// linkDays is how long links in mails about outputs of a document are good.
func linkDays(d platen.Document) int {
	if d.Email == nil {
		return 0
	}
	return d.Email.LinkDays
}

// once writes the letter of a mail, with a link in place of its file or not, and hands it over.
func (m *Mails) once(ctx context.Context, by carrier, j job, o platen.Output, mail *platen.Mail, byLink bool) error {
	letter, err := m.letter(ctx, by, j, o, mail, byLink)
	mail.Recipients = len(letter.Whom(nil))
	if err != nil {
		return err
	}
	return by.deliver(ctx, letter, mail)
}

// deliver hands over a letter to those who did not get it before, and notes in the mail what
// became of each.
func (c carrier) deliver(ctx context.Context, l platen.Letter, mail *platen.Mail) error {
	mail.Whom, mail.Accepted = l.Whom(mail.Whom), 0
	l.Only = []string{}
	for _, r := range mail.Whom {
		if r.State == platen.RecipientPending {
			l.Only = append(l.Only, r.Address)
		}
	}
	var answers []platen.Recipient
	var err error
	if len(l.Only) > 0 {
		answers, err = c.handOver(ctx, l)
	}
	mail.Whom = l.Whom(slices.Concat(mail.Whom, answers))
	var refused, deferred []platen.Recipient
	for _, r := range mail.Whom {
		switch {
		case r.State == platen.RecipientAccepted:
			mail.Accepted++
		case r.State == platen.RecipientRefused:
			refused = append(refused, r)
		case r.State == platen.RecipientPending && r.Status != "":
			deferred = append(deferred, r)
		}
	}
	switch {
	case err != nil && answers == nil: // of none in particular
		return err
	case mail.Accepted > 0 && len(deferred) > 0:
		return platen.Errorf(platen.KindUnavailable, c.codeAway(), "The mail server does not take the mail for %d of %d recipients now (%s). The others got it.", len(deferred), mail.Recipients, deferred[0].Status)
	case mail.Accepted > 0 && len(refused) > 0:
		return platen.Errorf(platen.KindInvalid, platen.CodeEmailAddressRefused, "The mail server refused %d of %d recipients (%s). The others got it.", len(refused), mail.Recipients, refused[0].Status)
	case err == nil:
		return mail.ErrEmailBounced()
	}
	return err
}

// letter fills the mail in, and gets what is attached.
func (m *Mails) letter(ctx context.Context, by carrier, j job, o platen.Output, mail *platen.Mail, byLink bool) (platen.Letter, error) {
	if by.none != nil {
		return platen.Letter{}, by.none
	}
	isBare := j.planned.Document.Email == nil && len(o.Files()) > 0 // its file says what it is
	j.planned.Document.Email = emailOf(j.planned.Document.Email, o, mail.To)
	filling, err := m.Documents.filling(ctx, j)
	if err != nil {
		return platen.Letter{}, err
	}
	letter, refusal := filling.Letter()
	if refusal != nil {
		return platen.Letter{}, refusal.Err(o.MissingFields)
	}
	if isBare {
		letter.Subject = o.Files()[0].Name
	}
	letter.MessageID, letter.Date = mail.ID()+"@"+by.server.Host(), mail.CreatedAt
	if by.returnPath != nil {
		letter.ReturnPath = by.returnPath(o.ID, mail.Number)
	}
	email := j.planned.Document.Email
	outputs := []platen.Output{o}
	if email.AllOutputs {
		if outputs, err = m.ofRun(ctx, j.plan); err != nil {
			return letter, err
		}
		if missing := firstMissing(outputs); missing != nil {
			return letter, missing
		}
		mail.Outputs = nil
		for _, one := range outputs {
			mail.Outputs = append(mail.Outputs, one.ID)
		}
	}
	if !byLink && email.Attach != platen.AttachLink {
		letter.Files, err = m.attached(ctx, j, outputs)
		return letter, err
	}
	names := map[string]bool{}
	for _, one := range outputs {
		if letter, err = m.withLink(letter, j, one, mail, names); err != nil {
			return letter, err
		}
	}
	return letter, nil
}

// withLink puts a link to an output at the end of the letter of a mail that brings it. names
// are those of the links before.
func (m *Mails) withLink(letter platen.Letter, j job, o platen.Output, mail *platen.Mail, names map[string]bool) (platen.Letter, error) {
	files, days := o.Files(), linkDays(j.planned.Document)
	switch {
	case len(files) == 0:
		return letter, nil
	case days > 0 && m.Link == nil:
		return letter, platen.Errorf(platen.KindUnavailable, "email_link_unset", "The mail is to bring a link, and the public address of this installation is not known: whoever runs it sets PLATEN_API_URL for the worker.")
	case days > 0 && o.PDF == nil && o.ID != mail.OutputID: // such a link opens PDFs alone
		return letter, errWithoutPDF(o.DocumentID)
	}
	link := files[0].File
	link.Name = platen.DistinctName(link.Name, names)
	if days > 0 {
		id := mail.ID()
		if o.ID != mail.OutputID {
			id = platen.MailPart(id, o.ID)
		}
		link.URL = m.Link(j.plan.WorkflowID, id)
		mail.LinkUntil = new(mail.CreatedAt.AddDate(0, 0, days))
	}
	return fill.WithLink(letter, link), nil
}

// emailOf is what a mail to these recipients says; empty: those of the document. A document
// that has no mail gets one without a text.
func emailOf(of *platen.Email, o platen.Output, to string) *platen.Email {
	if of == nil {
		email := platen.Email{To: to, Attach: platen.AttachLink}
		if o.PDF != nil {
			email.Attach = platen.AttachPDF
		}
		return &email
	}
	email := *of
	if to != "" { // nobody else is to get it
		email.To, email.CC, email.BCC = to, "", ""
	}
	return &email
}

// attached reads the files that a mail is to bring, one of each output.
func (m *Mails) attached(ctx context.Context, j job, outputs []platen.Output) ([]platen.AttachedFile, error) {
	office := j.planned.Document.Email.Attach == platen.AttachOffice
	var known int64 // bytes, as far as they are known before anything is read
	for _, o := range outputs {
		switch {
		case !office && o.PDF == nil:
			return nil, errWithoutPDF(o.DocumentID)
		case office && (o.Copy == nil || o.Removed):
			return nil, platen.Errorf(platen.KindInvalid, platen.CodeEmailWithoutOffice, "The mail is to bring the office file, and document %s keeps none: switch removeOutput off, or set email.attach to pdf or link.", o.DocumentID)
		case !office:
			known += o.PDF.Size
			continue
		}
		if planned, _ := j.plan.Output(o.ID); planned.Document.Approval != nil {
			return nil, platen.Errorf(platen.KindInvalid, platen.CodeApprovalOfPDF, "The mail is to bring the office file of document %s, and people approve its PDF alone: set email.attach to pdf or link.", o.DocumentID)
		}
	}
	if known > platen.MaxEmailAttached {
		return nil, errTooLarge(len(outputs), known)
	}
	var files []platen.AttachedFile
	var total int64
	names := map[string]bool{}
	for _, o := range outputs {
		of := j
		of.step.OutputID = o.ID
		of.planned, _ = j.plan.Output(o.ID)
		file, err := m.Documents.read(ctx, of, o, office)
		total += int64(len(file.Content))
		switch {
		case platen.KindOf(err) == platen.KindTooLarge:
			return files, errTooLarge(len(outputs), 0)
		case err != nil:
			return files, fmt.Errorf("read what the mail brings: %w", err)
		case total > platen.MaxEmailAttached:
			return files, errTooLarge(len(outputs), total)
		}
		file.Name = platen.DistinctName(file.Name, names)
		files = append(files, file)
	}
	return files, nil
}

func errWithoutPDF(documentID string) error {
	return platen.Errorf(platen.KindInvalid, platen.CodeEmailWithoutPDF, "The mail is to bring a PDF, and document %s makes none: set its createPdfCopy, or set email.attach to link without linkDays.", documentID)
}

// errTooLarge is the error of a mail whose files are larger than mails may be. size is what
// is known of them, in bytes; 0: nothing.
func errTooLarge(files int, size int64) error {
	const mib = 1 << 20
	what := "The file is"
	switch {
	case files > 1 && size > 0:
		what = fmt.Sprintf("The %d files of the mail have %.1f MiB together, or more: they are", files, float64(size)/mib)
	case files > 1:
		what = fmt.Sprintf("The %d files of the mail are", files)
	}
	return platen.Errorf(platen.KindInvalid, platen.CodeEmailTooLarge, "%s larger than the %d MiB that a mail may bring: set email.linkDays, or email.attach to link.", what, platen.MaxEmailAttached/mib)
}

// MailFailure says why a mail is given up.
type MailFailure struct {
	Step
	Number  int `json:",omitempty"` // as in MailInput
	Code    string
	Message string // quotes no value of the source data
}

// GiveUpMail ends a mail whose attempts are over; a second execution changes nothing.
func (m *Mails) GiveUpMail(ctx context.Context, in MailFailure) error {
	return m.Store.GiveUpMail(ctx, platen.MailKey{AutomationID: in.AutomationID, OutputID: in.OutputID, Number: in.Number}, in.Code, in.Message)
}
