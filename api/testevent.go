package api

import (
	"net/http"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// testOutgoingWebhook sends an event without an automation, waits for the receiver, and
// answers with the result. The event is sent once and not stored. A receiver that takes
// it is enabled again.
func (s *server) testOutgoingWebhook(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.readyOutgoingWebhook(r)
	if err != nil {
		return err
	}
	return s.sendTest(w, r, wf, *wf.OutgoingWebhook, func() error {
		return s.Endpoints.EnableEndpoint(r.Context(), caller(r.Context()), wf.ID, wf.OutgoingWebhook.URL)
	})
}

// sendTest sends a test event to one of a workflow's receivers, and has enable called where it
// was taken.
func (s *server) sendTest(w http.ResponseWriter, r *http.Request, wf platen.Workflow, o platen.OutgoingWebhook, enable func() error) error {
	if s.sender == nil {
		return platen.Errorf(platen.KindUnavailable, "test_unavailable", "Test events cannot be sent here.")
	}
	if err := s.notOwn(o.URL, ""); err != nil {
		return err
	}
	now := s.now()
	e, err := delivery.NewTestEvent(wf.ID, now)
	if err != nil {
		return err
	}
	to := o.Endpoint(now)
	to.OwnerID = wf.Owner.ID
	d, err := s.sender.Send(r.Context(), e, to, 1)
	if err == nil && d.Failure == "" {
		err = enable()
	}
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, testJSON{EventID: e.ID, EventType: e.Type, deliveryJSON: deliveryOf(d)})
}
