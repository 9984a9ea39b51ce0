package activities_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// A change to a PDF after its seal would break it.
func TestTheSealOfAPDFIsTheLastThatIsDoneToIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*platen.Document)
		want   string // %s is the PDF with what is appended
	}{
		{func(d *platen.Document) { d.EnablePDFPassword = false }, "%s + sealed at 2026-01-02"},
		{func(*platen.Document) {}, "locked with pw-Ada {{Name}}, salt 0: %s + sealed at 2026-01-02"},
		{func(d *platen.Document) { d.EnablePDFPassword, d.PDFProfile = false, platen.ProfilePDFA3b }, "PDF/A-3b of 2026-01-02: %s + sealed at 2026-01-02"},
	} {
		w := newAppending()
		d := &w.plan.Documents[0].Document
		d.Seal = true
		c.change(d)
		runAll(t, appending(w.documents()), false)
		o := w.known()
		if o.State != platen.OutputDone || o.PDF == nil {
			t.Fatalf("got %+v, want it done", o)
		}
		got, _, _ := strings.Cut(w.files[o.PDF.ID].content, ", salt ")
		if locked, rest, ok := strings.Cut(w.files[o.PDF.ID].content, ": "); ok && strings.HasPrefix(locked, "locked") {
			rest, _, _ = strings.Cut(rest, ", salt ")
			got = "locked with pw-Ada {{Name}}, salt 0: " + rest
		}
		if want := fmt.Sprintf(c.want, appended); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTestsAndDocumentsWithoutAPDFAreNotSealed(t *testing.T) {
	t.Parallel()
	for _, test := range []bool{true, false} {
		d := document()
		d.Seal, d.EnablePDFPassword, d.CreatePDFCopy = true, false, test
		w := newHarness(d, `{"Name":"Ada"}`)
		w.plan.Test, w.unsealed = test, platen.ErrSealUnset()
		runAll(t, steps(w.documents()), false)
		if o := w.known(); o.State != platen.OutputDone || test && !strings.HasPrefix(w.files[o.PDF.ID].content, "marked TEST") {
			t.Errorf("test %t: got %+v", test, o)
		}
	}
}

// Two seals of one PDF differ. Whichever was uploaded is the output's.
func TestASealedPDFIsMadeOnceWhereverTheWorkerDies(t *testing.T) {
	t.Parallel()
	for _, password := range []bool{true, false} {
		for dieAt := 1; dieAt < 60; dieAt++ {
			for _, dieAfter := range []bool{false, true} {
				d := document()
				d.Seal, d.EnablePDFPassword = true, password
				w := newHarness(d, `{"Name":"Ada"}`)
				w.dieAt, w.dieAfter = dieAt, dieAfter
				run(t, w, false)
				o := w.known()
				if o.State != platen.OutputDone || o.PDF == nil || strings.Count(w.files[o.PDF.ID].content, "sealed at") != 1 {
					t.Fatalf("death at %d, after it %t: got %+v", dieAt, dieAfter, o)
				}
			}
		}
	}
}

func TestAPDFWaitsForItsTimeStamp(t *testing.T) {
	t.Parallel()
	d := document()
	d.Seal = true
	w := newHarness(d, `{"Name":"Ada"}`)
	w.unsealed = platen.ErrSealUnavailable("the time stamp service gives no time stamp", errors.New("answers 503"))
	all := steps(w.documents())
	for _, s := range all[:2] {
		if err := s(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := all[2](t.Context()); platen.KindOf(err) != platen.KindUnavailable {
			t.Fatalf("got %v, want one that is tried again", err)
		}
	}
	if o := w.known(); o.PDF != nil || o.State != platen.OutputPending {
		t.Errorf("got %+v, want no PDF yet", o)
	}
	w.unsealed = nil
	runAll(t, all[2:], false)
	if o := w.known(); o.State != platen.OutputDone || o.PDF == nil {
		t.Errorf("got %+v, want it done", o)
	}
}

func TestADocumentWithoutACertificateFails(t *testing.T) {
	t.Parallel()
	d := document()
	d.Seal = true
	w := newHarness(d, `{"Name":"Ada"}`)
	w.unsealed = platen.ErrSealUnset()
	var err error
	for _, s := range steps(w.documents()) {
		if err = s(t.Context()); err != nil {
			break
		}
	}
	if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "PLATEN_SEAL_KEY_FILE") {
		t.Errorf("got %v, want that no certificate is set", err)
	}
}
