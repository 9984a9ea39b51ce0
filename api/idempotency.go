package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// Answers keeps the answers to requests with an Idempotency-Key, for 24 hours
// and for each user apart.
type Answers interface {
	// ClaimRequest makes the request with this fingerprint the first one with
	// key, or tells what is known of the one that was. A claim that is neither
	// kept nor released ends after lease.
	ClaimRequest(ctx context.Context, userID, key string, fingerprint []byte, lease time.Duration) (platen.Claim, error)
	KeepAnswer(ctx context.Context, userID, key, claim string, answer []byte) error
	ReleaseRequest(ctx context.Context, userID, key, claim string) error
}

const (
	maxIdempotencyKey = 255     // characters
	maxKeptAnswer     = 1 << 20 // bytes; no resource comes near it
	claimLease        = 2 * time.Minute
	// How a repeat waits for the first request: most of them are done by then.
	defaultKeyWait = 2 * time.Second
	firstKeyPause  = 20 * time.Millisecond
	maxKeyPause    = 250 * time.Millisecond
	keepTimeout    = 5 * time.Second
)

// once makes a POST with an Idempotency-Key happen once: a repeat of it gets
// the first answer. An answer of 500 and above is not kept, for it says that a
// repeat may do better.
func (s *server) once(next edge.HandlerFunc) edge.HandlerFunc { return s.onceUpTo(bodyLimit, next) }

// onceUpTo is once for bodies of more or fewer bytes than most have.
func (s *server) onceUpTo(limit int64, next edge.HandlerFunc) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		key, err := idempotencyKey(r.Header)
		if err != nil || key == "" || s.answers == nil {
			if err != nil {
				return err
			}
			return next(w, r)
		}
		body, err := edge.ReadBody(r, limit)
		if err != nil {
			return err
		}
		r = withBody(r, body)
		claim, err := s.claim(r, key, fingerprint(r, body))
		if err != nil {
			return err
		}
		if claim.ID == "" {
			edge.Note(r.Context(), slog.Bool("replayed", true))
			return replay(w, claim.Answer)
		}
		return s.first(w, r, next, key, claim.ID)
	}
}

// idempotencyKey returns "" without the header.
func idempotencyKey(h http.Header) (string, error) {
	values := h.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(values[0])
	printable := !strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' })
	if len(values) > 1 || key == "" || len(key) > maxIdempotencyKey || !printable {
		return "", platen.Errorf(platen.KindInvalid, "idempotency_key_invalid",
			"The Idempotency-Key header must be there once, with 1 to %d printable ASCII characters. Send a new random one, such as a UUID, with each new request.", maxIdempotencyKey)
	}
	return key, nil
}

func withBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Del("Content-Encoding") // it is unpacked
	return r
}

// fingerprint tells one request from another by what it asks for. The slash at
// the end of a path makes no difference.
func fingerprint(r *http.Request, body []byte) []byte {
	h := sha256.New()
	for _, part := range []string{r.Method, strings.TrimRight(r.URL.Path, "/"), r.URL.RawQuery} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
		_, _ = io.WriteString(h, part)
	}
	_, _ = h.Write(body)
	return h.Sum(nil)
}

// claim returns this request's claim or the first one's answer, for which it
// waits a short while.
func (s *server) claim(r *http.Request, key string, fingerprint []byte) (platen.Claim, error) {
	ctx := r.Context()
	patience := time.NewTimer(s.keyWait)
	defer patience.Stop()
	for pause := firstKeyPause; ; pause = min(2*pause, maxKeyPause) {
		claim, err := s.answers.ClaimRequest(ctx, caller(ctx).ID, key, fingerprint, claimLease)
		switch {
		case err != nil:
			return claim, err
		case claim.ID != "" || claim.Same && claim.Answer != nil:
			return claim, nil
		case !claim.Same:
			return claim, platen.Errorf(platen.KindConflict, "idempotency_key_reused",
				"The Idempotency-Key was sent with another request in the last 24 hours. Send a new key with each new request, and the same key with a repeat of the same body to the same path only.")
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return claim, context.Cause(ctx)
		case <-patience.C:
			return claim, &platen.Error{Kind: platen.KindConflict, Code: "idempotency_in_progress", RetryAfter: time.Second,
				Message: "The first request with this Idempotency-Key is still under way. Repeat this one in a moment to get its answer."}
		}
	}
}

// keptAnswer is what a repeat is answered with.
type keptAnswer struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// first runs the request that holds the claim. Its answer is kept before it is
// sent, and whether or not its client is still there.
func (s *server) first(w http.ResponseWriter, r *http.Request, next edge.HandlerFunc, key, claim string) error {
	got := &held{header: http.Header{}}
	kept := false
	defer func() { // after a panic, too
		if !kept {
			s.settle(r, "release idempotency key", func(ctx context.Context, userID string) error {
				return s.answers.ReleaseRequest(ctx, userID, key, claim)
			})
		}
	}()
	failure := next(got, r)
	if failure != nil && got.status == 0 {
		edge.WriteProblem(got, r, failure)
	}
	if got.status == 0 {
		got.status = http.StatusOK
	}
	if got.status < http.StatusInternalServerError {
		answer, err := json.Marshal(got.kept())
		if err != nil {
			return err
		}
		// Once it was tried, nobody knows whether it is kept: it is not released.
		kept = true
		s.settle(r, "keep answer", func(ctx context.Context, userID string) error {
			return s.answers.KeepAnswer(ctx, userID, key, claim, answer)
		})
	}
	got.sendTo(w)
	return failure
}

// settle ends a claim. Its failure is no reason to keep the answer from the
// client: the work was done.
func (s *server) settle(r *http.Request, what string, do func(ctx context.Context, userID string) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), keepTimeout)
	defer cancel()
	if err := do(ctx, caller(ctx).ID); err != nil {
		edge.Note(ctx, slog.String("idempotency", what), slog.String("idempotency_error", err.Error()))
	}
}

// kept is the answer without a body that is too large to be stored: a repeat
// then learns that the work was done, and starts nothing.
func (a *held) kept() keptAnswer {
	if a.body.Len() <= maxKeptAnswer {
		return keptAnswer{a.status, a.header, a.body.Bytes()}
	}
	header := a.header.Clone()
	header.Del("Content-Length")
	return keptAnswer{a.status, header, nil}
}

func replay(w http.ResponseWriter, answer []byte) error {
	var kept keptAnswer
	if err := json.Unmarshal(answer, &kept); err != nil {
		return err
	}
	got := &held{header: kept.Header, status: kept.Status}
	got.body.Write(kept.Body)
	w.Header().Set("Idempotent-Replayed", "true")
	got.sendTo(w)
	return nil
}

// held is an answer that is not sent yet.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *held) Header() http.Header { return a.header }

func (a *held) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *held) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *held) sendTo(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.body.Len() > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(a.body.Len()))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // fails only when nobody listens any more
}
