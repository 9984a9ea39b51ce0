package console

import (
	"bytes"
	"cmp"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
)

// ForBrowsers is next, but a browser that it refuses gets a page of the same status.
func (s *Site) ForBrowsers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isBrowser(r) {
			next.ServeHTTP(w, r)
			return
		}
		answered := &refusals{to: w}
		next.ServeHTTP(answered, r)
		if answered.status == 0 {
			return
		}
		s.of.headers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.of.refuseBrowser(w, r, refusalOf(s.of.in(r), answered.status, w.Header(), answered.body.Bytes(), say("The address cannot be shown.")))
		})).ServeHTTP(w, r)
	})
}

// refuseBrowser says in a page what the API said, and where to go from there.
func (s *site) refuseBrowser(w http.ResponseWriter, r *http.Request, p *client.Error) {
	w.Header().Add("Vary", "Accept")
	in := s.in(r)
	title, page := titleOf(in, p), errorPageOfSite{Text: saidIn(in, p), Cure: cureOf(in, p)}
	switch {
	case r.URL.Path == "/v0" || strings.HasPrefix(r.URL.Path, "/v0/"):
		title = in.Text("This is the API of Platen")
		page = errorPageOfSite{Text: own(in.Text("Programs call this address with an access token. In a browser, use the console.")), Links: [][2]string{
			{"/", say("Console")}, {"/docs/api", say("How to call the API")}, {"/docs/contract", say("Its contract")}, {"/docs/", say("Docs")},
		}}
	case p.Status == http.StatusNotFound:
		title = in.Text("There is nothing at this address")
		page = errorPageOfSite{Text: own(in.Text("Check the address, or go on from one of these:")), Links: [][2]string{{"/", say("Console")}, {"/docs/", say("Docs")}}}
	}
	s.writeFailure(w, r, nil, p.Status, title, page)
}

// isBrowser reports whether a request comes from a browser. A request with credentials
// is a program's and gets the API's answer, even if it accepts HTML.
func isBrowser(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Authorization") != "" {
		return false
	}
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return quality(accept, "text/html") > max(quality(accept, "application/json"), quality(accept, "application/problem+json"))
}

// quality is how much a header Accept wants a type: the most specific range decides (RFC
// 9110, section 12.5.1).
func quality(accept, mediaType string) (q float64) {
	major, _, _ := strings.Cut(mediaType, "/")
	precedence := map[string]int{"*/*": 1, major + "/*": 2, mediaType: 3}
	best := 0
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, err := mime.ParseMediaType(part)
		if err != nil || precedence[name] <= best {
			continue
		}
		best = precedence[name]
		if q, err = strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64); err != nil {
			q = 0
		}
	}
	return q
}

// refusals hands on what is answered and holds back a problem.
type refusals struct {
	to      http.ResponseWriter
	status  int // of the problem; 0: there is none
	body    bytes.Buffer
	started bool
}

func (h *refusals) Header() http.Header { return h.to.Header() }

// Unwrap lets http.ResponseController reach the server's own writer.
func (h *refusals) Unwrap() http.ResponseWriter { return h.to }

func (h *refusals) WriteHeader(status int) {
	if h.started || h.status != 0 {
		return
	}
	if status >= http.StatusBadRequest && h.Header().Get("Content-Type") == "application/problem+json" {
		h.status = status
		return
	}
	h.started = status >= http.StatusOK
	h.to.WriteHeader(status)
}

func (h *refusals) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	if h.status != 0 {
		return h.body.Write(b)
	}
	return h.to.Write(b)
}
