package api

import (
	"net/http"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// secretOverlap is how long a secret signs along after it was rotated.
const secretOverlap = 24 * time.Hour

func (s *server) getSecret(w http.ResponseWriter, r *http.Request) error {
	o, err := s.findOutgoingWebhook(r)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, s.secret(o))
}

// rotateSecret makes a new signing secret; the one before it signs along, so
// that receivers can take their time, and one before that does not any more.
func (s *server) rotateSecret(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.readyOutgoingWebhook(r)
	if err != nil {
		return err
	}
	now := s.now()
	o, err := s.Webhooks.UpdateOutgoingWebhook(r.Context(), caller(r.Context()), wf.ID, func(o *platen.OutgoingWebhook) error {
		rotate(o, now)
		return nil
	})
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, s.secret(o))
}

// rotate gives a webhook a new secret; the one before signs along for a while.
func rotate(o *platen.OutgoingWebhook, now time.Time) {
	o.PreviousSecret, o.PreviousUntil = o.Secret, now.Add(secretOverlap)
	o.Secret, o.UpdatedAt = delivery.NewSecret(), now
}

func (s *server) secret(o platen.OutgoingWebhook) secretJSON {
	out := secretJSON{Secret: string(o.Secret)}
	if o.PreviousSecret != "" && s.now().Before(o.PreviousUntil) {
		until := platen.Timestamp(o.PreviousUntil)
		out.PreviousSecretUntil = &until
	}
	return out
}
