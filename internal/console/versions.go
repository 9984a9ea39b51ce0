package console

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// A version is what a template said before.
type version struct{ client.TemplateVersion }

// Why says why a version was kept.
func (v version) Why() string {
	switch platen.VersionCause(v.Cause) {
	case platen.VersionKept:
		return say("kept on purpose")
	case platen.VersionReplaced:
		return say("before a replacement")
	case platen.VersionRestored:
		return say("before a version was put back")
	}
	return v.Cause
}

// KB is its size as people read it.
func (v version) KB() int { return max(1, (v.Size+512)/1024) }

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
	if s.Pages != nil {
		mux.HandleFunc("GET "+one+versions+"{version}/compare", s.page("compare", s.compare))
		mux.HandleFunc("GET "+one+versions+"{version}/pages", s.versionPages)
	}
	mux.HandleFunc("GET "+one+"export", s.file(func(r request) string { return r.workflowPath() + "/export/" }))
	mux.HandleFunc("POST "+one+"copy", s.page("workflow", s.copyWorkflow))
	s.routeBack(mux, one+"copy", "copy")
	mux.HandleFunc("GET /console/import-workflow", s.page("import-workflow", s.newImport))
	mux.HandleFunc("POST /console/import-workflow", s.page("import-workflow", s.importWorkflow))
}

// readVersions reads those of each document, the newest first.
func (r request) readVersions(ctx context.Context, p *workflowPage) error {
	for i, d := range p.Documents {
		for v, err := range r.api.TemplateVersions(ctx, r.workflowID(), d.ID) {
			if err != nil {
				return err
			}
			p.Documents[i].Versions = append(p.Documents[i].Versions, version{v})
		}
		slices.Reverse(p.Documents[i].Versions)
	}
	return nil
}

func (s *site) keepVersion(ctx context.Context, r request) (string, error) {
	_, err := r.api.KeepTemplateVersion(ctx, r.workflowID(), r.PathValue("document"), client.NewTemplateVersion{Note: r.typed("note")})
	return "", err
}

// restoreVersion leads to the mistakes of the template as it is then.
func (s *site) restoreVersion(ctx context.Context, r request) (string, error) {
	d, err := r.api.RestoreTemplateVersion(ctx, r.workflowID(), r.PathValue("document"), r.PathValue("version"))
	return d.ID, err
}

// copyWorkflow leads to the copy.
func (s *site) copyWorkflow(ctx context.Context, r request) (view, error) {
	wanted := client.WorkflowCopy{Name: r.typed("name"), OutgoingWebhook: r.PostForm.Has("outgoingWebhook")}
	made, failed := r.api.CopyWorkflow(client.WithIdempotencyKey(ctx, r.typed("once")), r.workflowID(), wanted)
	if failed == nil {
		return view{to: "/console/workflows/" + made.ID + "/"}, nil
	}
	return s.refusedForm(ctx, r, "copy", failed)
}

type importPage struct {
	Once    string
	Problem saying
}

func (s *site) newImport(_ context.Context, r request) (view, error) {
	return view{Title: r.Text("Import a workflow"), Page: importPage{Once: rand.Text()}}, nil
}

// importWorkflow leads to the workflow that was made of a file.
func (s *site) importWorkflow(ctx context.Context, r request) (view, error) {
	content, failed := r.chosen()
	if failed == nil && content == nil {
		failed = refused(r.Text("Choose a .zip file first."))
	}
	var made client.Workflow
	if failed == nil {
		made, failed = r.api.ImportWorkflow(client.WithIdempotencyKey(ctx, r.typed("once")), content)
	}
	if failed == nil {
		return view{to: "/console/workflows/" + made.ID + "/"}, nil
	}
	problem, err := r.explained(failed)
	return view{Title: r.Text("Import a workflow"), Page: importPage{Once: rand.Text(), Problem: problem}, status: http.StatusBadRequest}, err
}
