package api

import (
	"context"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

const (
	// maxPreviewed is how many documents one preview fills.
	maxPreviewed = 5
	// maxPreviewBytes bounds the PDFs of one preview together.
	maxPreviewBytes = 20 << 20
	// previewTimeout is within what the host gives one answer.
	previewTimeout = 45 * time.Second
)

var defaultPreviewRate = edge.Rate{PerSecond: 1, Burst: 10}

// previewWorkflow fills the workflow's templates with sample data. It changes
// nothing, so that archived workflows have previews, too.
func (s *server) previewWorkflow(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	in, err := readPreview(body)
	if err != nil {
		return err
	}
	documents, err := documentsToPreview(wf, in.documentID)
	if err != nil {
		return err
	}
	if s.templates == nil {
		return platen.Errorf(platen.KindUnavailable, "preview_unavailable", "Templates cannot be previewed here.")
	}
	if err := s.previews.Take(w.Header(), sha256.Sum256([]byte(caller(r.Context()).ID))); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), previewTimeout, errDriveTimeout)
	defer cancel()
	out := previewJSON{WorkflowID: wf.ID, Sample: true, Documents: []sampleJSON{}}
	size := 0
	for _, d := range documents {
		sample, err := s.templates.SampleOf(ctx, wf, d, in.data)
		if err != nil {
			return sampleError(ctx, err)
		}
		if size += len(sample.PDF); size > maxPreviewBytes {
			return platen.Errorf(platen.KindInvalid, "preview_too_large", "The PDFs of the preview have more than %d MiB together. Name one document as documentId, or send less data.", maxPreviewBytes>>20)
		}
		out.Documents = append(out.Documents, sampleOf(d, sample))
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// documentsToPreview are the documents that a request names, by one id or as all.
func documentsToPreview(wf platen.Workflow, id *string) ([]platen.Document, error) {
	if id == nil {
		switch n := len(wf.Documents); {
		case n == 0:
			return nil, platen.Errorf(platen.KindInvalid, "workflow_incomplete", "The workflow has no template document. Add one first.")
		case n > maxPreviewed:
			return nil, platen.Errorf(platen.KindInvalid, "preview_too_large", "The workflow has %d documents, and a preview fills at most %d. Name one as documentId.", n, maxPreviewed)
		}
		return wf.Documents, nil
	}
	for _, d := range wf.Documents {
		if d.ID == *id {
			return []platen.Document{d}, nil
		}
	}
	const message = "names no document of this workflow"
	return nil, &platen.Error{Kind: platen.KindInvalid, Code: "invalid_body", Message: "documentId " + message + ".",
		Faults: []platen.Fault{{Pointer: "/documentId", Message: message}}}
}

// sampleError keeps apart what this service refuses for now from what the drive
// does.
func sampleError(ctx context.Context, err error) error {
	if codeOf(err) == "preview_busy" {
		return err
	}
	return templateError(ownFileError(ctx, err))
}

// rotatePreviewURL makes a new preview address; those before it lead nowhere
// from now on.
func (s *server) rotatePreviewURL(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	if err := checkChangeable(wf); err != nil {
		return err
	}
	d, err = s.Documents.UpdateDocument(r.Context(), caller(r.Context()), wf.ID, d.ID, func(d *platen.Document) error {
		d.PreviewVersion++
		d.UpdatedAt = s.now()
		return nil
	})
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, s.document(d))
}

type previewJSON struct {
	WorkflowID string       `json:"workflowId"`
	Sample     bool         `json:"sample"` // always true
	Documents  []sampleJSON `json:"documents"`
}

type sampleJSON struct {
	DocumentID    string              `json:"documentId"`
	DocumentType  platen.DocumentType `json:"documentType"`
	OutputName    string              `json:"outputName"`
	PDF           []byte              `json:"pdf"` // base64, or null
	Findings      []checkedJSON       `json:"findings"`
	MissingFields []string            `json:"missingFields"`
	PDFFindings   []pdfFindingJSON    `json:"pdfFindings"`
}

type pdfFindingJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func sampleOf(d platen.Document, s platen.Sample) sampleJSON {
	out := sampleJSON{
		DocumentID: d.ID, DocumentType: d.Type, OutputName: s.Name, PDF: s.PDF, Findings: checkedOf(s.Findings),
		MissingFields: append([]string{}, s.MissingFields...), PDFFindings: []pdfFindingJSON{},
	}
	for _, f := range s.PDFFindings {
		out.PDFFindings = append(out.PDFFindings, pdfFindingJSON(f))
	}
	return out
}
