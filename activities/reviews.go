package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// Reviews looks after outputs that wait for people who approve them. Its methods are
// activities of AwaitReview and of RunAutomation.
type Reviews struct {
	Documents *Documents
	Store     ReviewStore
	// Server is the mail server; nil: this installation sends no mail, and only those who are
	// signed in can answer.
	Server MailServer
	// Link is the address of the page of one approver; nil: the public address of the API is
	// not known.
	Link func(l platen.ReviewLink) (string, error)

	turns turns
}

// ReviewStore keeps reviews.
type ReviewStore interface {
	// BeginReview has an output wait by a transition, and keeps who is asked. Calling it
	// twice changes nothing.
	BeginReview(ctx context.Context, outputID string, a platen.Approval, change func(*platen.Output) error) (platen.Output, error)
	// Review returns the latest review of an output, and the mails that went out about it;
	// KindNotFound: there is none.
	Review(ctx context.Context, outputID string) (r platen.Review, mailed []string, err error)
	// NoteReviewMail notes a mail that went out, and why others did not; empty: none, and
	// all did.
	NoteReviewMail(ctx context.Context, outputID string, round int, mailID, unsent string) error
	// NoteReviewDue notes when something is due, and that a reminder was; zero: none was.
	NoteReviewDue(ctx context.Context, outputID string, round int, next, reminded time.Time) error
	// ExpireReview ends a review whose time is over; one that has ended stays as it is.
	ExpireReview(ctx context.Context, outputID string, round int) error
}

// ReviewInput names the output that waits.
type ReviewInput struct{ Step }

// ReviewResult says when to look again.
type ReviewResult struct {
	Ended bool // nothing is left to look after
	Wait  time.Duration
}

// How long it takes until a mail about a review is tried again, by whether that may help.
const (
	reviewMailRetry  = 15 * time.Minute
	reviewMailCuring = 6 * time.Hour // somebody has to change a setting
)

// TendReview does what is due of a review: it asks those who are to approve the output by
// mail, reminds those who have not answered, and ends a review whose time is over. What it
// did is stored, so a second execution goes on from there. A mail may go out twice under one
// Message-ID.
func (v *Reviews) TendReview(ctx context.Context, in ReviewInput) (ReviewResult, error) {
	r, mailed, err := v.Store.Review(ctx, in.OutputID)
	if platen.KindOf(err) == platen.KindNotFound {
		return ReviewResult{Ended: true}, nil
	}
	if err != nil {
		return ReviewResult{}, err
	}
	o, err := v.Documents.Outputs.Output(ctx, in.OutputID)
	if platen.KindOf(err) == platen.KindNotFound || err == nil && (o.State != platen.OutputReview || o.Attempt != r.Round || r.Verdict != "") {
		return ReviewResult{Ended: true}, nil
	}
	if err != nil {
		return ReviewResult{}, err
	}
	now := v.Documents.now()
	if !now.Before(r.ExpiresAt) {
		return ReviewResult{Ended: true}, v.Store.ExpireReview(ctx, r.OutputID, r.Round)
	}
	var reminded time.Time
	if at, reminds := r.Next(); reminds && !now.Before(at) {
		reminded = now
		r.RemindedAt = &reminded
		// Noted before the mails go out: their names are of this time.
		if err := v.Store.NoteReviewDue(ctx, r.OutputID, r.Round, now, reminded); err != nil {
			return ReviewResult{}, err
		}
	}
	again, err := v.ask(ctx, in.Step, r, o, mailed, now)
	if err != nil {
		return ReviewResult{}, err
	}
	next, _ := r.Next()
	if again > 0 && now.Add(again).Before(next) {
		next = now.Add(again)
	}
	if err := v.Store.NoteReviewDue(ctx, r.OutputID, r.Round, next, time.Time{}); err != nil {
		return ReviewResult{}, err
	}
	return ReviewResult{Wait: max(next.Sub(now), time.Second)}, nil
}

// ask sends the mails about a review that are due and did not go out, and returns after how
// long those that failed are tried again; 0: none failed.
func (v *Reviews) ask(ctx context.Context, in Step, r platen.Review, o platen.Output, mailed []string, now time.Time) (again time.Duration, err error) {
	plan, err := v.Documents.Plans.PinnedPlan(ctx, in.AutomationID)
	if err != nil {
		return 0, fmt.Errorf("read the plan of %s: %w", in.AutomationID, err)
	}
	due := slices.DeleteFunc(r.Waiting(now), func(to platen.Approver) bool { return slices.Contains(mailed, reviewMailID(r, to)) })
	if len(due) == 0 {
		return 0, v.note(ctx, r, "", "")
	}
	giveBack, ok := v.turns.take(plan.OwnerID, mailsAtOnce)
	if !ok {
		return 0, errMailWaits
	}
	defer giveBack()
	unsent := ""
	for _, to := range due {
		id := reviewMailID(r, to)
		answered, err := v.send(ctx, plan, r, o, to, id)
		if err == nil {
			if err := v.note(ctx, r, id, ""); err != nil {
				return 0, err
			}
			continue
		}
		if unsent == "" {
			unsent = whyUnsent(err)
		}
		wait := reviewMailRetry
		if !MayPass(err) {
			wait = reviewMailCuring
		}
		if again == 0 || wait < again {
			again = wait
		}
		if !answered {
			break // it is not about this address: the others are tried again together
		}
	}
	return again, v.note(ctx, r, "", unsent)
}

// note notes a mail also where the server has taken all the time.
func (v *Reviews) note(ctx context.Context, r platen.Review, id, unsent string) error {
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return v.Store.NoteReviewMail(noting, r.OutputID, r.Round, id, unsent)
}

// whyUnsent says why a mail about a review did not go out.
func whyUnsent(err error) string {
	if e, ok := errors.AsType[*platen.Error](err); ok {
		return e.Message
	}
	return "The mail could not be sent for a reason on our side. It is tried again."
}

// reviewMailID names a mail among those of a review: to whom, and after which reminder.
func reviewMailID(r platen.Review, to platen.Approver) string {
	place := slices.IndexFunc(r.By, func(address string) bool { return strings.EqualFold(address, to.For) })
	id := strconv.Itoa(place)
	if !strings.EqualFold(to.By, to.For) {
		id += "d"
	}
	if r.RemindedAt != nil {
		id += "." + strconv.FormatInt(r.RemindedAt.Unix(), 36)
	}
	return id
}

// send sends the mail about a review to one address. answered: where it fails, the server
// said that of this address.
func (v *Reviews) send(ctx context.Context, plan platen.Plan, r platen.Review, o platen.Output, to platen.Approver, id string) (answered bool, err error) {
	switch {
	case v.Server == nil:
		return false, platen.ErrEmailUnset()
	case v.Link == nil:
		return false, platen.Errorf(platen.KindInvalid, "email_link_unset", "The mail is to bring a link, and the public address of this installation is not known: whoever runs it sets PLATEN_API_URL for the worker.")
	}
	link, err := v.Link(platen.ReviewLink{WorkflowID: r.WorkflowID, OutputID: r.OutputID, Round: r.Round, For: to.For, By: to.By, Until: r.ExpiresAt})
	if err != nil {
		return false, fmt.Errorf("seal a link: %w", err)
	}
	letter := platen.Letter{
		MessageID: fmt.Sprintf("review-%s.%d.%s@%s", r.OutputID, r.Round, id, v.Server.Host()), Date: v.Documents.now(), To: []string{to.By},
	}
	letter.Subject, letter.Text = reviewText(plan, r, o, to, link)
	whom, err := v.Server.Deliver(ctx, letter)
	return len(whom) > 0, err
}

// reviewText is what a mail to an approver says, in the language of the workflow.
func reviewText(plan platen.Plan, r platen.Review, o platen.Output, to platen.Approver, link string) (subject, text string) {
	p := catalog.Choose(plan.Locale)
	subject = p.Text("Please approve: %s", o.Name)
	if r.RemindedAt != nil {
		subject = p.Text("Reminder: please approve %s", o.Name)
	}
	lines := []string{p.Text("The document %s of %s waits for your approval. It leaves only when you approve it.", o.Name, plan.WorkflowName)}
	if !strings.EqualFold(to.By, to.For) {
		lines = append(lines, p.Text("You stand in for %s, who has not answered.", to.For))
	}
	lines = append(lines, p.Text("Look at its pages, and approve or reject it here:"), link,
		p.Text("The link is yours alone, and ends on %s.", p.Moment(r.ExpiresAt)))
	return subject, strings.Join(lines, "\n\n")
}

// ReleaseOutput shares an output that people have approved, after it has seen that the drive
// holds the PDF with the bytes that they approved. Others fail the output with
// platen.CodeApprovedFileChanged. It may run twice.
func (v *Reviews) ReleaseOutput(ctx context.Context, in Step) error {
	d := v.Documents
	j, err := d.job(ctx, in)
	if err != nil {
		return err
	}
	o, err := d.Outputs.Output(ctx, in.OutputID)
	if err != nil {
		return fmt.Errorf("read output %s: %w", in.OutputID, err)
	}
	if err := in.checkAttempt(o); err != nil {
		return err
	}
	if o.HasEnded() {
		return nil
	}
	r, _, err := v.Store.Review(ctx, in.OutputID)
	if err != nil {
		return err
	}
	if o.PDF == nil || o.Verdict != platen.VerdictApproved || r.Verdict != platen.VerdictApproved {
		return platen.ErrForgotten("the review of output " + in.OutputID)
	}
	ctx, done, err := d.reserve(ctx, j, quotaOfRemove, nothingLater)
	if err != nil {
		return err
	}
	defer done(true)
	stored, err := j.drive.File(ctx, o.PDF.ID)
	if err != nil {
		return fmt.Errorf("look at the approved PDF: %w", err)
	}
	hash := stored.SHA256
	if hash == "" {
		content, err := j.drive.Download(ctx, o.PDF.ID)
		if err != nil {
			return fmt.Errorf("read the approved PDF: %w", err)
		}
		hash = sum(content)
	}
	if stored.Trashed || hash != r.SHA256 {
		return platen.ErrApprovedFileChanged()
	}
	return d.share(ctx, j, o)
}
