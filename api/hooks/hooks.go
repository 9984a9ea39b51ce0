// Package hooks is the host of source addresses: it takes a JSON object that
// was POSTed to one, has it stored, and only then answers 200 and {}
// (specification, section 4.5).
//
// Senders cannot repair a body and few repeat one, so it is lenient in what it
// takes, and it never blames the sender for a fault of ours. What happens to
// an accepted event does not belong here, and neither does /v0.
package hooks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/peer"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/probe"
)

// Options are what New needs. Acceptor is required.
type Options struct {
	Acceptor Acceptor
	// Keys says which keys there are, before anything of a body is read.
	// Default: none is refused before Acceptor does.
	Keys Keys
	// Waited answers a sender that prefers to wait so long for what becomes of its event
	// (Prefer: wait, RFC 7240); where it has not answered, the answer is that of any other
	// event. Default: no sender waits.
	Waited func(w http.ResponseWriter, r *http.Request, event platen.SourceEvent, wait time.Duration) (answered bool)
	// Ready answers nil when events can be stored; GET /readyz tells. Default: always.
	Ready func(ctx context.Context) error
	// Bodies bounds the bytes of events that are held at once. Default: nothing does.
	Bodies *intake.Budget
	// BodyLimit is the longest body that is accepted, in bytes and after
	// decompression. Default: 1 MiB.
	BodyLimit int64
	// RateLimit bounds the events of each source. Default: no limit.
	RateLimit edge.Rate
	// Patience is how long an event waits when it cannot be known what its source
	// asks of senders. Default: 5 s.
	Patience time.Duration
	// Proxies are those that are trusted to say whom a request comes from.
	// Default: none is.
	Proxies peer.Proxies
	// Log gets one line for each request, without its path: the path is a
	// credential. Default: slog.Default().
	Log *slog.Logger
	// Now is the clock of acceptance. Default: time.Now.
	Now func() time.Time
}

type host struct {
	acceptor  Acceptor
	waited    func(w http.ResponseWriter, r *http.Request, event platen.SourceEvent, wait time.Duration) (answered bool)
	keys      Keys
	readiness *probe.Probe
	bodyLimit int64
	limiter   *edge.Limiter
	proxies   peer.Proxies
	patience  time.Duration
	now       func() time.Time
}

// New returns the handler of the source-webhook host.
func New(o Options) http.Handler {
	h := &host{acceptor: o.Acceptor, waited: o.Waited, keys: o.Keys, bodyLimit: o.BodyLimit, proxies: o.Proxies, patience: cmp.Or(o.Patience, 5*time.Second), limiter: edge.NewLimiter(o.RateLimit, nil), now: o.Now}
	if h.bodyLimit == 0 {
		h.bodyLimit = 1 << 20
	}
	if h.now == nil {
		h.now = time.Now
	}
	ready := o.Ready
	if ready == nil {
		ready = func(context.Context) error { return nil }
	}
	h.readiness = probe.New(ready)
	log := o.Log
	if log == nil {
		log = slog.Default()
	}
	return edge.Handler(log, o.Bodies, h.serve)
}

// Paths are matched by hand: there are four of them, this is the busiest place
// of the service, and a router would keep the key in its variables.
func (h *host) serve(w http.ResponseWriter, r *http.Request) error {
	segment := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/")
	key, test := strings.CutSuffix(segment, "/"+platen.TestSegment)
	switch {
	case segment == "healthz", segment == "readyz":
		return h.health(w, r, segment)
	case !isKey(key):
		return unknownAddress()
	}
	route := "/{key}"
	if test {
		route += "/" + platen.TestSegment
	}
	edge.Note(r.Context(), slog.String("route", route))
	if r.Method != http.MethodPost {
		return edge.MethodNotAllowed("POST", "This is a source address: POST a JSON object to it to start an automation.")
	}
	return h.accept(w, r, key, test)
}

// health says that the program lives, or that it can store events.
func (h *host) health(w http.ResponseWriter, r *http.Request, which string) error {
	edge.Note(r.Context(), slog.String("route", "/"+which))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return edge.MethodNotAllowed("GET, HEAD", "This path knows GET and HEAD.")
	}
	if which == "readyz" {
		if err := h.readiness.Err(r.Context()); err != nil {
			return edge.NotReady(err)
		}
	}
	return edge.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (h *host) accept(w http.ResponseWriter, r *http.Request, key string, testAddress bool) error {
	if err := h.limiter.Take(w.Header(), sha256.Sum256([]byte(key))); err != nil {
		return err
	}
	event, err := announced(r, testAddress)
	if err != nil {
		return err
	}
	gate, known, err := h.recognise(r.Context(), key)
	if err != nil {
		return err
	}
	client := h.proxies.Client(r)
	if err := h.admit(r.Context(), key, gate, func(v platen.Verification) error { return checkAddress(v, client) }); err != nil {
		return err
	}
	body, err := edge.ReadBody(r, h.bodyLimit)
	if err != nil {
		return err
	}
	if !known {
		if gate, err = h.recogniseLate(r.Context(), key, client); err != nil {
			return err
		}
	}
	name := eventKey(r.Header, event.Test)
	err = h.admit(r.Context(), key, gate, func(v platen.Verification) error {
		signed, err := verify(v, r.Header, body, h.now())
		if signed != "" {
			name = signed // what the sender did not sign names nothing
		}
		return err
	})
	if err != nil {
		return err
	}
	event.Body = plainJSON(body)
	if event.Fields, err = platen.SourceFields(event.Body); err != nil {
		return explain(err, event.Body, r.Header.Get("Content-Type"))
	}
	event.AutomationID = platen.NewID(platen.PrefixAutomation)
	event.SourceKey, event.EventKey = key, name
	event.ReceivedAt = h.now().UTC()
	event.RequestID = edge.RequestID(r.Context())
	if err := h.acceptor.Accept(r.Context(), event); err != nil {
		return refusal(err)
	}
	if wait, asked := edge.PreferredWait(r.Header); asked && h.waited != nil && h.waited(w, r, event, wait) {
		return nil
	}
	edge.Note(r.Context(), slog.String("automation", event.AutomationID))
	edge.Write(w, http.StatusOK, "application/json", []byte("{}"))
	return nil
}

// announced is what the headers of a request say of its event.
func announced(r *http.Request, testAddress bool) (event platen.SourceEvent, err error) {
	if event.Hops = platen.Hops(r.Header.Values(platen.HopsHeader)); event.Hops > platen.MaxHops {
		return event, edge.LoopDetected(fmt.Sprintf("%s counts more than %d deliveries that led to this event: outgoing webhooks lead in a circle. Change the webhookUrl of one of their workflows.", platen.HopsHeader, platen.MaxHops))
	}
	if event.Test, err = platen.IsTest(testAddress, r.Header.Values(platen.TestHeader)); err != nil {
		return event, err
	}
	event.Reference, err = platen.Reference(r.Header.Values(platen.ReferenceHeader))
	return event, err
}

// recognise refuses an unknown key before the body is read. If the database does not
// answer, known is false, and the body counts against the small share of
// unauthenticated callers.
func (h *host) recognise(ctx context.Context, key string) (gate platen.SourceGate, known bool, err error) {
	if h.keys == nil {
		return gate, true, nil
	}
	gate, err = h.keys.SourceGate(ctx, key)
	switch {
	case err == nil:
		edge.Authenticated(ctx, key)
		return gate, true, open(gate)
	case platen.KindOf(err) == platen.KindNotFound:
		return gate, false, unknownAddress()
	}
	return gate, false, nil
}

// latePause is between two looks for a source.
const latePause = 100 * time.Millisecond

// recogniseLate retries recognise after the body was read, because a database that
// fails over is back in seconds. An event is accepted only when the requirements of its
// source are known.
func (h *host) recogniseLate(ctx context.Context, key string, client netip.Addr) (platen.SourceGate, error) {
	ctx, cancel := context.WithTimeout(ctx, h.patience)
	defer cancel()
	for {
		gate, known, err := h.recognise(ctx, key)
		if err != nil || known {
			return gate, errors.Join(err, checkAddress(gate.Verification, client))
		}
		select {
		case <-time.After(latePause):
		case <-ctx.Done():
			return gate, &platen.Error{Kind: platen.KindUnavailable, Code: "database_unavailable", RetryAfter: 5 * time.Second,
				Message: "The event could not be stored, because the database does not answer. Send it again."}
		}
	}
}

// admit returns nil when the sender meets the requirements of the source. The cached
// ones may be a minute old, so they are read again before a sender is refused.
func (h *host) admit(ctx context.Context, key string, gate platen.SourceGate, meets func(platen.Verification) error) error {
	err := meets(gate.Verification)
	if err == nil || h.keys == nil {
		return err
	}
	if fresh, failed := h.keys.FreshGate(ctx, key); failed == nil {
		err = meets(fresh.Verification)
	}
	return err
}

// open refuses what comes while the owner is disabled: later, it may be taken.
func open(gate platen.SourceGate) error {
	if !gate.Disabled {
		return nil
	}
	return &platen.Error{Kind: platen.KindUnavailable, Code: "source_disabled", RetryAfter: time.Hour,
		Message: "Nothing is taken at this address now, because the workflow's owner is disabled. The event was not stored. Send it again later, or ask the operator."}
}

// eventKey is the name that the sender gave the event, "" when it gave none. A
// sender that repeats an event repeats its name: the Idempotency-Key, or the
// webhook-id of Standard Webhooks. Any value is a name: a sender could not
// repair it.
func eventKey(h http.Header, test bool) string {
	for _, name := range platen.EventKeyHeaders() {
		if value := strings.TrimSpace(h.Get(name)); value != "" {
			return platen.EventKey(name, value, test)
		}
	}
	return ""
}

// refusal passes on the errors that a sender can act on: an address that is wrong or
// out of use, or a retry. Every other error of the store becomes an internal error.
func refusal(err error) error {
	switch kind := platen.KindOf(err); {
	case kind == platen.KindNotFound:
		return unknownAddress()
	case kind == platen.KindGone, kind == platen.KindUnavailable, kind == platen.KindRateLimited:
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &platen.Error{Kind: platen.KindUnavailable, Code: "timed_out", Message: "The event could not be stored in time. Send it again.", Err: err}
	}
	return &platen.Error{Kind: platen.KindInternal, Message: "the event was not stored", Err: errors.New(err.Error())}
}

func unknownAddress() error {
	return platen.Errorf(platen.KindNotFound, "source_not_found", "There is no such source address. Copy the webhookUrl of the workflow's source again.")
}

// isKey tells whether a path segment can be a source key; longer and shorter
// keys than today's are let through to be looked up.
func isKey(s string) bool {
	if len(s) < 16 || len(s) > 128 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
