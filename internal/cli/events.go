package cli

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/platenhq/platen/client"
)

type eventsCommand struct {
	List      eventsList      `cmd:"" help:"List events, the newest of a workflow first. What was not delivered: --state FAILED --state HELD."`
	Show      eventsShow      `cmd:"" help:"Show one event and the attempts to deliver it."`
	Redeliver eventsRedeliver `cmd:"" help:"Deliver an event again: same id, same bytes. Prints its state."`
	Recover   eventsRecover   `cmd:"" help:"Deliver the FAILED and HELD events of a workflow again, the oldest first, after your receiver was down."`
}

type eventsList struct {
	Access
	Listing
	Workflow WorkflowName `arg:"" optional:"" help:"Id of the workflow (wkf_…), or its name. Default: each that you see, one after the other."`
	Test     bool         `help:"Only those of tests, which are left out otherwise."`
	Receiver []string     `placeholder:"rcv_…" help:"Only those for these receivers."`
	State    []string     `enum:"PENDING,DELIVERED,FAILED,HELD" help:"Only those in these states: PENDING, DELIVERED, FAILED, HELD."`
}

func (c *eventsList) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	of := func(id string) iter.Seq2[news, error] {
		return eventsOf(ctx, api, id, client.EventQuery{States: c.State, Receivers: c.Receiver, Newest: true, Test: c.Test})
	}
	found := visited(ctx, api, of)
	if c.Workflow != "" {
		id, err := c.Workflow.id(ctx, api)
		if err != nil {
			return err
		}
		found = of(id)
	}
	return printList(e, c.Listing, found, []string{"ID", "TYPE", "STATE", "CREATED", "AUTOMATION", "WORKFLOW", "RECEIVER", "WHY"}, func(n news) []string {
		return []string{n.ID, string(n.Type), n.State, stamp(n.CreatedAt), n.AutomationID, n.WorkflowID, n.ReceiverID, cmp.Or(failure(n.Held), eventTrouble(n.Event))}
	})
}

// eventTrouble is why an event is not delivered, and when it is tried; empty: it is.
func eventTrouble(e client.Event) string {
	why := textOr(e.LastFailure)
	if e.LastFailure == nil {
		why = ""
	}
	if e.NextAttemptAt != nil && e.State == "PENDING" {
		why = strings.TrimPrefix(why+"; next attempt "+stamp(*e.NextAttemptAt), "; ")
	}
	return why
}

// EventOf is an event of a workflow.
type EventOf struct {
	OfWorkflow
	Event string `arg:"" help:"Id of the event (evt_…)."`
}

type eventsShow struct {
	EventOf
	Showing
}

// Run prints the payload only as JSON.
func (c *eventsShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.Event(ctx, id, c.Event)
	if err != nil {
		return err
	}
	return printOne(e, c.Showing, d, func(row func(...string)) {
		row("event", d.ID)
		row("type", string(d.Type))
		row("state", d.State)
		if d.Test {
			row("test", "yes")
		}
		if d.ReceiverID != "" {
			row("receiver", d.ReceiverID)
		}
		row("held", failure(d.Held))
		if d.State == "PENDING" {
			row("next attempt", stampOr(d.NextAttemptAt))
		}
		if d.LastFailure != nil {
			row("last failure", *d.LastFailure)
		}
		if d.BatchID != "" {
			row("batch", d.BatchID)
		} else {
			row("automation", d.AutomationID)
			row("output", d.OutputID)
		}
		row("created", stamp(d.CreatedAt))
		row("data erased", yesNo(erased(d.Payload)))
		for _, attempt := range d.Deliveries {
			deliveryRows(row, attempt)
		}
	})
}

type eventsRedeliver struct {
	EventOf
	Showing
}

func (c *eventsRedeliver) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.RedeliverEvent(ctx, id, c.Event)
	return printState(e, c.Showing, d, d.State, err)
}

type eventsRecover struct {
	OfWorkflow
	Showing
	Test     bool   `help:"Those of tests, to the test receiver; else all others."`
	Receiver string `placeholder:"rcv_…" help:"Those for this receiver alone. Default: those for the outgoing webhook and for all receivers."`
	Since    Ago    `required:"" placeholder:"6h" help:"Only those created so long ago at most, such as 6h or 2d, or since a time such as 2026-01-02T03:04:05Z."`
}

func (c *eventsRecover) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	r, err := api.RecoverEvents(ctx, id, client.RecoveryRequest{Since: c.Since.time(), Test: c.Test, ReceiverID: c.Receiver})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, r)
	}
	more := ""
	if r.More {
		more = " There may be more: run the command once more."
	}
	_, err = fmt.Fprintf(e.Out, "%s delivered again, %d of them held before.%s\n", count(r.Recovered, "event"), r.Held, more)
	return err
}
