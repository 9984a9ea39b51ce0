package api

import (
	"net/http"

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
		return edge.NotReady(err)
	}
	return edge.WriteJSON(w, http.StatusOK, healthJSON{"ok"})
}
