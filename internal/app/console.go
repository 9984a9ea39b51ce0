package app

import (
	"net/http"
	"strings"

	"github.com/platenhq/platen/internal/console"
)

// besideSite answers the console's pages beside the API, which they ask. done ends the
// streams of open pages.
func (s served) besideSite(done <-chan struct{}, api, hooks http.Handler) http.Handler {
	site := console.NewSite(console.SiteOptions{
		API:       api,
		Hooks:     hooks,
		Sealer:    s.box,
		PublicURL: strings.TrimSuffix(s.publicURL, "/v0"),
		Done:      done,
		Log:       s.log,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if console.IsSite(r.URL.Path) {
			site.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}
