package drive

import (
	"crypto/sha256"
	"time"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Bounds on parsed documents in memory, in bytes.
const (
	maxTemplates = 16 << 20
	maxEdited    = 8 << 20
	// maxPictures bounds the unpacked pictures of one template.
	maxPictures = 2 << 20
)

// documents reads .docx files, and spares itself to parse what it has just
// parsed: every copy of a template begins with the same bytes, and what was
// edited is exported next. Files are known by their SHA-256.
type documents struct {
	fonts *pdf.FontSet
	// templates are the files that were edited, as they were before.
	templates *cache.Cache[*opc.Package]
	// edited are the packages that edits left behind, each for one export.
	edited *cache.Cache[*opc.Package]
	// isInline has suggestions read as text, as on Google's drive.
	isInline bool
	now      func() time.Time // what DATE and TIME show
}

func newDocuments(fonts *pdf.FontSet, isInline bool, now func() time.Time) *documents {
	return &documents{
		isInline:  isInline,
		now:       now,
		fonts:     fonts,
		templates: cache.New(maxTemplates, (*opc.Package).Size),
		edited:    cache.New(maxEdited, (*opc.Package).Size),
	}
}

func contentKey(content []byte) string {
	h := sha256.Sum256(content)
	return string(h[:])
}

// apply edits a file by batchUpdate requests.
func (d *documents) apply(content []byte, id string, requests []*docsapi.Request) ([]byte, []*docsapi.Response, error) {
	document, err := d.openForEdit(content, requests)
	if err != nil {
		return nil, nil, classify(err)
	}
	apply := docs.Apply
	if d.isInline {
		apply = docs.ApplyInline
	}
	body, answers, err := written(document, id, requests, apply)
	if err == nil {
		d.edited.Put(contentKey(body), document.Package)
	}
	return body, answers, err
}

// openForEdit returns a document that is the caller's own. Requests that only
// replace text do not look at its model, so it has none for them.
func (d *documents) openForEdit(content []byte, requests []*docsapi.Request) (*wml.Document, error) {
	key := contentKey(content)
	template, ok := d.templates.Get(key)
	if !ok {
		document, err := wml.ReadDocument(content)
		if err != nil {
			return nil, err
		}
		template = document.Package
		template.Unpack(maxPictures)
		d.templates.Put(key, template)
	}
	clone := template.Clone()
	if d.isInline {
		if err := docs.InlineSuggestions(clone); err != nil {
			return nil, err
		}
	}
	for _, r := range requests {
		if r == nil || r.ReplaceAllText == nil {
			return wml.Resolve(clone)
		}
	}
	return &wml.Document{Package: clone}, nil
}

// get shows a file as a view of its suggestions has it.
func (d *documents) get(content []byte, id, title, revision, view string) (*docsapi.Document, error) {
	p, err := opc.ReadPackage(content)
	if err != nil {
		return nil, classify(err)
	}
	get := docs.Get
	switch {
	case view == docs.WithoutSuggestions:
		err = docs.RejectSuggestions(p)
	case view == inlineView && d.isInline:
		get, err = docs.GetInline, docs.InlineSuggestions(p)
	}
	if err != nil {
		return nil, classify(err)
	}
	document, err := wml.Resolve(p)
	if err != nil {
		return nil, classify(err)
	}
	resource, err := get(document, id, title, revision)
	if err == nil {
		resource.SuggestionsViewMode = view
	}
	return resource, classify(err)
}

// pdf lays a file out.
func (d *documents) pdf(content []byte, title string) ([]byte, []render.Finding, error) {
	now := d.now().UTC()
	read := func(content []byte) (*wml.Document, error) { return wml.ReadDocumentAt(content, now) }
	if edited, ok := d.edited.Take(contentKey(content)); ok {
		read = func([]byte) (*wml.Document, error) { return wml.ResolveAt(edited, now) }
	}
	return makePDF(content, title, d.fonts, read, flow.Document)
}
