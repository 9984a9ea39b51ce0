package api

import (
	"net/http"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/delivery"
)

// secretOverlap is how long a secret signs along after it was rotated.
const secretOverlap = 24 * time.Hour

func (s *server) deleteOutgoingWebhook(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = withOutgoingWebhook(wf)
	}
	if err != nil {
		return err
	}
	check := unchanged(r)
	err = s.store.DeleteOutgoingWebhook(r.Context(), caller(r.Context()), wf.ID, func(o platen.OutgoingWebhook) error {
		return check(outgoingWebhook(o))
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// rotateSecret makes a new signing secret; the one before it signs along, so
// that receivers can take their time, and one before that does not any more.
func (s *server) rotateSecret(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.readyOutgoingWebhook(r)
	if err != nil {
		return err
	}
	now := s.now()
	o, err := s.store.UpdateOutgoingWebhook(r.Context(), caller(r.Context()), wf.ID, func(o *platen.OutgoingWebhook) error {
		o.PreviousSecret, o.PreviousUntil = o.Secret, now.Add(secretOverlap)
		o.Secret = delivery.NewSecret()
		o.UpdatedAt = now
		return nil
	})
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, s.secret(o))
}

// readyOutgoingWebhook finds a workflow that can be changed and has an outgoing
// webhook, and no body.
func (s *server) readyOutgoingWebhook(r *http.Request) (platen.Workflow, error) {
	wf, err := s.find(r)
	if err != nil {
		return wf, err
	}
	if err := withOutgoingWebhook(wf); err != nil {
		return wf, err
	}
	if err := changeable(wf); err != nil {
		return wf, err
	}
	return wf, readNothing(r)
}

func (s *server) secret(o platen.OutgoingWebhook) secretJSON {
	out := secretJSON{Secret: o.Secret}
	if o.PreviousSecret != "" && s.now().Before(o.PreviousUntil) {
		until := platen.Timestamp(o.PreviousUntil)
		out.PreviousSecretUntil = &until
	}
	return out
}

// testOutgoingWebhook sends an event that no automation is behind, waits for
// the receiver, and answers with how it went. It is sent once and kept nowhere.
// A receiver that takes it gets events again, whatever came of them before.
func (s *server) testOutgoingWebhook(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.readyOutgoingWebhook(r)
	if err != nil {
		return err
	}
	if s.sender == nil {
		return platen.Errorf(platen.KindUnavailable, "test_unavailable", "Test events cannot be sent here.")
	}
	if err := s.notOwn(wf.OutgoingWebhook.URL, ""); err != nil {
		return err
	}
	now := s.now()
	e, err := delivery.NewTestEvent(wf.ID, now)
	if err != nil {
		return err
	}
	d, err := s.sender.Send(r.Context(), e, wf.OutgoingWebhook.Endpoint(now), 1)
	if err == nil && d.Failure == "" {
		err = s.store.EnableEndpoint(r.Context(), caller(r.Context()), wf.ID, wf.OutgoingWebhook.URL)
	}
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, testJSON{EventID: e.ID, EventType: e.Type, deliveryJSON: deliveryOf(d)})
}

func (s *server) getEndpoint(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	state, held, err := s.store.EndpointState(r.Context(), caller(r.Context()), id)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, endpoint(state, held, s.now()))
}
