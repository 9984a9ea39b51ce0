package preview_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/preview"
)

// damage finds every PDF damaged that says so.
type damage struct{}

func (damage) CheckAppendix(part platen.AppendedPDF, _ platen.PDFProfile) ([]platen.Finding, error) {
	if string(part.Content) == "damaged" {
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeAppendixDamaged, "%s is damaged", part.Name)
	}
	return []platen.Finding{{Code: platen.CodeAppendixForm, Message: part.Name + " has a form"}}, nil
}

func TestACheckLooksAtAppendices(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	s.files["sheet"], s.files["form_pdf"], s.files["bad_pdf"], s.files["logo_png"] = "Hours of {{Nam}} {{= 1 +}}", "a form", "damaged", "a picture"
	p := s.previewer(func(o *preview.Options) { o.Appendices = damage{} })
	d := document
	d.Appendices = []string{"sheet", "gone", "form_pdf", "bad_pdf", "logo_png"}
	got, err := p.CheckTemplate(t.Context(), workflow, d, []string{"Name", "No"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range got.Findings {
		found = append(found, f.Where+" "+f.Code)
	}
	want := []string{
		`appendices, "SHEET", paragraph 1 unknown_field`, `appendices, "SHEET", paragraph 1 formula_incomplete`, `appendices appendix_not_found`,
		`appendices appendix_form_fixed`, `appendices appendix_damaged`, `appendices appendix_type_unsupported`,
	}
	if !slices.Equal(found, want) {
		t.Errorf("got %q, want %q", found, want)
	}
	if said := fmt.Sprint(got.Texts, got.AppendedTexts); said != "[Dear {{Name}}] [Hours of {{Nam}} {{= 1 +}}]" || !strings.Contains(string(got.Schema), `"Nam"`) {
		t.Errorf("got texts %s and the schema %s, want both templates in it", said, got.Schema)
	}
}

func TestWhatAnAppendedTemplateMissesIsForetold(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	s.files["sheet"] = "Hours of {{Hours}}"
	d := document
	d.Appendices, d.OnMissing = []string{"sheet"}, platen.MissingFail
	data := []byte(`{"Name": "Ada", "No": 1}`)
	got, err := s.previewer().CheckTemplate(t.Context(), workflow, d, nil, data)
	if err != nil || !slices.ContainsFunc(got.Findings, func(f platen.TemplateFinding) bool {
		return f.Code == "fields_missing" && strings.Contains(f.Message, "Hours")
	}) {
		t.Errorf("got %+v, %v; want what a run would fail by", got.Findings, err)
	}
	sample, err := s.previewer().SampleOf(t.Context(), workflow, d, data)
	if err != nil || !slices.Contains(sample.MissingFields, "Hours") || !slices.ContainsFunc(sample.Findings, func(f platen.TemplateFinding) bool { return f.Code == "fields_missing" }) {
		t.Errorf("a preview: got %+v, %v", sample, err)
	}
	if len(s.files) != 2 || len(s.noted) != 0 {
		t.Errorf("left in the drive: %v, remembered: %v", s.files, s.noted)
	}
}

// The document's template is shared with the team, other files of its owner's drive are
// not: a member who cannot open them learns nothing of them.
func TestACheckTellsNothingOfAppendicesThatItsCallerCannotOpen(t *testing.T) {
	t.Parallel()
	owners, others := newShelf("Dear {{Name}}"), newShelf("")
	owners.files["sheet"], owners.files["logo_png"] = "Secret {{Nam}}", "a picture"
	p := owners.previewer(func(o *preview.Options) {
		o.Drives = func(_ context.Context, userID string) (preview.Drive, error) {
			switch userID {
			case "usr_1":
				return owners, nil
			case "usr_2":
				return others, nil
			}
			return nil, platen.Errorf(platen.KindForbidden, "drive_not_connected", "none")
		}
	})
	d := document
	d.Appendices = []string{"sheet", "logo_png"}
	for caller, want := range map[string]int{"usr_1": 2, "usr_2": 0, "usr_3": 0} {
		got, err := p.CheckTemplate(platen.WithCaller(t.Context(), platen.User{ID: caller}), workflow, d, []string{"Name", "No"}, nil)
		if err != nil || len(got.Findings) != want || (len(got.AppendedTexts) > 0) != (want > 0) || strings.Contains(string(got.Schema), "Nam\"") != (want > 0) {
			t.Errorf("%s: got %+v, %v; want %d findings", caller, got, err, want)
		}
	}
}
