package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/platenhq/platen/client"
)

type webhooksCommand struct {
	List   webhooksList   `cmd:"" help:"List where the events of your workflows go."`
	Show   webhooksShow   `cmd:"" help:"Show where the events of a workflow go, and how they are taken there."`
	Create webhooksCreate `cmd:"" help:"Say where the events of a workflow go. Without an outgoing webhook, a workflow makes no events."`
	Update webhooksUpdate `cmd:"" help:"Give another address, or the same one, which enables it."`
	Delete webhooksDelete `cmd:"" help:"End the events of a workflow."`
	Secret webhooksSecret `cmd:"" help:"Print the secret that signs the events of a workflow."`
	Test   webhooksTest   `cmd:"" help:"Send a WORKFLOW_TEST event at once, and say how that went."`

	TestReceiver webhooksTestReceiver `cmd:"" help:"Say where the events of tests go, or show it. Without a test receiver, tests make no events."`
}

type webhooksList struct {
	Access
	Listing
}

// A webhookOf is an outgoing webhook beside its workflow.
type webhookOf struct {
	WorkflowID   string `json:"workflowId"`
	WorkflowName string `json:"workflowName"`
	client.OutgoingWebhook
}

func (c *webhooksList) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	return printList(e, c.Listing, webhooks(ctx, api), []string{"WORKFLOW", "NAME", "WEBHOOK", "URL"}, func(w webhookOf) []string {
		return []string{w.WorkflowID, w.WorkflowName, w.ID, w.URL}
	})
}

func webhooks(ctx context.Context, api *client.Client) iter.Seq2[webhookOf, error] {
	return func(yield func(webhookOf, error) bool) {
		for w, err := range api.Workflows(ctx, client.WorkflowQuery{}) {
			if err == nil && w.OutgoingWebhook == nil {
				continue
			}
			of := webhookOf{WorkflowID: w.ID, WorkflowName: w.Name}
			if w.OutgoingWebhook != nil {
				of.OutgoingWebhook = *w.OutgoingWebhook
			}
			if !yield(of, err) || err != nil {
				return
			}
		}
	}
}

type webhooksShow struct {
	OfWorkflow
	Showing
}

func (c *webhooksShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	w, err := api.OutgoingWebhook(ctx, id)
	if err != nil {
		return err
	}
	s, err := api.EndpointState(ctx, id)
	if err != nil {
		return err
	}
	type both struct {
		client.OutgoingWebhook
		State client.EndpointState `json:"state"`
	}
	return printOne(e, c.Showing, both{w, s}, func(row func(...string)) {
		row("webhook", w.ID)
		row("address", w.URL)
		stateRows(row, s)
	})
}

// stateRows say how an address takes events.
func stateRows(row func(...string), s client.EndpointState) {
	row("state", s.State)
	row("why", failure(s.Reason))
	row("failures in a row", fmt.Sprint(s.Failures))
	row("fails since", stampOr(s.FailingSince))
	row("rests until", stampOr(s.RestsUntil))
	row("held events", fmt.Sprint(s.HeldEvents))
}

type webhooksCreate struct {
	OfWorkflow
	URL string `arg:"" help:"Address that gets the events."`
}

func (c *webhooksCreate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	w, err := api.CreateOutgoingWebhook(ctx, id, c.URL)
	if refusal, ok := errors.AsType[*client.Error](err); ok && refusal.Code == "outgoing_webhook_exists" {
		return fmt.Errorf("the workflow has an outgoing webhook already: 'platen webhooks update %s %s' changes its address", Shown(id), Shown(c.URL))
	}
	if err != nil {
		return err
	}
	return tellWebhook(e, id, w)
}

func tellWebhook(e *Environment, workflowID string, w client.OutgoingWebhook) error {
	warn(e, w.Findings, nil)
	_, err := fmt.Fprintf(e.Out, "The events of %s go to %s.\n", Shown(workflowID), Shown(w.URL))
	return err
}

type webhooksUpdate struct {
	OfWorkflow
	URL string `arg:"" help:"Address that gets the events."`
}

func (c *webhooksUpdate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	w, err := api.UpdateOutgoingWebhook(ctx, id, c.URL)
	if err != nil {
		return err
	}
	return tellWebhook(e, id, w)
}

type webhooksDelete struct{ OfWorkflow }

func (c *webhooksDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := api.DeleteOutgoingWebhook(ctx, id); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s makes no events any more.\n", Shown(id))
	return err
}

type webhooksSecret struct {
	OfWorkflow
	Test bool `help:"That of the test receiver, which is another."`
}

func (c *webhooksSecret) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	read := api.SigningSecret
	if c.Test {
		read = api.TestSecret
	}
	s, err := read(ctx, id)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Out, Shown(s.Secret))
	return err
}

type webhooksTestReceiver struct {
	OfWorkflow
	URL    string `arg:"" optional:"" help:"Address that gets the events of tests; not that of the outgoing webhook. Without, the address is printed."`
	Remove bool   `help:"Have tests tell nobody any more. The secret is gone then."`
}

func (c *webhooksTestReceiver) Run(ctx context.Context, e *Environment) error {
	if c.Remove && c.URL != "" {
		return Usage(errors.New("--remove and an address exclude each other"))
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if c.Remove {
		if err := api.DeleteTestReceiver(ctx, id); err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.Out, "Tests of %s make no events any more.\n", Shown(id))
		return err
	}
	w, err := c.receiver(ctx, api, id)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "The events of tests of %s go to %s.\n", Shown(id), Shown(w.URL))
	return err
}

func (c *webhooksTestReceiver) receiver(ctx context.Context, api *client.Client, workflowID string) (client.TestReceiver, error) {
	if c.URL == "" {
		return api.TestReceiver(ctx, workflowID)
	}
	return api.SetTestReceiver(ctx, workflowID, c.URL)
}

type webhooksTest struct {
	OfWorkflow
	Showing
}

// Run fails when the receiver did not take the test.
func (c *webhooksTest) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.TestOutgoingWebhook(ctx, id)
	return printTest(e, c.Showing, d, err)
}

// printTest says how a test went. It fails when the receiver did not take it.
func printTest(e *Environment, how Showing, d client.TestDelivery, err error) error {
	if err != nil {
		return err
	}
	if err := printOne(e, how, d, func(row func(...string)) { deliveryRows(row, d.Delivery) }); err != nil {
		return err
	}
	if !d.Delivered {
		return fmt.Errorf("the receiver did not take event %s", Shown(d.EventID))
	}
	return nil
}

func deliveryRows(row func(...string), d client.Delivery) {
	status := "no answer"
	if d.Status != nil {
		status = fmt.Sprint(*d.Status)
	}
	row(fmt.Sprintf("attempt %d", d.Attempt), fmt.Sprintf("%s, %s, %d ms", stamp(d.At), status, d.DurationMS))
	if d.Failure != nil {
		row("why not", *d.Failure)
	}
	if d.Answer != "" {
		row("answer", d.Answer)
	}
}
