package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/signin"
)

// hasDrive tells whether a drive is connected for a user, whether or not it opens.
func (s served) hasDrive(ctx context.Context, userID string) (bool, error) {
	_, err := s.db.Connections.DriveConnection(ctx, userID)
	if e, ok := errors.AsType[*platen.Error](err); ok {
		return e.Code != "drive_not_connected", nil
	}
	return err == nil, err
}

// site is the console, whose pages ask the API. done ends the streams of open pages.
func (s served) site(done <-chan struct{}, api, hooks http.Handler) *console.Site {
	public := strings.TrimSuffix(s.publicURL, "/v0")
	options := console.SiteOptions{
		API:       api,
		Hooks:     hooks,
		Sealer:    s.box,
		PublicURL: public,
		OwnDrive:  s.Kind() == platen.DrivePlaten,
		HasDrive:  s.hasDrive,
		Pages:     s.previews.PagesOf,
		// As many as of the template.
		PagesLimit: edge.NewLimiter(pagesRate, nil).Take,
		Mails:      s.SMTPFrom != "",
		Seals:      s.SealCertificateFile != "",
		Done:       done,
		Log:        s.log,
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
