// Package edge is what every HTTP host of the service does around a request. It
// gives it an id, and turns the error that a handler returns into one problem
// (RFC 9457). It keeps a panic from dropping the connection, writes one line of
// access log, and reads bodies within limits.
//
// It knows the domain's errors and nothing else of ours. Routes, credentials,
// wire types and anything about a single endpoint do not belong here.
package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/platen"
)

// A HandlerFunc answers a request or returns the error that says why it could
// not. After an error it has written nothing, or the answer that WriteProblem
// makes of it; the error is then logged only.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Handler is the outermost layer of a host. It logs each request once, by the
// route that the handler noted and never by its path or query, which may hold
// credentials, and leaves the route in the request's Pattern. The bodies that ReadBody reads are held out of the budget until
// the request is answered; a nil budget bounds nothing.
func Handler(log *slog.Logger, budget *intake.Budget, next HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		id, kept := requestIDFrom(r.Header)
		n := &notes{requestID: id, holding: budget.Hold()}
		defer n.holding.Release()
		outer := r
		r = r.WithContext(context.WithValue(r.Context(), notesKey{}, n))
		w.Header().Set(headerRequestID, n.requestID)
		if !kept {
			w.Header().Set(headerWarning, warnRequestID)
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")

		rec := &recorder{ResponseWriter: w}
		err := call(next, rec, r)
		if err != nil {
			to := classify(r, err)
			n.add(slog.String("code", to.Code))
			if rec.status == 0 {
				writeProblem(rec, r, to)
			}
		}
		outer.Pattern = n.route()
		logRequest(r.Context(), log, r.Method, rec, err, time.Since(begun))
	})
}

// A panicError carries the stack of a panic to the log. Its value stays out of
// it: that may quote what was sent.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic of type %T", e.value) }

func call(next HandlerFunc, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v) // net/http's own way to end a connection
		default:
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	return next(w, r)
}

// logRequest writes one line: at debug level what was answered or refused, for there
// are thousands in a second, and as an error what we could not do.
func logRequest(ctx context.Context, log *slog.Logger, method string, rec *recorder, err error, took time.Duration) {
	status := rec.status
	if status == 0 {
		status = http.StatusOK
	}
	var p *panicError
	level, panicked := slog.LevelDebug, errors.As(err, &p)
	if err != nil && status >= 500 || panicked {
		level = slog.LevelError
	}
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", RequestID(ctx)),
		slog.String("method", method),
		slog.Int("status", status),
		slog.Int64("bytes", rec.bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000),
	}
	attrs = append(attrs, notesOf(ctx).taken()...)
	// A refusal is explained by its code; its text may repeat what the client sent.
	// What we could not do is explained in full.
	if err != nil && status >= 500 {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	if panicked {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	log.LogAttrs(ctx, level, "request", attrs...)
}

// notes are what handlers add to the access log of their request.
type notes struct {
	requestID string
	holding   *intake.Holding // of the bytes of its body

	mu    sync.Mutex
	attrs []slog.Attr
}

type notesKey struct{}

func notesOf(ctx context.Context) *notes {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		return n
	}
	return &notes{}
}

func (n *notes) add(attrs ...slog.Attr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.attrs = append(n.attrs, attrs...)
}

func (n *notes) taken() []slog.Attr {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.attrs
}

// route is what the handler noted under that name, "" when nothing matched.
func (n *notes) route() string {
	for _, a := range n.taken() {
		if a.Key == "route" {
			return a.Value.String()
		}
	}
	return ""
}

// Note adds attributes to the access log of the request that ctx belongs to.
// Credentials and bodies must not be among them.
func Note(ctx context.Context, attrs ...slog.Attr) {
	notesOf(ctx).add(attrs...)
}

// Authenticated says whose request ctx belongs to, once that is known: its body
// then counts for that caller's share of the budget, not for the small one of
// all who have shown no credentials.
func Authenticated(ctx context.Context, caller string) {
	notesOf(ctx).holding.Authenticate(caller)
}

// RequestID is the id of the request that ctx belongs to, "" outside of one.
func RequestID(ctx context.Context) string { return notesOf(ctx).requestID }

const headerRequestID = "X-Request-Id"

// headerWarning says in words what of a request was left out, where the request was carried
// out all the same.
const headerWarning = "Platen-Warning"

const warnRequestID = "X-Request-Id was not kept, because it is not 1 to 128 printable ASCII characters: this request has the id of the answer"

// requestIDFrom takes the caller's id if it is fit for logs and headers, so that a request
// can be followed across hosts, and else makes one. It was not kept where there was another.
func requestIDFrom(h http.Header) (id string, kept bool) {
	given := h.Values(headerRequestID)
	if len(given) == 0 {
		return platen.NewID(platen.PrefixRequest), true
	}
	id = given[0]
	if IsRequestID(id) {
		return id, true
	}
	return platen.NewID(platen.PrefixRequest), false
}

// IsRequestID tells whether a request may be named so: by 1 to 128 printable ASCII
// characters, without spaces around them.
func IsRequestID(id string) bool {
	const most = 128
	printable := func(c rune) bool { return ' ' <= c && c <= '~' }
	return id != "" && len(id) <= most && strings.TrimSpace(id) == id && !strings.ContainsFunc(id, func(c rune) bool { return !printable(c) })
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 { // 1xx announces, it does not answer
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the server's own writer.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
