package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// TokenPrefix starts every access token, so that secret scanners, and people,
// recognise one that got lost.
const TokenPrefix = "plt_"

const (
	tokenChecksum = 6               // base-62 digits that hold a CRC-32
	lastUsedEvery = 5 * time.Minute // how exact last_used_at is: a write for every request is not worth more
)

// NewToken returns the text of a new access token: TokenPrefix, 160 random
// bits and a checksum. It is shown once and stored nowhere.
func NewToken() string {
	text := TokenPrefix + platen.NewKey()
	return text + checksum(text)
}

// IsToken tells whether text has the form of an access token and its checksum
// holds; it finds typing errors and says nothing about validity.
func IsToken(text string) bool {
	end := len(text) - tokenChecksum
	return strings.HasPrefix(text, TokenPrefix) && end > len(TokenPrefix) && checksum(text[:end]) == text[end:]
}

func checksum(text string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := crc32.ChecksumIEEE([]byte(text))
	var b [tokenChecksum]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = digits[sum%uint32(len(digits))]
		sum /= uint32(len(digits))
	}
	return string(b[:])
}

// A Token is what is known about an access token.
type Token struct {
	ID         string     `db:"id"` // tok_…
	UserID     string     `db:"user_id"`
	UserEmail  string     `db:"user_email"`
	Name       string     `db:"name"` // what its owner calls it
	CreatedAt  time.Time  `db:"created_at"`
	ExpiresAt  *time.Time `db:"expires_at"` // nil: never
	RevokedAt  *time.Time `db:"revoked_at"`
	LastUsedAt *time.Time `db:"last_used_at"` // exact to five minutes
}

// CreateToken makes a token for a user and returns its id and its text, which
// cannot be read again. A zero expiry means never.
func (s *Store) CreateToken(ctx context.Context, userID, name string, expires time.Time) (id, text string, err error) {
	id, text = platen.NewID(platen.PrefixToken), NewToken()
	hash := sha256.Sum256([]byte(text))
	var expiresAt *time.Time
	if !expires.IsZero() {
		expiresAt = &expires
	}
	_, err = execute(ctx, s.pool, `
		INSERT INTO tokens (id, user_id, name, hash, expires_at)
		VALUES (@id, @user_id, @name, @hash, @expires_at)`,
		pgx.NamedArgs{"id": id, "user_id": userID, "name": name, "hash": hash[:], "expires_at": expiresAt})
	if foreignKeyViolation(err, "tokens_user_id_fkey") {
		return "", "", platen.Errorf(platen.KindNotFound, "user_not_found", "there is no user %s", userID)
	}
	if err != nil {
		return "", "", fmt.Errorf("create token for user %s: %w", userID, err)
	}
	return id, text, nil
}

// Tokens returns every token, newest first, revoked ones included.
func (s *Store) Tokens(ctx context.Context) ([]Token, error) {
	tokens, err := collect[Token](ctx, s.pool, `
		SELECT t.id, t.user_id, u.email AS user_email, t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at
		FROM tokens t
		JOIN users u ON u.id = t.user_id
		ORDER BY t.created_at DESC, t.id`, nil)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	for i, t := range tokens {
		tokens[i].CreatedAt = t.CreatedAt.UTC()
		tokens[i].ExpiresAt, tokens[i].RevokedAt, tokens[i].LastUsedAt = utc(t.ExpiresAt), utc(t.RevokedAt), utc(t.LastUsedAt)
	}
	return tokens, nil
}

// RevokeToken ends a token at once. Revoking twice is no error; an unknown id
// is KindNotFound.
func (s *Store) RevokeToken(ctx context.Context, tokenID string) error {
	n, err := execute(ctx, s.pool, `
		UPDATE tokens
		SET revoked_at = coalesce(revoked_at, now())
		WHERE id = @id`,
		pgx.NamedArgs{"id": tokenID})
	if err != nil {
		return fmt.Errorf("revoke token %s: %w", tokenID, err)
	}
	if n == 0 {
		return platen.Errorf(platen.KindNotFound, "token_not_found", "there is no token %s", tokenID)
	}
	return nil
}

// UserByToken finds the user of a token by the SHA-256 of its text. It answers
// KindForbidden with code "token_unknown", "token_expired" or "token_revoked".
func (s *Store) UserByToken(ctx context.Context, hash [32]byte) (platen.User, error) {
	type row struct {
		userRow
		TokenID string `db:"token_id"`
		Revoked bool   `db:"revoked"`
		Expired bool   `db:"expired"`
		Stale   bool   `db:"stale"`
	}
	r, ok, err := collectOne[row](ctx, s.pool, `
		SELECT u.id, u.name, u.email, u.team_id, t.name AS team_name,
			k.id AS token_id,
			k.revoked_at IS NOT NULL AS revoked,
			coalesce(k.expires_at <= now(), false) AS expired,
			coalesce(k.last_used_at < now() - @every::interval, true) AS stale
		FROM tokens k
		JOIN users u ON u.id = k.user_id
		LEFT JOIN teams t ON t.id = u.team_id
		WHERE k.hash = @hash`,
		pgx.NamedArgs{"hash": hash[:], "every": lastUsedEvery})
	switch {
	case err != nil:
		return platen.User{}, fmt.Errorf("find user by token: %w", err)
	case !ok:
		return platen.User{}, platen.Errorf(platen.KindForbidden, "token_unknown", "the access token is not known")
	case r.Revoked:
		return platen.User{}, platen.Errorf(platen.KindForbidden, "token_revoked", "the access token was revoked")
	case r.Expired:
		return platen.User{}, platen.Errorf(platen.KindForbidden, "token_expired", "the access token has expired")
	}
	if r.Stale {
		if err := s.touchToken(ctx, r.TokenID); err != nil {
			return platen.User{}, fmt.Errorf("note use of token %s: %w", r.TokenID, err)
		}
	}
	return r.user(), nil
}

// touchToken skips a row that a neighbouring request is touching.
func (s *Store) touchToken(ctx context.Context, tokenID string) error {
	_, err := execute(ctx, s.pool, `
		UPDATE tokens
		SET last_used_at = now()
		WHERE id = (SELECT id FROM tokens WHERE id = @id FOR NO KEY UPDATE SKIP LOCKED)`,
		pgx.NamedArgs{"id": tokenID})
	return err
}
