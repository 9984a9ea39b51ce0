package journey

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// A gate stands between the worker and the drive. fault says how a call is
// answered instead: with that status, or not before release is closed.
type gate struct {
	fault atomic.Pointer[func(*http.Request) verdict]
}

// A verdict of zero lets the call through.
type verdict struct {
	status  int             // answer with it
	release <-chan struct{} // let the call through when it is closed
}

// behind makes the harness's worker reach the drive through a gate, and starts
// it. The harness must have been opened idle.
func (h *harness) behind(t *testing.T) *gate {
	t.Helper()
	g := h.gated(t)
	h.work(t)
	return g
}

// gated is behind for a harness whose workers are started later.
func (h *harness) gated(t *testing.T) *gate {
	t.Helper()
	drive, err := url.Parse(h.drive)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(drive)
	through.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(h.log, nil), slog.LevelDebug)
	g := &gate{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault := g.fault.Load(); fault != nil {
			v := (*fault)(r)
			if v.release != nil {
				<-v.release
			}
			if v.status != 0 {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(v.status)
				fmt.Fprintf(w, `{"error":{"code":%d,"message":"refused by the test"}}`, v.status)
				return
			}
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.worker.DriveEndpoint = server.URL
	return g
}

// work starts the worker of a harness that was opened idle.
func (h *harness) work(t *testing.T) (stop func()) {
	t.Helper()
	running, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	h.startWorker(t, running, slog.New(slog.NewTextHandler(h.log, nil)))
	return stop
}

func (g *gate) set(fault func(*http.Request) verdict) { g.fault.Store(&fault) }
func (g *gate) open()                                 { g.fault.Store(nil) }

// Calls to the drive, by what the worker wants with them.
func isCopy(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/copy") }
func isFill(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, ":batchUpdate") }

// away answers every such call that the drive is not there, and tells of the
// first two: the second is made by the retry, after which the next one waits.
func (g *gate) away(call func(*http.Request) bool) (tried <-chan struct{}) {
	seen := make(chan struct{}, 2)
	g.set(func(r *http.Request) verdict {
		if !call(r) {
			return verdict{}
		}
		select {
		case seen <- struct{}{}:
		default:
		}
		return verdict{status: http.StatusServiceUnavailable}
	})
	return seen
}
