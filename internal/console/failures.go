package console

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

// errorPageOfSite says why there is no page, and what to do.
type errorPageOfSite struct {
	Text  saying
	Cure  string
	Back  string      // where somebody came from; empty: nobody knows
	Links [][2]string // paths below the base, with what they are called
}

// fail shows why there is no page: what /v0 said, in its words.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) { s.failFor(w, r, nil, err) }

// failFor is fail for a known caller; with nil it finds the caller in the session.
func (s *site) failFor(w http.ResponseWriter, r *http.Request, in *request, err error) {
	p, language := refusalIn(err), s.in(r)
	why, ok := errors.AsType[*pageError](err)
	switch {
	case !ok && p == nil:
		if r.Context().Err() == nil {
			s.Log.LogAttrs(r.Context(), slog.LevelError, "a page of the console failed", slog.String("error", err.Error()))
		}
		why = &pageError{Status: http.StatusInternalServerError, Title: say("The page cannot be shown"), Detail: say("Something went wrong on our side.")}
	case p == nil: // it says why itself
	case endsSession(p):
		s.askToSignIn(w, r)
		return
	case p.Status == http.StatusForbidden && strings.HasSuffix(p.Code, "_not_found"):
		why = errNoPage // /v0 answers 403 below a workflow (specification, section 5)
	case p.Status == http.StatusNotFound:
		why = errNoPage
	}
	if why != nil {
		s.writeFailure(w, r, in, why.Status, language.Text(why.Title), errorPageOfSite{Text: own(language.Text(why.Detail)), Cure: cureOf(language, &client.Error{Status: why.Status})})
		return
	}
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	text := saidIn(language, p)
	if p.RequestID != "" && p.Status >= 500 {
		text = sentences(text, own(language.Text("The request's id is %s.", p.RequestID)))
	}
	s.writeFailure(w, r, in, p.Status, titleOf(language, p), errorPageOfSite{Text: text, Cure: cureOf(language, p)})
}

// writeFailure writes an error page in place of the requested one, with the menu of the
// signed-in user and links back.
func (s *site) writeFailure(w http.ResponseWriter, r *http.Request, in *request, status int, title string, p errorPageOfSite) {
	v := view{Title: title}
	if in != nil {
		v.Me, v.Operator, v.Frame = &in.me, in.operator, in.around(r.Context(), nil)
	} else {
		v.Me, v.Operator, v.SignedIn = s.menu(r)
	}
	p.Back = s.pageBefore(r)
	if len(p.Links) == 0 {
		p.Links = [][2]string{{"/", say("Today")}, {consolePath + "workflows/", say("Workflows")}, {"/docs/", say("Docs")}}
	}
	v.Page = p
	s.write(w, r, status, "error", v)
}

// menu returns what the frame shows about the caller. It is used for error pages, so
// its own failures only leave the menu out.
func (s *site) menu(r *http.Request) (who *client.Me, operator, signedIn bool) {
	found, ok := s.session(r)
	if !ok {
		return nil, false, false
	}
	in := s.request(r, found)
	var err error
	if in.me, err = in.api.Me(r.Context()); err != nil {
		p := refusalIn(err)
		return nil, false, p == nil || !endsSession(p)
	}
	operator, err = s.isOperator(r.Context(), in)
	return &in.me, operator && err == nil, true
}

// pageBefore is the page of the console that a browser says it came from.
func (s *site) pageBefore(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	public, failed := url.Parse(s.PublicURL)
	if err != nil || failed != nil || from.Scheme != public.Scheme || from.Host != public.Host {
		return ""
	}
	at, ok := strings.CutPrefix(from.EscapedPath(), s.base)
	if !ok || localPath(at) != at || strings.HasPrefix(at, signInPath) || r.Method == http.MethodGet && at == r.URL.EscapedPath() {
		return ""
	}
	if from.RawQuery != "" {
		at += "?" + from.RawQuery
	}
	return s.base + at
}

func titleOf(in catalog.Printer, p *client.Error) string {
	switch {
	case p.Code == "scope_missing":
		return in.Text("The access token does not let you do this")
	case p.Status == http.StatusTooManyRequests:
		return in.Text("Too much at once")
	case p.Status >= 500:
		return in.Text("This cannot be shown right now")
	}
	return in.Text("This was not done")
}

// cureOf says what to do about what p says.
func cureOf(in catalog.Printer, p *client.Error) string {
	switch {
	case p.Status == http.StatusNotFound:
		return in.Text("Look for it in the list of workflows.")
	case p.Code == "scope_missing":
		return in.Text("Sign in with another token.") + " " + in.Text(makeToken)
	case p.Status == http.StatusTooManyRequests:
		return in.Text("Wait a few seconds and load the page again.")
	case p.Status >= 500:
		return in.Text("Load the page again in a moment. If it fails again, tell the operator, and what this page says.")
	}
	return ""
}
