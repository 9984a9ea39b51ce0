package telemetry

import (
	"net/http"
	"time"
)

// Host counts the requests of a handler under a host's name, by the pattern that it
// leaves in the request (http.Request.Pattern).
func (m *Metrics) Host(host string, next http.Handler) http.Handler {
	if m == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun, answer := time.Now(), &answer{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		m.Answered(host, r.Pattern, r.Method, answer.status, time.Since(begun))
	})
}

// An answer remembers its status.
type answer struct {
	http.ResponseWriter
	status int
	told   bool
}

func (a *answer) WriteHeader(status int) {
	if !a.told && status >= 200 { // 1xx announces, it does not answer
		a.status, a.told = status, true
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.told = true
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
