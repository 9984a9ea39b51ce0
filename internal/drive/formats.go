package drive

import (
	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/render"
)

// formats is what the drive asks of the packages that understand office files.
// Users' faults come back as *fault.
type formats struct {
	document, presentation format

	getDocument       func(content []byte, id, title, revision, view string) (*docsapi.Document, error)
	applyDocument     func(content []byte, id string, requests []*docsapi.Request) ([]byte, []*docsapi.Response, error)
	getPresentation   func(content []byte, id, title, revision string) (*slidesapi.Presentation, error)
	getPage           func(content []byte, page, revision string) (*slidesapi.Page, error)
	applyPresentation func(content []byte, id string, requests []*slidesapi.Request) ([]byte, []*slidesapi.Response, error)
}

// format is what the drive asks of one kind of office file.
type format struct {
	blank func() ([]byte, error)
	// check says why content is no such file.
	check func(content []byte) error
	// plain makes a .docx or .pptx of content with macros, of a template and of a slide show.
	plain func(content []byte) ([]byte, error)
	// pdf also tells what could not be drawn as it should.
	pdf  func(content []byte, title string) (pdf []byte, findings []render.Finding, err error)
	text func(content []byte) (string, error)
}

// of returns the format of a Docs or Slides file.
func (f formats) of(mimeType string) format {
	if mimeType == store.DocumentType {
		return f.document
	}
	return f.presentation
}
