package activities_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// The claim is the last that is done to a PDF, behind appending and marking.
func TestAnOutputConformsToTheProfileOfItsDocument(t *testing.T) {
	t.Parallel()
	w := newAppending()
	d := &w.plan.Documents[0].Document
	d.PDFProfile, d.EnablePDFPassword, d.RemoveOutput = platen.ProfilePDFA3b, false, false
	w.plan.Test = true
	runAll(t, appending(w.documents()), false)
	o := w.known()
	if o.State != platen.OutputDone || o.PDF == nil {
		t.Fatalf("got %+v, want it done", o)
	}
	if got := w.files[o.PDF.ID].content; !strings.HasPrefix(got, "PDF/A-3b of 2026-01-02: marked TEST: %PDF") || strings.Count(got, "PDF/A-3b") != 1 {
		t.Errorf("got %q", got)
	}
}

// A PDF that does not conform is none: the output fails with its cause, and names the file.
func TestAPDFThatCannotConformFailsItsOutput(t *testing.T) {
	t.Parallel()
	for what, w := range map[string]*harness{"The appended file \"Sheet\" keeps": newAppending(), "a font is not embedded": newHarness(document(), `{"Name":"Ada"}`)} {
		d := &w.plan.Documents[0].Document
		d.PDFProfile, d.EnablePDFPassword = platen.ProfilePDFA2b, false
		w.unmet = "a font is not embedded"
		var err error
		for _, s := range appending(w.documents()) {
			if err = s(t.Context()); err != nil {
				break
			}
		}
		if err == nil || platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), w.unmet) {
			t.Errorf("got %v, want that %s", err, what)
		}
		if o := w.known(); o.PDF != nil {
			t.Errorf("got the PDF %+v, want none", o.PDF)
		}
	}
}
