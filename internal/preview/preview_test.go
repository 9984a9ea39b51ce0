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
		Copies: s, Marker: s, Pictures: s, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
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
	s.leavesNothing(t)
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
