package activities

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
)

// LoadPlanInput names the automation.
type LoadPlanInput struct {
	AutomationID string
	Attempt      int
}

// LoadPlanResult is what the run has to do.
type LoadPlanResult struct {
	WorkflowID string
	OwnerID    string
	Documents  []DocumentSteps
	// Cancelled: nothing more is to be made.
	Cancelled bool
}

// DocumentSteps says which steps a document needs.
type DocumentSteps struct {
	OutputID   string
	DocumentID string
	Ended      bool // made, or given up, by an earlier run, which may not have told of it
	MakePDF    bool
	Remove     bool // only ever together with MakePDF
	Mail       bool // the output is sent by mail once it is made
	Append     bool // files of the drive are appended to the PDF
	// MailAll: the mail brings the outputs of all documents, and goes out once all have ended.
	// Only ever together with Mail.
	MailAll bool `json:",omitempty"`
	// Waits: it is made, and waits for people. Verdict is what they have decided since.
	Waits   bool           `json:",omitempty"`
	Verdict platen.Verdict `json:",omitempty"`
}

// LoadPlan pins the workflow's configuration of this moment and returns the
// steps that it asks for. The first execution writes the pinned row; every
// later one reads it. An attempt that a retry has superseded has no documents
// any more: they are the retry's.
func (d *Documents) LoadPlan(ctx context.Context, in LoadPlanInput) (LoadPlanResult, error) {
	plan, err := d.Plans.Plan(ctx, in.AutomationID)
	if err != nil {
		return LoadPlanResult{}, fmt.Errorf("load the plan of %s: %w", in.AutomationID, err)
	}
	result := LoadPlanResult{WorkflowID: plan.WorkflowID, OwnerID: plan.OwnerID, Cancelled: plan.Cancelled}
	if platen.CheckAttempt(in.AutomationID, in.Attempt, plan.Attempt) != nil {
		return result, nil
	}
	for _, p := range plan.Documents {
		o, err := d.recall(ctx, p.OutputID, in.Attempt)
		if err != nil {
			return LoadPlanResult{}, fmt.Errorf("read output %s: %w", p.OutputID, err)
		}
		result.Documents = append(result.Documents, DocumentSteps{
			OutputID:   p.OutputID,
			DocumentID: p.Document.ID,
			Ended:      o.HasEnded(),
			Waits:      o.State == platen.OutputReview || in.Attempt > 0 && o.Attempt > in.Attempt, // decided meanwhile: the next attempt's
			Verdict:    o.Verdict,
			MakePDF:    p.Document.CreatePDFCopy,
			Remove:     p.Document.CreatePDFCopy && p.Document.RemoveOutput,
			Mail:       p.Document.Email != nil,
			MailAll:    p.Document.Email != nil && p.Document.Email.AllOutputs,
			Append:     len(p.Document.Appended()) > 0,
		})
	}
	return result, nil
}
