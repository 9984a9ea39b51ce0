// Package console serves the pages that people open in a browser. NewSite has those
// for people with an access token. Others are the preview of a template, at the
// address that a document shows as its previewUrl, and the pages by which a user
// connects Google.
//
// The pages behind a sign-in show what /v0 answers to the token, and do what /v0
// does: no store belongs here. A preview changes nothing: what is typed into its form
// fills a sample, which is kept nowhere. Connecting stores one thing, the user's
// connection. Who may see those two is decided by the signature in their address.
// Nothing that a page would have to fetch from another host belongs here.
package console

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Documents finds what a preview shows. KindNotFound is the answer to a document
// that is not there.
type Documents interface {
	// DocumentByID returns the document and its workflow's owner, whose
	// permission a signed address stands for.
	DocumentByID(ctx context.Context, documentID string) (platen.Document, platen.User, error)
}

// Workflows finds the workflow that a form fills a document of.
type Workflows interface {
	Workflow(ctx context.Context, caller platen.User, workflowID string) (platen.Workflow, error)
}

// Drive is the drive of a workflow's owner.
type Drive interface {
	ExportPDF(ctx context.Context, fileID string) ([]byte, error)
}

// Samples makes the forms of templates and fills documents with form input. known are
// the fields of the source. Errors with a message are shown to the person who filled in
// the form.
type Samples interface {
	FormOf(ctx context.Context, wf platen.Workflow, d platen.Document, known []string, in platen.FormInput) (platen.TemplateForm, error)
	FormOfNames(names []string, in platen.FormInput) platen.Form
	ExampleOf(f platen.Form, in platen.FormInput) platen.FormInput
	// DataOf is the event of what was typed in, over the event that InputOf filled the form
	// with, or nil.
	DataOf(f platen.Form, in platen.FormInput, of []byte) ([]byte, error)
	// ListsOf says what of an event is a list, for FormOf; InputOf fills the form with it. fits
	// is false where the event has more than forms take.
	ListsOf(event []byte) map[string]bool
	InputOf(f platen.Form, event []byte) (in platen.FormInput, fits bool)
	SampleOfForm(ctx context.Context, wf platen.Workflow, d platen.Document, known []string, in platen.FormInput, of []byte) (platen.Sample, platen.TemplateForm, error)
}

// Seen knows the names of fields that events of a workflow had.
type Seen interface {
	SeenFields(ctx context.Context, workflowID string) ([]platen.SeenField, error)
}

// Drives opens the drive of a user.
type Drives func(ctx context.Context, userID string) (Drive, error)

// Options are what NewPreview needs. Documents, Workflows, Seen, Drives, Samples and
// Keys are required.
type Options struct {
	Documents Documents
	Workflows Workflows
	Seen      Seen
	Drives    Drives
	Samples   Samples
	// Limit counts the samples of one document; its error is one too many.
	// Default: no limit.
	Limit func(h http.Header, key [32]byte) error
	// PagesLimit is Limit for the PDF of the template.
	PagesLimit func(h http.Header, key [32]byte) error
	// Keys are those of PreviewAddress: the first signs, all verify.
	Keys [][]byte
	// DriveTimeout bounds the making of a PDF, and of a sample twice. Default: 20 s.
	DriveTimeout time.Duration
	// LinkDrive says that the drive checks permissions when a file's address
	// is opened, as Google does: pages then link to the template. Where the
	// address is a credential, it would outlive that of the page.
	LinkDrive bool
	// Live has the page fill the template while the user types. A drive that takes
	// seconds for a sample, as Google does, fills it when asked.
	Live bool
	// Maker makes what a form asks for; nil: nobody can here.
	Maker Maker
	// Now is the clock of what a source's fields are. Default: time.Now.
	Now func() time.Time
	// Log receives the errors of pages that fail. Default: slog.Default().
	Log *slog.Logger
}

type previewer struct {
	Options
	pages pages
}

// NewPreview returns the handler of /preview/{document} and of the PDFs below
// it.
func NewPreview(o Options) http.Handler {
	if o.DriveTimeout == 0 {
		o.DriveTimeout = 20 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &previewer{Options: o, pages: newPages()}
}

// The parts of a preview, by what stands behind the document's id.
const (
	wholePage   = ""
	templatePDF = "template.pdf"
	samplePDF   = "sample.pdf" // of what was typed in
	liveSample  = "live"       // the same for the script of the page
	makeOfForm  = "make"       // a run of what was typed in
)

var methods = map[string]string{wholePage: "GET, HEAD, POST", templatePDF: "GET, HEAD", samplePDF: "POST", liveSample: "POST", makeOfForm: "POST"}

func (c *previewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	keepPrivate(h, "no-referrer") // the address is a credential

	id, part, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, previewPath), "/")
	query := r.URL.Query()
	version, ok := versionOf(query.Get("v"))
	allowed, known := methods[part]
	if !known || part == makeOfForm && c.Maker == nil || !ok || !platen.IsID(platen.PrefixDocument, id) || !isSigned(c.Keys, id, version, query.Get("sig")) {
		c.fail(w, r, noSuchPage)
		return
	}
	if !slices.Contains(strings.Split(allowed, ", "), r.Method) {
		h.Set("Allow", allowed)
		c.fail(w, r, anotherMethod)
		return
	}
	d, owner, err := c.Documents.DocumentByID(r.Context(), id)
	// The address was right once: who has it may know that it is not any more, and
	// not why.
	if platen.KindOf(err) == platen.KindNotFound || err == nil && d.PreviewVersion != version {
		c.fail(w, r, noMore)
		return
	}
	if err != nil {
		c.logFailure(w, r, "read document", id, err, noAnswer)
		return
	}
	// The page shows what its document's owner may see.
	s := studio{previewer: c, asked: r, d: d, part: part}
	if of := query.Get("of"); c.Maker != nil && platen.IsID(platen.PrefixAutomation, of) {
		s.of = of
	}
	r = r.WithContext(platen.WithCaller(r.Context(), owner))
	s.wf, err = c.Workflows.Workflow(r.Context(), owner, d.WorkflowID)
	s.in = c.pages.of(r, s.wf.Locale)
	switch {
	case err != nil:
		c.logFailure(w, r, "read workflow", d.ID, err, noAnswer)
	case s.wf.Status == platen.StatusArchived:
		// The preview of an archived workflow is no longer available.
		c.fail(w, r, noMore)
	case part == templatePDF:
		c.template(w, r, s, owner)
	default:
		s.sent, s.unsent = s.readSent()
		if r.Method == http.MethodPost {
			c.sample(w, r, s)
		} else {
			c.first(w, r, s)
		}
	}
}

func (c *previewer) template(w http.ResponseWriter, r *http.Request, s studio, owner platen.User) {
	d := s.d
	if c.PagesLimit != nil && c.PagesLimit(w.Header(), sha256.Sum256([]byte(d.ID))) != nil {
		c.fail(w, r, tooOften)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), c.DriveTimeout)
	defer cancel()
	drive, err := c.Drives(ctx, owner.ID)
	if err != nil {
		c.logFailure(w, r, "open drive", d.ID, err, s.explain(err, noDrive))
		return
	}
	pdf, err := drive.ExportPDF(ctx, d.File.ID)
	if err != nil {
		c.logFailure(w, r, "export template", d.ID, err, s.explain(err, noDrive))
		return
	}
	// The drive does not tell when a template was edited, so a browser asks each time.
	w.Header().Set("Cache-Control", "private, no-cache")
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(pdf))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writePDF(w, pdf, d.File.Name+".pdf", r.URL.Query().Has("download"))
}

func writePDF(w http.ResponseWriter, pdf []byte, name string, download bool) {
	disposition := "inline"
	if download {
		disposition = "attachment"
	}
	h := w.Header()
	h.Set("Content-Type", platen.MIMEPDF)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": name}))
	h.Set("Content-Length", strconv.Itoa(len(pdf)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(pdf) // fails only when nobody listens any more
}

// logFailure logs what went wrong and shows why in words.
func (c *previewer) logFailure(w http.ResponseWriter, r *http.Request, doing, documentID string, err error, p errorPage) {
	c.log(r, doing, documentID, err)
	c.fail(w, r, p)
}

func (c *previewer) log(r *http.Request, doing, documentID string, err error) {
	if r.Context().Err() != nil {
		return
	}
	c.Log.LogAttrs(r.Context(), slog.LevelError, "preview failed",
		slog.String("doing", doing), slog.String("document", documentID), slog.String("error", err.Error()))
}
