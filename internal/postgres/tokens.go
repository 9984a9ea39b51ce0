package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Tokens is the store of access tokens; it keeps only their hashes.
type Tokens struct{ db *DB }

// lastUsedEvery is the precision of last_used_at, which saves a write for every
// request.
const lastUsedEvery = time.Minute

// A Token is what is known about an access token.
type Token struct {
	ID         string     `db:"id"` // tok_…
	UserID     string     `db:"user_id"`
	UserEmail  string     `db:"user_email"`
	Name       string     `db:"name"` // what its owner calls it
	CreatedAt  time.Time  `db:"created_at"`
	ExpiresAt  *time.Time `db:"expires_at"` // nil: never
	RevokedAt  *time.Time `db:"revoked_at"`
	LastUsedAt *time.Time `db:"last_used_at"` // exact to a minute

	Scopes platen.Scopes `db:"scopes"`
}

// TokensEndingSoon returns the live tokens that end within the given time, and
// whose users are not disabled; the first to end first.
func (s *Tokens) TokensEndingSoon(ctx context.Context, within time.Duration) ([]Token, error) {
	tokens, err := Collect[Token](ctx, s.db.pool, `
		SELECT t.id, t.user_id, u.email AS user_email, t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.scopes
		FROM tokens t
		JOIN users u ON u.id = t.user_id
		WHERE t.revoked_at IS NULL AND t.expires_at > now() AND t.expires_at <= now() + @within::interval AND u.disabled_at IS NULL
		ORDER BY t.expires_at, t.id`, pgx.NamedArgs{"within": within})
	if err != nil {
		return nil, fmt.Errorf("list tokens that end soon: %w", err)
	}
	return tokens, nil
}

// TokenByHash finds a token by the SHA-256 of its text. It answers KindForbidden
// with code "token_unknown", "token_expired", "token_revoked" or "user_disabled".
// It asks every time, so a revocation counts at once.
//
// No comparison in constant time is needed: what is compared is the hash of
// 160 random bits, and how far two hashes agree tells nothing about the token.
func (s *Tokens) TokenByHash(ctx context.Context, hash [32]byte) (platen.AccessToken, error) {
	type row struct {
		UserRow
		TokenID   string        `db:"token_id"`
		Scopes    platen.Scopes `db:"scopes"`
		ExpiresAt *time.Time    `db:"expires_at"`
		Revoked   bool          `db:"revoked"`
		Expired   bool          `db:"expired"`
		Disabled  bool          `db:"disabled"`
		Stale     bool          `db:"stale"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT u.id, u.name, u.email, u.team_id, t.name AS team_name,
			k.id AS token_id, k.scopes, k.expires_at,
			k.revoked_at IS NOT NULL AS revoked,
			coalesce(k.expires_at <= now(), false) AS expired,
			u.disabled_at IS NOT NULL AS disabled,
			coalesce(k.last_used_at < now() - @every::interval, true) AS stale
		FROM tokens k
		JOIN users u ON u.id = k.user_id
		LEFT JOIN teams t ON t.id = u.team_id
		WHERE k.hash = @hash`,
		pgx.NamedArgs{"hash": hash[:], "every": lastUsedEvery})
	switch {
	case err != nil:
		return platen.AccessToken{}, fmt.Errorf("find token: %w", err)
	case !ok:
		return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_unknown", "the access token is not known")
	case r.Revoked:
		return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_revoked", "the access token was revoked")
	case r.Expired:
		return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_expired", "the access token has expired")
	case r.Disabled:
		return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "user_disabled", "the user of the access token is disabled; ask the operator")
	}
	if r.Stale {
		if err := s.touchToken(ctx, r.TokenID); err != nil {
			return platen.AccessToken{}, fmt.Errorf("note use of token %s: %w", r.TokenID, err)
		}
	}
	token := platen.AccessToken{ID: r.TokenID, User: r.User(), Scopes: r.Scopes}
	if r.ExpiresAt != nil {
		token.ExpiresAt = r.ExpiresAt.UTC()
	}
	return token, nil
}

// SignedInUser is what a user may do who signed in without a token: everything. It answers
// KindForbidden with code "token_unknown" for a user who is not there any more, and with
// "user_disabled".
func (s *Tokens) SignedInUser(ctx context.Context, userID string) (platen.AccessToken, error) {
	type row struct {
		UserRow
		Disabled bool `db:"disabled"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT u.id, u.name, u.email, u.team_id, t.name AS team_name, u.disabled_at IS NOT NULL AS disabled
		FROM users u
		LEFT JOIN teams t ON t.id = u.team_id
		WHERE u.id = @id`, pgx.NamedArgs{"id": userID})
	switch {
	case err != nil:
		return platen.AccessToken{}, fmt.Errorf("find user %s: %w", userID, err)
	case !ok:
		return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_unknown", "the user who signed in is not known any more")
	case r.Disabled:
		return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "user_disabled", "the user who signed in is disabled; ask the operator")
	}
	return platen.AccessToken{User: r.User()}, nil
}

// touchToken skips a row that a neighbouring request is touching.
func (s *Tokens) touchToken(ctx context.Context, tokenID string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE tokens
		SET last_used_at = now()
		WHERE id = (SELECT id FROM tokens WHERE id = @id FOR NO KEY UPDATE SKIP LOCKED)`,
		pgx.NamedArgs{"id": tokenID})
	return err
}
