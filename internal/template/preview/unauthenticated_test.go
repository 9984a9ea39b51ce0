package preview_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/preview"
)

func TestUnauthenticatedCallersLearnNothingOfThePassword(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	wf, d := workflow, document
	wf.Source.Fields = []string{"Name", "No"}
	d.CreatePDFCopy, d.EnablePDFPassword, d.PDFPassword = true, true, "hunter2{{Pinn}}{{= SUMM(1)}}{{"
	got, err := s.previewer().SampleOfForm(t.Context(), wf, d, map[string]string{"Name": "Ada", "No": "1"})
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
	got, err := s.previewer().SampleOfForm(t.Context(), wf, document, map[string]string{"Logo": "0123456789abcdef", "No": "1"})
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
	texts := map[string]string{"Logo": "https://exmaple.com/logo.png", "No": "1"}
	got, err := p.SampleOfForm(t.Context(), wf, document, texts)
	if err != nil || got.PDF != nil || len(got.Findings) != 1 || got.Findings[0].Code != "address_unusable" || got.Findings[0].Where != "paragraph 1" {
		t.Errorf("got %+v, %v; want a finding at the tag", got, err)
	}
	refused = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive is away.")
	if _, err := p.SampleOfForm(t.Context(), wf, document, texts); !errors.Is(err, refused) {
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
			if !p.QR {
				read++
			}
			return lang.Obtained{URI: "data:", Width: 1, Height: 1}, nil
		})
	})
	wf := workflow
	wf.Source.Fields = []string{"Logos", "No"}
	typed := ""
	for i := range 30 {
		typed += fmt.Sprintf("https://example.com/%d\n", i)
	}
	got, err := p.SampleOfForm(t.Context(), wf, document, map[string]string{"Logos": typed, "No": "1"})
	if err != nil || read != 20 || got.PDF != nil || len(got.Findings) == 0 || got.Findings[0].Code != "too_many_pictures" {
		t.Errorf("read %d, got %+v, %v; want 20 and a finding", read, got.Findings, err)
	}
}
