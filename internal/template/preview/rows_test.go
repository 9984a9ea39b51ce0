package preview_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestRowsAreTriedOnTemplatesThatAreReadOnce(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}, {{= Price * 2}} {{#each Items}}{{Text}}{{/each}}")
	d := document
	d.OutputName, d.OnMissing = "Bill {{No}}", platen.MissingFail
	d.CreatePDFCopy, d.EnablePDFPassword, d.PDFPassword = true, true, "{{Pin}}"
	wf := workflow
	wf.Documents = []platen.Document{d}
	trial, err := s.previewer().TryRows(t.Context(), wf)
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range map[string][]string{
		`{"Name":"Ada","Price":"3","Items":[{"Text":"x"}],"No":1,"Pin":"p"}`: nil,
		`{"Price":3,"Items":[],"Pin":"p"}`:                                   {"Name fields_missing false", "No fields_missing false"},
		`{"Name":"Ada","Price":"1,234","Items":[],"No":1,"Pin":"p"}`:         {"Price ambiguous_number false"},
		`{"Name":"Ada","Price":"a lot","Items":[],"No":1}`:                   {"Price not_a_number false", "pdfPassword pdf_password_field_missing false"},
	} {
		found, err := trial.Try([]byte(row))
		var got []string
		for _, p := range found {
			got = append(got, fmt.Sprint(p.Field, " ", p.Code, " ", p.Note))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", row, got, err, want)
		}
	}
	unused := trial.Unused([]string{"Name", "price", "Items.Text", "Items.Colour", "Numbr", "Pin", "Noo"})
	if got := fmt.Sprint(unused); got != "[{Items.Colour []} {Numbr []} {Noo [No]}]" {
		t.Errorf("unused: got %s", got)
	}
	if _, err := s.previewer().TryRows(t.Context(), wf); err != nil {
		t.Errorf("another process: got %v", err)
	}
	trial.Close()
}

func TestRowsAreTriedOnWhatTheirConditionsLetBeMade(t *testing.T) {
	t.Parallel()
	d := document
	d.OutputName, d.OnMissing, d.When = "Bill", platen.MissingFail, "Total * 1 > 10"
	d.Email = &platen.Email{To: "{{To}}", Subject: "S", When: "Mail"}
	wf := workflow
	wf.Documents = []platen.Document{d}
	trial, err := newShelf("Dear {{Name}}").previewer().TryRows(t.Context(), wf)
	if err != nil {
		t.Fatal(err)
	}
	defer trial.Close()
	for row, want := range map[string]string{
		`{"Total":5}`:                           "[]",
		`{"Total":50}`:                          "[Name fields_missing]",
		`{"Total":50,"Name":"Ada"}`:             "[]",
		`{"Total":50,"Name":"Ada","Mail":true}`: "[To email_field_missing]",
		`{"Total":"many","Name":"Ada"}`:         "[when condition_faulty]",
	} {
		found, err := trial.Try([]byte(row))
		got := []string{}
		for _, p := range found {
			got = append(got, p.Field+" "+p.Code)
		}
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: got %q, %v; want %s", row, got, err, want)
		}
	}
	if unused := trial.Unused([]string{"Total", "Mail", "To", "Name"}); len(unused) > 0 {
		t.Errorf("unused: got %v, want none", unused)
	}
}

func TestAnOwnerTriesOneFileAtATime(t *testing.T) {
	t.Parallel()
	s := newShelf("{{Name}}")
	p := s.previewer()
	wf := workflow
	wf.Documents = []platen.Document{document}
	first, err := p.TryRows(t.Context(), wf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.TryRows(t.Context(), wf); platen.KindOf(err) != platen.KindRateLimited {
		t.Errorf("a second at once: got %v, want that it is busy", err)
	}
	first.Close()
	again, err := p.TryRows(t.Context(), wf)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
