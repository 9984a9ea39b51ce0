package rebuild_test

import (
	"slices"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/platen"
)

func TestACopyThatCannotBeReadMakesNoCompletedAutomationWait(t *testing.T) {
	t.Parallel()
	forbidden := platen.Errorf(platen.KindForbidden, "drive_forbidden", "No access to the file.")
	invalid := platen.Errorf(platen.KindInvalid, "drive_file_unsupported", "The file is no document.")
	tooLarge := platen.Errorf(platen.KindTooLarge, "drive_file_too_large", "The file is too large.")
	gone := platen.Errorf(platen.KindNotFound, "drive_file_not_found", "There is no such file.")
	for name, c := range map[string]struct {
		document platen.Document
		why      error
		want     []string // files of the output; none: it is not made
	}{
		"forbidden, beside a PDF": {both, forbidden, []string{"pdf", "copy"}},
		"invalid, beside a PDF":   {both, invalid, []string{"pdf", "copy"}},
		"too large":               {letter, tooLarge, []string{"copy"}},
		"forbidden":               {letter, forbidden, []string{"copy"}},
		"removed since it was listed, beside a PDF": {both, gone, []string{"pdf"}},
		"removed since it was listed":               {letter, gone, nil},
	} {
		for _, cancelled := range []bool{false, true} {
			s := newStore(c.document)
			s.unreadable = map[string]error{"copy": c.why}
			id := "out_" + c.document.ID
			s.files = map[string][]platen.File{id + ".0": {file("copy")}}
			if c.document.CreatePDFCopy {
				s.files[id] = []platen.File{file("pdf")}
			}
			wantState := platen.AutomationCompleted
			if c.want == nil {
				wantState = map[bool]platen.AutomationState{false: platen.AutomationAccepted, true: platen.AutomationCancelled}[cancelled]
			}
			state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", platen.LatestRun{Attempt: 1, Completed: true, Cancelled: cancelled})
			var got []string
			if o := s.outputs[id]; o.State == platen.OutputDone {
				for _, f := range o.Files() {
					got = append(got, f.ID)
				}
			}
			if err != nil || state != wantState || !slices.Equal(got, c.want) || len(s.parked) != 0 {
				t.Errorf("%s, cancelled %t: got %q, %v, files %q, parked %d times; want %s with files %q, not parked", name, cancelled, state, err, got, len(s.parked), wantState, c.want)
			}
		}
	}
}

func TestAConnectionThatBreaksWhileACopyIsReadHasTheAutomationWait(t *testing.T) {
	t.Parallel()
	broken := platen.Errorf(platen.KindForbidden, platen.CodeConnectionBroken, "The connection was withdrawn.")
	for _, id := range []string{"template", "unfilled"} {
		s := newStore(letter)
		s.files["out_letter.0"] = []platen.File{file("unfilled")}
		s.unreadable = map[string]error{id: broken}
		if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); state != "" || err == nil || len(s.parked) != 1 || s.parked[0].Code != platen.CodeConnectionBroken {
			t.Errorf("breaks at the %s: got %q, %v, parked %+v; want it to wait for the connection", id, state, err, s.parked)
		}
	}
}

func TestAPDFThatCannotBeReadIsRecordedWithoutItsHash(t *testing.T) {
	t.Parallel()
	s := newStore(invoice)
	s.files["out_invoice"] = []platen.File{{ID: "pdf"}}
	s.unreadable = map[string]error{"pdf": platen.Errorf(platen.KindForbidden, "drive_forbidden", "No access to the file.")}
	state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed)
	if o := s.outputs["out_invoice"]; err != nil || state != platen.AutomationCompleted || o.PDF == nil || o.PDF.ID != "pdf" || len(o.PDFHashes) != 0 {
		t.Errorf("got %q, %v, %+v; want it COMPLETED with its PDF, and no hash", state, err, o)
	}
}

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
