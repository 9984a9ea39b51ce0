package activities_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/activities"
)

// A run whose template was deleted says so, and how it comes back: nobody has an id of
// theirs to check.
func TestARunWithADeletedTemplateSaysHowItComesBack(t *testing.T) {
	t.Parallel()
	w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "O"}, `{"Name":"Ada"}`)
	delete(w.files, "template")
	_, err := w.documents().CopyTemplate(t.Context(), activities.Step{AutomationID: "aut_1", OutputID: "out_1"})
	if platen.KindOf(err) != platen.KindNotFound || !strings.Contains(err.Error(), "The template is not in the drive of the workflow's owner any more. Restore it there, then retry the run.") {
		t.Errorf("got %v, want what happened and the cure", err)
	}
}
