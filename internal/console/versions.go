package console

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// A version is what a template said before.
type version struct {
	ID, DocumentID, Cause, Note, CreatedAt string
	Number                                 int
	Size                                   int64
	CreatedBy                              *struct{ Name string }
}

// Why says why a version was kept.
func (v version) Why() string {
	switch platen.VersionCause(v.Cause) {
	case platen.VersionKept:
		return "kept on purpose"
	case platen.VersionReplaced:
		return "before a replacement"
	case platen.VersionRestored:
		return "before a version was put back"
	}
	return v.Cause
}

// KB is its size as people read it.
func (v version) KB() int64 { return max(1, (v.Size+512)/1024) }

// A documentPart is a part of a workflow's page about one document.
type documentPart struct {
	documentRow
	Base, At string // of the console, and of the document with a slash at its end
	Write    bool
	Page     workflowPage
}

// PartOf is a part about one document.
func (p workflowPage) PartOf(d documentRow, base string, write bool) documentPart {
	return documentPart{d, base, base + "/console/workflows/" + p.ID + "/documents/" + d.ID + "/", write, p}
}

// Once is a key by which a form that is sent twice happens once.
func (p workflowPage) Once() string { return rand.Text() }

// routeVersions are the pages of versions, and of workflows that become other ones.
func (s *site) routeVersions(mux *http.ServeMux, one string) {
	const versions = "documents/{document}/versions/"
	mux.HandleFunc("POST "+one+versions, s.page("workflow", s.form(formKeep, "kept", s.keepVersion)))
	s.routeBack(mux, one+versions, formKeep)
	mux.HandleFunc("POST "+one+versions+"{version}/restore", s.page("workflow", s.form("versions", "restored", s.restoreVersion)))
	s.routeBack(mux, one+versions+"{version}/restore", formKeep)
	mux.HandleFunc("GET "+one+versions+"{version}/file", s.file(func(r request) string {
		return r.documentPath() + "versions/" + r.PathValue("version") + "/file/"
	}))
	mux.HandleFunc("GET "+one+"export", s.file(func(r request) string { return r.workflowPath() + "/export/" }))
	mux.HandleFunc("POST "+one+"copy", s.page("workflow", s.copyWorkflow))
	s.routeBack(mux, one+"copy", "copy")
	mux.HandleFunc("GET /console/import-workflow", s.page("import-workflow", s.newImport))
	mux.HandleFunc("POST /console/import-workflow", s.page("import-workflow", s.importWorkflow))
}

// readVersions reads those of each document, the newest first.
func (r request) readVersions(ctx context.Context, p *workflowPage) error {
	for i, d := range p.Documents {
		if _, err := r.get(ctx, r.workflowPath()+"/documents/"+d.ID+"/versions/", &p.Documents[i].Versions); err != nil {
			return err
		}
		slices.Reverse(p.Documents[i].Versions)
	}
	return nil
}

func (s *site) keepVersion(ctx context.Context, r request) (string, error) {
	return "", r.ask(ctx, http.MethodPost, r.documentPath()+"versions/", map[string]string{"note": r.typed("note")}, nil)
}

// restoreVersion leads to the mistakes of the template as it is then.
func (s *site) restoreVersion(ctx context.Context, r request) (string, error) {
	return r.PathValue("document"), r.post(ctx, r.documentPath()+"versions/"+r.PathValue("version")+"/restore/", nil)
}

// copyWorkflow leads to the copy.
func (s *site) copyWorkflow(ctx context.Context, r request) (view, error) {
	r.client.once = r.typed("once")
	var made struct{ ID string }
	wanted := map[string]any{"name": r.typed("name"), "outgoingWebhook": r.PostForm.Has("outgoingWebhook")}
	failed := r.ask(ctx, http.MethodPost, r.workflowPath()+"/copy/", wanted, &made)
	if failed == nil {
		return view{to: "/console/workflows/" + made.ID + "/"}, nil
	}
	return r.refusedForm(ctx, "copy", failed)
}

type importPage struct{ Once, Problem string }

func (s *site) newImport(context.Context, request) (view, error) {
	return view{Title: "Import a workflow", Page: importPage{Once: rand.Text()}}, nil
}

// importWorkflow leads to the workflow that was made of a file.
func (s *site) importWorkflow(ctx context.Context, r request) (view, error) {
	r.client.once = r.typed("once")
	content, failed := r.chosen()
	if failed == nil && content == nil {
		failed = refused("Choose a .zip file first.")
	}
	var made struct{ ID string }
	if failed == nil {
		failed = r.upload(ctx, "/workflows/import/", content, &made)
	}
	if failed == nil {
		return view{to: "/console/workflows/" + made.ID + "/"}, nil
	}
	problem, err := explained(failed)
	return view{Title: "Import a workflow", Page: importPage{Once: rand.Text(), Problem: problem}, status: http.StatusBadRequest}, err
}
