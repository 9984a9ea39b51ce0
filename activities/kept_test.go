package activities_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A keeping harness has a drive that lets nobody delete or trash anything.
type keeping struct{ *harness }

func (k *keeping) documents() *activities.Documents {
	d := k.harness.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return k, nil }
	return d
}

func (k *keeping) Delete(context.Context, string) error {
	return platen.Errorf(platen.KindForbidden, platen.CodeFileKept, "It stays.")
}

func (k *keeping) Trash(ctx context.Context, fileID string) error { return k.Delete(ctx, fileID) }

func TestAnOriginalThatHasToStayIsAFindingAndNoFailure(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	w.findings = []platen.Finding{{Code: "missing_glyph", Message: "A glyph."}}
	k := &keeping{w}
	for i, s := range steps(k.documents()) {
		for range 2 { // as often as Temporal likes
			if err := s(t.Context()); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
	}
	o := w.known()
	if o.State != platen.OutputDone || o.PDF == nil || o.Removed {
		t.Errorf("the output is %+v, want it done, with its PDF and its original", o)
	}
	if len(o.Findings) != 2 || o.Findings[0].Code != "missing_glyph" || o.Findings[1].Code != platen.CodeFileKept {
		t.Errorf("findings %+v, want that of the PDF and one that the original stays", o.Findings)
	}
	var body struct {
		Data struct{ Documents []struct{ ID string } }
	}
	if err := json.Unmarshal(w.events["out_1"].Payload, &body); err != nil {
		t.Fatal(err)
	}
	if got := body.Data.Documents; len(got) != 2 || got[0].ID != o.PDF.ID || got[1].ID != o.Copy.ID {
		t.Errorf("the event names %+v, want the PDF and the original that is still there", got)
	}
}

func TestACopyThatHasToStayKeepsNoDocumentFromBeingMade(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	k := &keeping{w}
	d := k.documents()
	if _, err := d.CopyTemplate(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	o := w.known()
	abandoned := o.Copy.ID
	o.FillBegun = true // and the worker died
	w.set(o)
	for i, s := range steps(d) {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if o = w.known(); o.State != platen.OutputDone || o.Copy.ID == abandoned || !strings.HasSuffix(w.files[o.PDF.ID].content, "Dear Ada {{Name}}, !") {
		t.Errorf("the output is %+v, want it done, of a new copy", o)
	}
	left, err := d.TrashLeftovers(t.Context(), step)
	if err != nil || left.Files != 0 || left.Kept != 1 {
		t.Errorf("TrashLeftovers = %+v, %v; want one file that stays", left, err)
	}
}

// A keeping stalled harness is a stalled one whose drive lets nobody trash.
type keepingStalled struct{ *stalled }

func (keepingStalled) Trash(ctx context.Context, fileID string) error {
	return (&keeping{}).Trash(ctx, fileID)
}

func TestALateCopyThatHasToStayIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	late := &stalled{harness: w, call: "copy", meanwhile: func() { run(t, w, false) }}
	d := w.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return keepingStalled{late}, nil }
	if _, err := d.CopyTemplate(t.Context(), step); err != nil {
		t.Errorf("CopyTemplate: %v", err)
	}
}
