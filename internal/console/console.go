// Package console serves the plain pages that people open in a browser. Today
// that is the preview of a template, at the address that a document shows as
// its previewUrl.
//
// It shows and changes nothing. Who may see a page is decided by the signature
// in its address; /v0 and its credentials do not belong here, and neither does
// anything that a page would have to fetch from another host.
package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen"
)

// Documents finds what a preview shows. KindNotFound is the answer to a document
// that is not there.
type Documents interface {
	// DocumentByID returns the document and its workflow's owner, whose
	// permission a signed address stands for.
	DocumentByID(ctx context.Context, documentID string) (platen.Document, platen.User, error)
	Workflow(ctx context.Context, caller platen.User, workflowID string) (platen.Workflow, error)
}

// Drive is the drive of a workflow's owner.
type Drive interface {
	ExportPDF(ctx context.Context, fileID string) ([]byte, error)
}

// Drives opens the drive of a user.
type Drives func(ctx context.Context, userID string) (Drive, error)

// Options are what NewPreview needs. Documents, Drives and Key are required.
type Options struct {
	Documents Documents
	Drives    Drives
	// Key is the key that the API signs preview addresses with.
	Key []byte
	// DriveTimeout bounds the making of the PDF. Default: 20 s.
	DriveTimeout time.Duration
	// Log hears of what could not be shown. Default: slog.Default().
	Log *slog.Logger
}

type previewer struct {
	Options
	pages pages
}

// NewPreview returns the handler of /preview/{document} and
// /preview/{document}/template.pdf.
func NewPreview(o Options) http.Handler {
	if o.DriveTimeout == 0 {
		o.DriveTimeout = 20 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &previewer{Options: o, pages: newPages()}
}

func (c *previewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address is a credential
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")

	path := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/preview/"), "/")
	id, pdf := strings.CutSuffix(path, "/template.pdf")
	signature := r.URL.Query().Get("sig")
	if !platen.IsID(platen.PrefixDocument, id) || !c.signed(id, signature) {
		c.fail(w, r, noSuchPage)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		c.fail(w, r, onlyGet)
		return
	}
	d, owner, err := c.Documents.DocumentByID(r.Context(), id)
	if platen.KindOf(err) == platen.KindNotFound {
		c.fail(w, r, noSuchPage)
		return
	}
	if err != nil {
		c.failed(w, r, "read document", id, err, noAnswer)
		return
	}
	if pdf {
		c.template(w, r, d, owner)
		return
	}
	c.preview(w, r, d, owner, signature)
}

// signed checks an address in constant time; what it says wrong is a page that
// is not there.
func (c *previewer) signed(documentID, signature string) bool {
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, c.Key)
	mac.Write([]byte(documentID))
	return hmac.Equal(given, mac.Sum(nil))
}

func (c *previewer) preview(w http.ResponseWriter, r *http.Request, d platen.Document, owner platen.User, signature string) {
	wf, err := c.Documents.Workflow(r.Context(), owner, d.WorkflowID)
	if err != nil {
		c.failed(w, r, "read workflow", d.ID, err, noAnswer)
		return
	}
	// The address is relative, so that a prefix in front of ours does no harm.
	pdf := d.ID + "/template.pdf?sig=" + signature
	if strings.HasSuffix(r.URL.Path, "/") {
		pdf = "template.pdf?sig=" + signature
	}
	p := previewPage{
		Style:    c.pages.style,
		Name:     d.File.Name,
		Workflow: wf.Name,
		Output:   d.OutputName,
		PDF:      pdf,
		Editor:   d.File.URL,
		Fields:   wf.Source.Fields,
		Slides:   d.Type == platen.TypeSlides,
		Archived: wf.Status == platen.StatusArchived,
	}
	c.page(w, r, http.StatusOK, c.pages.preview, p)
}

func (c *previewer) template(w http.ResponseWriter, r *http.Request, d platen.Document, owner platen.User) {
	ctx, cancel := context.WithTimeout(r.Context(), c.DriveTimeout)
	defer cancel()
	drive, err := c.Drives(ctx, owner.ID)
	if err != nil {
		c.failed(w, r, "open drive", d.ID, err, noPages(err))
		return
	}
	pdf, err := drive.ExportPDF(ctx, d.File.ID)
	if err != nil {
		c.failed(w, r, "export template", d.ID, err, noPages(err))
		return
	}
	disposition := "inline"
	if r.URL.Query().Has("download") {
		disposition = "attachment"
	}
	h := w.Header()
	h.Set("Content-Type", platen.MIMEPDF)
	h.Set("Cache-Control", "private, max-age=60") // every export costs the drive a good second
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": d.File.Name + ".pdf"}))
	h.Set("Content-Length", strconv.Itoa(len(pdf)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(pdf) // fails only when nobody listens any more
}

// failed logs what went wrong and shows why in words; a document that is not
// there looks like an address that is wrong.
func (c *previewer) failed(w http.ResponseWriter, r *http.Request, doing, documentID string, err error, p errorPage) {
	if r.Context().Err() == nil {
		c.Log.LogAttrs(r.Context(), slog.LevelError, "preview failed",
			slog.String("doing", doing), slog.String("document", documentID), slog.String("error", err.Error()))
	}
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	c.fail(w, r, p)
}
