package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// MailWorkflowID is the id of DeliverMail for a mail.
func MailWorkflowID(key platen.MailKey) string { return "mail-" + key.ID() }

// DeliverMailInput names the output whose mail is to be sent.
type DeliverMailInput struct {
	Step   activities.Step
	Owner  string
	Number int `json:",omitempty"` // of the mail; see platen.MailKey
}

// mail makes the first attempt to send the mail about an output as a step of the run. A
// mail that has to be tried again goes on by itself: a mail server that is slow or away
// keeps no run open.
func (d document) mail(ctx workflow.Context, step activities.Step) error {
	var sent activities.MailResult
	err := ofMails.first(ctx, d.summary("send the mail"), mails.SendMail, activities.MailInput{Step: step, InRun: true}, &sent)
	if isForgotten(err) || err == nil && sent.State != platen.MailPending {
		return err
	}
	return goOn(ctx, MailWorkflowID(platen.MailKey{OutputID: d.steps.OutputID}), "send the mail of "+d.steps.DocumentID, DeliverMail, DeliverMailInput{Step: step, Owner: d.owner})
}

// mailAll sends the mail that brings the outputs of all documents of the run, if all are made.
// One that failed has failed the mail then, and the retry that makes it asks again. For one
// that waits for people, the attempt that their decision starts asks again.
func (d document) mailAll(ctx workflow.Context) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	step := activities.Step{AutomationID: d.automation, OutputID: d.steps.OutputID, Attempt: d.attempt, WorkflowID: d.workflow}
	var gathered activities.MailResult
	err := ofRecords.step(ctx, d.summary("gather what the mail brings"), d.owner, mails.GatherOutputs, step, &gathered)
	if err != nil || gathered.State != platen.MailPending {
		return err
	}
	return d.mail(ctx, step)
}

// DeliverMail tries to send the mail about an output for a day, then gives it up. Whether
// it was sent is recorded with the output; the run completes either way. Cancelling it
// gives the mail up.
func DeliverMail(ctx workflow.Context, in DeliverMailInput) error {
	var sent activities.MailResult
	err := ofMails.regular(ctx, "send the mail", in.Owner, mails.SendMail, activities.MailInput{Step: in.Step, Number: in.Number}, &sent)
	if err == nil {
		return nil
	}
	failure := activities.MailFailure{Step: in.Step, Number: in.Number}
	failure.Code, failure.Message = whyNoMail(err)
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	return ofRecords.step(ctx, "give the mail up", in.Owner, mails.GiveUpMail, failure, nil)
}

// whyNoMail returns the code and the words of a mail that is given up.
func whyNoMail(err error) (code, message string) {
	var application *temporal.ApplicationError
	switch {
	case temporal.IsCanceledError(err):
		return platen.CodeCancelled, "The mail was cancelled before it was sent."
	case errors.As(err, &application) && application.NonRetryable():
		return application.Type(), application.Message()
	case application != nil:
		return application.Type(), application.Message() + " It was given up after a day of tries."
	}
	return platen.CodeGaveUp, "The mail could not be sent within a day of tries."
}
