package memory

import (
	"context"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Sender notes what was sent, and answers that the receiver refuses connections.
type Sender struct {
	Event platen.Event
	To    platen.Endpoint
}

func (s *Sender) Send(_ context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	s.Event, s.To = e, to
	return platen.Delivery{EventID: e.ID, Attempt: attempt, At: e.CreatedAt, Duration: 87 * time.Millisecond, Failure: "the receiver refuses connections"}, nil
}
