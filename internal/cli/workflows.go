package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/platenhq/platen/client"
)

type workflowsCommand struct {
	List   workflowsList   `cmd:"" help:"List your workflows and those of your team, the oldest first."`
	Show   workflowsShow   `cmd:"" help:"Show one workflow: its documents, the address of its source, where its events go."`
	Create workflowsCreate `cmd:"" help:"Make a workflow. Prints its id."`
	Update workflowsUpdate `cmd:"" help:"Change the name, the locale or the order of a workflow. What is not named stays as it is."`
	Copy   workflowsCopy   `cmd:"" help:"Make a workflow of yours with the documents and settings of another. Prints its id."`
	Export workflowsExport `cmd:"" help:"Write a workflow to a file, for another installation. It has no secrets and no addresses."`
	Import workflowsImport `cmd:"" help:"Make a workflow of such a file. Prints its id."`
	Delete workflowsDelete `cmd:"" help:"Take a workflow out of use (ARCHIVED). Its source answers 410 then. Only the operator can bring it back."`
}

type workflowsList struct {
	Access
	Listing
	Status []string `enum:"COMPLETE,INCOMPLETE,ARCHIVED" help:"Only those with this status: COMPLETE, INCOMPLETE, ARCHIVED."`
}

func (c *workflowsList) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	heading := []string{"ID", "NAME", "STATUS", "DOCUMENTS", "EVENTS", "OWNER", "CHANGED"}
	return printList(e, c.Listing, api.Workflows(ctx, client.WorkflowQuery{Statuses: c.Status}), heading, func(w client.Workflow) []string {
		return []string{w.ID, w.Name, w.Status, strconv.Itoa(len(w.Documents)), yesNo(w.OutgoingWebhook != nil), w.Owner.Email, stamp(w.UpdatedAt)}
	})
}

type workflowsShow struct {
	OfWorkflow
	Showing
}

func (c *workflowsShow) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	w, err := c.Workflow.workflow(ctx, api)
	if err != nil {
		return err
	}
	var unknown []string
	if !c.JSON {
		if unknown, err = unknownFields(ctx, api, w.ID); err != nil {
			return err
		}
	}
	return printOne(e, c.Showing, w, func(row func(...string)) {
		row("workflow", w.ID)
		row("name", w.Name)
		row("status", w.Status)
		row("owner", w.Owner.Name+" <"+w.Owner.Email+">")
		if w.Team != nil {
			row("team", w.Team.Name)
		}
		if w.Locale != "" {
			row("locale", w.Locale)
		}
		if w.OrderedBy != "" {
			row("one after the other by", w.OrderedBy)
		}
		row("source (keep it secret)", w.Source.URL)
		for _, d := range w.Documents {
			row("document", d.ID+" "+d.File.Name)
		}
		if w.OutgoingWebhook != nil {
			row("events go to", w.OutgoingWebhook.URL)
		}
		for _, text := range unknown {
			row("empty in the last run", text)
		}
		row("created, changed", stamp(w.CreatedAt)+", "+stamp(w.UpdatedAt))
	})
}

// unknownFields are the fields that the templates of a workflow name and the event of its
// newest run that has ended did not have, in words.
func unknownFields(ctx context.Context, api *client.Client, workflowID string) (all []string, err error) {
	for a, err := range api.Automations(ctx, workflowID, client.AutomationQuery{States: []string{"COMPLETED", "FAILED"}, Newest: true, Page: 1}) {
		if err != nil || len(a.MissingFields) == 0 {
			return nil, err
		}
		d, err := api.Automation(ctx, workflowID, a.ID)
		for _, f := range d.UnknownFields {
			all = append(all, missingText(f.Name, d.UnknownFields))
		}
		return all, err
	}
	return nil, nil
}

type workflowsCreate struct {
	Access
	Showing
	Name    string `arg:"" help:"Name of the workflow."`
	File    string `xor:"template" placeholder:"FILE" help:"Its template, a .docx or .pptx file of this machine."`
	FileID  string `name:"file-id" xor:"template" placeholder:"ID" help:"Its template, by the id or the address of a file in the cloud drive."`
	Webhook string `placeholder:"URL" help:"Where its events go."`
	PDF     bool   `name:"pdf" help:"Make a PDF of each document, too."`
}

// Run reads the file first: a workflow without its template helps nobody.
func (c *workflowsCreate) Run(ctx context.Context, e *Environment) error {
	var content []byte
	var err error
	if c.File != "" {
		if content, err = os.ReadFile(c.File); err != nil {
			return err
		}
		if e.CheckTemplate != nil {
			if err := e.CheckTemplate(content); err != nil {
				return fmt.Errorf("%s: %w", Shown(c.File), err)
			}
		}
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	w, err := api.CreateWorkflow(ctx, c.asked())
	if err != nil {
		return err
	}
	for _, d := range w.Documents {
		warn(e, d.Findings, d.Unchecked)
	}
	if w.OutgoingWebhook != nil {
		warn(e, w.OutgoingWebhook.Findings, nil)
	}
	if content != nil {
		if err := c.add(ctx, e, api, w.ID, content); err != nil {
			return fmt.Errorf("workflow %s was made, without its template: %w\n'platen documents create %s %s' adds it", Shown(w.ID), err, Shown(w.ID), Shown(c.File))
		}
		if w, err = api.Workflow(ctx, w.ID); err != nil {
			return err
		}
	}
	return printMade(e, c.Showing, w)
}

func (c *workflowsCreate) asked() client.NewWorkflow {
	w := client.NewWorkflow{Name: c.Name}
	if c.FileID != "" {
		w.Document = &client.NewDocument{FileID: c.FileID, DocumentSettings: client.DocumentSettings{CreatePDFCopy: onlyTrue(c.PDF)}}
	}
	if c.Webhook != "" {
		w.OutgoingWebhook = &client.OutgoingWebhookAddress{URL: c.Webhook}
	}
	return w
}

func (c *workflowsCreate) add(ctx context.Context, e *Environment, api *client.Client, workflowID string, content []byte) error {
	d, err := api.UploadDocumentWith(ctx, workflowID, content, client.DocumentSettings{CreatePDFCopy: onlyTrue(c.PDF)})
	if err == nil {
		warn(e, d.Findings, d.Unchecked)
	}
	return err
}

// onlyTrue leaves out what has its default.
func onlyTrue(is bool) *bool {
	if !is {
		return nil
	}
	return &is
}

type workflowsUpdate struct {
	OfWorkflow
	Showing
	Name      string  `placeholder:"TEXT" help:"Its name."`
	Locale    *string `placeholder:"LOCALE" help:"Locale of numbers, dates and words, such as de-AT. Empty: English."`
	OrderedBy *string `placeholder:"FORMULA" help:"Run automations for which this gives the same one after the other, in the order in which their events were accepted, such as Customer.Number. Empty: run all side by side."`
}

func (c *workflowsUpdate) Run(ctx context.Context, e *Environment) error {
	change := client.WorkflowChange{Name: c.Name, Locale: c.Locale, OrderedBy: c.OrderedBy}
	if change == (client.WorkflowChange{}) {
		return Usage(errors.New("name a setting to change, such as --name or --ordered-by"))
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	w, err := api.UpdateWorkflow(ctx, id, change)
	if err != nil {
		return err
	}
	return printMade(e, c.Showing, w)
}

type workflowsDelete struct{ OfWorkflow }

func (c *workflowsDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := api.ArchiveWorkflow(ctx, id); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is ARCHIVED.\n", Shown(id))
	return err
}
