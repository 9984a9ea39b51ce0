package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A fault is how a drive or a picture host answers while it is broken.
type fault struct {
	name   string
	answer func(w http.ResponseWriter, r *http.Request, cured <-chan struct{})
}

// faults are those that hold a step for as long as it waits, and those after
// which it is tried again. A drive's 403 for too many calls is one of these; a
// picture host's 403 ends the document at once.
func faults() []fault {
	return []fault{
		{"hangs", func(_ http.ResponseWriter, r *http.Request, cured <-chan struct{}) {
			_, _ = io.Copy(io.Discard, r.Body) // else the end of the caller does not show
			select {
			case <-r.Context().Done():
			case <-cured:
			}
			panic(http.ErrAbortHandler)
		}},
		{"trickles", trickle},
		{"answers 500", refuse(http.StatusInternalServerError, "global", "backendError")},
		{"answers 429", refuse(http.StatusTooManyRequests, "usageLimits", "rateLimitExceeded")},
		{"answers 403", refuse(http.StatusForbidden, "usageLimits", "rateLimitExceeded")},
	}
}

// trickle begins an answer and goes on with it, a byte at a time.
func trickle(w http.ResponseWriter, r *http.Request, cured <-chan struct{}) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := w.Write([]byte(" "))
		if err == nil {
			err = http.NewResponseController(w).Flush()
		}
		if err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-cured:
			panic(http.ErrAbortHandler)
		}
	}
}

// refuse answers with a status and an error of Google's form.
func refuse(status int, domain, reason string) func(http.ResponseWriter, *http.Request, <-chan struct{}) {
	body := fmt.Sprintf(`{"error":{"code":%d,"message":"broken for the benchmark","errors":[{"domain":%q,"reason":%q,"message":"broken for the benchmark"}]}}`,
		status, domain, reason)
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// A brokenHost answers some of its callers by a fault each until it is cured,
// everybody else as it should.
type brokenHost struct {
	url    string
	well   http.Handler
	caller func(*http.Request) string
	server *http.Server
	cured  chan struct{}
	cure   func()

	mu      sync.RWMutex
	callers map[string]*badCaller
}

// A badCaller is somebody whose calls meet a fault.
type badCaller struct {
	fault fault
	calls atomic.Int64
}

// newBrokenHost serves; caller tells callers apart.
func newBrokenHost(well http.Handler, caller func(*http.Request) string) (*brokenHost, error) {
	l, err := listen()
	if err != nil {
		return nil, err
	}
	h := &brokenHost{url: address(l), well: well, caller: caller, cured: make(chan struct{}), callers: map[string]*badCaller{}}
	h.cure = sync.OnceFunc(func() { close(h.cured) })
	h.server = &http.Server{Handler: h, ReadHeaderTimeout: answerLimit}
	go func() { _ = h.server.Serve(l) }() // ends by Close
	return h, nil
}

// breakFor makes every call of the caller meet the fault from now on.
func (h *brokenHost) breakFor(caller string, f fault) *badCaller {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.callers[caller] = &badCaller{fault: f}
	return h.callers[caller]
}

func (h *brokenHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.RLock()
	bad := h.callers[h.caller(r)]
	h.mu.RUnlock()
	select {
	case <-h.cured:
		bad = nil
	default:
	}
	if bad == nil {
		h.well.ServeHTTP(w, r)
		return
	}
	bad.calls.Add(1)
	bad.fault.answer(w, r, h.cured)
}
