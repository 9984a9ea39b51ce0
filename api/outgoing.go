package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

func (s *server) getOutgoingWebhook(w http.ResponseWriter, r *http.Request) error {
	o, err := s.findOutgoingWebhook(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, outgoingWebhook(o))
}

func (s *server) findOutgoingWebhook(r *http.Request) (platen.OutgoingWebhook, error) {
	id, err := workflowID(r)
	if err != nil {
		return platen.OutgoingWebhook{}, err
	}
	return s.Webhooks.OutgoingWebhook(r.Context(), caller(r.Context()), id)
}

func (s *server) createOutgoingWebhook(w http.ResponseWriter, r *http.Request) error {
	wf, address, err := s.readOutgoingWebhook(r)
	if err != nil {
		return err
	}
	o := newOutgoingWebhook(address, s.now())
	if err := s.Webhooks.CreateOutgoingWebhook(r.Context(), caller(r.Context()), wf.ID, o); err != nil {
		return err
	}
	return writeTold(w, r, http.StatusCreated, outgoingWebhook(o), s.outgoingWithFindings(o))
}

func (s *server) updateOutgoingWebhook(w http.ResponseWriter, r *http.Request) error {
	wf, address, err := s.readOutgoingWebhook(r)
	if err != nil {
		return err
	}
	now, check := s.now(), requireUnchanged(r)
	o, err := s.Webhooks.UpdateOutgoingWebhook(r.Context(), caller(r.Context()), wf.ID, func(o *platen.OutgoingWebhook) error {
		if err := check(outgoingWebhook(*o)); err != nil {
			return err
		}
		o.URL = address
		o.UpdatedAt = now
		return nil
	})
	if err == nil {
		// Setting an address, even the same one, enables its endpoint.
		err = s.Endpoints.EnableEndpoint(r.Context(), caller(r.Context()), wf.ID, address)
	}
	if err != nil {
		return err
	}
	return writeTold(w, r, http.StatusOK, outgoingWebhook(o), s.outgoingWithFindings(o))
}

func (s *server) deleteOutgoingWebhook(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = checkOutgoingWebhook(wf)
	}
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	err = s.Webhooks.DeleteOutgoingWebhook(r.Context(), caller(r.Context()), wf.ID, func(o platen.OutgoingWebhook) error {
		return check(outgoingWebhook(o))
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *server) getEndpoint(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	state, held, err := s.Endpoints.EndpointState(r.Context(), caller(r.Context()), id)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, endpoint(state, held, s.now()))
}

// readOutgoingWebhook finds the workflow before it reads the body: callers who may not
// use the workflow must learn nothing else.
func (s *server) readOutgoingWebhook(r *http.Request) (platen.Workflow, string, error) {
	wf, err := s.find(r)
	if err != nil {
		return wf, "", err
	}
	if r.Method == http.MethodPatch {
		if err := checkOutgoingWebhook(wf); err != nil {
			return wf, "", err
		}
	}
	if err := checkChangeable(wf); err != nil {
		return wf, "", err
	}
	if r.Method == http.MethodPost && wf.OutgoingWebhook != nil {
		return wf, "", platen.ErrOutgoingWebhookExists()
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return wf, "", err
	}
	address, err := readWebhookURL(body)
	if err == nil {
		err = s.notOwn(address, "/webhookUrl")
	}
	return wf, address, err
}

// readyOutgoingWebhook finds a workflow that can be changed and has an outgoing
// webhook, and no body.
func (s *server) readyOutgoingWebhook(r *http.Request) (platen.Workflow, error) {
	wf, err := s.find(r)
	if err != nil {
		return wf, err
	}
	if err := checkOutgoingWebhook(wf); err != nil {
		return wf, err
	}
	if err := checkChangeable(wf); err != nil {
		return wf, err
	}
	return wf, readNothing(r)
}

// notOwn refuses an address of this installation as a receiver, at a pointer
// into the body; empty: it was stored before.
func (s *server) notOwn(address, pointer string) error {
	if !s.own(address) {
		return nil
	}
	const message = "is an address of this installation of Platen, so that the workflow would start itself: name a receiver on another host or port"
	e := platen.Errorf(platen.KindInvalid, "webhook_to_itself", "webhookUrl %s.", message)
	if pointer != "" {
		e.Message = fmt.Sprintf("%s %s.", pointer[1:], message)
		e.Faults = []platen.Fault{{Pointer: pointer, Message: message}}
	}
	return e
}

// checkOutgoingWebhook refuses a workflow without an outgoing webhook. It comes before
// checkChangeable: a missing webhook is a 403 in every state of the workflow.
func checkOutgoingWebhook(wf platen.Workflow) error {
	if wf.OutgoingWebhook == nil {
		return platen.ErrOutgoingWebhookNotFound()
	}
	return nil
}

func newOutgoingWebhook(address string, now time.Time) platen.OutgoingWebhook {
	return platen.OutgoingWebhook{
		ID:        platen.NewID(platen.PrefixOutgoingWebhook),
		URL:       address,
		Secret:    delivery.NewSecret(),
		CreatedAt: now,
		UpdatedAt: now,
	}
}
