package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/platenhq/platen/client"
)

type documentsCommand struct {
	List     documentsList     `cmd:"" help:"List the documents (templates) of a workflow, the oldest first."`
	Show     documentsShow     `cmd:"" help:"Show one document and its settings."`
	Create   documentsCreate   `cmd:"" help:"Add a document to a workflow. Prints its id."`
	Check    documentsCheck    `cmd:"" help:"Find the mistakes of a document's template and settings."`
	Replace  documentsReplace  `cmd:"" help:"Give a document another template. Its id, settings and file id stay, and what the template said is kept as a version."`
	Versions documentsVersions `cmd:"" help:"List what a template said before, the oldest first. The newest 20 versions are kept."`
	Keep     documentsKeep     `cmd:"" help:"Keep what a template says now as a version, for example before you change it in the drive's editor."`
	Restore  documentsRestore  `cmd:"" help:"Put a version back into the template, or write it to a file. What was there is kept as a version."`
	Delete   documentsDelete   `cmd:"" help:"Take a document out of its workflow. Its versions go, too."`
}

// A DocumentOf is a document of a workflow.
type DocumentOf struct {
	OfWorkflow
	Document string `arg:"" help:"Id of the document (doc_…)."`
}

type documentsList struct {
	OfWorkflow
	Listing
}

func (c *documentsList) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	return printList(e, c.Listing, api.Documents(ctx, id), []string{"ID", "TYPE", "TEMPLATE", "OUTPUT NAME", "PDF", "PASSWORD"}, func(d client.Document) []string {
		return []string{d.ID, d.Type, d.File.Name, d.OutputName, yesNo(d.CreatePDFCopy), yesNo(d.EnablePDFPassword)}
	})
}

type documentsShow struct {
	DocumentOf
	Showing
}

func (c *documentsShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.Document(ctx, id, c.Document)
	if err != nil {
		return err
	}
	return printOne(e, c.Showing, d, func(row func(...string)) {
		row("document", d.ID)
		row("type", d.Type)
		row("template", d.File.Name+" ("+d.File.ID+")")
		row("template's address", d.File.URL)
		row("output name", d.OutputName)
		row("PDF, original removed", yesNo(d.CreatePDFCopy)+", "+yesNo(d.RemoveOutput))
		row("PDF with password", yesNo(d.EnablePDFPassword))
		row("missing fields", d.OnMissing)
		row("output folder", d.OutputFolder)
		row("numbers of", strings.Join(d.Numbers, ", "))
		row("appended to the PDF", strings.Join(d.Appendices, ", "))
		row("preview (keep it secret)", d.PreviewURL)
	})
}

type documentsCreate struct {
	OfWorkflow
	Showing
	File   string   `arg:"" optional:"" help:"The template, a .docx or .pptx file of this machine."`
	FileID string   `name:"file-id" placeholder:"ID" help:"In place of it, the id or the address of a file in the cloud drive."`
	PDF    bool     `name:"pdf" help:"Make a PDF of each document, too."`
	Number []string `name:"number" placeholder:"SERIES" help:"Series that each automation takes a number of, such as invoices."`
	Append []string `name:"append" placeholder:"ID" help:"Id or address of a file in the cloud drive that stands behind the PDF: a PDF, or a template that is filled with the same event. Five at most, in their order."`
}

func (c *documentsCreate) Run(ctx context.Context, e *Environment) error {
	if (c.File == "") == (c.FileID == "") {
		return Usage(errors.New("name a file, or give --file-id, and not both"))
	}
	var content []byte
	var err error
	if c.File != "" {
		if content, err = os.ReadFile(c.File); err != nil {
			return err
		}
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := c.create(ctx, api, id, content)
	if err != nil {
		return err
	}
	warn(e, d.Findings, d.Unchecked)
	if c.JSON {
		return printJSON(e.Out, d)
	}
	_, err = fmt.Fprintln(e.Out, Shown(d.ID))
	return err
}

func (c *documentsCreate) create(ctx context.Context, api *client.Client, workflowID string, content []byte) (client.Document, error) {
	settings := client.DocumentSettings{CreatePDFCopy: onlyTrue(c.PDF)}
	if len(c.Number) > 0 {
		settings.Numbers = &c.Number
	}
	if len(c.Append) > 0 {
		settings.Appendices = &c.Append
	}
	if c.FileID != "" {
		return api.CreateDocument(ctx, workflowID, client.AddedDocument{FileID: c.FileID, DocumentSettings: settings})
	}
	d, err := api.UploadDocument(ctx, workflowID, content)
	if err != nil || !c.PDF && len(c.Number)+len(c.Append) == 0 {
		return d, err
	}
	return api.UpdateDocument(ctx, workflowID, d.ID, settings)
}

type documentsReplace struct {
	DocumentOf
	File string `arg:"" help:"The template, a .docx or .pptx file of this machine, of the same kind as before."`
}

func (c *documentsReplace) Run(ctx context.Context, e *Environment) error {
	content, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.ReplaceTemplate(ctx, id, c.Document, content)
	if err != nil {
		return err
	}
	warn(e, d.Findings, d.Unchecked)
	_, err = fmt.Fprintf(e.Out, "%s has the template %s. Automations that start from now on use it.\n", Shown(d.ID), Shown(c.File))
	return err
}

type documentsDelete struct {
	DocumentOf
}

func (c *documentsDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := api.RemoveDocument(ctx, id, c.Document); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is no document of %s any more.\n", Shown(c.Document), Shown(id))
	return err
}

type documentsCheck struct {
	DocumentOf
	Showing
	Data string `placeholder:"FILE" help:"File with one JSON object such as the source will send, -: standard input, or the object itself. With it, values are checked too."`
}

// Run prints every mistake of the template and of the settings, and fails if there are any.
func (c *documentsCheck) Run(ctx context.Context, e *Environment) error {
	var data []byte
	var err error
	if c.Data != "" {
		if data, err = ReadObject(ctx, e.In, c.Data); err != nil {
			return err
		}
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	found, err := checked(ctx, api, id, c.Document, data)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(e.Out, found)
	} else {
		err = printCheck(e, found)
	}
	if n := len(found.Findings) + len(found.Faults) + len(found.Unfilled); n > 0 {
		return errors.Join(err, fmt.Errorf("%s in %s", count(n, "mistake"), Shown(c.Document)))
	}
	return err
}

// checked leaves the data out where there is none: null would be data.
func checked(ctx context.Context, api *client.Client, workflowID, documentID string, data []byte) (client.DocumentCheck, error) {
	if data == nil {
		return api.CheckDocument(ctx, workflowID, documentID, nil)
	}
	return api.CheckDocument(ctx, workflowID, documentID, data)
}

func printCheck(e *Environment, found client.DocumentCheck) error {
	text := ""
	for _, f := range found.Findings {
		text += fmt.Sprintf("%s: %s (%s)\n", Shown(f.Where), Shown(f.Message), Shown(f.Code))
	}
	for _, f := range found.Faults {
		text += fmt.Sprintf("%s: %s\n", Shown(f.In), Shown(f.Message))
	}
	for _, name := range found.Unfilled {
		text += fmt.Sprintf("nothing fills %s\n", Shown(name))
	}
	if text == "" {
		text = count(len(found.Tags), "tag") + ", no mistakes\n"
	}
	_, err := io.WriteString(e.Out, text)
	return err
}
