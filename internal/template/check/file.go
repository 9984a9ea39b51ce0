package check

import (
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// ReadFile reads a .docx or .pptx. The error is for a file that is neither, or
// that cannot be read.
func ReadFile(content []byte) (*Template, error) {
	if p, err := pml.ReadPresentation(content); err == nil {
		shown, err := slides.Get(p, "file", "file", "1")
		if err != nil {
			return nil, fmt.Errorf("read the presentation: %w", err)
		}
		return Read(fill.Template{Presentation: shown}), nil
	}
	d, err := wml.ReadDocument(content)
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	shown, err := docs.Get(d, "file", "file", "1")
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return Read(fill.Template{Document: shown}), nil
}

// FindingsAtDesk are FindingsWith of an event, or Findings without one, where
// no workflow is known: it is filled as a run of this moment would fill it.
func (t *Template) FindingsAtDesk(event []byte) ([]Finding, error) {
	if event == nil {
		return t.Findings(nil), nil
	}
	f, err := fill.New(platen.Document{}, event, lang.Builtins{
		AcceptedAt: time.Now(), AutomationID: fill.SampleAutomationID, WorkflowName: fill.SampleWorkflowName, Number: lang.AnySeries,
	})
	if err != nil {
		return nil, fmt.Errorf("read the data: %w", err)
	}
	findings, _, err := t.FindingsWith(f, nil)
	return findings, err
}
