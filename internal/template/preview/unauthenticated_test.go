package preview_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/preview"
)

// typed is what somebody typed in, by path.
func typed(pairs ...string) platen.FormInput {
	in := platen.FormInput{Texts: map[string]string{}, Rows: map[string][]int{}}
	for i := 0; i < len(pairs); i += 2 {
		in.Texts[pairs[i]] = pairs[i+1]
	}
	return in
}

func TestTheFormOfATemplateComesWithItsMistakesAndWithTheFieldsLeft(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Nam}} {{= SUMM(1)}}")
	d := document
	d.EnablePDFPassword, d.PDFPassword = true, "{{Pin}}{{="
	got, err := s.previewer().FormOf(t.Context(), workflow, d, []string{"Name", "No", "Pin"}, typed())
	if err != nil || len(got.Findings) != 2 || got.Findings[0].Tag != "{{Nam}}" || got.Findings[0].Nearest[0] != "Name" {
		t.Errorf("got %+v, %v; want the two mistakes of the template and none of the password", got.Findings, err)
	}
	if got := fmt.Sprint(got.Fields, got.Other); got != "[{Nam Nam text  []  false} {No No text  []  false}] [Name Pin]" {
		t.Errorf("got %s, want the fields of the template and of the output's name, and those of the source that are left", got)
	}
	if got, err := s.previewer().FormOf(t.Context(), workflow, d, nil, typed()); err != nil || len(got.Findings) != 1 {
		t.Errorf("before the first event: got %+v, %v; want no name to be wrong", got.Findings, err)
	}
}

func TestUnauthenticatedCallersLearnNothingOfThePassword(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	wf, d := workflow, document
	wf.Source.Fields = []string{"Name", "No"}
	d.CreatePDFCopy, d.EnablePDFPassword, d.PDFPassword = true, true, "hunter2{{Pinn}}{{= SUMM(1)}}{{"
	got, _, err := s.previewer().SampleOfForm(t.Context(), wf, d, wf.Source.Fields, typed("Name", "Ada", "No", "1"), nil)
	if err != nil || got.PDF == nil || len(got.Findings)+len(got.MissingFields) > 0 {
		t.Errorf("without an account: got %+v, %v; want no word of the password", got, err)
	}
	if got, err = s.previewer().SampleOf(t.Context(), wf, d, []byte(`{"Name": "Ada", "No": 1}`)); err != nil || len(got.Findings) != 3 {
		t.Errorf("with one: got %+v, %v; want its mistakes", got.Findings, err)
	}
}

func TestUnauthenticatedCallersSeeNoPicturesOfTheDrive(t *testing.T) {
	t.Parallel()
	s := newShelf("{{image Logo}}")
	data := []byte(`{"Logo": "0123456789abcdef", "No": 1}`)
	if got, err := s.previewer().SampleOf(t.Context(), workflow, document, data); err != nil || got.PDF == nil {
		t.Errorf("with an account: got %+v, %v", got, err)
	}
	wf := workflow
	wf.Source.Fields = []string{"Logo", "No"}
	got, _, err := s.previewer().SampleOfForm(t.Context(), wf, document, wf.Source.Fields, typed("Logo", "0123456789abcdef", "No", "1"), nil)
	if err != nil || got.PDF != nil || len(got.Findings) != 1 || got.Findings[0].Code != "picture_unusable" {
		t.Errorf("without one: got %+v, %v", got, err)
	}
	if f := got.Findings[0]; f.Where != "paragraph 1" || f.Tag != "{{image Logo}}" || f.Around != "{{image Logo}}" {
		t.Errorf("got %+v, want its place and tag", f)
	}
	s.leavesNothing(t)
}

func TestAnAddressThatAFormCannotReadIsAFinding(t *testing.T) {
	t.Parallel()
	s := newShelf("{{image Logo}}")
	refused := platen.Errorf(platen.KindInvalid, "address_unusable", "No picture can be read from this address here.")
	p := s.previewer(func(o *preview.Options) {
		o.FormPictures = obtaining(func(lang.Picture) (lang.Obtained, error) { return lang.Obtained{}, refused })
	})
	wf := workflow
	wf.Source.Fields = []string{"Logo", "No"}
	in := typed("Logo", "https://exmaple.com/logo.png", "No", "1")
	got, _, err := p.SampleOfForm(t.Context(), wf, document, wf.Source.Fields, in, nil)
	if err != nil || got.PDF != nil || len(got.Findings) != 1 || got.Findings[0].Code != "address_unusable" || got.Findings[0].Where != "paragraph 1" {
		t.Errorf("got %+v, %v; want a finding at the tag", got, err)
	}
	refused = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive is away.")
	if _, _, err := p.SampleOfForm(t.Context(), wf, document, wf.Source.Fields, in, nil); !errors.Is(err, refused) {
		t.Errorf("a drive that is away: got %v", err)
	}
	s.leavesNothing(t)
}

func TestAFormReadsSoManyAddressesAndNoMore(t *testing.T) {
	t.Parallel()
	s := newShelf("{{#each Logos}}{{image this}}{{/each}}{{#each Logos}}{{qr this}}{{/each}}")
	read := 0
	p := s.previewer(func(o *preview.Options) {
		o.FormPictures = obtaining(func(p lang.Picture) (lang.Obtained, error) {
			if p.Code == "" {
				read++
			}
			return lang.Obtained{URI: "data:", Width: 1, Height: 1}, nil
		})
	})
	wf := workflow
	wf.Source.Fields = []string{"Logos", "No"}
	in := typed("No", "1")
	for i := range 30 {
		in.Rows["Logos"] = append(in.Rows["Logos"], i)
		in.Texts[platen.FormRow("Logos", i)] = fmt.Sprintf("https://example.com/%d", i)
	}
	got, _, err := p.SampleOfForm(t.Context(), wf, document, wf.Source.Fields, in, nil)
	if err != nil || read != 20 || got.PDF != nil || len(got.Findings) == 0 || got.Findings[0].Code != "too_many_pictures" {
		t.Errorf("read %d, got %+v, %v; want 20 and a finding", read, got.Findings, err)
	}
}
