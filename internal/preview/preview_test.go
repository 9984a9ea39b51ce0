package preview_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/preview"
)

// A shelf is a drive, what is remembered of copies, and what marks PDFs. It
// fails at the call that it is told.
type shelf struct {
	mu     sync.Mutex
	files  map[string]string // text by id
	keys   map[string]string // file by key
	noted  map[string]string // owner by key
	fails  string
	failed error
	// during runs in every export.
	during func()
}

func newShelf(template string) *shelf {
	return &shelf{files: map[string]string{"template": template}, keys: map[string]string{}, noted: map[string]string{}}
}

func (s *shelf) call(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails == name {
		return s.failed
	}
	return nil
}

func (s *shelf) Copy(_ context.Context, id, name, key string) (platen.File, error) {
	if s.noted[key] == "" {
		return platen.File{}, errors.New("the copy was not noted")
	}
	err := s.call("copy before")
	if err == nil {
		s.mu.Lock()
		s.files["copy of "+key], s.keys[key] = s.files[id], "copy of "+key
		s.mu.Unlock()
		err = s.call("copy")
	}
	return platen.File{ID: "copy of " + key, Name: name, MIMEType: platen.MIMEDocs}, err
}

func (s *shelf) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	if s.keys[key] == "" {
		return nil, s.call("find")
	}
	return []platen.File{{ID: s.keys[key]}}, s.call("find")
}

func (s *shelf) EditDocument(_ context.Context, id string, plan func(*docsapi.Document) ([]*docsapi.Request, error)) (int, error) {
	s.mu.Lock()
	text, ok := s.files[id]
	s.mu.Unlock()
	if !ok {
		return 0, platen.Errorf(platen.KindInvalid, "drive_file_not_found", "gone")
	}
	end := int64(len(text) + 1)
	requests, err := plan(&docsapi.Document{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{{StartIndex: 0, EndIndex: end,
		Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{{StartIndex: 0, EndIndex: end, TextRun: &docsapi.TextRun{Content: text + "\n"}}}}}}}})
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	if err := s.call("edit"); err != nil {
		return 0, err
	}
	for _, r := range requests {
		if r.ReplaceAllText != nil {
			text = strings.ReplaceAll(text, r.ReplaceAllText.ContainsText.Text, r.ReplaceAllText.ReplaceText)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = text
	return len(requests), nil
}

func (s *shelf) EditPresentation(context.Context, string, func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
	return 0, errors.New("no slides here")
}

func (s *shelf) ExportPDFWithFindings(_ context.Context, id string) ([]byte, []platen.Finding, error) {
	if s.during != nil {
		s.during()
	}
	s.mu.Lock()
	pdf := []byte("PDF of " + s.files[id])
	s.mu.Unlock()
	return pdf, []platen.Finding{{Code: "missing_glyph", Message: "日"}}, s.call("export")
}

func (s *shelf) Download(context.Context, string) ([]byte, error) { return []byte("picture"), nil }

// Obtain wants every picture to be a file of the drive.
func (s *shelf) Obtain(ctx context.Context, p merge.Picture, download func(context.Context, string) ([]byte, error)) (merge.Obtained, error) {
	data, err := download(ctx, p.Source)
	return merge.Obtained{URI: "data:" + string(data), Width: 1, Height: 1}, err
}

func (s *shelf) Delete(ctx context.Context, id string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := s.call("delete"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, id)
	return nil
}

func (s *shelf) NotePreviewCopy(_ context.Context, key, ownerID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted[key] = ownerID
	return nil
}

func (s *shelf) ForgetPreviewCopy(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.noted, key)
	return nil
}

func (s *shelf) Mark(pdf []byte, word string) ([]byte, error) {
	return append([]byte(word+": "), pdf...), s.call("mark")
}

func (s *shelf) previewer(change ...func(*preview.Options)) *preview.Previewer {
	o := preview.Options{
		Drives: func(context.Context, string) (preview.Drive, error) { return s, s.call("open") },
		Copies: s, Marker: s, Pictures: s, FormPictures: s, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
	for _, c := range change {
		c(&o)
	}
	return preview.New(o)
}

var (
	workflow = platen.Workflow{ID: "wkf_1", Name: "Bills", Owner: platen.User{ID: "usr_1"}}
	document = platen.Document{ID: "doc_1", Type: platen.TypeDocs, File: platen.File{ID: "template"}, OutputName: "{{Workflow Name}} {{No}}"}
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

func (s *shelf) leavesNothing(t *testing.T) {
	t.Helper()
	if len(s.files) != 1 || len(s.noted) != 0 {
		t.Errorf("left in the drive: %v, remembered: %v", slices.Collect(maps.Keys(s.files)), s.noted)
	}
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

func TestWhateverFailsLeavesNothingInTheDriveOrIsSwept(t *testing.T) {
	t.Parallel()
	away := &platen.Error{Kind: platen.KindUnavailable, Message: "away"}
	for _, call := range []string{"copy before", "copy", "edit", "export", "mark", "delete"} {
		s := newShelf("Dear {{Name}}")
		s.fails, s.failed = call, away
		p := s.previewer()
		got, err := p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada", "No": 7}`))
		if !errors.Is(err, away) || got.PDF != nil {
			t.Errorf("%s: got %q, %v", call, got.PDF, err)
		}
		var left []preview.Left
		for key, owner := range s.noted {
			left = append(left, preview.Left{Key: key, OwnerID: owner})
		}
		if kept := call == "copy before" || call == "copy" || call == "delete"; kept != (len(left) == 1) {
			t.Errorf("%s: remembered %v", call, left)
		}
		s.fails = "find"
		if err := p.Sweep(t.Context(), left); len(left) > 0 && !errors.Is(err, away) {
			t.Errorf("%s: sweeping a drive that is away: %v", call, err)
		}
		s.fails = ""
		for range 2 {
			if err := p.Sweep(t.Context(), left); err != nil {
				t.Errorf("%s: sweep: %v", call, err)
			}
		}
		s.leavesNothing(t)
	}
}

func TestTheCopyGoesThoughWhoeverAskedHasLeft(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	ctx, leave := context.WithCancel(t.Context())
	s.during = leave
	_, _ = s.previewer().SampleOf(ctx, workflow, document, []byte(`{"Name": "Ada"}`))
	s.leavesNothing(t)
}

func TestMorePreviewsThanAtOnceAreRefused(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 1 })
	var busy error
	s.during = func() {
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, busy = p.SampleOf(short, workflow, document, []byte(`{}`))
	}
	if _, err := p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada"}`)); err != nil {
		t.Fatal(err)
	}
	if platen.KindOf(busy) != platen.KindRateLimited {
		t.Errorf("got %v, want KindRateLimited", busy)
	}
}

func TestOneAddressTakesOneTurnAndNoneOfTheAPIs(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 2 })
	other := document
	other.ID = "doc_2"
	var again, elsewhere, api error
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	t.Cleanup(cancel)
	s.during = func() { // of the first form
		s.during = nil
		_, again = p.SampleOfForm(short, workflow, document, nil)
		s.during = func() { // of the second, with which all turns of forms are taken
			s.during = nil
			_, api = p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada"}`))
		}
		_, elsewhere = p.SampleOfForm(t.Context(), workflow, other, nil)
	}
	if _, err := p.SampleOfForm(t.Context(), workflow, document, nil); err != nil || platen.KindOf(again) != platen.KindRateLimited || elsewhere != nil || api != nil {
		t.Errorf("got %v, the same document %v, another %v, the API %v; want the same one alone refused", err, again, elsewhere, api)
	}
}

func TestOneOwnerTakesHalfOfTheTurns(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 2 })
	others := workflow
	others.Owner.ID = "usr_2"
	var again, other error
	s.during = func() {
		s.during = nil
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, again = p.SampleOf(short, workflow, document, []byte(`{}`))
		_, other = p.SampleOf(t.Context(), others, document, []byte(`{}`))
	}
	if _, err := p.SampleOf(t.Context(), workflow, document, []byte(`{}`)); err != nil || platen.KindOf(again) != platen.KindRateLimited || other != nil {
		t.Errorf("got %v, the same owner %v, another %v; want the same one alone refused", err, again, other)
	}
}

func TestStrangersLearnNothingOfThePassword(t *testing.T) {
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

func TestStrangersSeeNoPicturesOfTheDrive(t *testing.T) {
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

func TestMistakesOfPicturesAreListedWithTheOthers(t *testing.T) {
	t.Parallel()
	s := newShelf("{{image Logo}} {{= SUMM(1)}}")
	p := s.previewer(func(o *preview.Options) {
		o.Pictures = obtaining(func(merge.Picture) (merge.Obtained, error) {
			return merge.Obtained{}, platen.Errorf(platen.KindInvalid, "picture_unusable", "It is damaged.")
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

// obtaining gets pictures as its function says.
type obtaining func(p merge.Picture) (merge.Obtained, error)

func (o obtaining) Obtain(_ context.Context, p merge.Picture, _ func(context.Context, string) ([]byte, error)) (merge.Obtained, error) {
	return o(p)
}

// A run tries such an address again for hours; here somebody waits, who may
// have mistyped it.
func TestAnAddressThatDoesNotAnswerIsAFinding(t *testing.T) {
	t.Parallel()
	s := newShelf("{{image Logo}}")
	away := platen.Errorf(platen.KindUnavailable, "address_unavailable", "Its host name cannot be resolved.")
	p := s.previewer(func(o *preview.Options) {
		o.FormPictures = obtaining(func(merge.Picture) (merge.Obtained, error) { return merge.Obtained{}, away })
		o.Pictures = o.FormPictures
	})
	wf := workflow
	wf.Source.Fields = []string{"Logo", "No"}
	form, err := p.SampleOfForm(t.Context(), wf, document, map[string]string{"Logo": "https://exmaple.com/logo.png", "No": "1"})
	api, errAPI := p.SampleOf(t.Context(), wf, document, []byte(`{"Logo": "https://exmaple.com/logo.png", "No": 1}`))
	for _, got := range []platen.Sample{form, api} {
		if err != nil || errAPI != nil || got.PDF != nil || len(got.Findings) != 1 || got.Findings[0].Code != "address_unavailable" || got.Findings[0].Where != "paragraph 1" {
			t.Errorf("got %+v, %v %v; want a finding at the tag", got, err, errAPI)
		}
	}
	away = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive is away.")
	if _, err := p.SampleOfForm(t.Context(), wf, document, map[string]string{"Logo": "https://example.com/logo.png"}); !errors.Is(err, away) {
		t.Errorf("a drive that is away: got %v", err)
	}
	s.leavesNothing(t)
}

func TestAFormReadsSoManyAddressesAndNoMore(t *testing.T) {
	t.Parallel()
	s := newShelf("{{#each Logos}}{{image this}}{{/each}}{{#each Logos}}{{qr this}}{{/each}}")
	read := 0
	p := s.previewer(func(o *preview.Options) {
		o.FormPictures = obtaining(func(p merge.Picture) (merge.Obtained, error) {
			if !p.QR {
				read++
			}
			return merge.Obtained{URI: "data:", Width: 1, Height: 1}, nil
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

func TestASampleSaysThatARunWouldFail(t *testing.T) {
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
		got, err := newShelf("Dear {{Name}}").previewer().SampleOf(t.Context(), workflow, d, []byte(c.data))
		var found []string
		for _, f := range got.Findings {
			found = append(found, f.Where+" "+f.Code)
		}
		if err != nil || got.PDF == nil || !slices.Equal(found, c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, found, err, c.want)
		}
	}
	d := document
	d.CreatePDFCopy, d.EnablePDFPassword = true, true
	s := newShelf("Dear {{Name}}")
	got, err := s.previewer().CheckTemplate(t.Context(), "usr_1", d, nil, []byte(`{"Name": "Ada", "No": 1}`))
	if err != nil || len(got.Findings) != 1 || got.Findings[0].Code != "pdf_password_empty" {
		t.Errorf("a check: got %+v, %v", got.Findings, err)
	}
}

// hanging is a drive that answers when nobody waits any more.
type hanging struct{ *shelf }

func (hanging) FindByKey(ctx context.Context, _ string) ([]platen.File, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTheSweepWaitsForNoDriveForEver(t *testing.T) {
	t.Parallel()
	s := newShelf("")
	s.keys["prv_2"], s.noted["prv_1"], s.noted["prv_2"] = "left", "usr_1", "usr_2"
	p := s.previewer(func(o *preview.Options) {
		o.SweepTimeout = 10 * time.Millisecond
		o.Drives = func(_ context.Context, owner string) (preview.Drive, error) {
			if owner == "usr_1" {
				return hanging{s}, nil
			}
			return s, nil
		}
	})
	err := p.Sweep(t.Context(), []preview.Left{{Key: "prv_1", OwnerID: "usr_1"}, {Key: "prv_2", OwnerID: "usr_2"}})
	if !errors.Is(err, context.DeadlineExceeded) || s.noted["prv_1"] == "" || s.noted["prv_2"] != "" {
		t.Errorf("got %v, noted %v; want the second one gone", err, s.noted)
	}
}

func TestACheckSaysWhatTheTemplateAsksFor(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Nam}}")
	d := document
	d.EnablePDFPassword, d.PDFPassword = true, "{{Pin"
	got, err := s.previewer().CheckTemplate(t.Context(), "usr_1", d, []string{"Name", "No"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(got.Texts, len(got.Findings), got.Findings[0].Nearest, got.Findings[1].Where, " ", string(got.Schema))
	if want := `[Dear {{Nam}}] 2 [Name]pdfPassword {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"Nam":`; !strings.HasPrefix(said, want) {
		t.Errorf("got %s, want %s", said, want)
	}
	s.files = nil
	if _, err := s.previewer().CheckTemplate(t.Context(), "usr_1", d, nil, nil); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("of a template that is gone: got %v", err)
	}
}
