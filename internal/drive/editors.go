package drive

import (
	"context"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
)

// editable reads a file that must be of that Google type. The Docs and Slides
// protocols have their own words for what is wrong.
func (s *Server) editable(ctx context.Context, user User, id, mimeType string) (file, error) {
	f, err := s.store.get(ctx, user.ID, id)
	if err != nil {
		return file{}, editorFault(err)
	}
	return f, checkEditable(f, mimeType)
}

func editorFault(err error) error {
	if f, ok := err.(*fault); ok && f.code == http.StatusNotFound {
		return &fault{code: f.code, status: f.status, reason: "notFound", message: "Requested entity was not found."}
	}
	return err
}

func checkEditable(f file, mimeType string) error {
	if f.MimeType == mimeType {
		return nil
	}
	return &fault{code: http.StatusBadRequest, status: "FAILED_PRECONDITION", reason: "failedPrecondition",
		message: "This operation is not supported for this document"}
}

// reading has the content of a Docs or Slides file read by project, with a
// slot for the work.
func (s *Server) reading(ctx context.Context, f file, project func(content []byte) error) error {
	content, err := s.store.content(ctx, s.store.pool, f.SHA256)
	if err != nil {
		return err
	}
	release, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer release()
	return project(content)
}

// batch is a batchUpdate: its requests are carried out all or none.
type batch struct {
	mimeType string
	// required is the revision that the file must have, "" for any.
	required string
	apply    func(content []byte) ([]byte, error)
}

// edit carries out a batch. The file is locked from the look at its revision
// to the commit, so that batches follow one another whoever serves them.
func (s *Server) edit(ctx context.Context, user User, id string, b batch) (file, error) {
	release, err := s.slot(ctx)
	if err != nil {
		return file{}, err
	}
	defer release()
	f, err := s.store.change(ctx, user.ID, id, func(tx pgx.Tx, f *file) (*blob, error) {
		if err := checkEditable(*f, b.mimeType); err != nil {
			return nil, err
		}
		if b.required != "" && b.required != f.revisionID() {
			return nil, &fault{code: http.StatusBadRequest, status: "FAILED_PRECONDITION", reason: "failedPrecondition",
				message: "The required revision ID '" + b.required + "' does not match the latest revision."}
		}
		content, err := s.store.content(ctx, tx, f.SHA256)
		if err != nil {
			return nil, err
		}
		edited, err := b.apply(content)
		if err != nil {
			return nil, err
		}
		if len(edited) > MaxContent {
			return nil, tooLarge("A file", MaxContent)
		}
		return newBlob(edited), nil
	})
	return f, editorFault(err)
}

// resourceMask reads the fields parameter for an answer of resource's type. It
// is called before anything is changed.
func resourceMask(r *http.Request, resource any) (mask, error) {
	return parseFields(orAll(r.URL.Query().Get("fields")), resource)
}

// writeMasked answers with what m selects of a resource.
func writeMasked(w http.ResponseWriter, m mask, resource any) error {
	if below, all := m["*"]; all && below == nil {
		return writeJSON(w, http.StatusOK, resource)
	}
	tree, err := plain(resource)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, m.apply(tree))
}

// batchCall reads the id out of "{id}:batchUpdate", the only call there is.
func batchCall(r *http.Request) (string, error) {
	id, ok := strings.CutSuffix(r.PathValue("call"), ":batchUpdate")
	if !ok {
		return "", notServed()
	}
	return id, nil
}

// newTitled stores a blank file of that type.
func (s *Server) newTitled(ctx context.Context, user User, mimeType, title string) (file, error) {
	f := file{OwnerID: user.ID, MimeType: mimeType, Name: title}
	content, err := s.blank(f)
	if err != nil {
		return file{}, err
	}
	return s.store.create(ctx, f, content)
}

func noRequests() *fault { return badRequest("badRequest", "Must specify at least one request.") }

// replies makes sure that every request has a reply and that none is null.
func replies[R any](given []*R, requests int) []*R {
	all := make([]*R, requests)
	copy(all, given)
	for i, r := range all {
		if r == nil {
			all[i] = new(R)
		}
	}
	return all
}
