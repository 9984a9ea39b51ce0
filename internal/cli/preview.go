package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/platenhq/platen/client"
)

type previewCommand struct {
	Access
	Showing
	File     string       `arg:"" optional:"" help:"The template, a .docx or .pptx file of this machine."`
	Workflow WorkflowName `help:"In place of a file: the documents of this workflow, by its id or name."`
	Document string       `placeholder:"ID" help:"With --workflow: this document alone (doc_…)."`
	Data     string       `required:"" placeholder:"FILE" help:"File with one JSON object such as the source will send, -: standard input, or the object itself."`
	To       string       `placeholder:"DIR" default:"." help:"Folder that the PDFs are written to. Default: here."`
	Open     bool         `help:"Open the PDFs."`
}

// Run prints each finding, and fails if a template could not be filled.
func (c *previewCommand) Run(ctx context.Context, e *Environment) error {
	if (c.File == "") == (c.Workflow == "") || c.Document != "" && c.Workflow == "" {
		return Usage(errors.New("name a file, or a workflow with --workflow, and not both"))
	}
	data, err := ReadObject(ctx, e.In, c.Data)
	if err != nil {
		return err
	}
	if err := prepareFolder("--to", c.To); err != nil {
		return err
	}
	var content []byte
	if c.File != "" {
		if content, err = os.ReadFile(c.File); err != nil {
			return err
		}
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	workflowID, documentID := "", c.Document
	if content != nil {
		workflowID, documentID, err = shelf{api, filepath.Ext(c.File)}.put(ctx, content)
	} else {
		workflowID, err = c.Workflow.id(ctx, api)
	}
	if err != nil {
		return err
	}
	p := progress{e: e}
	p.tell("Filling …")
	made, err := api.Preview(ctx, workflowID, client.PreviewRequest{DocumentID: documentID, Data: data})
	p.end()
	if err != nil {
		return err
	}
	return c.write(e, made)
}

// A sample is what is printed of a document of a preview.
type sample struct {
	File          string                   `json:"file"` // the PDF; empty: the template cannot be filled
	DocumentID    string                   `json:"documentId"`
	OutputName    string                   `json:"outputName"`
	Findings      []client.TemplateFinding `json:"findings"`
	MissingFields []string                 `json:"missingFields"`
	PDFFindings   []client.PDFFinding      `json:"pdfFindings"`
}

func (c *previewCommand) write(e *Environment, made client.Preview) error {
	unfilled := 0
	for _, d := range made.Documents {
		s := sample{DocumentID: d.DocumentID, OutputName: d.OutputName, Findings: d.Findings, MissingFields: d.MissingFields, PDFFindings: d.PDFFindings}
		if d.PDF == nil {
			unfilled++
		} else {
			s.File = filepath.Join(c.To, c.nameOf(d)+".preview.pdf")
			if err := os.WriteFile(s.File, d.PDF, 0o600); err != nil {
				return err
			}
		}
		if err := c.print(e, s); err != nil {
			return err
		}
		if c.Open && s.File != "" {
			openOrSay(e, s.File)
		}
	}
	if unfilled > 0 {
		return fmt.Errorf("%s cannot be filled with this data", count(unfilled, "template"))
	}
	return nil
}

// nameOf is that of the file, or the document's id: an output's name may be anything.
func (c *previewCommand) nameOf(d client.PreviewDocument) string {
	if c.File != "" {
		return strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File))
	}
	return filepath.Base(d.DocumentID)
}

func (c *previewCommand) print(e *Environment, s sample) error {
	if c.JSON {
		return printJSON(e.Out, s)
	}
	of := Shown(c.nameOf(client.PreviewDocument{DocumentID: s.DocumentID}))
	for _, f := range s.Findings {
		fmt.Fprintf(e.Out, "%s: %s: %s%s (%s)\n", of, Shown(f.Where), noted(f.Severity), Shown(f.Message), Shown(f.Code))
	}
	for _, name := range s.MissingFields {
		fmt.Fprintf(e.Out, "%s: the data has no field %s\n", of, Shown(name))
	}
	for _, f := range s.PDFFindings {
		fmt.Fprintf(e.Out, "%s: %s (%s)\n", of, Shown(f.Message), Shown(f.Code))
	}
	if s.File == "" {
		return nil
	}
	_, err := fmt.Fprintln(e.Out, Shown(s.File))
	return err
}

// openOrSay opens something, or says what the user may open.
func openOrSay(e *Environment, what string) {
	if err := e.Browse(what); err != nil {
		_, _ = io.WriteString(e.Err, fmt.Sprintf("Nothing here opens %s: %v\n", Shown(what), err))
	}
}

// scratch is the name of the workflow in which templates of files are previewed. It gets
// no events.
const scratch = "Previews from the command line"

// A shelf is for a template that is in a file and in no workflow yet. In the scratch
// workflow of its user each kind of template has a document, which gets the file's content.
type shelf struct {
	api       *client.Client
	extension string
}

func (s shelf) put(ctx context.Context, content []byte) (workflowID, documentID string, err error) {
	w, err := s.workflow(ctx)
	if err != nil {
		return "", "", err
	}
	kind := "CLOUD_DOCS"
	if strings.EqualFold(s.extension, ".pptx") {
		kind = "CLOUD_SLIDES"
	}
	for _, document := range w.Documents {
		if document.Type == kind {
			_, err := s.api.ReplaceTemplate(ctx, w.ID, document.ID, content)
			return w.ID, document.ID, err
		}
	}
	document, err := s.api.UploadDocument(ctx, w.ID, content)
	return w.ID, document.ID, err
}

func (s shelf) workflow(ctx context.Context) (client.Workflow, error) {
	me, err := s.api.Me(ctx)
	if err != nil {
		return client.Workflow{}, err
	}
	for w, err := range s.api.Workflows(ctx, client.WorkflowQuery{Statuses: []string{"COMPLETE", "INCOMPLETE"}}) {
		if err != nil || w.Name == scratch && w.Owner.ID == me.User.ID {
			return w, err
		}
	}
	return s.api.CreateWorkflow(ctx, client.NewWorkflow{Name: scratch})
}
