package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/platenhq/platen/client"
)

type receiversCommand struct {
	List   receiversList   `cmd:"" help:"List the receivers of a workflow, beside its outgoing webhook."`
	Show   receiversShow   `cmd:"" help:"Show a receiver, and how events are taken there."`
	Create receiversCreate `cmd:"" help:"Have events sent to a receiver, of automations that start from then on."`
	Update receiversUpdate `cmd:"" help:"Change a receiver. What no flag names stays. Its address, also the same one, enables it."`
	Check  receiversCheck  `cmd:"" help:"Say how many of the last 100 source events would have gone to which receiver. Nothing is sent."`
	Secret receiversSecret `cmd:"" help:"Print the secret that signs the events of a receiver."`
	Test   receiversTest   `cmd:"" help:"Send a WORKFLOW_TEST event to a receiver at once, and say how that went."`
	Delete receiversDelete `cmd:"" help:"Remove a receiver, with its secret. Events that it did not get by then fail."`
}

type receiversList struct {
	OfWorkflow
	JSON bool `help:"Print JSON."`
}

func (c *receiversList) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	all, err := api.Receivers(ctx, id)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, all)
	}
	t := newTable("ID", "NAME", "URL", "EVENTS", "WHEN")
	for _, one := range all {
		t.row(one.ID, one.Name, one.URL, eventTypes(one.Events), one.When)
	}
	return t.print(e)
}

func eventTypes(all []client.EventType) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = string(one)
	}
	return strings.Join(names, ", ")
}

// OfReceiver names a receiver of a workflow.
type OfReceiver struct {
	OfWorkflow
	Receiver string `arg:"" help:"Id of the receiver (rcv_…)."`
}

type receiversShow struct {
	OfReceiver
	Showing
}

func (c *receiversShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	r, err := api.Receiver(ctx, id, c.Receiver)
	if err != nil {
		return err
	}
	s, err := api.ReceiverState(ctx, id, c.Receiver)
	if err != nil {
		return err
	}
	type both struct {
		client.Receiver
		State client.EndpointState `json:"state"`
	}
	return printOne(e, c.Showing, both{r, s}, func(row func(...string)) {
		receiverRows(row, r)
		stateRows(row, s)
	})
}

func receiverRows(row func(...string), r client.Receiver) {
	row("receiver", r.ID)
	row("name", r.Name)
	row("address", r.URL)
	row("events", eventTypes(r.Events))
	row("condition", r.When)
}

// receiverFlags are the settings of a receiver.
type receiverFlags struct {
	Event []string `enum:"DOCUMENTS_CREATED,DOCUMENT_FAILED,BATCH_COMPLETED" help:"Send only events of these types: DOCUMENTS_CREATED, DOCUMENT_FAILED, BATCH_COMPLETED. Default of a new one: all."`
	When  *string  `help:"Send only events about source events for which this condition is true. Empty: all."`
}

func (f receiverFlags) change(name, address *string) client.ReceiverChange {
	c := client.ReceiverChange{Name: name, URL: address, When: f.When}
	for _, one := range f.Event {
		c.Events = append(c.Events, client.EventType(one))
	}
	return c
}

type receiversCreate struct {
	OfWorkflow
	Showing
	Name string `arg:"" help:"Its name, one of its own in the workflow."`
	URL  string `arg:"" help:"Address that gets the events."`
	receiverFlags
}

func (c *receiversCreate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	r, err := api.CreateReceiver(ctx, id, c.change(&c.Name, &c.URL))
	return printReceiver(e, c.Showing, r, err)
}

type receiversUpdate struct {
	OfReceiver
	Showing
	Name *string `help:"Another name."`
	URL  *string `placeholder:"URL" help:"Another address, or the same one, which enables it."`
	receiverFlags
}

func (c *receiversUpdate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	r, err := api.UpdateReceiver(ctx, id, c.Receiver, c.change(c.Name, c.URL))
	return printReceiver(e, c.Showing, r, err)
}

// printReceiver prints a receiver that was made or changed.
func printReceiver(e *Environment, how Showing, r client.Receiver, err error) error {
	if err != nil {
		return err
	}
	warn(e, r.Findings, nil)
	return printOne(e, how, r, func(row func(...string)) { receiverRows(row, r) })
}

type receiversCheck struct {
	OfWorkflow
	JSON bool `help:"Print JSON."`
}

func (c *receiversCheck) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	found, err := api.CheckReceivers(ctx, id, nil)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, found)
	}
	text := fmt.Sprintf("%s looked at.\n", count(found.Events, "event"))
	for _, r := range found.Receivers {
		text += fmt.Sprintf("%s: sent %d, skipped %d, cannot be worked out for %d", Shown(r.Name), r.Sent, r.Skipped, r.Faulty)
		if len(r.Unfilled) > 0 {
			text += "; no event has " + Shown(strings.Join(r.Unfilled, ", "))
		}
		text += "\n"
	}
	_, err = fmt.Fprint(e.Out, text)
	return err
}

type receiversSecret struct {
	OfReceiver
	Rotate bool `help:"Make another one. Events carry both signatures for 24 hours."`
}

func (c *receiversSecret) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	read := api.ReceiverSecret
	if c.Rotate {
		read = api.RotateReceiverSecret
	}
	s, err := read(ctx, id, c.Receiver)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Out, Shown(s.Secret))
	return err
}

type receiversTest struct {
	OfReceiver
	Showing
}

// Run fails when the receiver did not take the test.
func (c *receiversTest) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.TryReceiver(ctx, id, c.Receiver)
	return printTest(e, c.Showing, d, err)
}

type receiversDelete struct {
	OfReceiver
	Yes bool `help:"Do not ask. Required without a terminal."`
}

func (c *receiversDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Confirm(ctx, c.Yes, "Remove the receiver? Events that it did not get yet fail, and cannot be delivered again. Its secret is erased.", "removed"); err != nil {
		return err
	}
	if err := api.DeleteReceiver(ctx, id, c.Receiver); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is removed.\n", Shown(c.Receiver))
	return err
}
