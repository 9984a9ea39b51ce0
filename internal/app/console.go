package app

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/handbook"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/signin"
)

// besideSite answers the console's pages beside the API, which they ask. done ends the
// streams of open pages.
func (s served) besideSite(done <-chan struct{}, api, hooks http.Handler) http.Handler {
	public := strings.TrimSuffix(s.publicURL, "/v0")
	options := console.SiteOptions{
		API:       api,
		Hooks:     hooks,
		Sealer:    s.box,
		PublicURL: public,
		OwnDrive:  s.Kind() == platen.DrivePlaten,
		Mails:     s.SMTPFrom != "",
		Done:      done,
		Log:       s.log,
	}
	proxies := s.proxies()
	options.Client = proxies.Client
	if s.operators != nil {
		options.Operators = s.operators
		options.OperatorLimit = edge.NewLimiter(edge.Rate{PerSecond: 20, Burst: 100}, nil).Take
	}
	if s.OIDCIssuer != "" {
		options.Users, options.ProviderName = s.db.Users, s.OIDCName
		returns := edge.NewLimiter(edge.Rate{PerSecond: 1, Burst: 10}, nil)
		options.Audit = s.db.Audit
		options.ProviderLimit = func(h http.Header, r *http.Request) error {
			return returns.Take(h, sha256.Sum256([]byte(proxies.Client(r).String())))
		}
		options.Provider = signin.New(signin.Options{
			Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: string(s.OIDCClientSecret), RedirectURL: public + console.ProviderCallback, TrustEmail: s.OIDCTrustEmail.Value(),
			Log: s.log,
		})
	}
	return console.NewSite(options)
}

// besideHandbook answers with the docs beside the API.
func besideHandbook(log *slog.Logger, api http.Handler) http.Handler {
	docs := handbook.New(log)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !handbook.Is(r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		r.Pattern = handbook.Root
		docs.ServeHTTP(w, r)
	})
}
