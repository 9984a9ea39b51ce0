package drive

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/platenhq/platen/internal/drive/store"
)

// GoogleLike has the drive behave like Google's where ours is kinder and that
// hurts: quotas, seconds instead of milliseconds, lists that lag, accounts without
// storage, deletion for organizers alone, links that ask for an account. It is for
// tests and for trying Platen out. What it counts is in the memory of its process.
type GoogleLike struct {
	// Speed is how many times faster than Google's its clock goes: delays and lags
	// are divided by it, and so is the minute for which a budget is. 1 if zero.
	Speed int
}

// googleLike is what a Server does to behave so.
type googleLike struct {
	speed time.Duration
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
	oneIn func(n int) bool // true by chance, once in n times
	meter meter
}

func newGoogleLike(o GoogleLike) *googleLike {
	return &googleLike{speed: time.Duration(cmp.Or(o.Speed, 1)), now: time.Now, sleep: sleep, oneIn: oneIn}
}

// A service is one of Google's APIs; each has quotas of its own.
type service string

// The services that the drive speaks for.
const (
	driveService  service = "drive"
	docsService   service = "docs"
	slidesService service = "slides"
)

// A call is what a request is to Google's budgets.
type call struct {
	service service
	isWrite bool
	units   int64 // of Drive
}

// call carries out a call of a user as Google would.
func (g *googleLike) call(w http.ResponseWriter, r *http.Request, user store.User, h handler) error {
	if err := g.take(user.ID, callOf(r)); err != nil {
		return err
	}
	return g.atPace(w, r, func(w http.ResponseWriter, r *http.Request) error { return h(w, r, user) })
}

// callOf reads which call a request is by the pattern of its route. The units are
// those of https://developers.google.com/workspace/drive/api/guides/limits.
func callOf(r *http.Request) call {
	const read, list, download, modify, other = 5, 100, 200, 50, 5
	isWrite := r.Method != http.MethodGet
	switch r.Pattern {
	case "POST /v1/documents", "GET /v1/documents/{id}", "POST /v1/documents/{call}":
		return call{service: docsService, isWrite: isWrite}
	case "POST /v1/presentations", "GET /v1/presentations/{id}", "POST /v1/presentations/{call}", "GET /v1/presentations/{id}/pages/{page}":
		return call{service: slidesService, isWrite: isWrite}
	case "GET /drive/v3/about", "GET /drive/v3/files/generateIds", "GET /drive/v3/operations/{name}":
		return call{service: driveService, units: other}
	case "GET /drive/v3/files", "GET /drive/v3/drives", "GET /drive/v3/files/{id}/permissions":
		return call{service: driveService, units: list}
	case "GET /drive/v3/files/{id}/export", "GET /download/drive/v3/files/{id}", "POST /drive/v3/files/{id}/download":
		return call{service: driveService, units: download}
	}
	switch {
	case isWrite:
		return call{service: driveService, isWrite: true, units: modify}
	case r.URL.Query().Get("alt") == "media":
		return call{service: driveService, units: download}
	}
	return call{service: driveService, units: read}
}
