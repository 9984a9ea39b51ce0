package chaos

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// What the proxy in front of the drive does.
const (
	driveBusy    = "drive answers 429"
	driveBroken  = "drive answers 500"
	driveLimited = "drive answers 403 rate limit"
	driveSilent  = "drive's reply lost after its commit"
	driveStale   = "drive lists nothing"
)

// What the drive of one owner does for a while.
const driveHangs = "drive hangs"

// A driveProxy stands between the service and the drive. Links to files and
// the suite's own look at the drive go around it.
type driveProxy struct {
	misbehaviour
	url string

	dying sync.Mutex
	dead  map[string]*death // by what authorizes the owner's requests
}

// A death is that of one owner's drive.
type death struct {
	what string
	met  int
	over chan struct{}
}

// die has an owner's drive answer nothing, or 500, until it is cured; false: it
// is dead already.
func (p *driveProxy) die(o *owner, what string) bool {
	p.dying.Lock()
	defer p.dying.Unlock()
	if p.dead["Bearer "+o.driveToken] != nil {
		return false
	}
	p.dead["Bearer "+o.driveToken] = &death{what: what, over: make(chan struct{})}
	return true
}

// met is how many requests met the dead drive.
func (p *driveProxy) met(o *owner) int {
	p.dying.Lock()
	defer p.dying.Unlock()
	if d := p.dead["Bearer "+o.driveToken]; d != nil {
		return d.met
	}
	return 0
}

// cure says how many requests met the dead drive.
func (p *driveProxy) cure(o *owner) int {
	p.dying.Lock()
	defer p.dying.Unlock()
	d := p.dead["Bearer "+o.driveToken]
	if d == nil {
		return 0
	}
	delete(p.dead, "Bearer "+o.driveToken)
	close(d.over)
	return d.met
}

// deathOf returns what a request meets at a dead drive; nil: it is well.
func (p *driveProxy) deathOf(r *http.Request) *death {
	p.dying.Lock()
	defer p.dying.Unlock()
	d := p.dead[r.Header.Get("Authorization")]
	if d != nil {
		d.met++
	}
	return d
}

func (d *death) answer(w http.ResponseWriter, r *http.Request) {
	if d.what == driveBroken {
		refuse(w, http.StatusInternalServerError, "backendError")
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // else the end of the request is not noticed
	select {
	case <-r.Context().Done():
	case <-d.over:
	}
	panic(http.ErrAbortHandler)
}

func newDriveProxy(t *testing.T, target string) *driveProxy {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := &driveProxy{dead: map[string]*death{}}
	forward := &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		ErrorLog: log.New(io.Discard, "", 0), // a drive that was killed is no news
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d := p.deathOf(r); d != nil {
			d.answer(w, r)
			return
		}
		switch what := p.now(func(what string) bool { return concerns(what, r) }); what {
		case driveBusy:
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, "rateLimitExceeded")
		case driveBroken:
			refuse(w, http.StatusInternalServerError, "backendError")
		case driveLimited:
			refuse(w, http.StatusForbidden, "userRateLimitExceeded")
		case driveStale:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"kind":"drive#fileList","incompleteSearch":false,"files":[]}`)
		case driveSilent:
			// The drive answers into a recorder that nobody reads.
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// concerns leaves out requests that a fault would not hurt.
func concerns(what string, r *http.Request) bool {
	switch what {
	case driveStale:
		return r.Method == http.MethodGet && r.URL.Path == "/drive/v3/files"
	case driveSilent:
		return r.Method != http.MethodGet
	}
	return true
}

// refuse answers as Google does.
func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	code := map[int]string{429: "429", 500: "500", 403: "403"}[status]
	_, _ = io.WriteString(w, `{"error":{"code":`+code+`,"message":"chaos","errors":[{"domain":"usageLimits","reason":"`+reason+`","message":"chaos"}]}}`)
}
