package app

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
)

// reviews is where people approve or reject outputs by the links that they got.
func (s served) reviews(api http.Handler) http.Handler {
	proxies := s.proxies()
	pages := console.NewReviews(console.ReviewOptions{
		Reviews: s.db.Reviews, Workflow: s.db.Workflows.WorkflowByID, API: api, Sealer: s.box, Record: s.db.Audit.Record, Client: proxies.Client,
		PublicURL: strings.TrimSuffix(s.publicURL, "/v0"),
		// Of each link: one person looks at it.
		Limit: edge.NewLimiter(edge.Rate{PerSecond: 2, Burst: 20}, nil).Take,
		Log:   s.log,
	})
	return edge.Handler(s.log, s.bodies, func(w http.ResponseWriter, r *http.Request) error {
		edge.Note(r.Context(), slog.String("route", platen.ReviewsPath), slog.String("client", proxies.Client(r).String()))
		pages.ServeHTTP(w, r)
		return nil
	})
}
