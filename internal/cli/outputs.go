package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

type outputsCommand struct {
	List       outputsList       `cmd:"" help:"List outputs, the newest first. Those of a customer: --name 'kiel 17'."`
	Get        outputsGet        `cmd:"" help:"Save the PDF of an output, or a zip of several, and print the file's name."`
	Recipients outputsRecipients `cmd:"" help:"Show whom the mails about an output went to, the latest first, and what the mail server said of each address."`
	Revoke     outputsRevoke     `cmd:"" help:"End the links of all mails about an output."`
	Approve    outputsApprove    `cmd:"" help:"Approve an output that waits for you, in state REVIEW. Others get the link to do that by mail."`
	Reject     outputsReject     `cmd:"" help:"Reject an output that waits for you: it does not go out."`
	Correct    outputsCorrect    `cmd:"" help:"Correct the data of an output that waits for you: the document is made again, and everybody is asked once more."`
	Data       outputsData       `cmd:"" help:"Print what an output is made of."`
	Mail       outputsMail       `cmd:"" help:"Send an output by mail again: the same PDF, to the same recipients or to others. Prints the state of the mail."`
}

type outputsList struct {
	OfWorkflow
	Listing
	State  []string `enum:"PENDING,REVIEW,DONE,FAILED" help:"Only those in these states: PENDING, REVIEW, DONE, FAILED."`
	Mail   []string `enum:"PENDING,SENT,PARTLY_SENT,FAILED,BOUNCED,NOT_SENT" help:"Only those whose latest mail is in these states: PENDING, SENT, PARTLY_SENT, FAILED, BOUNCED, NOT_SENT."`
	Target []string `enum:"PENDING,STORED,FAILED,NOT_STORED" help:"Only those that are in these states at a target: PENDING, STORED, FAILED, NOT_STORED."`
	Name   string   `help:"Only finished ones whose name has all of these words."`
	Since  Ago      `placeholder:"1d" help:"Only those begun so long ago at most, such as 7d or 12h, or since a time such as 2026-01-02T03:04:05Z."`
}

// outputName is what an output is called, also while it has no file; empty: it is not known yet.
func outputName(o client.Output) string {
	switch {
	case len(o.Files) > 0:
		return o.Files[0].Name
	case o.Name != nil:
		return *o.Name
	}
	return ""
}

func (c *outputsList) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	found := api.Outputs(ctx, id, client.OutputQuery{States: c.State, Name: c.Name, Since: c.Since.time(), Newest: true, Mails: c.Mail, Placed: c.Target})
	return printList(e, c.Listing, found, []string{"ID", "STATE", "MAIL", "BEGUN", "AUTOMATION", "NAME", "WHY"}, func(o client.Output) []string {
		mail, why := "", failure(o.Error)
		if o.Mail != nil {
			mail, why = o.Mail.State, cmp.Or(why, failure(o.Mail.Error))
		}
		for _, p := range o.Targets {
			if p.State == "FAILED" {
				why = cmp.Or(why, placementText(p))
			}
		}
		return []string{o.ID, o.State, mail, stamp(o.CreatedAt), o.AutomationID, outputName(o), why}
	})
}

type outputsMail struct {
	OfWorkflow
	Showing
	Output  string        `arg:"" help:"Id of the output (out_…)."`
	To      string        `placeholder:"ADDRESS" help:"Addresses with commas in between. Default: those that its document names."`
	Wait    bool          `help:"Show the progress until the mail has left or failed. The exit code is 0 if it left for all recipients, else 3."`
	Timeout time.Duration `default:"10m" help:"How long to wait at most. The mail is still tried; the exit code is 5."`
}

func (c *outputsMail) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	o, err := api.MailOutput(ctx, id, c.Output, client.MailRequest{To: c.To})
	if err != nil || !c.Wait || o.Mail == nil {
		return printState(e, c.Showing, o, mailText(o.Mail), err)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, c.Timeout, errPatience)
	defer cancel()
	mail, err := followMail(waiting, e, api, id, o)
	named := fmt.Sprintf("mail %d of output %s", mail.Number, Shown(o.ID))
	shows := fmt.Sprintf("'platen outputs recipients %s %s' shows it", Shown(id), Shown(o.ID))
	switch {
	case ctx.Err() != nil:
		return &exit{fmt.Errorf("interrupted; %s is still sent: %s", named, shows), ExitInterrupted}
	case errors.Is(context.Cause(waiting), errPatience):
		return &exit{fmt.Errorf("%s is %s after %s, and is still tried: %s", named, Shown(mail.State), c.Timeout, shows), ExitTimeout}
	case err != nil:
		return err
	}
	o.Mail = &mail
	err = printState(e, c.Showing, o, mailText(o.Mail), nil)
	if mail.State != "SENT" {
		why := ""
		if mail.Error != nil {
			why = ": " + Shown(failure(mail.Error))
		}
		err = errors.Join(err, &exit{fmt.Errorf("%s is %s%s", named, Shown(mail.State), why), ExitNotCompleted})
	}
	return err
}

// followMail tells on Err how the latest mail about an output stands, until it has ended.
func followMail(ctx context.Context, e *Environment, api *client.Client, workflowID string, o client.Output) (client.Mail, error) {
	p := progress{e: e}
	defer p.end()
	mail := *o.Mail
	for pause := firstPause; ; pause = longer(pause) {
		p.tell(mailText(&mail))
		if mail.State != "PENDING" {
			return mail, nil
		}
		if err := wait(ctx, pause); err != nil {
			return mail, err
		}
		mails, err := api.Mails(ctx, workflowID, o.ID)
		if err != nil {
			return mail, err
		}
		// A later mail about the same output is somebody else's.
		at := slices.IndexFunc(mails, func(m client.SentMail) bool { return m.Number == mail.Number })
		if at < 0 {
			return mail, fmt.Errorf("mail %d of output %s is no longer listed", mail.Number, o.ID)
		}
		mail = mails[at].Mail
	}
}

type outputsApprove struct {
	OfWorkflow
	Showing
	Output string `arg:"" help:"Id of the output (out_…)."`
	Round  int    `placeholder:"N" help:"The round that you have seen, as outputs list --json shows it: what was made again since is left alone. Default: the latest."`
}

func (c *outputsApprove) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	o, err := api.ApproveOutput(ctx, id, c.Output, c.Round)
	return printState(e, c.Showing, o, reviewText(o.Review), err)
}

type outputsReject struct {
	OfWorkflow
	Showing
	Output string `arg:"" help:"Id of the output (out_…)."`
	Reason string `required:"" help:"Why it does not go out. The owner of the workflow reads it."`
	Round  int    `placeholder:"N" help:"The round that you have seen. Default: the latest."`
}

func (c *outputsReject) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	o, err := api.RejectOutput(ctx, id, c.Output, c.Reason, c.Round)
	return printState(e, c.Showing, o, reviewText(o.Review), err)
}

type outputsCorrect struct {
	OfWorkflow
	Showing
	Output string `arg:"" help:"Id of the output (out_…)."`
	Data   string `required:"" placeholder:"FILE" help:"The whole data as it should be: a file with one JSON object, - for standard input, or the object itself."`
	Round  int    `placeholder:"N" help:"The round that you have seen. Default: the latest."`
}

func (c *outputsCorrect) Run(ctx context.Context, e *Environment) error {
	data, err := ReadObject(ctx, e.In, c.Data)
	if err != nil {
		return Usage(err)
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	o, err := api.CorrectOutput(ctx, id, c.Output, data, c.Round)
	return printState(e, c.Showing, o, reviewText(o.Review), err)
}

type outputsData struct {
	OfWorkflow
	Output string `arg:"" help:"Id of the output (out_…)."`
}

func (c *outputsData) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.OutputData(ctx, id, c.Output)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Out, string(d.Data))
	return err
}

// reviewText says how a review stands, as one line.
func reviewText(r *client.Review) string {
	if r == nil {
		return "Nobody was asked to approve it."
	}
	approvals := 0
	for _, a := range r.Answers {
		if a.Approves {
			approvals++
		}
	}
	switch {
	case r.Verdict == nil:
		return fmt.Sprintf("It has %d of %s, and waits for the others until %s.", approvals, count(r.Needed, "approval"), stamp(r.ExpiresAt))
	case *r.Verdict == "APPROVED":
		return "It is approved, and goes out."
	case *r.Verdict == "REJECTED":
		return "It is rejected, and does not go out."
	case *r.Verdict == "CORRECTED":
		return "It is made again, and everybody is asked once more."
	}
	return "It was not approved in time, and does not go out."
}

type outputsRevoke struct {
	OfWorkflow
	Showing
	Output string `arg:"" help:"Id of the output (out_…)."`
}

func (c *outputsRevoke) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	o, err := api.RevokeMailLinks(ctx, id, c.Output)
	return printState(e, c.Showing, o, "The links of its mails open nothing any more.", err)
}

type outputsRecipients struct {
	OfWorkflow
	Showing
	Output string `arg:"" help:"Id of the output (out_…)."`
}

func (c *outputsRecipients) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	mails, err := api.Mails(ctx, id, c.Output)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, mails)
	}
	for _, m := range mails {
		if _, err := fmt.Fprintln(e.Out, Shown(strconv.Itoa(m.Number)+": "+mailText(&m.Mail))); err != nil {
			return err
		}
		for _, r := range m.Addresses {
			if _, err := fmt.Fprintln(e.Out, Shown(strings.TrimRight("   "+r.Address+" "+r.State+" "+r.Status, " "))); err != nil {
				return err
			}
		}
	}
	return nil
}

type outputsGet struct {
	OfWorkflow
	Outputs []string `arg:"" help:"Ids of outputs (out_…), up to 100."`
	To      string   `placeholder:"FILE" help:"Where to save it. Default: here, under its own name."`
	Invoice bool     `name:"einvoice" help:"Save the XML of the e-invoice that is in the PDF, in place of the PDF."`
	Open    bool     `help:"Open it."`
}

func (c *outputsGet) Run(ctx context.Context, e *Environment) error {
	if err := prepareFile("--to", c.To); err != nil {
		return err
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	p := progress{e: e}
	p.tell("Reading …")
	var file client.Content
	switch {
	case c.Invoice && len(c.Outputs) > 1:
		err = Usage(errors.New("--einvoice saves the e-invoice of one output: name one"))
	case c.Invoice:
		file, err = api.OutputEInvoice(ctx, id, c.Outputs[0])
	case len(c.Outputs) == 1:
		file, err = api.OutputPDF(ctx, id, c.Outputs[0])
	default:
		file, err = api.ZipOutputs(ctx, id, c.Outputs)
	}
	p.end()
	if err != nil {
		return err
	}
	to := c.To
	if to == "" {
		// The server's name for the file must not lead out of this folder.
		if to = filepath.Base(filepath.Clean("/" + file.Name)); strings.Trim(to, `./\`) == "" {
			to = c.Outputs[0] + ".pdf"
		}
	}
	if err := os.WriteFile(to, file.Content, 0o600); err != nil {
		return err
	}
	if c.Open {
		openOrSay(e, to)
	}
	_, err = fmt.Fprintln(e.Out, Shown(to))
	return err
}
