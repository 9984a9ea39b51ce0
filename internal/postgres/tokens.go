package postgres

import (
	"context"
	"crypto/sha256"
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

// maxLiveTokens is how many tokens a user may have that are neither expired nor
// revoked: one for each program of the user's that has scopes of its own, and a
// second one while it is replaced.
const maxLiveTokens = 20

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

// CreateToken makes a token for a user and returns its id and its text, which cannot be
// read again. A zero expiry means never; without scopes it lets the user do everything.
// A user who has 20 live tokens gets KindInvalid with code "too_many_tokens". A
// workflow of a scope that is not there or not the user's is KindNotFound with code
// "workflow_not_found".
func (s *Tokens) CreateToken(ctx context.Context, userID, name string, expires time.Time, scopes ...platen.Scope) (id, text string, err error) {
	id = platen.NewID(platen.PrefixToken)
	text, err = s.CreateTokenOnce(ctx, id, userID, name, expires, scopes...)
	if err != nil {
		return "", "", err
	}
	return id, text, nil
}

// CreateTokenOnce is CreateToken with an id (tok_…) that was made before, so that what is
// sent twice makes one token: the second time it is KindConflict with code
// "token_exists".
func (s *Tokens) CreateTokenOnce(ctx context.Context, id, userID, name string, expires time.Time, scopes ...platen.Scope) (text string, err error) {
	text = platen.NewToken()
	hash := sha256.Sum256([]byte(text))
	var expiresAt *time.Time
	if !expires.IsZero() {
		expiresAt = &expires
	}
	err = s.db.inAct(ctx, func(tx pgx.Tx) (subject, error) {
		made := subject{ownerID: userID, objectID: id}
		if err := spareOperators(ctx, tx, "token create", userID); err != nil {
			return made, err
		}
		if err := roomForToken(ctx, tx, userID); err != nil {
			return made, err
		}
		if err := workflowsOfScopes(ctx, tx, userID, scopes); err != nil {
			return made, err
		}
		_, err := execute(ctx, tx, `
			INSERT INTO tokens (id, user_id, name, hash, expires_at, scopes)
			VALUES (@id, @user_id, @name, @hash, @expires_at, coalesce(@scopes::text[], '{}'))`,
			pgx.NamedArgs{"id": id, "user_id": userID, "name": name, "hash": hash[:], "expires_at": expiresAt, "scopes": scopes})
		return made, err
	})
	switch {
	case isUniqueViolation(err, "tokens_pkey"):
		return "", platen.Errorf(platen.KindConflict, "token_exists", "The token was made already, and its text was shown then. Make another, and revoke that one.")
	case err != nil:
		return "", fmt.Errorf("create token for user %s: %w", userID, err)
	}
	return text, nil
}

// roomForToken holds the user's row, so that two creations side by side do not
// both find room.
func roomForToken(ctx context.Context, tx pgx.Tx, userID string) error {
	deleted, err := lockUser(ctx, tx, userID)
	if err != nil {
		return err
	}
	if deleted {
		return errUserDeleted(userID)
	}
	type row struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}
	live, err := Collect[row](ctx, tx, `
		SELECT id, name
		FROM tokens
		WHERE user_id = @user_id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
		ORDER BY created_at, id`, pgx.NamedArgs{"user_id": userID})
	if err != nil || len(live) < maxLiveTokens {
		return err
	}
	return platen.Errorf(platen.KindInvalid, "too_many_tokens",
		"the user has %d live tokens and may have %d: revoke one first, the oldest is %s (%q)",
		len(live), maxLiveTokens, live[0].ID, live[0].Name)
}

// workflowsOfScopes refuses workflows that a user does not see: a typing error,
// most likely.
func workflowsOfScopes(ctx context.Context, tx pgx.Tx, userID string, scopes platen.Scopes) error {
	type row struct {
		ID string `db:"id"`
	}
	missing, ok, err := collectOne[row](ctx, tx, `
		SELECT wanted.id
		FROM unnest(@ids::text[]) AS wanted (id)
		WHERE NOT EXISTS (
			SELECT
			FROM workflows w
			JOIN users u ON u.id = @user_id
			WHERE w.id = wanted.id AND (w.owner_id = u.id OR w.team_id = u.team_id)
		)
		LIMIT 1`, pgx.NamedArgs{"ids": scopes.Workflows(), "user_id": userID})
	if err == nil && ok {
		err = platen.Errorf(platen.KindNotFound, "workflow_not_found", "the user has no workflow %s", missing.ID)
	}
	return err
}

// Tokens returns every token, newest first, revoked ones included.
func (s *Tokens) Tokens(ctx context.Context) ([]Token, error) {
	tokens, err := Collect[Token](ctx, s.db.pool, `
		SELECT t.id, t.user_id, u.email AS user_email, t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.scopes
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
func (s *Tokens) RevokeToken(ctx context.Context, tokenID string) error {
	err := s.db.inAct(ctx, func(tx pgx.Tx) (subject, error) {
		type row struct {
			UserID string `db:"user_id"`
		}
		r, ok, err := collectOne[row](ctx, tx, `
			UPDATE tokens
			SET revoked_at = coalesce(revoked_at, now())
			WHERE id = @id
			RETURNING user_id`, pgx.NamedArgs{"id": tokenID})
		if err == nil && !ok {
			err = platen.Errorf(platen.KindNotFound, "token_not_found", "there is no token %s", tokenID)
		}
		return subject{ownerID: r.UserID, objectID: tokenID}, err
	})
	if err != nil {
		return fmt.Errorf("revoke token %s: %w", tokenID, err)
	}
	return nil
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
		userRow
		TokenID   string        `db:"token_id"`
		Scopes    platen.Scopes `db:"scopes"`
		ExpiresAt *time.Time    `db:"expires_at"`
		Revoked   bool          `db:"revoked"`
		Expired   bool          `db:"expired"`
		Disabled  bool          `db:"disabled"`
		Stale     bool          `db:"stale"`
	}
	r, ok, err := collectOne[row](ctx, s.db.pool, `
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
	token := platen.AccessToken{ID: r.TokenID, User: r.user(), Scopes: r.Scopes}
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
		userRow
		Disabled bool `db:"disabled"`
	}
	r, ok, err := collectOne[row](ctx, s.db.pool, `
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
	return platen.AccessToken{User: r.user()}, nil
}

// touchToken skips a row that a neighbouring request is touching.
func (s *Tokens) touchToken(ctx context.Context, tokenID string) error {
	_, err := execute(ctx, s.db.pool, `
		UPDATE tokens
		SET last_used_at = now()
		WHERE id = (SELECT id FROM tokens WHERE id = @id FOR NO KEY UPDATE SKIP LOCKED)`,
		pgx.NamedArgs{"id": tokenID})
	return err
}
