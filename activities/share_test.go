package activities_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func (w *harness) Share(_ context.Context, fileID string, with platen.Sharing) error {
	return w.call(func() error {
		if w.refuses != nil {
			return w.refuses
		}
		w.asked[w.files[fileID].Name]++
		w.shared[w.files[fileID].Name] = with
		return nil
	})
}

func TestOutputsThatRemainAreSharedBeforeTheirEvent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pdf, remove, encrypt bool
		want                 []string
	}{
		"an original":                        {want: []string{"Letter Ada"}},
		"an original and its PDF":            {pdf: true, want: []string{"Letter Ada", "Letter Ada.pdf"}},
		"a PDF":                              {pdf: true, remove: true, want: []string{"Letter Ada.pdf"}},
		"an encrypted PDF, not its original": {pdf: true, encrypt: true, want: []string{"Letter Ada.pdf"}},
		"no original that is to be closed":   {encrypt: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := document()
			d.CreatePDFCopy, d.RemoveOutput, d.EnablePDFPassword, d.OutputSharing = c.pdf, c.remove, c.encrypt, platen.SharingAnyone
			w := newHarness(d, `{"Name":"Ada"}`)
			all := steps(w.documents())
			made := all[:2]
			if c.pdf {
				made = all[:3]
			}
			if c.remove {
				made = all[:4]
			}
			// Once by the last step that makes a file, once more by its repeat, and not
			// by what follows.
			for i, s := range slices.Concat(made, made[len(made)-1:], all[4:]) {
				if err := s(t.Context()); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			if got := slices.Sorted(maps.Keys(w.shared)); !slices.Equal(got, c.want) {
				t.Errorf("shared: got %q, want %q", got, c.want)
			}
			for name, n := range w.asked {
				if n != 2 {
					t.Errorf("%s was shared %d times by two executions, want 2", name, n)
				}
			}
		})
	}
}

func TestWithoutSharingNothingIsAsked(t *testing.T) {
	t.Parallel()
	for _, s := range []platen.Sharing{"", platen.SharingFolder} {
		d := document()
		d.OutputSharing = s
		w := newHarness(d, `{"Name":"Ada"}`)
		if err := runOnce(t, w.documents()); err != nil || len(w.shared) > 0 {
			t.Errorf("%q: got %v, %v shared, want nothing", s, err, w.shared)
		}
	}
}

func TestADriveThatLetsNobodyShareLeavesAFinding(t *testing.T) {
	t.Parallel()
	d := document()
	d.OutputSharing = platen.SharingAnyone
	w := newHarness(d, `{"Name":"Ada"}`)
	w.refuses = platen.Errorf(platen.KindForbidden, platen.CodeSharingRefused, "no")
	if err := runOnce(t, w.documents()); err != nil {
		t.Fatal(err)
	}
	o := w.known()
	if o.State != platen.OutputDone || len(o.Findings) != 1 || o.Findings[0].Code != platen.CodeSharingRefused {
		t.Errorf("got %s with findings %+v, want it done with the refusal", o.State, o.Findings)
	}
}

func TestASharingLimitIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := document()
	d.OutputSharing = platen.SharingAnyone
	w := newHarness(d, `{"Name":"Ada"}`)
	w.refuses = platen.Errorf(platen.KindRateLimited, "drive_rate_limited", "later")
	if err := runOnce(t, w.documents()); platen.KindOf(err) != platen.KindRateLimited {
		t.Fatalf("got %v, want the limit", err)
	}
	w.refuses = nil
	if err := runOnce(t, w.documents()); err != nil || len(w.shared) != 1 || w.known().State != platen.OutputDone {
		t.Errorf("later: got %v, %v shared, %s, want the PDF", err, w.shared, w.known().State)
	}
}

func TestAFileThatIsNotFoundToBeSharedFailsNoDocumentThatIsMade(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"the drive shows it": false, "it is gone": true} {
		d := document()
		d.RemoveOutput, d.EnablePDFPassword, d.OutputSharing = false, false, platen.SharingAnyone
		w := newHarness(d, `{"Name":"Ada"}`)
		w.refuses = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no such file")
		all := steps(w.documents())
		for i, s := range all[:2] {
			if err := s(t.Context()); err != nil {
				t.Fatalf("%s: step %d: %v", name, i, err)
			}
		}
		err := all[2](t.Context())
		if !gone {
			if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != "drive_fault" {
				t.Errorf("%s: got %v, want drive_fault, which is tried again", name, err)
			}
			continue
		}
		for _, f := range w.known().Files() {
			delete(w.files, f.ID)
		}
		if err := all[2](t.Context()); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
	}
}
