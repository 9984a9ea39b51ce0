package api

import (
	"net/http"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

func (s *server) getTestReceiver(w http.ResponseWriter, r *http.Request) error {
	o, err := s.findTestReceiver(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, outgoingWebhook(o))
}

func (s *server) findTestReceiver(r *http.Request) (platen.OutgoingWebhook, error) {
	id, err := workflowID(r)
	if err != nil {
		return platen.OutgoingWebhook{}, err
	}
	return s.Webhooks.TestReceiver(r.Context(), caller(r.Context()), id)
}

// setTestReceiver makes the test receiver, or gives the one that is there another address.
func (s *server) setTestReceiver(w http.ResponseWriter, r *http.Request) error {
	wf, body, err := s.readChange(r)
	if err != nil {
		return err
	}
	address, err := readWebhookURL(body)
	if err == nil {
		err = s.notOwn(address, "/webhookUrl")
	}
	if err != nil {
		return err
	}
	fresh := newOutgoingWebhook(address, s.now())
	fresh.ID = platen.NewID(platen.PrefixTestReceiver)
	check := requireUnchanged(r)
	o, created, err := s.Webhooks.SetTestReceiver(r.Context(), caller(r.Context()), wf.ID, fresh, func(o platen.OutgoingWebhook) error {
		return check(outgoingWebhook(o))
	})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return writeTagged(w, r, status, outgoingWebhook(o))
}

func (s *server) deleteTestReceiver(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	err = s.Webhooks.DeleteTestReceiver(r.Context(), caller(r.Context()), id, func(o platen.OutgoingWebhook) error {
		return check(outgoingWebhook(o))
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *server) getTestSecret(w http.ResponseWriter, r *http.Request) error {
	o, err := s.findTestReceiver(r)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, s.secret(o))
}
