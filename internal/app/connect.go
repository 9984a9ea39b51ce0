package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

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

// besideConnect answers below /connect/google beside the API, where users may
// connect in a browser.
func (s served) besideConnect(api http.Handler) http.Handler {
	if s.OAuthRedirectURL == "" {
		return api
	}
	connect := console.NewConnect(console.ConnectOptions{
		Consent:     consent(s.Cloud, s.OAuthRedirectURL, s.GoogleScope),
		Users:       s.db.Users,
		Connections: recordedConnections{s.db.Connections},
		Sealer:      s.box,
		Keys:        s.box.DeriveAll(connectPurpose),
		Secure:      strings.HasPrefix(s.OAuthRedirectURL, "https:"),
		Log:         s.log,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if console.IsConnect(r.URL.Path) {
			connect.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
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

// ConnectLink returns where the user with this address connects Google in a browser,
// for as long as valid says. ConnectURL is the public address of the first page.
func (a *Admin) ConnectLink(ctx context.Context, s config.Secrets, connectURL, email string, valid time.Duration) (string, error) {
	if valid <= 0 {
		return "", fmt.Errorf("--valid %s is over already; give a time such as 24h", valid)
	}
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	box, err := secret.ParseKeys(string(s.SecretKeys))
	if err != nil {
		return "", fmt.Errorf("--secret-keys (PLATEN_SECRET_KEYS): %w", err)
	}
	return console.ConnectAddress(connectURL, box.Derive(connectPurpose), u.Email, time.Now().Add(valid)), nil
}

// DisconnectUser ends the connection of the user with this address: at Google first,
// where it is a refresh token, then here. While Google does not answer nothing is
// removed, so that the command can be run again.
func (a *Admin) DisconnectUser(ctx context.Context, c config.Cloud, email string) error {
	return a.withUser(ctx, email, func(u platen.User) error { return a.disconnect(ctx, c, u) })
}

func (a *Admin) disconnect(ctx context.Context, c config.Cloud, u platen.User) error {
	stored, err := a.DB.Connections.StoredConnection(ctx, u.ID)
	if err != nil {
		return err
	}
	if stored.Kind == platen.ConnectionRefreshToken {
		if err := consent(c, "", "").Revoke(ctx, string(stored.Secret)); err != nil {
			return err
		}
	}
	removed, err := a.DB.Connections.RemoveDriveConnection(ctx, u.ID, stored)
	if err == nil && !removed {
		err = platen.Errorf(platen.KindConflict, "connection_changed", "the user was connected again meanwhile; that connection was left alone")
	}
	return err
}
