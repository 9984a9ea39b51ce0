package chaos

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What the receiver does.
const (
	receiverBroken   = "receiver answers 500"
	receiverLate     = "receiver answers 500 late"
	receiverHangs    = "receiver hangs"
	receiverSlow     = "receiver sends headers slowly"
	receiverRedirect = "receiver redirects to loopback"
	receiverEndless  = "receiver sends an endless body"
	receiverBomb     = "receiver sends a gzip bomb"
	receiverPutsOff  = "receiver sends an absurd Retry-After"
)

// goneName is the place of a receiver that answers 410 to everything, until it
// has moved.
const goneName = "gone"

// An attempt is one request to deliver an event, as it arrived.
type attempt struct {
	place  string // which workflow's receiver
	header http.Header
	body   string
	at     time.Time
	status int // what it was answered with; 0: nothing that says so
}

// A receiver takes the events of all workflows and keeps every attempt.
type receiver struct {
	misbehaviour
	url  string
	trap string // where redirects point
	bomb []byte
	// followed counts requests that came by way of a redirect.
	followed atomic.Int64
	// moved: what was gone takes events again.
	moved atomic.Bool

	recording sync.Mutex
	attempts  []*attempt
	closing   chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{closing: make(chan struct{}), bomb: gzipBomb(t)}
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { r.followed.Add(1) }))
	server := httptest.NewServer(r)
	t.Cleanup(func() {
		close(r.closing)
		server.Close()
		trap.Close()
	})
	r.url, r.trap = server.URL, trap.URL
	return r
}

// gzipBomb is 100 MB of nothing in 100 KB.
func gzipBomb(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 100 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the attempt was cut off before it was one
	}
	a := &attempt{place: strings.TrimPrefix(request.URL.Path, "/"), header: request.Header.Clone(), body: string(body), at: time.Now()}
	r.recording.Lock()
	r.attempts = append(r.attempts, a)
	r.recording.Unlock()
	status := r.answer(w, request, a)
	r.recording.Lock()
	a.status = status
	r.recording.Unlock()
}

// answer returns the status that the sender can have seen.
func (r *receiver) answer(w http.ResponseWriter, request *http.Request, a *attempt) int {
	if a.place == goneName && !r.moved.Load() {
		w.WriteHeader(http.StatusGone)
		return http.StatusGone
	}
	switch r.now(func(string) bool { return true }) {
	case receiverBroken:
		w.WriteHeader(http.StatusInternalServerError)
		return http.StatusInternalServerError
	case receiverLate:
		// A worker that is asked to end meanwhile begins the next attempt's run as its last act.
		select {
		case <-request.Context().Done():
		case <-time.After(500*time.Millisecond + time.Duration(len(a.body)%4)*300*time.Millisecond):
		}
		w.WriteHeader(http.StatusInternalServerError)
		return http.StatusInternalServerError
	case receiverPutsOff:
		// Not one of them is a wait that anybody should keep.
		absurd := []string{"99999999999999999999", "-1", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "1e9"}
		w.Header().Set("Retry-After", absurd[len(a.body)%len(absurd)])
		w.WriteHeader(http.StatusServiceUnavailable)
		return http.StatusServiceUnavailable
	case receiverRedirect:
		http.Redirect(w, request, r.trap, http.StatusTemporaryRedirect)
		return http.StatusTemporaryRedirect
	case receiverHangs:
		r.hang(request)
		return 0
	case receiverSlow:
		r.trickle(w)
		return 0
	case receiverEndless:
		for {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				return http.StatusOK
			}
		}
	case receiverBomb:
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(r.bomb)
	}
	return http.StatusOK
}

func (r *receiver) hang(request *http.Request) {
	select {
	case <-request.Context().Done():
	case <-r.closing:
	case <-time.After(30 * time.Second):
	}
	panic(http.ErrAbortHandler)
}

// trickle sends a header for ever, one letter at a time.
func (r *receiver) trickle(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func(c net.Conn) { _ = c.Close() }(conn)
	_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Slow: ")
	for err == nil {
		select {
		case <-r.closing:
			return
		case <-time.After(200 * time.Millisecond):
		}
		_, err = io.WriteString(conn, "a")
	}
}

// all returns what arrived so far.
func (r *receiver) all() []attempt {
	r.recording.Lock()
	defer r.recording.Unlock()
	copies := make([]attempt, len(r.attempts))
	for i, a := range r.attempts {
		copies[i] = *a
	}
	return copies
}

// taken counts the events that were answered with success, each once.
func (r *receiver) taken() int {
	r.recording.Lock()
	defer r.recording.Unlock()
	events := map[string]bool{}
	for _, a := range r.attempts {
		if a.status/100 == 2 {
			events[a.header.Get("Webhook-Id")] = true
		}
	}
	return len(events)
}
