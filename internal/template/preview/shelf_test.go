package preview_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/preview"
)

// A shelf is a drive, what is remembered of copies, and what marks PDFs. It
// fails at the call that fails names.
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

func (s *shelf) File(_ context.Context, id string) (platen.File, error) {
	s.mu.Lock()
	_, ok := s.files[id]
	s.mu.Unlock()
	if !ok {
		return platen.File{}, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	}
	f := platen.File{ID: id, Name: strings.ToUpper(id), MIMEType: platen.MIMEDocs}
	switch {
	case strings.HasSuffix(id, "_pdf"):
		f.MIMEType = platen.MIMEPDF
	case strings.HasSuffix(id, "_png"):
		f.MIMEType = "image/png"
	}
	return f, s.call("file")
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

func (s *shelf) CreateFrom(_ context.Context, name, mimeType, key, _ string, content []byte) (platen.File, error) {
	if s.noted[key] == "" {
		return platen.File{}, errors.New("the file was not noted")
	}
	s.mu.Lock()
	s.files["made for "+key], s.keys[key] = string(content), "made for "+key
	s.mu.Unlock()
	return platen.File{ID: "made for " + key, Name: name, MIMEType: mimeType}, s.call("create")
}

func (s *shelf) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	if s.keys[key] == "" {
		return nil, s.call("find")
	}
	return []platen.File{{ID: s.keys[key]}}, s.call("find")
}

func (s *shelf) EditDocument(_ context.Context, id string, _ platen.Reading, compose func(*docsapi.Document) ([]*docsapi.Request, error)) (int, error) {
	s.mu.Lock()
	text, ok := s.files[id]
	s.mu.Unlock()
	if !ok {
		return 0, platen.Errorf(platen.KindInvalid, "drive_file_not_found", "gone")
	}
	end := int64(len(text) + 1)
	requests, err := compose(&docsapi.Document{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{{StartIndex: 0, EndIndex: end,
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

func (s *shelf) EditPresentation(context.Context, string, platen.Reading, func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
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

// Download gives what a PDF says, and a picture of any other file.
func (s *shelf) Download(_ context.Context, id string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasSuffix(id, "_pdf") {
		return []byte(s.files[id]), nil
	}
	return []byte("picture"), nil
}

// Obtain wants every picture to be a file of the drive.
func (s *shelf) Obtain(ctx context.Context, p lang.Picture, download func(context.Context, string) ([]byte, error)) (lang.Obtained, error) {
	data, err := download(ctx, p.Source)
	return lang.Obtained{URI: "data:" + string(data), Width: 1, Height: 1}, err
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

func (s *shelf) leavesNothing(t *testing.T) {
	t.Helper()
	if len(s.files) != 1 || len(s.noted) != 0 {
		t.Errorf("left in the drive: %v, remembered: %v", slices.Collect(maps.Keys(s.files)), s.noted)
	}
}

// obtaining gets pictures as its function says.
type obtaining func(p lang.Picture) (lang.Obtained, error)

func (o obtaining) Obtain(_ context.Context, p lang.Picture, _ func(context.Context, string) ([]byte, error)) (lang.Obtained, error) {
	return o(p)
}

// include puts the names of documents and of who reads them into a copy.
func (s *shelf) include(_, readerID, _ string) fill.Include {
	return func(_ context.Context, copied platen.File, choose fill.Choose) (func(context.Context) error, error) {
		s.mu.Lock()
		text := s.files[copied.ID]
		s.mu.Unlock()
		c, _, err := choose(text)
		if err == nil && slices.Contains(c.Names, "nowhere") {
			err = platen.Errorf(platen.KindInvalid, "include_not_found", "There is no such document.")
		}
		return func(context.Context) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.files[copied.ID] = strings.Join(c.Names, ", ") + " as " + readerID + " reads it"
			return nil
		}, err
	}
}
