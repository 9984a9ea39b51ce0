package app

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/agent"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/handbook"
	"github.com/platenhq/platen/internal/inside"
	"github.com/platenhq/platen/internal/platen"
)

// picturesPath is above the pictures that Google reads.
const picturesPath = "/pictures/"

// An apiHost routes requests of the API's host.
type apiHost struct {
	api      http.Handler // /v0/, /preview/, the contract and the probes; it refuses every other path
	site     http.Handler
	icon     http.Handler
	docs     http.Handler
	pictures http.Handler
	forms    http.Handler
	reviews  http.Handler
	agents   http.Handler // tools for AI agents
	connect  http.Handler // nil: users do not connect in a browser
}

// at returns the handler of a path. http.ServeMux would redirect a path that is not clean, and a
// redirected POST loses its body.
func (h apiHost) at(path string) http.Handler {
	below := func(at string) bool { return path == at || strings.HasPrefix(path, at+"/") }
	switch {
	case path == "/", below("/console"):
		return h.site
	case path == "/favicon.ico":
		return h.icon
	case path == "/docs/contract", path == "/docs/contract/":
		return h.api
	case below("/docs"):
		return h.docs
	case strings.HasPrefix(path, picturesPath):
		return h.pictures
	case strings.HasPrefix(path, console.FormsPath):
		return h.forms
	case strings.HasPrefix(path, platen.ReviewsPath):
		return h.reviews
	case below(agent.Path):
		return h.agents
	case below(console.ConnectPath) && h.connect != nil:
		return h.connect
	}
	return h.api
}

func (h apiHost) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.at(r.URL.Path).ServeHTTP(w, r) }

// A siteMaker is the site that is made behind the API, because its pages ask that.
type siteMaker struct{ *console.Site }

// apiHost puts the API's host together. done ends the streams of open pages; test events go
// to source, and what public forms send to accepting. A browser that is refused gets a page.
func (s served) apiHost(done <-chan struct{}, source http.Handler, accepting acceptance) http.Handler {
	maker := &siteMaker{}
	api := s.api(maker)
	site := s.site(done, api, source)
	maker.Site = site
	pictures := s.loggedPictures(console.NewPictures(s.db.Pictures, s.box.DeriveAll(picturePurpose), s.log))
	return apiHost{
		api:      site.ForBrowsers(api),
		site:     site,
		icon:     http.HandlerFunc(console.ServeIcon),
		docs:     handbook.New(s.log),
		pictures: site.ForBrowsers(pictures),
		forms:    s.forms(api, accepting),
		reviews:  s.reviews(api),
		agents:   s.agents(api, source),
		connect:  s.connect(),
	}
}

// agents serves tools for AI agents. They ask the API, and send events to the sources, of
// this process.
func (s served) agents(api, source http.Handler) http.Handler {
	base := ""
	if u, err := url.Parse(s.hooksURL); err == nil {
		base = strings.TrimSuffix(u.Path, "/")
	}
	sources := http.StripPrefix(base, source)
	asked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v0/") {
			api.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Authorization") // a source's address is enough
		sources.ServeHTTP(w, r)
	})
	return agent.NewHandler(agent.Options{Version: Version(), PublicURL: s.publicURL, Log: s.log, API: func(r *http.Request) *client.Client {
		return inside.Caller{API: asked, From: r, Token: r.Header.Get("Authorization"), Program: agent.Program}.Client()
	}})
}
