package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
)

type userConnectCommand struct {
	config.Connect
	Email           string `required:"" help:"E-mail address of the user."`
	Kind            string `required:"" enum:"token,refresh_token,service_account" help:"token: a bearer token of our own drive; refresh_token: an OAuth refresh token of Google; service_account: the operator's service account at Google."`
	Subject         string `help:"With service_account: the address to act for. Empty: the account itself."`
	DriveCredential string `name:"credential" env:"PLATEN_DRIVE_CREDENTIAL" secret:"" help:"The token. Better given in the environment than on the command line."`
}

func (c *userConnectCommand) Run(ctx context.Context) error {
	if err := errors.Join(c.Check(), c.checkCredential()); err != nil {
		return err
	}
	return act(ctx, "user connect", c.Database, c.Secrets, func(ctx context.Context, a *admin.Admin) error {
		return a.ConnectUser(ctx, c.Email, platen.DriveConnection{Kind: platen.ConnectionKind(c.Kind), Subject: c.Subject, Secret: platen.Secret(c.DriveCredential)})
	})
}

// checkCredential refuses what the chosen drive did not issue: the service would
// never send it there.
func (c *userConnectCommand) checkCredential() error {
	kind, chosen := platen.ConnectionKind(c.Kind), c.Cloud.Kind()
	switch {
	case kind.Issuer() == platen.DrivePlaten && chosen == platen.DriveGoogle:
		return fmt.Errorf("--kind %s: it is for our own drive, and this service uses Google (--drive-kind, PLATEN_DRIVE_KIND); connect with --kind service_account or refresh_token", kind)
	case kind.Issuer() == platen.DriveGoogle && chosen == platen.DrivePlaten:
		return fmt.Errorf("--kind %s: it is for Google, and this service uses our own drive (--drive-kind, PLATEN_DRIVE_KIND); connect with --kind token and a token that 'platen drive token --email …' prints", kind)
	case kind != platen.ConnectionServiceAccount && c.DriveCredential == "":
		return fmt.Errorf("--credential (PLATEN_DRIVE_CREDENTIAL): it is needed for --kind %s", kind)
	}
	if wrong := wrongCredential(kind, c.DriveCredential); wrong != "" {
		return fmt.Errorf("--credential (PLATEN_DRIVE_CREDENTIAL): %s", wrong) // without the text: it may be another secret
	}
	return nil
}

// wrongCredential says why a text cannot be a credential of a kind, and what to do; empty:
// it can. Google does not say what its refresh tokens look like, so of those it says what
// they are not.
func wrongCredential(kind platen.ConnectionKind, text string) string {
	bearer, refresh := store.IsToken(text), store.IsRefreshToken(text)
	switch {
	case strings.HasPrefix(text, platen.TokenPrefix):
		return "this is an access token of the API; it opens no drive"
	case kind == platen.ConnectionToken && refresh:
		return "this is a refresh token of 'platen drive', for clients of Google's; give the token that 'platen drive token --email …' prints"
	case kind == platen.ConnectionToken && !bearer:
		return "this is no token of 'platen drive', which begins with drv_ and has 47 characters; give the one that 'platen drive token --email …' prints"
	case kind == platen.ConnectionToken:
		return ""
	case bearer || refresh:
		return "this is a token of 'platen drive', and this service uses Google"
	case kind == platen.ConnectionServiceAccount && text != "" && !json.Valid([]byte(text)):
		return "with --kind service_account it is the content of a key file (JSON); leave it out to use --service-account-file"
	case kind == platen.ConnectionRefreshToken && strings.HasPrefix(text, "ya29."):
		return "this is an access token, which is good for an hour; give the refresh token"
	case kind == platen.ConnectionRefreshToken && strings.ContainsFunc(text, unicode.IsSpace):
		return "this is no refresh token: it has spaces or line breaks"
	}
	return ""
}

type userConnectLinkCommand struct {
	config.ConnectLink
	Email string        `required:"" help:"E-mail address of the user."`
	Valid time.Duration `default:"24h" help:"How long the link is good for. Whoever has it can connect a drive for the user."`
}

func (c *userConnectLinkCommand) Run(ctx context.Context) error {
	if err := c.Check(); err != nil {
		return err
	}
	links, err := app.ConnectLinks(c.Secrets, c.ConnectURL())
	if err != nil {
		return err
	}
	return act(ctx, "user connect-link", c.Database, c.Secrets, func(ctx context.Context, a *admin.Admin) error {
		link, err := a.ConnectLink(ctx, links, c.Email, c.Valid)
		if err != nil {
			return err
		}
		_, err = fmt.Println(link)
		return err
	})
}

type userDisconnectCommand struct {
	config.Connect
	Email string `required:"" help:"E-mail address of the user."`
}

func (c *userDisconnectCommand) Run(ctx context.Context) error {
	if err := c.Check(); err != nil {
		return err
	}
	return act(ctx, "user disconnect", c.Database, c.Secrets, func(ctx context.Context, a *admin.Admin) error {
		return a.WithUser(ctx, c.Email, func(ctx context.Context, id string) error {
			return a.Disconnect(ctx, app.Consents(c.Cloud), id)
		})
	})
}
