package api

import (
	"context"
	"net/http"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/api/edge"
)

type healthJSON struct {
	Status string `json:"status"`
}

// alive says that the process answers; it looks at nothing else.
func alive(w http.ResponseWriter, r *http.Request) error {
	edge.Quiet(r.Context())
	return edge.WriteJSON(w, http.StatusOK, healthJSON{"ok"})
}

// readyTimeout is shorter than the usual patience of a probe.
const readyTimeout = 2 * time.Second

func (s *server) ready(w http.ResponseWriter, r *http.Request) error {
	edge.Quiet(r.Context())
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if err := s.store.Ready(ctx); err != nil {
		return &platen.Error{Kind: platen.KindUnavailable, Code: "not_ready", Message: "The database does not answer.", Err: err}
	}
	return edge.WriteJSON(w, http.StatusOK, healthJSON{"ok"})
}
