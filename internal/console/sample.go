package console

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/platenhq/platen"
)

const (
	// maxForm is how many bytes a form may have.
	maxForm = 512 << 10
	// maxFields is how many source fields the form has at most.
	maxFields = 200
	// maxRows is how high a field of the form grows.
	maxRows = 8
	// maxShown is how large a PDF may be that the page itself holds, in bytes; a
	// larger one can be downloaded.
	maxShown = 8 << 20
	// fieldPrefix keeps the names of source fields apart from all else.
	fieldPrefix = "f."
)

// sample answers what the form came to: as a page, or as the PDF alone.
func (c *previewer) sample(w http.ResponseWriter, r *http.Request, wf platen.Workflow, d platen.Document, alone bool) {
	texts, fault := readForm(w, r)
	if fault != nil {
		c.fail(w, r, *fault)
		return
	}
	if c.Limit != nil && c.Limit(w.Header(), sha256.Sum256([]byte(d.ID))) != nil {
		c.unmade(w, r, c.pageOf(r, wf, d, texts), tooOften)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*c.DriveTimeout)
	defer cancel()
	s, err := c.Samples.SampleOfForm(ctx, wf, d, texts)
	switch {
	case platen.KindOf(err) == platen.KindRateLimited:
		c.unmade(w, r, c.pageOf(r, wf, d, texts), tooOften)
		return
	case err != nil:
		c.log(r, "fill sample", d.ID, err)
		c.unmade(w, r, c.pageOf(r, wf, d, texts), explain(err, noSample))
		return
	case alone && s.PDF != nil:
		writePDF(w, s.PDF, s.Name+".pdf", true)
		return
	}
	p := c.pageOf(r, wf, d, texts)
	p.Sample = &samplePart{Name: s.Name, Findings: s.Findings, Missing: s.MissingFields, Drawn: s.PDFFindings, TooLarge: len(s.PDF) > maxShown}
	if s.PDF != nil && !p.Sample.TooLarge {
		// Safe: nothing but base64 stands behind the type.
		p.Sample.PDF = template.URL("data:" + platen.MIMEPDF + ";base64," + base64.StdEncoding.EncodeToString(s.PDF))
	}
	c.page(w, r, http.StatusOK, c.pages.preview, p)
}

// unmade shows the page with what was typed in, and why there is no sample of it.
func (c *previewer) unmade(w http.ResponseWriter, r *http.Request, p previewPage, why errorPage) {
	p.Problem = &why
	c.page(w, r, why.Status, c.pages.preview, p)
}

// readForm returns what was typed in, by source field.
func readForm(w http.ResponseWriter, r *http.Request) (map[string]string, *errorPage) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, &tooMuch
		}
		return nil, &notAForm
	}
	texts := map[string]string{}
	for name, values := range r.PostForm {
		if name, ok := strings.CutPrefix(name, fieldPrefix); ok {
			texts[name] = strings.ToValidUTF8(values[0], "\ufffd")
		}
	}
	return texts, nil
}
