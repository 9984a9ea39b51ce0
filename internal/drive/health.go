package drive

import (
	"errors"
	"io"
	"net/http"

	"github.com/platenhq/platen/internal/drive/store"
)

// home tells a person who came with a browser what this is.
func home(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, "This is a Platen drive. It has no pages: programs use it by Google's Drive, Docs and Slides protocols, under /drive/v3, /upload/drive/v3 and /v1, with a bearer token.\n")
}

// healthz says that the process answers; it looks at nothing else. Probes are
// not logged, and what they get is none of Google's protocol.
func healthz(w http.ResponseWriter, _ *http.Request) { writeHealth(w, http.StatusOK, "ok") }

// readyz says that the drive's database answers and has its tables.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	err := s.readiness.Err(r.Context())
	if errors.Is(err, store.ErrSchema) {
		writeHealth(w, http.StatusServiceUnavailable, store.ErrSchema.Error())
		return
	}
	if err != nil {
		w.Header().Set("Retry-After", "5")
		writeHealth(w, http.StatusServiceUnavailable, "the database does not answer")
		return
	}
	writeHealth(w, http.StatusOK, "ok")
}

func writeHealth(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"status":"`+text+`"}`)
}
