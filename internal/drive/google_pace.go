package drive

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// How long Google's calls take. Others measured 0.69 s for the creation of a tiny
// file, 0.54 s for a change of one, and reads of documents that took up to a minute;
// the other figures are in proportion to these.
const (
	takesLeast  = 200 * time.Millisecond
	takesList   = 400 * time.Millisecond
	takesRead   = 600 * time.Millisecond // of a document or presentation
	takesChange = 540 * time.Millisecond
	takesCreate = 690 * time.Millisecond
	takesEdit   = 1200 * time.Millisecond
	takesCopy   = 1800 * time.Millisecond
	takesExport = 2200 * time.Millisecond
	// One call in so many takes so many times as long.
	slowOneIn, slowTimes = 50, 10
)

// How long a new file is missing from lists: some seconds, and one in
// lagsLongOneIn for the five minutes that others saw.
const (
	listLag       = 5 * time.Second
	longLag       = 5 * time.Minute
	lagsLongOneIn = 50
)

// maxReadAhead bounds the body that is read before a call is delayed, in bytes.
const maxReadAhead = 1 << 20

// durationOf is how long a call takes at Google.
func durationOf(r *http.Request) time.Duration {
	switch r.Pattern {
	case "POST /v1/documents/{call}", "POST /v1/presentations/{call}":
		return takesEdit
	case "GET /v1/documents/{id}", "GET /v1/presentations/{id}", "GET /v1/presentations/{id}/pages/{page}":
		return takesRead
	case "POST /drive/v3/files/{id}/copy":
		return takesCopy
	case "GET /drive/v3/files/{id}/export", "POST /drive/v3/files/{id}/download":
		return takesExport
	case "GET /drive/v3/files":
		return takesList
	}
	switch r.Method {
	case http.MethodGet:
		return takesLeast
	case http.MethodPost:
		return takesCreate
	}
	return takesChange
}

// atPace carries out a call in the time that Google takes. A call that changes
// something waits before the change and after it, and the change is made even if the
// client leaves: who gave up waiting finds it made, or sees it made later.
func (g *googleLike) atPace(w http.ResponseWriter, r *http.Request, carryOut func(http.ResponseWriter, *http.Request) error) error {
	wait := durationOf(r) / g.speed
	if g.oneIn(slowOneIn) {
		wait *= slowTimes
	}
	if r.Method == http.MethodGet {
		if err := g.sleep(r.Context(), wait); err != nil {
			return err
		}
		return carryOut(w, r)
	}
	r, err := readAhead(r)
	if err != nil {
		return err
	}
	if err := g.sleep(r.Context(), wait/2); err != nil {
		return err
	}
	answer := &heldAnswer{ResponseWriter: w}
	if err := carryOut(answer, r); err != nil {
		return err
	}
	if err := g.sleep(r.Context(), wait/2); err != nil {
		return err
	}
	answer.send()
	return nil
}

// lag is what lists of files do not show yet.
func (g *googleLike) lag() store.Lag {
	return store.Lag{Usual: listLag / g.speed, Long: longLag / g.speed, LongOneIn: lagsLongOneIn}
}

// readAhead returns a request that goes on when its client leaves: its body has been
// read, unless it is larger than maxReadAhead.
func readAhead(r *http.Request) (*http.Request, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxReadAhead+1))
	if err != nil {
		return nil, fault.BadRequest("badRequest", "The body broke off.")
	}
	ctx, left := r.Context(), io.Reader(bytes.NewReader(body))
	if len(body) > maxReadAhead {
		left = io.MultiReader(left, r.Body)
	} else {
		ctx = context.WithoutCancel(ctx)
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(left)
	return r, nil
}

// heldAnswer keeps an answer until it is sent.
type heldAnswer struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (a *heldAnswer) WriteHeader(code int) { a.code = code }

func (a *heldAnswer) Write(b []byte) (int, error) { return a.body.Write(b) }

func (a *heldAnswer) send() {
	if a.code != 0 {
		a.ResponseWriter.WriteHeader(a.code)
	}
	// A client that is gone is not our error.
	_, _ = a.ResponseWriter.Write(a.body.Bytes())
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func oneIn(n int) bool { return rand.IntN(n) == 0 }
