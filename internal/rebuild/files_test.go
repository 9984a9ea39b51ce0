package rebuild_test

import (
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen"
)

func TestACopyWithATagFromTheNameOfItsWorkflowCountsAsFilled(t *testing.T) {
	t.Parallel()
	s := newStore(letter)
	s.plan.WorkflowName = "{{Invoices}}"
	s.documents = map[string]*docs.Document{"template": says("Dear {{Title}}, {{Workflow Name}}"), "copy": says("{{Invoices}}")} // the template was edited since
	s.files["out_letter.0"] = []platen.File{file("copy")}
	if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil || state != platen.AutomationCompleted {
		t.Errorf("got %s, %v; want COMPLETED", state, err)
	}
}

func TestACopyIsReadOnce(t *testing.T) {
	t.Parallel()
	s := newStore(letter)
	s.files["out_letter.0"] = []platen.File{file("unfilled")}
	if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil || state != platen.AutomationAccepted {
		t.Fatalf("got %s, %v; want it made again", state, err)
	}
	if s.reads["unfilled"] != 1 || s.reads["template"] != 1 {
		t.Errorf("got readings %v, want one of the copy and one of the template", s.reads)
	}
}
