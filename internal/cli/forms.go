package cli

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/client"
)

type formsCommand struct {
	Show   formsShow   `cmd:"" help:"Show the public form of a workflow, with its link."`
	Set    formsSet    `cmd:"" help:"Make a public form, or change it: everybody who has its link makes documents by it. What no flag names stays."`
	Rotate formsRotate `cmd:"" help:"Give the form another link. The one before leads nowhere."`
	Delete formsDelete `cmd:"" help:"Remove the form. What it made stays."`
}

type formsShow struct {
	OfWorkflow
	Showing
}

func (c *formsShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	f, err := api.PublicForm(ctx, id)
	if err != nil {
		return err
	}
	return printForm(e, c.Showing, f)
}

type formsSet struct {
	OfWorkflow
	Showing
	Title        *string `help:"Title above the form. Empty: the name of the workflow."`
	Text         *string `help:"Text below the title."`
	ShowDocument *bool   `negatable:"" help:"Show the document to who sent the form, or only that it was sent."`
	PerDay       *int    `placeholder:"N" help:"Documents that the form makes in a day, in UTC."`
	PerAddress   *int    `placeholder:"N" help:"The same for one client address."`
	On           bool    `xor:"state" help:"Have the form take what is sent."`
	Off          bool    `xor:"state" help:"Have it take nothing; its link stays."`
}

func (c *formsSet) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	change := client.PublicFormChange{Title: c.Title, Text: c.Text, ShowDocument: c.ShowDocument, PerDay: c.PerDay, PerAddress: c.PerAddress}
	if c.On || c.Off {
		change.Enabled = &c.On
	}
	f, err := api.SetPublicForm(ctx, id, change)
	if err != nil {
		return err
	}
	return printForm(e, c.Showing, f)
}

type formsRotate struct {
	OfWorkflow
	Showing
	Yes bool `help:"Do not ask. Required without a terminal."`
}

func (c *formsRotate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Confirm(ctx, c.Yes, "Give the form another link? The one before leads nowhere then, also where it was printed.", "changed"); err != nil {
		return err
	}
	f, err := api.RotatePublicForm(ctx, id)
	if err != nil {
		return err
	}
	return printForm(e, c.Showing, f)
}

type formsDelete struct {
	OfWorkflow
	Yes bool `help:"Do not ask. Required without a terminal."`
}

func (c *formsDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Confirm(ctx, c.Yes, "Remove the form? Its link leads nowhere then, and cannot be had again.", "removed"); err != nil {
		return err
	}
	if err := api.DeletePublicForm(ctx, id); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s has no public form any more.\n", Shown(id))
	return err
}

func printForm(e *Environment, how Showing, f client.PublicForm) error {
	return printOne(e, how, f, func(row func(...string)) {
		row("link", f.URL)
		row("takes events", yesNo(f.Enabled))
		row("title", f.Title)
		row("text", f.Text)
		shows := "that it was sent"
		if f.ShowDocument {
			shows = "the document"
		}
		row("shows", shows)
		row("per day", fmt.Sprint(f.PerDay))
		row("per address", fmt.Sprint(f.PerAddress))
	})
}
