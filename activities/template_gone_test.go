package activities_test

import (
	"context"
	"strings"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A run whose template was deleted says so, and how it comes back: nobody has an id of
// theirs to check.
func TestARunWithADeletedTemplateSaysHowItComesBack(t *testing.T) {
	t.Parallel()
	w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "O"}, `{"Name":"Ada"}`)
	delete(w.files, "template")
	_, err := w.documents().CopyTemplate(t.Context(), activities.Step{AutomationID: "aut_1", OutputID: "out_1"})
	if platen.KindOf(err) != platen.KindNotFound || !strings.Contains(err.Error(), "The template is not in the drive of the workflow's owner any more. Restore it there, or replace the template of the document. Then retry the run.") {
		t.Errorf("got %v, want what happened and the cure", err)
	}
}

// remembering are plans of a process that read one before a retry took another file into it.
type remembering struct {
	activities.Plans
	old platen.Plan
}

func (r *remembering) PinnedPlan(context.Context, string) (platen.Plan, error) { return r.old, nil }

func (r *remembering) Plan(ctx context.Context, id string) (platen.Plan, error) {
	p, err := r.Plans.Plan(ctx, id)
	r.old = p
	return p, err
}

func TestARetryCopiesTheFileThatTookTheTemplatesPlace(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"", "Letters"} {
		w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "O", OutputFolder: folder}, `{"Name":"Ada"}`)
		lost := w.plan
		lost.Documents = []platen.PlannedDocument{{OutputID: "out_1", Document: w.plan.Documents[0].Document}}
		lost.Documents[0].Document.File.ID = "lost"
		d := w.documents()
		d.Plans = &remembering{w, lost}
		in := activities.Step{AutomationID: "aut_1", OutputID: "out_1"}
		if _, err := d.CopyTemplate(t.Context(), in); platen.KindOf(err) != platen.KindConflict {
			t.Errorf("folder %q: got %v, want an error that has the step begin again", folder, err)
		}
		if _, err := d.CopyTemplate(t.Context(), in); err != nil {
			t.Errorf("folder %q: got %v, want a copy of the new file", folder, err)
		}
	}
}
