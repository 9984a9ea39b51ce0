package admin

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
)

// CreateToken makes an access token for the user with this address; expires 0
// means never.
func (a *Admin) CreateToken(ctx context.Context, email, name string, expires time.Duration, scopes ...platen.Scope) (text string, err error) {
	if err := checkName(name, "token"); err != nil {
		return "", err
	}
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	_, text, err = a.DB.Tokens.CreateToken(ctx, u.ID, name, endOf(expires), scopes...)
	return text, err
}

// CreateTokenOnce makes the access token with this id for a user, and returns its text. What
// is sent twice has one id, and makes one token. life 0 means that it never expires.
func (a *Admin) CreateTokenOnce(ctx context.Context, tokenID, userID, name string, life time.Duration, scopes platen.Scopes) (string, error) {
	if err := checkName(name, "token"); err != nil {
		return "", err
	}
	return a.DB.Tokens.CreateTokenOnce(ctx, tokenID, userID, name, endOf(life), slices.Clone(scopes)...)
}

func endOf(life time.Duration) (expires time.Time) {
	if life > 0 {
		expires = time.Now().Add(life)
	}
	return expires
}

// GoodToken returns text if it is an access token of the user with this address
// and neither expired nor revoked. Otherwise it makes another; live tokens that
// it made under the same name before are revoked first, for nobody has them any
// more. An empty text is none.
func (a *Admin) GoodToken(ctx context.Context, email, name, text string) (good string, made bool, err error) {
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return "", false, err
	}
	of, err := a.DB.Tokens.TokenByHash(ctx, sha256.Sum256([]byte(text)))
	switch {
	case err == nil && of.User.ID == u.ID:
		return text, false, nil
	case err != nil && platen.KindOf(err) != platen.KindForbidden:
		return "", false, err
	}
	tokens, err := a.DB.Tokens.All(ctx)
	if err != nil {
		return "", false, err
	}
	for _, t := range tokens {
		if t.UserID != u.ID || t.Name != name || t.RevokedAt != nil {
			continue
		}
		if err := a.DB.Tokens.RevokeToken(ctx, t.ID); err != nil {
			return "", false, err
		}
	}
	good, err = a.CreateToken(ctx, email, name, 0)
	return good, true, err
}

// GoodDriveToken returns text if it is a bearer token of our own drive for the
// account with this address; otherwise it makes another, and the account when
// there is none.
func (a *Admin) GoodDriveToken(ctx context.Context, name, email, text string) (good string, made bool, err error) {
	switch of, err := a.Drive.UserByToken(ctx, text); {
	case err == nil:
		account, err := a.Drive.UserByEmail(ctx, email)
		if err == nil && account.ID == of.ID {
			return text, false, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", false, err
		}
	case !errors.Is(err, store.ErrNotFound):
		return "", false, err
	}
	good, err = a.CreateDriveToken(ctx, name, email)
	return good, true, err
}
