package api

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// A workflow goes from one installation to another as a zip file: workflowEntry says what
// it is, and each template is an office file beside it.
const (
	workflowEntry   = "workflow.json"
	templatesFolder = "templates/"
	portableFormat  = "platen-workflow"
	portableVersion = 1
	// importLimit is how many bytes such a file has, and what is in it.
	importLimit = 16 << 20
)

// portableJSON is what workflowEntry says. Its names are for ever: they are read by
// installations of other releases.
type portableJSON struct {
	Format     string             `json:"format"`
	Version    int                `json:"version"`
	ExportedAt string             `json:"exportedAt"`
	Workflow   portableWorkflow   `json:"workflow"`
	Documents  []portableDocument `json:"documents"`
}

type portableWorkflow struct {
	Name  string `json:"name"`
	Color string `json:"color"`
	Icon  string `json:"icon"`
	workflowExtensions
	AutoCreate   bool     `json:"autoCreate"`
	SourceFields []string `json:"sourceFields,omitempty"` // those that were named when it was made
}

// portableDocument has no literal password, which is a secret, and no ids of a folder and
// of appended files, which are of one drive.
type portableDocument struct {
	Template               string               `json:"template"` // the entry
	OutputName             string               `json:"outputName"`
	CreatePDFCopy          bool                 `json:"createPdfCopy"`
	RemoveOutput           bool                 `json:"removeOutput"`
	EnablePDFPassword      bool                 `json:"enablePdfPassword"`
	PDFPassword            string               `json:"pdfPassword,omitempty"`
	PDFPasswordPreventCopy bool                 `json:"pdfPasswordPreventCopy"`
	PDF                    *pdfJSON             `json:"pdf,omitempty"`
	EInvoice               *einvoiceJSON        `json:"einvoice,omitempty"`
	Accessibility          platen.Accessibility `json:"accessibility,omitempty"`
	Seal                   bool                 `json:"seal,omitempty"`
	OnMissing              platen.OnMissing     `json:"onMissing"`
	OutputFolder           string               `json:"outputFolder,omitempty"`
	OutputSharing          platen.Sharing       `json:"outputSharing,omitempty"`
	Email                  *emailJSON           `json:"email,omitempty"`
	Approval               *approvalJSON        `json:"approval,omitempty"`
	When                   string               `json:"when,omitempty"`
	OutputSharingWhen      string               `json:"outputSharingWhen,omitempty"`
	Numbers                []string             `json:"numbers,omitempty"` // names of series, without where they stand
}

// exportWorkflow answers with the workflow as one file. An archived one can be exported,
// too.
func (s *server) exportWorkflow(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = fewTemplates(len(wf.Documents))
	}
	if err == nil {
		err = edge.Reserve(r.Context(), importLimit)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), templatesTimeout, errDriveTimeout)
	defer cancel()
	templates, err := s.exportTemplates(ctx, wf)
	if err != nil {
		return err
	}
	at := s.now().UTC()
	described, err := json.MarshalIndent(portableOf(wf, at), "", "  ")
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", disposition("attachment", wf.Name+" "+at.Format(time.DateOnly)+".zip"))
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	// From here on an error can only truncate the answer: its reader misses the end of
	// the zip.
	archive := zip.NewWriter(w)
	if err := addEntry(archive, workflowEntry, zip.Deflate, at, append(described, '\n')); err != nil {
		return nil
	}
	for i, content := range templates {
		if err := addEntry(archive, templateEntry(i, wf.Documents[i].Type), zip.Store, at, content); err != nil {
			return nil
		}
	}
	_ = archive.Close()
	return nil
}

func addEntry(archive *zip.Writer, name string, method uint16, at time.Time, content []byte) error {
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: at})
	if err == nil {
		_, err = bytes.NewReader(content).WriteTo(entry)
	}
	return err
}

func templateEntry(i int, t platen.DocumentType) string {
	return fmt.Sprintf("%s%d%s", templatesFolder, i+1, t.OfficeExtension())
}

// exportTemplates reads the templates with the caller's eyes: a member of the team who
// cannot open one in the drive does not get it here.
func (s *server) exportTemplates(ctx context.Context, wf platen.Workflow) ([][]byte, error) {
	if len(wf.Documents) == 0 {
		return nil, nil
	}
	drive, err := s.drives(ctx, caller(ctx).ID)
	if err != nil {
		return nil, driveError(ctx, "", err)
	}
	templates, size := make([][]byte, len(wf.Documents)), 0
	for i, d := range wf.Documents {
		content, err := drive.ExportOffice(ctx, d.File.ID, d.Type.OfficeType())
		if size += len(content); platen.KindOf(err) == platen.KindTooLarge || len(content) > uploadLimit || size > importLimit-bodyLimit {
			return nil, &platen.Error{Kind: platen.KindInvalid, Code: "workflow_too_large", Err: err,
				Message: fmt.Sprintf("The template of %s is too large to be exported: one template has at most 10 MB, and all of them together have 15 MiB. Make its pictures smaller.", d.ID)}
		}
		if err != nil {
			return nil, ofTemplate(newDocument{of: d.ID}, driveError(ctx, "", err))
		}
		templates[i] = content
	}
	return templates, nil
}

func portableOf(wf platen.Workflow, at time.Time) portableJSON {
	out := portableJSON{
		Format: portableFormat, Version: portableVersion, ExportedAt: platen.Timestamp(at),
		Workflow:  portableWorkflow{Name: wf.Name, Color: wf.Color, Icon: wf.Icon, workflowExtensions: extensionsOf(wf), AutoCreate: wf.AutoCreate},
		Documents: make([]portableDocument, len(wf.Documents)),
	}
	if wf.Source.FieldsGiven {
		out.Workflow.SourceFields = wf.Source.Fields
	}
	for i, d := range wf.Documents {
		out.Documents[i] = portableDocument{
			Template: templateEntry(i, d.Type), OutputName: d.OutputName,
			CreatePDFCopy: d.CreatePDFCopy, RemoveOutput: d.RemoveOutput,
			EnablePDFPassword: d.EnablePDFPassword, PDFPasswordPreventCopy: d.PDFPasswordPreventCopy, PDF: pdfOf(d), EInvoice: einvoiceOf(d), Accessibility: d.Accessibility, Seal: d.Seal,
			OnMissing: d.OnMissing, OutputFolder: d.OutputFolder, OutputSharing: d.OutputSharing, Email: email(d.Email), Approval: approval(d.Approval), When: d.When, OutputSharingWhen: d.OutputSharingWhen, Numbers: d.Numbers,
		}
		if holdsTag(d.PDFPassword) {
			out.Documents[i].PDFPassword = d.PDFPassword
		}
	}
	return out
}

// holdsTag tells a template from a text that is the same for everybody.
func holdsTag(text string) bool {
	_, rest, ok := strings.Cut(text, "{{")
	return ok && strings.Contains(rest, "}}")
}
