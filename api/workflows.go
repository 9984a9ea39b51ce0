package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

func (s *server) listWorkflows(w http.ResponseWriter, r *http.Request) error {
	in := parametersOf(r)
	page := in.page()
	statuses := anyOf(in, "status", platen.StatusIncomplete, platen.StatusComplete, platen.StatusArchived)
	if err := in.err(); err != nil {
		return err
	}
	read := func(page platen.Page) ([]platen.Workflow, error) {
		return s.Workflows.Workflows(r.Context(), caller(r.Context()), platen.WorkflowQuery{Page: page, Statuses: statuses})
	}
	if page == (platen.Page{}) {
		return writeWhole(w, read, workflowPosition, s.workflow)
	}
	found, err := read(oneMore(page))
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, workflowPosition, s.workflow)
}

func (s *server) getWorkflow(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, s.workflow(wf))
}

func (s *server) createWorkflow(w http.ResponseWriter, r *http.Request) error {
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	in, err := readNewWorkflow(body)
	if err != nil {
		return err
	}
	if err := s.checkOrder(in.workflowPatch, ""); err != nil {
		return err
	}
	if err := s.checkSettings(r.Context(), caller(r.Context()).ID, in.document.documentPatch, "/document"); err != nil {
		return err
	}
	if in.hasWebhook {
		if err := s.notOwn(*in.webhookURL, "/outgoingWebhook/webhookUrl"); err != nil {
			return err
		}
	}
	ctx, cancel := s.detach(r.Context())
	defer cancel()
	wf := s.newWorkflow(caller(ctx), in)
	if in.hasDocument {
		d, err := s.makeTemplate(ctx, wf, in.document, s.noteTemplate(ctx, wf))
		if err != nil {
			return err
		}
		wf.Documents = []platen.Document{d}
		wf.Status = wf.ReadyStatus()
	}
	if err := s.Workflows.CreateWorkflow(ctx, wf); err != nil {
		for _, d := range wf.Documents {
			s.discard(ctx, wf.Owner.ID, d, err)
		}
		return err
	}
	edge.Note(ctx, slog.String("workflow", wf.ID))
	resource, told := s.workflow(wf), s.workflow(wf)
	for i, d := range wf.Documents {
		told.Documents[i] = s.withFindings(r.Context(), wf, d, told.Documents[i])
	}
	if o := wf.OutgoingWebhook; o != nil {
		told.OutgoingWebhook = s.outgoingWithFindings(*o)
	}
	return writeTold(w, r, http.StatusCreated, resource, told)
}

// noteTemplate reserves the template of a workflow that has no row yet: if the note
// stays, the copy is an orphan.
func (s *server) noteTemplate(ctx context.Context, wf platen.Workflow) func(platen.Document) error {
	return func(d platen.Document) error { return s.Orphans.NoteTemplate(ctx, d.ID, wf.Owner.ID) }
}

func (s *server) newWorkflow(owner platen.User, in newWorkflow) platen.Workflow {
	now := s.now()
	wf := platen.Workflow{
		ID:         platen.NewID(platen.PrefixWorkflow),
		Color:      platen.DefaultColor,
		Icon:       platen.DefaultIcon,
		AutoCreate: true,
		Owner:      owner,
		Team:       owner.Team,
		Source: platen.Source{
			ID:          platen.NewID(platen.PrefixSource),
			Type:        platen.SourceWebhook,
			Fields:      in.sourceFields,
			FieldsGiven: len(in.sourceFields) > 0,
			Key:         platen.NewKey(),
		},
		CreatedByAPI: true,
		CreatedAt:    now,
		UpdatedAt:    now,
	}
	in.apply(&wf)
	if in.hasWebhook {
		o := newOutgoingWebhook(*in.webhookURL, now)
		wf.OutgoingWebhook = &o
	}
	wf.Status = wf.ReadyStatus()
	return wf
}

// checkOrder refuses a formula for keys that cannot be read. Pointer is where in the body the
// settings are.
func (s *server) checkOrder(in workflowPatch, pointer string) error {
	formula := strings.TrimSpace(orEmpty(in.orderedBy))
	if formula == "" || s.orderKey == nil {
		return nil
	}
	wrong := s.orderKey(formula)
	if wrong == "" {
		return nil
	}
	faults := []platen.Fault{{Pointer: pointer + "/orderedBy", Message: "cannot be read: " + wrong}}
	return &platen.Error{Kind: platen.KindInvalid, Code: "invalid_body", Faults: faults, Message: faultsMessage(faults)}
}

func (s *server) updateWorkflow(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	if err := checkChangeable(wf); err != nil {
		return err
	}
	wf, err = patch[platen.Workflow, workflowPatch, workflowJSON]{
		read: func(body []byte) (workflowPatch, error) {
			in, err := readWorkflowPatch(body)
			if err == nil {
				err = s.checkOrder(in, "")
			}
			return in, err
		},
		apply: func(in workflowPatch, wf *platen.Workflow) {
			in.apply(wf)
			wf.UpdatedAt = s.now()
		},
		wire: s.workflow,
		store: func(change func(*platen.Workflow) error) (platen.Workflow, error) {
			return s.Workflows.UpdateWorkflow(r.Context(), caller(r.Context()), wf.ID, change)
		},
	}.to(wf, r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, s.workflow(wf))
}

// A patch says how a PATCH changes a resource T: how its body is read, what
// that does, what clients see of the resource, and where it is held meanwhile.
type patch[T any, In comparable, J any] struct {
	read  func(body []byte) (In, error)
	apply func(in In, to *T)
	wire  func(T) J
	store func(change func(*T) error) (T, error)
}

// to carries out the request on the resource as it was found and returns it as
// it is then. If-Match is compared while the resource is held.
func (p patch[T, In, J]) to(found T, r *http.Request) (T, error) {
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return found, err
	}
	in, err := p.read(body)
	if err != nil {
		return found, err
	}
	check := requireUnchanged(r)
	var nothing In
	if in == nothing {
		return found, check(p.wire(found)) // nothing is changed, so nothing has to be held
	}
	return p.store(func(held *T) error {
		if err := check(p.wire(*held)); err != nil {
			return err
		}
		p.apply(in, held)
		return nil
	})
}

func (s *server) archiveWorkflow(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	err = s.Workflows.ArchiveWorkflow(r.Context(), caller(r.Context()), id, func(wf platen.Workflow) error {
		return check(s.workflow(wf))
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// find reads the workflow that the path names.
func (s *server) find(r *http.Request) (platen.Workflow, error) {
	id, err := workflowID(r)
	if err != nil {
		return platen.Workflow{}, err
	}
	return s.Workflows.Workflow(r.Context(), caller(r.Context()), id)
}

// workflowID is the id in the path; what cannot be one is not looked for.
func workflowID(r *http.Request) (string, error) {
	id := mux.Vars(r)["workflow"]
	if !platen.IsID(platen.PrefixWorkflow, id) {
		return "", platen.ErrWorkflowNotFound()
	}
	edge.Note(r.Context(), slog.String("workflow", id))
	return id, nil
}

// findBefore answers for an id that no part of a workflow can have. It looks for the
// workflow first: callers who may not see it must learn nothing else.
func (s *server) findBefore(r *http.Request, missing error) error {
	if _, err := s.find(r); err != nil {
		return err
	}
	return missing
}

// checkChangeable refuses changes of an archived workflow before its body is
// read; the store refuses them once more under its lock.
func checkChangeable(wf platen.Workflow) error {
	if wf.Status == platen.StatusArchived {
		return platen.ErrWorkflowArchived()
	}
	return nil
}

// findChangeable is find of a workflow that is not archived.
func (s *server) findChangeable(r *http.Request) (platen.Workflow, error) {
	wf, err := s.find(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	return wf, err
}

// readChange is findChangeable and, once the workflow is judged, the body.
func (s *server) readChange(r *http.Request) (platen.Workflow, []byte, error) {
	wf, err := s.findChangeable(r)
	if err != nil {
		return wf, nil, err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	return wf, body, err
}

// partOf answers for what is under a workflow: the specification lists no 404 there,
// so a missing resource and one of another user are a 403, and the code says which.
func partOf(next edge.HandlerFunc) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := next(w, r)
		if platen.KindOf(err) == platen.KindNotFound {
			return forbid(err)
		}
		return err
	}
}

func forbid(err error) error {
	var e *platen.Error
	if !errors.As(err, &e) {
		return err
	}
	shown := *e
	shown.Kind = platen.KindForbidden
	return &shown
}

// set gives dst a value that was sent.
func set[T any](dst *T, sent *T) {
	if sent != nil {
		*dst = *sent
	}
}
