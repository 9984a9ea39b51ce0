package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
)

type automationsCommand struct {
	List     automationsList     `cmd:"" help:"List automations, the newest first. What failed today: --state FAILED --since 1d."`
	Show     automationsShow     `cmd:"" help:"Show one automation: its outputs, what it waits for, why it failed."`
	Failures automationsFailures `cmd:"" help:"List why automations failed, with how many by each cause. Those that were made since are left out."`
	Done     automationsDone     `cmd:"" help:"Have the failures of this automation's cause left out of 'failures', until the next one. Prints its state."`
	Retry    automationsRetry    `cmd:"" help:"Make the failed documents of a FAILED automation as its next attempt. Prints its state."`
	Cancel   automationsCancel   `cmd:"" help:"End an automation that is not done. Prints its state."`
	Search   automationsSearch   `cmd:"" help:"Find automations by a text of their source data, such as a person's e-mail address. Tests are searched, too."`
	Erase    automationsErase    `cmd:"" help:"Erase source data, payloads and files of automations, for ever. Asks before."`
}

type automationsList struct {
	Access
	Listing
	Workflow  WorkflowName `arg:"" optional:"" help:"Id of the workflow (wkf_…), or its name. Default: all that you see."`
	State     []string     `enum:"ACCEPTED,RUNNING,REVIEW,COMPLETED,FAILED,SKIPPED,CANCELLED" help:"Only those in these states: ACCEPTED, RUNNING, REVIEW, COMPLETED, FAILED, SKIPPED, CANCELLED."`
	Test      bool         `help:"Only tests, which are left out otherwise."`
	Request   string       `placeholder:"ID" help:"Only those of the source event with this X-Request-Id, such as your order's number."`
	Reference string       `placeholder:"TEXT" help:"Only those of source events with this header Platen-Reference, whole."`
	Key       string       `placeholder:"KEY" help:"Only those of source events with this Idempotency-Key, or webhook-id, of the last four days."`
	Mail      []string     `enum:"PENDING,SENT,PARTLY_SENT,FAILED,BOUNCED,NOT_SENT" help:"Only those with a mail in these states: PENDING, SENT, PARTLY_SENT, FAILED, BOUNCED, NOT_SENT. What did not reach all of its recipients: FAILED, PARTLY_SENT and BOUNCED."`
	Since     Ago          `placeholder:"1d" help:"Only those accepted so long ago at most, such as 7d or 12h, or since a time such as 2026-01-02T03:04:05Z."`
}

func (c *automationsList) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	query := client.AutomationQuery{States: c.State, Since: c.Since.time(), Newest: true, Test: c.Test, Mails: c.Mail, RequestID: c.Request, IdempotencyKey: c.Key, Reference: c.Reference}
	found := api.AllAutomations(ctx, query)
	if c.Workflow != "" {
		id, err := c.Workflow.id(ctx, api)
		if err != nil {
			return err
		}
		found = api.Automations(ctx, id, query)
	}
	return printList(e, c.Listing, found, []string{"ID", "STATE", "ATTEMPT", "ACCEPTED", "WORKFLOW", "NAME", "WHY"}, func(a client.Automation) []string {
		return []string{a.ID, a.State, strconv.Itoa(a.Attempt), stamp(a.AcceptedAt), a.WorkflowID, automationName(a), why(a)}
	})
}

// automationName is what the first of its outputs is called, or what its sender calls it; empty:
// nothing is known.
func automationName(a client.Automation) string {
	for _, o := range a.Outputs {
		if name := outputName(o); name != "" {
			return name
		}
	}
	return textOr(a.Reference)
}

// why is what stands against an automation; mostly nothing.
func why(a client.Automation) string {
	switch {
	case a.Error != nil:
		return failure(a.Error)
	case a.Reason != nil:
		return reasonText(a)
	case len(a.WaitingFor) > 0:
		return "waits: " + a.WaitingFor[0].Message
	case a.Held != nil:
		return failure(a.Held)
	}
	all := mailTroubles(a, append(client.Undelivered(), "PENDING")...)
	if empty := emptyFields(a); empty != "" {
		all = append(all, empty)
	}
	return strings.Join(all, "; ")
}

// emptyFields says how many fields a COMPLETED automation left empty for want of data;
// mostly none.
func emptyFields(a client.Automation) string {
	if a.State != "COMPLETED" || len(a.MissingFields) == 0 {
		return ""
	}
	return count(len(a.MissingFields), "field") + " empty"
}

// missingText is a missing field, with what was probably meant where the event has no field
// of that name.
func missingText(name string, unknown []client.UnknownField) string {
	i := slices.IndexFunc(unknown, func(f client.UnknownField) bool { return f.Name == name })
	if i < 0 {
		return name
	}
	text := name + ": no such field in the event"
	if nearest := unknown[i].Nearest; len(nearest) > 0 {
		text += "; did you mean " + nearest[0] + "? Correct the tag in the template, or have the sender name the field so"
	}
	return text
}

// reasonText says why an automation is SKIPPED.
func reasonText(a client.Automation) string {
	text := cmp.Or(reasons[*a.Reason], *a.Reason)
	if a.KeyTakenBy != nil {
		text += ": " + *a.KeyTakenBy + " had the key first"
	}
	return text
}

// mailTroubles describes the mails in these states that have a failed attempt.
func mailTroubles(a client.Automation, states ...string) (all []string) {
	for _, o := range a.Outputs {
		switch m := o.Mail; {
		case m == nil || m.Error == nil || !slices.Contains(states, m.State):
		case m.State == "FAILED":
			all = append(all, "a mail did not go out: "+failure(m.Error))
		case m.State == "BOUNCED":
			all = append(all, "a mail came back: "+failure(m.Error))
		case m.State == "PARTLY_SENT":
			all = append(all, "a mail did not reach everybody: "+failure(m.Error))
		default:
			all = append(all, "a mail is tried again: "+failure(m.Error))
		}
	}
	return all
}

// mailText is what became of the latest mail about an output; empty: none was begun.
func mailText(m *client.Mail) string {
	if m == nil {
		return ""
	}
	text := m.State
	if m.Number > 1 {
		text += fmt.Sprintf(" (mail %d)", m.Number)
	}
	if m.Recipients > 0 {
		text += " to "
		if m.State == "PARTLY_SENT" {
			text += fmt.Sprintf("%d of ", m.Accepted)
		}
		text += count(m.Recipients, "recipient")
	}
	if m.SentAt != nil {
		text += " at " + stamp(*m.SentAt)
	}
	if m.Error != nil {
		text += ": " + failure(m.Error)
	}
	return text
}

// AutomationOf is an automation of a workflow.
type AutomationOf struct {
	OfWorkflow
	Automation string `arg:"" help:"Id of the automation (aut_…)."`
}

type automationsShow struct {
	AutomationOf
	Showing
	Data bool `help:"Print its source data alone, for 'platen check --data' and 'platen trigger'."`
}

// Run prints the data of the source only as JSON: a screen is no place for it.
func (c *automationsShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	a, err := api.Automation(ctx, id, c.Automation)
	if err != nil {
		return err
	}
	if c.Data {
		if a.SourceData == nil || string(a.SourceData) == "null" {
			return fmt.Errorf("the source data of %s is kept no longer", Shown(c.Automation))
		}
		return printJSON(e.Out, a.SourceData)
	}
	return printOne(e, c.Showing, a, func(row func(...string)) { automationRows(row, a) })
}

func automationRows(row func(...string), a client.AutomationDetail) {
	row("automation", a.ID)
	row("workflow", a.WorkflowID)
	row("state", a.State)
	if a.Test {
		row("test", "yes")
	}
	row("why", why(a.Automation))
	row("attempt", strconv.Itoa(a.Attempt))
	row("accepted", stamp(a.AcceptedAt))
	row("started, finished", stampOr(a.StartedAt)+", "+stampOr(a.FinishedAt))
	row("request", a.RequestID)
	if a.Reference != nil {
		row("reference", *a.Reference)
	}
	if a.KeyTakenBy != nil {
		row("key taken by", *a.KeyTakenBy)
	}
	if a.ReplacedBy != nil {
		row("replaced by", *a.ReplacedBy)
	}
	for _, s := range a.Skipped {
		row("skipped", s.Part+" "+cmp.Or(s.Receiver, "of "+s.DocumentID)+", because this is not true: "+s.When)
	}
	for _, name := range a.MissingFields {
		row("missing field", missingText(name, a.UnknownFields))
	}
	for _, f := range a.Findings {
		row("finding", f.Message+" ("+f.Code+")")
	}
	for _, w := range a.WaitingFor {
		until := ""
		if w.Until != nil {
			until = ", until " + stamp(*w.Until)
		}
		row("waits", fmt.Sprintf("since %s%s, %d tries: %s (%s)", stamp(w.Since), until, w.Tries, w.Message, w.Code))
	}
	for _, o := range a.Outputs {
		row("output", strings.TrimSpace(o.ID+" "+o.State+" "+failure(o.Error)))
		if name := outputName(o); name != "" && len(o.Files) == 0 {
			row("name", name)
		}
		for _, f := range o.Files {
			row("file", f.Name+" "+f.URL)
		}
		if o.Review != nil {
			reviewRows(row, *o.Review)
		}
		if o.Mail != nil {
			row("mail", mailText(o.Mail))
		}
		for _, p := range o.Targets {
			row("target", placementText(p))
		}
	}
	row("in Temporal", textOr(a.TemporalURL))
	row("data erased", stampOr(a.DataErasedAt))
}

// reviewRows say who is to approve an output, and who answered what.
func reviewRows(row func(...string), r client.Review) {
	is := "waits until " + stamp(r.ExpiresAt)
	if r.Verdict != nil {
		is = *r.Verdict
	}
	row("approval", fmt.Sprintf("%s: %d of %s", is, r.Needed, strings.Join(r.By, ", ")))
	for _, a := range r.Answers {
		what := "approved"
		if !a.Approves {
			what = "rejected"
		}
		if a.Reason != nil {
			what += ": " + *a.Reason
		}
		row("answer of "+textOr(a.By), stamp(a.At)+" "+what)
	}
	if r.Unsent != nil {
		row("not asked by mail", *r.Unsent)
	}
}

type automationsRetry struct {
	AutomationOf
	Showing
}

func (c *automationsRetry) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	a, err := api.RetryAutomation(ctx, id, c.Automation)
	return printState(e, c.Showing, a, a.State, err)
}

type automationsCancel struct {
	AutomationOf
	Showing
}

func (c *automationsCancel) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	a, err := api.CancelAutomation(ctx, id, c.Automation)
	return printState(e, c.Showing, a, a.State, err)
}

type automationsErase struct {
	OfWorkflow
	Automations []string `arg:"" name:"automation" help:"Ids of the automations (aut_…)."`
	Yes         bool     `help:"Do not ask. Required without a terminal."`
}

func (c *automationsErase) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := confirmErasure(ctx, e, c.Yes, len(c.Automations)); err != nil {
		return err
	}
	for _, automation := range c.Automations {
		if err := eraseOne(ctx, e, api, id, automation); err != nil {
			return err
		}
	}
	return nil
}

func eraseOne(ctx context.Context, e *Environment, api *client.Client, workflowID, id string) error {
	if _, err := api.EraseAutomation(ctx, workflowID, id); err != nil {
		return fmt.Errorf("erase %s: %w", Shown(id), err)
	}
	_, err := fmt.Fprintf(e.Out, "%s is being erased.\n", Shown(id))
	return err
}

func confirmErasure(ctx context.Context, e *Environment, yes bool, automations int) error {
	return e.Confirm(ctx, yes, fmt.Sprintf("Erase the data and the files of %s, which nobody can undo?", count(automations, "automation")), "erased")
}

func printState(e *Environment, s Showing, thing any, state string, err error) error {
	if err != nil {
		return err
	}
	if s.JSON {
		return printJSON(e.Out, thing)
	}
	_, err = fmt.Fprintln(e.Out, e.colored(Shown(state)))
	return err
}
