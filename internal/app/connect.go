package app

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
)

// connectPurpose is what the key that signs links of users who connect is derived for.
const connectPurpose = "connect"

func consent(c config.Cloud, redirectURL string, scope config.GoogleScope) *google.Consent {
	return google.NewConsent(google.ConsentOptions{
		ClientID: c.OAuthClientID, ClientSecret: string(c.OAuthClientSecret), RedirectURL: redirectURL,
		Scope: string(cmp.Or(scope, config.ScopeDriveFile)), Endpoint: c.OAuthEndpoint,
	})
}

// connect is where users connect Google in a browser; nil: they do not.
func (s served) connect() http.Handler {
	if s.OAuthRedirectURL == "" {
		return nil
	}
	return console.NewConnect(console.ConnectOptions{
		Consent:     consent(s.Cloud, s.OAuthRedirectURL, s.GoogleScope),
		Users:       s.db.Users,
		Connections: recordedConnections{s.db.Connections},
		Sealer:      s.box,
		Keys:        s.box.DeriveAll(connectPurpose),
		Secure:      strings.HasPrefix(s.OAuthRedirectURL, "https:"),
		Log:         s.log,
	})
}

// recordedConnections has an entry in the audit for each drive that a user connects
// in a browser: by a link that an operator made, so no token stands in it.
type recordedConnections struct{ *postgres.Connections }

// SaveDriveConnection stores the connection and its entry in one transaction.
func (c recordedConnections) SaveDriveConnection(ctx context.Context, userID string, to platen.DriveConnection) error {
	ctx, _ = platen.BeginAct(ctx, platen.AuditEntry{
		Actor: platen.Actor{Kind: platen.ActorUser, ID: userID}, Action: "GET /connect/google/callback",
	})
	return c.Connections.SaveDriveConnection(ctx, userID, to)
}

// ConnectLinks makes the addresses at which users connect Google in a browser. ConnectURL is
// the public address of the first page.
func ConnectLinks(s config.Secrets, connectURL string) (admin.Link, error) {
	box, err := s.Box()
	if err != nil {
		return nil, err
	}
	return connectLinks(box, connectURL), nil
}

func connectLinks(box *secret.Box, connectURL string) admin.Link {
	return func(email string, until time.Time) string {
		return console.ConnectAddress(connectURL, box.Derive(connectPurpose), email, until)
	}
}

// Consents is where users gave Google's access to their drives, to revoke it.
func Consents(c config.Cloud) admin.Revoker { return consent(c, "", "") }
