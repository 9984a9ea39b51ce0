package api

import (
	"errors"
	"net/http"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/api/edge"
)

type healthJSON struct {
	Status string `json:"status"`
}

// serveLiveness says that the process answers; it looks at nothing else.
func serveLiveness(w http.ResponseWriter, r *http.Request) error {
	return edge.WriteJSON(w, http.StatusOK, healthJSON{"ok"})
}

func (s *server) serveReadiness(w http.ResponseWriter, r *http.Request) error {
	if err := s.readiness.Err(r.Context()); err != nil {
		return notReady(err)
	}
	return edge.WriteJSON(w, http.StatusOK, healthJSON{"ok"})
}

// notReady is a 503 with the reason: what the store says to clients where
// waiting does not help, such as a schema that is not migrated.
func notReady(err error) error {
	unready := &platen.Error{Kind: platen.KindUnavailable, Code: "not_ready", Message: "The database does not answer.", Err: err}
	if reason, ok := errors.AsType[*platen.Error](err); ok && reason.Kind == platen.KindInvalid {
		unready.Code, unready.Message = reason.Code, reason.Message
	}
	return unready
}
