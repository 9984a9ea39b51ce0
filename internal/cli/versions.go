package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
)

type documentsVersions struct {
	DocumentOf
	Listing
}

func (c *documentsVersions) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	heading := []string{"NUMBER", "ID", "KEPT AT", "BY", "BECAUSE", "BYTES", "NOTE"}
	return printList(e, c.Listing, api.TemplateVersions(ctx, id, c.Document), heading, func(v client.TemplateVersion) []string {
		by := ""
		if v.CreatedBy != nil {
			by = v.CreatedBy.Email
		}
		return []string{strconv.Itoa(v.Number), v.ID, stamp(v.CreatedAt), by, v.Cause, strconv.Itoa(v.Size), v.Note}
	})
}

type documentsKeep struct {
	DocumentOf
	Showing
	Note string `placeholder:"TEXT" help:"Why it is kept."`
}

func (c *documentsKeep) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	v, err := api.KeepTemplateVersion(ctx, id, c.Document, client.NewTemplateVersion{Note: c.Note})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, v)
	}
	_, err = fmt.Fprintf(e.Out, "%s is version %d of %s.\n", Shown(v.ID), v.Number, Shown(c.Document))
	return err
}

// A VersionOf is a version of a document, by its id or its number.
type VersionOf struct {
	DocumentOf
	Version string `arg:"" help:"Number of the version, or its id (ver_…)."`
}

func (c *VersionOf) find(ctx context.Context, api *client.Client, workflowID string) (client.TemplateVersion, error) {
	if strings.HasPrefix(c.Version, "ver_") {
		return api.TemplateVersion(ctx, workflowID, c.Document, c.Version)
	}
	number, err := strconv.Atoi(c.Version)
	if err != nil {
		return client.TemplateVersion{}, Usage(errors.New("name the version by its number, such as 3, or its id, which begins with ver_"))
	}
	for v, err := range api.TemplateVersions(ctx, workflowID, c.Document) {
		if err != nil || v.Number == number {
			return v, err
		}
	}
	return client.TemplateVersion{}, fmt.Errorf("%s has no version %d: 'platen documents versions' lists those that are kept", Shown(c.Document), number)
}

type documentsRestore struct {
	VersionOf
	To string `placeholder:"FILE" help:"Write the version to a file (-: standard output), and leave the template as it is."`
}

// Run puts a version back, or shows what it says before somebody decides.
func (c *documentsRestore) Run(ctx context.Context, e *Environment) error {
	if c.To != "" {
		if err := prepareFile("--to", c.To); err != nil {
			return err
		}
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	v, err := c.find(ctx, api, id)
	if err != nil {
		return err
	}
	if c.To != "" {
		content, err := api.TemplateVersionFile(ctx, id, c.Document, v.ID)
		if err != nil {
			return err
		}
		return writeOut(e, c.To, content)
	}
	if _, err := api.RestoreTemplateVersion(ctx, id, c.Document, v.ID); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s has the template of version %d. Automations that start from now on use it, and what was there before is a version.\n", Shown(c.Document), v.Number)
	return err
}

type workflowsCopy struct {
	OfWorkflow
	Showing
	Name    string `arg:"" help:"Name of the copy."`
	Webhook bool   `help:"Send its events to the same receiver, signed with a new secret."`
}

func (c *workflowsCopy) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	w, err := api.CopyWorkflow(ctx, id, client.WorkflowCopy{Name: c.Name, OutgoingWebhook: c.Webhook})
	if err != nil {
		return err
	}
	return printMade(e, c.Showing, w)
}

func printMade(e *Environment, s Showing, w client.Workflow) error {
	if s.JSON {
		return printJSON(e.Out, w)
	}
	_, err := fmt.Fprintln(e.Out, Shown(w.ID))
	return err
}

type workflowsExport struct {
	OfWorkflow
	To string `placeholder:"FILE" help:"Where to save it (-: standard output). Default: the workflow's id with the ending .zip."`
}

func (c *workflowsExport) Run(ctx context.Context, e *Environment) error {
	if err := prepareFile("--to", c.To); err != nil {
		return err
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	content, err := api.ExportWorkflow(ctx, id)
	if err != nil {
		return err
	}
	to := c.To
	if to == "" {
		to = id + ".zip"
	}
	return writeOut(e, to, content)
}

type workflowsImport struct {
	Access
	Showing
	File string `arg:"" help:"A file that 'platen workflows export' wrote."`
}

func (c *workflowsImport) Run(ctx context.Context, e *Environment) error {
	content, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	w, err := api.ImportWorkflow(ctx, content)
	if err != nil {
		return err
	}
	for other, err := range api.Workflows(ctx, client.WorkflowQuery{}) {
		if err != nil {
			break // it was imported all the same
		}
		if other.ID != w.ID && other.Name == w.Name && other.Status != "ARCHIVED" {
			fmt.Fprintf(e.Err, "warning: %s has the name %s, too: commands take one of them by its id.\n", Shown(other.ID), Shown(w.Name))
			break
		}
	}
	return printMade(e, c.Showing, w)
}
