package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

type triggerCommand struct {
	Access
	Workflow WorkflowName  `arg:"" help:"Id of the workflow (wkf_…), or its name."`
	File     string        `arg:"" help:"File with the event, one JSON object; -: standard input."`
	Wait     bool          `help:"Show the progress until the automation has ended. The exit code is 0 if it is COMPLETED and each of its mails went out or is still tried, else 3."`
	Open     bool          `help:"Wait, and open the first file that was made."`
	Timeout  time.Duration `default:"10m" help:"How long to wait at most. The automation goes on; the exit code is 5."`
	Test     bool          `help:"Send it as a test: outputs are marked, and only the workflow's test receiver is told."`
	Key      string        `placeholder:"KEY" help:"Idempotency key: the same event under the same key is one event, for four days."`
	Ref      string        `name:"reference" placeholder:"TEXT" help:"What you call the automation, such as an order's number: up to 200 printable characters, and none that name a person."`
	JSON     bool          `name:"json" help:"Print the automation as one JSON object."`
}

// Run prints the automation's id, and with --wait the addresses of what it made.
func (c *triggerCommand) Run(ctx context.Context, e *Environment) error {
	event, err := readInput(ctx, e, c.File)
	if err != nil {
		return err
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	w, err := c.Workflow.workflow(ctx, api)
	if err != nil {
		return err
	}
	sending := ctx
	if c.Ref != "" {
		sending = client.WithReference(ctx, c.Ref)
	}
	a, err := send(sending, api, w, event, c.Key, c.Test)
	if err != nil {
		return err
	}
	if !c.Wait && !c.Open {
		return c.print(e, a)
	}
	fmt.Fprintf(e.Err, "%s is stored as automation %s.\n", Shown(c.File), Shown(a.ID))
	waiting, cancel := context.WithTimeoutCause(ctx, c.Timeout, errPatience)
	defer cancel()
	a, err = follow(waiting, e, api, a)
	switch {
	case ctx.Err() != nil:
		err = &exit{fmt.Errorf("interrupted; automation %s goes on: 'platen automations show %s %s' shows it", Shown(a.ID), Shown(a.WorkflowID), Shown(a.ID)), ExitInterrupted}
	case errors.Is(context.Cause(waiting), errPatience):
		err = &exit{fmt.Errorf("automation %s is %s after %s, and goes on: 'platen automations show %s %s' shows it", a.ID, a.State, c.Timeout, a.WorkflowID, a.ID), ExitTimeout}
	}
	if err != nil {
		return err
	}
	for _, trouble := range mailTroubles(a, "PENDING") {
		fmt.Fprintf(e.Err, "Automation %s: %s\n", Shown(a.ID), Shown(trouble))
	}
	if empty := emptyFields(a); empty != "" {
		fmt.Fprintf(e.Err, "Automation %s: %s: %s. 'platen automations show %s %s' says more.\n", Shown(a.ID), empty, Shown(strings.Join(a.MissingFields, ", ")), Shown(a.WorkflowID), Shown(a.ID))
	}
	err = c.print(e, a)
	c.open(e, a)
	return errors.Join(err, ended(a))
}

var errPatience = errors.New("the timeout is over")

// findable is how long an event that was accepted may take to be listed.
const findable = 30 * time.Second

// send posts an event to the source of a workflow, and finds its automation by the id of
// the request.
func send(ctx context.Context, api *client.Client, w client.Workflow, event []byte, key string, test bool) (client.Automation, error) {
	id := strings.ToLower(rand.Text())
	sending := ctx
	if key != "" {
		// The same event under the same key finds the automation of the first time; another
		// event has a name of its own.
		id = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %q %s", w.ID, key, event)))
		if test {
			id = "test-" + id // the key is another one's there
		}
		sending = client.WithIdempotencyKey(ctx, key)
	}
	id = "cli-" + id
	sending = client.WithRequestID(sending, id)
	address := w.Source.URL
	if test {
		address = w.Source.TestURL
	}
	if err := api.Send(sending, address, event); err != nil {
		return client.Automation{}, err
	}
	finding, cancel := context.WithTimeout(ctx, findable)
	defer cancel()
	for pause := firstPause; ; pause = longer(pause) {
		a, ok, err := automationOf(finding, api, w.ID, id, test)
		switch {
		case ok:
			return a, nil
		case err == nil:
			err = wait(finding, pause)
		}
		if err != nil {
			return a, fmt.Errorf("the event was accepted, and its automation was not found: %w", err)
		}
	}
}

func automationOf(ctx context.Context, api *client.Client, workflowID, requestID string, test bool) (client.Automation, bool, error) {
	for a, err := range api.Automations(ctx, workflowID, client.AutomationQuery{Newest: true, Test: test, RequestID: requestID}) {
		if err != nil || a.RequestID == requestID {
			return a, err == nil, err
		}
	}
	return client.Automation{}, false, nil
}

// The pauses between questions, which grow by half.
const (
	firstPause = 200 * time.Millisecond
	maxPause   = 2 * time.Second
)

func longer(pause time.Duration) time.Duration { return min(pause+pause/2, maxPause) }

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow tells on Err what an automation does until it has ended, or waits for people.
func follow(ctx context.Context, e *Environment, api *client.Client, a client.Automation) (client.Automation, error) {
	p := progress{e: e}
	defer p.end()
	for pause := firstPause; ; pause = longer(pause) {
		p.tell(stage(a))
		if a.Ended() || a.State == "REVIEW" {
			return a, nil
		}
		if err := wait(ctx, pause); err != nil {
			return a, err
		}
		d, err := api.Automation(ctx, a.WorkflowID, a.ID)
		if err != nil {
			return a, err
		}
		a = d.Automation
	}
}

// stage is how far an automation is, as one line.
func stage(a client.Automation) string {
	text := a.State
	done := 0
	for _, o := range a.Outputs {
		if o.State == "DONE" {
			done++
		}
	}
	if len(a.Outputs) > 0 {
		text += fmt.Sprintf(", %d of %s made", done, count(len(a.Outputs), "document"))
	}
	for _, o := range a.Outputs {
		if o.State == "PENDING" {
			text += ", " + step(o.Progress)
			break
		}
	}
	for _, w := range a.WaitingFor {
		text += "; waits: " + w.Message
	}
	return text
}

func step(p client.Progress) string {
	switch {
	case p.PDFMade:
		return "PDF made"
	case p.Filled:
		return "template filled"
	case p.Copied:
		return "template copied"
	}
	return "begun"
}

// lineColumns is what fits on a line of most terminals.
const lineColumns = 79

// progress is a line that changes, where the terminal can do that; else a line for each
// change.
type progress struct {
	e    *Environment
	last string
}

func (p *progress) tell(text string) {
	if text = cut(Shown(text), lineColumns); text == p.last {
		return
	}
	p.last = text
	if p.e.Lively {
		fmt.Fprintf(p.e.Err, "\r\x1b[K%s", text)
		return
	}
	fmt.Fprintln(p.e.Err, text)
}

func (p *progress) end() {
	if p.e.Lively && p.last != "" {
		fmt.Fprintln(p.e.Err)
	}
}

func (c *triggerCommand) print(e *Environment, a client.Automation) error {
	if c.JSON {
		return printJSON(e.Out, a)
	}
	if !c.Wait && !c.Open {
		_, err := fmt.Fprintln(e.Out, Shown(a.ID))
		return err
	}
	for _, o := range a.Outputs {
		for _, f := range o.Files {
			if _, err := fmt.Fprintf(e.Out, "%s\t%s\n", Shown(f.Name), Shown(f.URL)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *triggerCommand) open(e *Environment, a client.Automation) {
	if !c.Open {
		return
	}
	for _, o := range a.Outputs {
		for _, f := range o.Files {
			if isWebAddress(f.URL) {
				openOrSay(e, f.URL)
				return
			}
		}
	}
}

// ended is the error of an automation that made nothing, or not all, or whose mail did not
// go out.
func ended(a client.Automation) error {
	if a.State == "COMPLETED" {
		if unsent := mailTroubles(a, client.Undelivered()...); len(unsent) > 0 {
			return &exit{fmt.Errorf("automation %s is COMPLETED, and %s", Shown(a.ID), Shown(strings.Join(unsent, "; "))), ExitNotCompleted}
		}
		return nil
	}
	why := ""
	switch {
	case a.Error != nil:
		why = fmt.Sprintf(": %s (%s)", Shown(a.Error.Message), Shown(a.Error.Code))
	case a.Reason != nil:
		why = ": " + Shown(reasonText(a))
	case a.State == "REVIEW":
		why = ": it is made, and waits for those who approve it"
	}
	return &exit{fmt.Errorf("automation %s is %s%s", Shown(a.ID), Shown(a.State), why), ExitNotCompleted}
}

var reasons = map[string]string{
	"WORKFLOW_INCOMPLETE": "the workflow has no document (WORKFLOW_INCOMPLETE)",
	"AUTO_CREATE_OFF":     "the workflow takes events and makes nothing (AUTO_CREATE_OFF)",
	"KEY_REUSED":          "another event was sent under this key before; send this one under a key of its own (KEY_REUSED)",
}
