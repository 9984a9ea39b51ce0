package preview_test

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// told are findings by place and code.
func told(findings []platen.TemplateFinding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, f.Where+" "+f.Code)
	}
	return all
}

func TestASampleAndACheckSayThatARunWouldFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		want []string
	}{
		"missing fields":   {`{"Name": "Ada", "Pin": 1}`, []string{"outputName unknown_field", " fields_missing"}},
		"an empty part":    {`{"Name": "Ada", "No": 1, "Pin": ""}`, []string{"pdfPassword pdf_password_field_missing"}},
		"nothing is wrong": {`{"Name": "Ada", "No": 1, "Pin": 1}`, nil},
	} {
		d := document
		d.OnMissing, d.CreatePDFCopy, d.EnablePDFPassword, d.PDFPassword = platen.MissingFail, true, true, "{{Pin}}"
		p := newShelf("Dear {{Name}}").previewer()
		got, err := p.SampleOf(t.Context(), workflow, d, []byte(c.data))
		if found := told(got.Findings); err != nil || got.PDF == nil || !slices.Equal(found, c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, found, err, c.want)
		}
		checked, err := p.CheckTemplate(t.Context(), workflow, d, nil, []byte(c.data))
		if found := told(checked.Findings); err != nil || !slices.Equal(found, c.want) {
			t.Errorf("%s: a check: got %q, %v; want %q", name, found, err, c.want)
		}
		if c.want != nil {
			d.OnMissing = platen.MissingBlank
			checked, err = p.CheckTemplate(t.Context(), workflow, d, nil, []byte(c.data))
			if found := told(checked.Findings); err != nil || slices.Contains(found, " fields_missing") {
				t.Errorf("%s: a check that lets fields be missing: got %q, %v", name, found, err)
			}
		}
	}
	d := document
	d.CreatePDFCopy, d.EnablePDFPassword = true, true
	s := newShelf("Dear {{Name}}")
	got, err := s.previewer().CheckTemplate(t.Context(), workflow, d, nil, []byte(`{"Name": "Ada", "No": 1}`))
	if err != nil || len(got.Findings) != 1 || got.Findings[0].Code != "pdf_password_empty" {
		t.Errorf("a check: got %+v, %v", got.Findings, err)
	}
}

func TestACheckWithDataSaysThatNothingIsLeftOfTheName(t *testing.T) {
	t.Parallel()
	d := document
	d.OutputName = "{{No}}"
	for data, want := range map[string][]string{
		`{"Name": "Ada", "No": ""}`: {"outputName output_name_empty"},
		`{"Name": "Ada", "No": 1}`:  nil,
	} {
		got, err := newShelf("Dear {{Name}}").previewer().CheckTemplate(t.Context(), workflow, d, nil, []byte(data))
		if found := told(got.Findings); err != nil || !slices.Equal(found, want) {
			t.Errorf("%s: got %q, %v; want %q", data, found, err, want)
		}
	}
}
