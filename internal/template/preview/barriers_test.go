package preview_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/preview"
)

func TestACheckForetellsWhatAccessibilityRefuses(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}, pay here: {{qr Name}}")
	d := document
	d.CreatePDFCopy = true
	for _, c := range []struct {
		accessibility platen.Accessibility
		want          []string
	}{
		{platen.AccessibilityReport, nil},
		{platen.AccessibilityRequire, []string{"paragraph 1 picture_without_text", " accessibility_unmet"}},
	} {
		d.Accessibility = c.accessibility
		for _, data := range []string{"", `{"Name": "Ada", "No": 1}`} {
			var event []byte
			if data != "" {
				event = []byte(data)
			}
			got, err := s.previewer().CheckTemplate(t.Context(), workflow, d, nil, event)
			if found := told(got.Findings); err != nil || !slices.Equal(found, c.want) {
				t.Errorf("%s, with %s: got %q, %v; want %q", c.accessibility, data, found, err, c.want)
			}
		}
		sample, err := s.previewer().SampleOf(t.Context(), workflow, d, []byte(`{"Name": "Ada", "No": 1}`))
		if found := told(sample.Findings); err != nil || (sample.PDF == nil) != (c.want != nil) || !slices.Equal(found, c.want) {
			t.Errorf("%s: a preview: got %q, %v", c.accessibility, found, err)
		}
	}
	s.leavesNothing(t)
	trial, err := s.previewer().TryRows(t.Context(), platen.Workflow{Owner: workflow.Owner, Documents: []platen.Document{d}})
	if err != nil {
		t.Fatal(err)
	}
	defer trial.Close()
	rows, err := trial.Try([]byte(`{"Name": "Ada", "No": 1}`))
	if refused := slices.ContainsFunc(rows, func(f platen.RowFinding) bool { return f.Code == platen.CodeAccessibilityUnmet && f.OfTemplate }); err != nil || !refused {
		t.Errorf("a row: got %+v, %v", rows, err)
	}
}

func TestACheckForetellsThatAnAppendedPDFIsNotTaken(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	s.files["terms_pdf"] = "terms"
	d := document
	d.CreatePDFCopy, d.Accessibility, d.Appendices = true, platen.AccessibilityRequire, []string{"terms_pdf"}
	got, err := s.previewer().CheckTemplate(t.Context(), workflow, d, nil, nil)
	if err != nil || len(got.Findings) != 1 || got.Findings[0].Code != platen.CodeAccessibilityUnmet || !strings.Contains(got.Findings[0].Message, "lose their tags") {
		t.Errorf("got %+v, %v", got.Findings, err)
	}
}

func TestACheckKnowsWhatBecomesOfAlternativeTexts(t *testing.T) {
	t.Parallel()
	refused := []string{"paragraph 1 picture_without_text", " accessibility_unmet"}
	for _, c := range []struct {
		name          string
		accessibility platen.Accessibility
		own           bool
		data          string
		want          []string
	}{
		{"its own drive", platen.AccessibilityRequire, true, "", nil},
		{"with the field", platen.AccessibilityRequire, true, `{"Name": "Ada", "No": 1}`, nil},
		{"with an empty one", platen.AccessibilityRequire, true, `{"Name": "Ada", "No": ""}`, refused},
		{"an empty one, reported alone", platen.AccessibilityReport, true, `{"Name": "Ada", "No": ""}`, nil},
		{"on Google", platen.AccessibilityRequire, false, `{"Name": "Ada", "No": 1}`, refused},
		{"on Google, reported alone", platen.AccessibilityReport, false, "", refused[:1]},
	} {
		s := newShelf(`Dear {{Name}}, pay here: {{qr Name alt "" & No}}`)
		p := s.previewer(func(o *preview.Options) {
			if c.own {
				o.Include = s.include
			}
		})
		d := document
		d.CreatePDFCopy, d.Accessibility, d.OutputName = true, c.accessibility, "Bill"
		var event []byte
		if c.data != "" {
			event = []byte(c.data)
		}
		got, err := p.CheckTemplate(t.Context(), workflow, d, nil, event)
		if found := told(got.Findings); err != nil || !slices.Equal(found, c.want) {
			t.Errorf("%s: got %q, %v; want %q", c.name, found, err, c.want)
		}
		for _, f := range got.Findings {
			if every := strings.HasPrefix(f.Message, "Every automation"); f.Code == platen.CodeAccessibilityUnmet && every == c.own {
				t.Errorf("%s: got %q", c.name, f.Message)
			}
		}
	}
}
