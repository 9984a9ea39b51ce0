package drive

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// getEditorFile reads a file that must be of that Google type. The Docs and Slides
// protocols have their own words for what is wrong.
func (s *Server) getEditorFile(ctx context.Context, user store.User, id, mimeType string) (store.File, error) {
	f, err := s.store.Get(ctx, user.ID, id)
	if err != nil {
		return store.File{}, editorFault(err)
	}
	return f, checkEditorType(f, mimeType)
}

func editorFault(err error) error {
	f, ok := err.(*fault.Error)
	switch {
	case ok && f.Code == http.StatusNotFound:
		return &fault.Error{Code: f.Code, Status: f.Status, Message: "Requested entity was not found."}
	case ok && f.Code == http.StatusForbidden:
		return &fault.Error{Code: f.Code, Status: f.Status, Message: "The caller does not have permission"}
	}
	return err
}

func checkEditorType(f store.File, mimeType string) error {
	if f.MimeType == mimeType {
		return nil
	}
	return &fault.Error{Code: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Message: "This operation is not supported for this document"}
}

// batch is a batchUpdate: its requests are carried out all or none.
type batch struct {
	mimeType string
	// required is the revision that the file must have, "" for any.
	required string
	apply    func(content []byte) ([]byte, error)
}

// edit carries out a batch; the caller has a slot. The new content is stored only if the file is
// unchanged since the batch read it, so batches are serialized across servers. After a conflicting
// change, the batch is repeated under a lock.
func (s *Server) edit(ctx context.Context, user store.User, id string, b batch) (store.File, error) {
	f, err := s.store.Get(ctx, user.ID, id)
	if err != nil {
		return store.File{}, editorFault(err)
	}
	if err := f.CheckWritable(user.ID); err != nil {
		return store.File{}, editorFault(err)
	}
	content, err := s.applyEdits(ctx, nil, f, b)
	if err != nil {
		return store.File{}, editorFault(err)
	}
	changed, ok := store.File{}, false
	if !bytes.Equal(content.Sha256, f.SHA256) {
		if changed, ok, err = s.store.ReplaceContent(ctx, f, content); err != nil {
			return store.File{}, err
		}
	}
	if !ok {
		changed, err = s.store.Change(ctx, user.ID, id, func(tx pgx.Tx, f *store.File) (_ *store.Blob, err error) {
			if content, err = s.applyEdits(ctx, tx, *f, b); err != nil {
				return nil, err
			}
			if !bytes.Equal(content.Sha256, f.SHA256) {
				f.ModifiedAt = time.Now()
			}
			return content, nil
		})
	}
	if err != nil {
		return store.File{}, editorFault(err)
	}
	// What was edited is exported or read next.
	s.store.Keep(content)
	return changed, nil
}

// applyEdits is what a batch makes of a file's content, read in tx, nil for none.
func (s *Server) applyEdits(ctx context.Context, tx pgx.Tx, f store.File, b batch) (*store.Blob, error) {
	if err := checkEditorType(f, b.mimeType); err != nil {
		return nil, err
	}
	if b.required != "" && b.required != f.RevisionID() {
		return nil, fault.BadRequest("badRequest", "The required revision ID '%s' does not match the latest revision.", b.required)
	}
	content, err := s.store.Content(ctx, tx, f.SHA256)
	if err != nil {
		return nil, err
	}
	body, err := b.apply(content)
	if err != nil {
		return nil, err
	}
	if len(body) > store.MaxContent {
		return nil, fault.TooLarge("A file", store.MaxContent)
	}
	return store.NewBlob(body), nil
}

// resourceMask reads the fields parameter for an answer of resource's type. It
// is called before anything is changed.
func resourceMask(r *http.Request, resource any) (mask, error) {
	return parseFields(orAll(r.URL.Query().Get("fields")), resource)
}

// writeMasked answers with what m selects of one of Google's resources.
func writeMasked(w http.ResponseWriter, m mask, resource any) error {
	return writeJSON(w, http.StatusOK, m.prune(reflect.ValueOf(resource)).Interface())
}

// A reader answers with what a Docs or Slides file says.
type reader struct {
	mask mask
	// identity are the names under which the resource says which file it is of.
	// An answer without them is the same for every file with the same content
	// and revision, as the copies of a template are, and is kept.
	identity []string
	// resource is made with a slot for the work.
	resource func(content []byte) (any, error)
}

func (s *Server) writeReading(w http.ResponseWriter, r *http.Request, f store.File, read reader) error {
	isShared := !slices.ContainsFunc(read.identity, func(name string) bool {
		_, selected := read.mask.below(name)
		return selected
	})
	key := strings.Join([]string{f.MimeType, string(f.SHA256), f.RevisionID(), r.PathValue("page"), r.URL.RawQuery}, "\x00")
	if answer, ok := s.answers.Get(key); ok && isShared {
		writeAnswer(w, http.StatusOK, answer)
		return nil
	}
	content, err := s.store.Content(r.Context(), nil, f.SHA256)
	if err != nil {
		return err
	}
	release, err := s.slot(r.Context())
	if err != nil {
		return err
	}
	defer release()
	resource, err := read.resource(content)
	if err != nil {
		return err
	}
	answer, err := encode(read.mask.prune(reflect.ValueOf(resource)).Interface())
	if err != nil {
		return err
	}
	if isShared {
		s.answers.Put(key, answer)
	}
	writeAnswer(w, http.StatusOK, answer)
	return nil
}

// batchCall reads the id out of "{id}:batchUpdate", the only call there is.
func batchCall(r *http.Request) (string, error) {
	id, ok := strings.CutSuffix(r.PathValue("call"), ":batchUpdate")
	if !ok {
		return "", notServed(r)
	}
	return id, nil
}

// strictlyInTurn is strictly with a slot held while it decodes, for a body
// that needs little memory afterwards.
func (s *Server) strictlyInTurn(ctx context.Context, p payload, target any) error {
	leave, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer leave()
	release, err := s.strictly(ctx, p, target)
	if err == nil {
		release()
	}
	return err
}

// newEditorFile carries out documents.create and presentations.create: it makes
// a blank file with the title that the body, an R, gives. Like Google's, it
// ignores all else that the body says.
func newEditorFile[R any](s *Server, r *http.Request, user store.User, limits jsonLimits, mimeType string, title func(*R) string) (mask, store.File, error) {
	var body R
	m, err := resourceMask(r, body)
	if err != nil {
		return nil, store.File{}, err
	}
	p, err := readPayload(r, limits)
	if err != nil {
		return nil, store.File{}, err
	}
	if err := s.strictlyInTurn(r.Context(), p, &body); err != nil {
		return nil, store.File{}, err
	}
	f := store.File{OwnerID: user.ID, MimeType: mimeType, Name: title(&body)}
	content, err := s.blank(f)
	if err != nil {
		return nil, store.File{}, err
	}
	if err := s.checkStorage(r.Context(), f); err != nil {
		return nil, store.File{}, editorFault(err)
	}
	f, err = s.store.Create(r.Context(), f, content)
	return m, f, err
}

// batchUpdate is one of Google's two batchUpdates: C is the body of its calls, A
// its answer.
type batchUpdate[C, A any] struct {
	mimeType string
	// check refuses calls that are not carried out, and returns the revision
	// that one requires, "" for any.
	check func(body []byte, call *C) (required string, err error)
	// pictures are the addresses of pictures in a call.
	pictures func(call *C) []*string
	// apply edits the content of the file with this id.
	apply func(content []byte, id string, call *C) ([]byte, error)
	// answer is asked after apply, with the file as it was stored.
	answer func(f store.File, call *C) *A
}

// serve answers a call. What it decodes is held with a slot to the end.
func (u batchUpdate[C, A]) serve(s *Server, w http.ResponseWriter, r *http.Request, user store.User) error {
	id, err := batchCall(r)
	if err != nil {
		return err
	}
	m, err := resourceMask(r, *new(A))
	if err != nil {
		return err
	}
	p, err := readPayload(r, batchLimits)
	if err != nil {
		return err
	}
	leave, err := s.slot(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	var call C
	release, err := s.strictly(r.Context(), p, &call)
	if err != nil {
		return err
	}
	defer release()
	required, err := u.check(p.body, &call)
	if err != nil {
		return err
	}
	if err := s.fetchOwnPictures(r.Context(), user, u.pictures(&call)); err != nil {
		return err
	}
	f, err := s.edit(r.Context(), user, id, batch{mimeType: u.mimeType, required: required, apply: func(content []byte) ([]byte, error) {
		return u.apply(content, id, &call)
	}})
	if err != nil {
		return err
	}
	return writeMasked(w, m, u.answer(f, &call))
}

func noRequests() *fault.Error {
	return fault.BadRequest("badRequest", "Must specify at least one request.")
}

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
