package preview_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/preview"
)

func TestASampleIsFilledMarkedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}{{Gone}}, {{Evil}}")
	got, err := s.previewer().SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada", "Evil": "{{Name}}"}`))
	if err != nil {
		t.Fatal(err)
	}
	if string(got.PDF) != "SAMPLE: PDF of Dear Ada, {{Name}}" || got.Name != "Bills" || !slices.Equal(got.MissingFields, []string{"Gone", "No"}) || len(got.PDFFindings) != 1 {
		t.Errorf("got %q, %+v", got.PDF, got)
	}
	var found []string
	for _, f := range got.Findings {
		found = append(found, f.Where+" "+f.Code+" "+f.Tag)
	}
	if want := []string{"paragraph 1 unknown_field {{Gone}}", "outputName unknown_field {{No}}"}; !slices.Equal(found, want) {
		t.Errorf("findings: got %q, want %q", found, want)
	}
	s.leavesNothing(t)
}

func TestATemplateWithMistakesIsNotEvenCopied(t *testing.T) {
	t.Parallel()
	s := newShelf("{{= SUMM(1)}} {{#if Name}} {{Gone}}")
	s.fails, s.failed = "copy before", errors.New("copied")
	got, err := s.previewer().SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada"}`))
	if err != nil || got.PDF != nil || len(got.Findings) < 2 {
		t.Errorf("got %+v, %v; want findings and no PDF", got, err)
	}
	s.leavesNothing(t)
}

func TestMistakesOfPicturesAreListedWithTheOthers(t *testing.T) {
	t.Parallel()
	s := newShelf("{{image Logo}} {{= SUMM(1)}}")
	p := s.previewer(func(o *preview.Options) {
		o.Pictures = obtaining(func(lang.Picture) (lang.Obtained, error) {
			return lang.Obtained{}, platen.Errorf(platen.KindInvalid, "picture_unusable", "It is damaged.")
		})
	})
	got, err := p.SampleOf(t.Context(), workflow, document, []byte(`{"Logo": "0123456789abcdef", "No": 1}`))
	var found []string
	for _, f := range got.Findings {
		found = append(found, f.Where+" "+f.Code+" "+f.Tag)
	}
	if want := []string{"paragraph 1 picture_unusable {{image Logo}}", "paragraph 1 unknown_function {{= SUMM(1)}}"}; err != nil || got.PDF != nil || !slices.Equal(found, want) {
		t.Errorf("got %q, %v, want %q", found, err, want)
	}
	s.leavesNothing(t)
}

// A run tries such an address again for hours; here somebody waits, who may
// have mistyped it.
func TestAnAddressThatDoesNotAnswerIsAFinding(t *testing.T) {
	t.Parallel()
	s := newShelf("{{image Logo}}")
	away := platen.Errorf(platen.KindUnavailable, "address_unavailable", "Its host name cannot be resolved.")
	p := s.previewer(func(o *preview.Options) {
		o.Pictures = obtaining(func(lang.Picture) (lang.Obtained, error) { return lang.Obtained{}, away })
	})
	data := []byte(`{"Logo": "https://exmaple.com/logo.png", "No": 1}`)
	got, err := p.SampleOf(t.Context(), workflow, document, data)
	if err != nil || got.PDF != nil || len(got.Findings) != 1 || got.Findings[0].Code != "address_unavailable" || got.Findings[0].Where != "paragraph 1" {
		t.Errorf("got %+v, %v; want a finding at the tag", got, err)
	}
	away = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive is away.")
	if _, err := p.SampleOf(t.Context(), workflow, document, data); !errors.Is(err, away) {
		t.Errorf("a drive that is away: got %v", err)
	}
	s.leavesNothing(t)
}

func TestACheckSaysWhatTheTemplateAsksFor(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Nam}}")
	d := document
	d.EnablePDFPassword, d.PDFPassword = true, "{{Pin"
	got, err := s.previewer().CheckTemplate(t.Context(), workflow, d, []string{"Name", "No"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(got.Texts, len(got.Findings), got.Findings[0].Nearest, got.Findings[1].Where, " ", string(got.Schema))
	if want := `[Dear {{Nam}}] 2 [Name]pdfPassword {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"Nam":`; !strings.HasPrefix(said, want) {
		t.Errorf("got %s, want %s", said, want)
	}
	s.files = nil
	if _, err := s.previewer().CheckTemplate(t.Context(), workflow, d, nil, nil); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("of a template that is gone: got %v", err)
	}
}

func TestPicturesOfTheDriveAreReadWithTheAccessOfWhoeverAsks(t *testing.T) {
	t.Parallel()
	owner := workflow.Owner
	for name, c := range map[string]struct {
		caller platen.User
		want   []string // whose drive is read
	}{
		"the owner":         {owner, []string{"usr_1"}},
		"a member":          {platen.User{ID: "usr_2"}, []string{"usr_1", "usr_2"}},
		"one without drive": {platen.User{ID: "usr_3"}, []string{"usr_1", "usr_3"}},
	} {
		s := newShelf("{{image Logo}}")
		var opened []string
		p := s.previewer(func(o *preview.Options) {
			o.Drives = func(_ context.Context, userID string) (preview.Drive, error) {
				opened = append(opened, userID)
				if userID == "usr_3" {
					return nil, platen.Errorf(platen.KindForbidden, "drive_not_connected", "none")
				}
				return s, nil
			}
		})
		got, err := p.SampleOf(platen.WithCaller(t.Context(), c.caller), workflow, document, []byte(`{"Logo": "0123456789abcdef", "No": 1}`))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slices.Sort(opened)
		if opened = slices.Compact(opened); !slices.Equal(opened, c.want) {
			t.Errorf("%s: read the drives of %q, want %q", name, opened, c.want)
		}
		if c.caller.ID == "usr_3" && (got.PDF != nil || len(got.Findings) != 1 || got.Findings[0].Code != "picture_unusable") {
			t.Errorf("%s: got %+v, want that the picture cannot be read", name, got)
		}
	}
}

func TestACheckWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 1 })
	var checked error
	s.during = func() {
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, checked = p.CheckTemplate(soon, workflow, document, nil, nil)
	}
	if _, err := p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada", "No": 1}`)); err != nil {
		t.Fatal(err)
	}
	if platen.KindOf(checked) != platen.KindRateLimited {
		t.Errorf("a check while a sample has the only place: got %v, want that it is busy", checked)
	}
}

func TestConditionsAreCountedOverEvents(t *testing.T) {
	t.Parallel()
	p := newShelf("").previewer()
	d := document
	d.When, d.OutputSharingWhen, d.Email = "Total > 1000", `Name * 2 > 1`, &platen.Email{When: "Mail"}
	var events []platen.PastEvent
	for _, body := range []string{`{"Total": 2000, "Mail": true, "Name": 1}`, `{"Total": 5, "Name": "Ada"}`, `{}`} {
		events = append(events, platen.PastEvent{Body: []byte(body)})
	}
	got, err := p.CountConditions(t.Context(), workflow, d.Conditions(), events)
	want := []platen.ConditionCount{
		{Condition: platen.Condition{Part: platen.PartDocument, Setting: "when", When: "Total > 1000"}, Made: 1, Skipped: 2},
		{Condition: platen.Condition{Part: platen.PartSharing, Setting: "outputSharingWhen", When: "Name * 2 > 1"}, Made: 1, Skipped: 1, Faulty: 1},
		{Condition: platen.Condition{Part: platen.PartEmail, Setting: "email.when", When: "Mail"}, Made: 1, Skipped: 2},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	away, leave := context.WithCancel(t.Context())
	leave()
	if _, err := p.CountConditions(away, workflow, d.Conditions(), events); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: got %v", err)
	}
}
