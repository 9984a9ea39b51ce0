package activities_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestADocumentThatRequiresAccessibilityFailsBeforeItIsFilled(t *testing.T) {
	t.Parallel()
	const content = "Dear {{Name}}, pay here: {{qr Link}}"
	w := copied(t, platen.MissingBlank, content)
	d := &w.plan.Documents[0].Document
	d.CreatePDFCopy, d.Accessibility = true, platen.AccessibilityRequire
	_, err := w.documents().FillTags(t.Context(), step)
	if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "paragraph 1: A picture that a tag brings has no alternative text") {
		t.Errorf("got %v, want a failure that names the place", err)
	}
	if o := w.known(); o.FillBegun || w.files[o.Copy.ID].content != content {
		t.Errorf("got %+v of %q, want a copy that nobody filled", o, w.files[o.Copy.ID].content)
	}
	d.Accessibility = platen.AccessibilityReport
	if _, err := w.documents().FillTags(t.Context(), step); err != nil {
		t.Errorf("where it is reported alone: got %v", err)
	}
}

// An appended PDF would bring pages without tags.
func TestADocumentThatRequiresAccessibilityTakesNoAppendedPDF(t *testing.T) {
	t.Parallel()
	w := newAppending()
	d := &w.plan.Documents[0].Document
	d.CreatePDFCopy, d.Accessibility = true, platen.AccessibilityRequire
	var err error
	for _, s := range appending(w.documents()) {
		if err = s(t.Context()); err != nil {
			break
		}
	}
	if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "is a PDF, and its pages lose their tags") {
		t.Errorf("got %v", err)
	}
}

func TestAnEmptyAlternativeTextFailsWhatRequiresAccessibility(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		`{{qr "x" alt "The code of " & Name}}`: "",
		`{{qr "x" alt Gone}}`:                  `paragraph 1: The alternative text of a picture that a tag brings is empty with this data`,
	} {
		w := copied(t, platen.MissingBlank, "Dear {{Name}}, pay here: "+tag)
		d := &w.plan.Documents[0].Document
		d.CreatePDFCopy, d.Accessibility = true, platen.AccessibilityRequire
		_, err := w.documents().FillTags(t.Context(), step)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", tag, err, want)
		}
		if o := w.known(); o.FillBegun != (want == "") {
			t.Errorf("%s: filling was begun: %t", tag, o.FillBegun)
		}
	}
}
