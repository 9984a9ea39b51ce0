package console

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strconv"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/platen"
)

// A comparePage shows a version beside the template as it is now. The browser finds what
// differs, in the texts that it draws.
type comparePage struct {
	Workflow client.Workflow
	Document client.Document
	Version  version
	At       string // of the version, without a slash at its end
	Now      string // where the pages of the template are, below the base
}

func (p comparePage) above() []crumb {
	return []crumb{toWorkflows, {Path: tabPath(p.Workflow.ID, tabTemplate), Name: p.Workflow.Name}}
}

func (s *site) compare(ctx context.Context, r request) (view, error) {
	p := comparePage{At: r.workflowPath() + "/documents/" + r.PathValue("document") + "/versions/" + r.PathValue("version")}
	found, err := r.api.TemplateVersion(ctx, r.workflowID(), r.PathValue("document"), r.PathValue("version"))
	if err == nil {
		p.Workflow, err = r.api.Workflow(ctx, r.workflowID())
	}
	if err == nil {
		p.Document, err = r.api.Document(ctx, r.workflowID(), r.PathValue("document"))
	}
	p.Version, p.Now = version{found}, pagesOf(p.Document.PreviewURL)
	return view{Title: r.Text("Version %d beside the template", found.Number), Page: p}, err
}

// pagesTimeout is how long somebody waits for the pages of a version.
const pagesTimeout = 40 * time.Second

// versionPages answers with a PDF of a version. Who may not open the template in the drive
// gets none.
func (s *site) versionPages(w http.ResponseWriter, r *http.Request) {
	in, ok := s.begin(w, r)
	if !ok {
		return
	}
	if s.PagesLimit != nil && s.PagesLimit(w.Header(), sha256.Sum256([]byte(in.me.User.ID+" "+r.PathValue("document")))) != nil {
		s.failFor(w, r, &in, &pageError{Status: tooOften.Status, Title: tooOften.Title, Detail: tooOften.Text})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), pagesTimeout)
	defer cancel()
	pdf, err := s.pagesOfVersion(ctx, in)
	if err != nil {
		s.failFor(w, r, &in, err)
		return
	}
	w.Header().Set("Content-Type", platen.MIMEPDF)
	w.Header().Set("Content-Length", strconv.Itoa(len(pdf)))
	w.Header().Set("Content-Disposition", `inline; filename="version.pdf"`)
	_, _ = w.Write(pdf) // fails only when nobody listens any more
}

func (s *site) pagesOfVersion(ctx context.Context, in request) ([]byte, error) {
	of, err := in.api.Workflow(ctx, in.workflowID())
	if err != nil {
		return nil, err
	}
	pdf, err := s.Pages(ctx, of.Owner.ID, func(ctx context.Context) (platen.DocumentType, []byte, error) {
		content, err := in.api.TemplateVersionFile(ctx, in.workflowID(), in.PathValue("document"), in.PathValue("version"))
		kind := platen.TypeDocs
		if opc.KindOf(content) == opc.PresentationKind {
			kind = platen.TypeSlides
		}
		return kind, content, err
	})
	if kind := platen.KindOf(err); kind == platen.KindRateLimited || kind == platen.KindUnavailable || ctx.Err() != nil {
		return nil, &pageError{Status: http.StatusServiceUnavailable, Title: say("The pages cannot be made right now"), Detail: say("The drive is busy, or does not answer. Load this page again in a moment.")}
	}
	return pdf, err
}
