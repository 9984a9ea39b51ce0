package operate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// maxLiveTokens is how many tokens a user may have that are neither expired nor
// revoked: one for each program of the user's that has scopes of its own, and a
// second one while it is replaced.
const maxLiveTokens = 20

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
	err = s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		made := postgres.Subject{OwnerID: userID, ObjectID: id}
		if err := spareOperators(ctx, tx, "token create", userID); err != nil {
			return made, err
		}
		if err := roomForToken(ctx, tx, userID); err != nil {
			return made, err
		}
		if err := workflowsOfScopes(ctx, tx, userID, scopes); err != nil {
			return made, err
		}
		_, err := postgres.Execute(ctx, tx, `
			INSERT INTO tokens (id, user_id, name, hash, expires_at, scopes)
			VALUES (@id, @user_id, @name, @hash, @expires_at, coalesce(@scopes::text[], '{}'))`,
			pgx.NamedArgs{"id": id, "user_id": userID, "name": name, "hash": hash[:], "expires_at": expiresAt, "scopes": scopes})
		return made, err
	})
	switch {
	case postgres.IsUniqueViolation(err, "tokens_pkey"):
		return "", platen.Errorf(platen.KindConflict, "token_exists", "The token was made already, and its text was shown then. Make another, and revoke that one.")
	case err != nil:
		return "", fmt.Errorf("create token for user %s: %w", userID, err)
	}
	return text, nil
}

// roomForToken holds the user's row, so that two creations side by side do not
// both find room.
func roomForToken(ctx context.Context, tx pgx.Tx, userID string) error {
	deleted, err := postgres.LockUser(ctx, tx, userID)
	if err != nil {
		return err
	}
	if deleted {
		return postgres.ErrUserDeleted(userID)
	}
	type row struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}
	live, err := postgres.Collect[row](ctx, tx, `
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
	missing, ok, err := postgres.CollectOne[row](ctx, tx, `
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

// All returns every token, newest first, revoked ones included.
func (s *Tokens) All(ctx context.Context) ([]postgres.Token, error) {
	tokens, err := postgres.Collect[postgres.Token](ctx, s.db.Pool(), `
		SELECT t.id, t.user_id, u.email AS user_email, t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.scopes
		FROM tokens t
		JOIN users u ON u.id = t.user_id
		ORDER BY t.created_at DESC, t.id`, nil)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	for i, t := range tokens {
		tokens[i].CreatedAt = t.CreatedAt.UTC()
		tokens[i].ExpiresAt, tokens[i].RevokedAt, tokens[i].LastUsedAt = postgres.UTC(t.ExpiresAt), postgres.UTC(t.RevokedAt), postgres.UTC(t.LastUsedAt)
	}
	return tokens, nil
}

// RevokeToken ends a token at once. Revoking twice is no error; an unknown id
// is KindNotFound.
func (s *Tokens) RevokeToken(ctx context.Context, tokenID string) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		type row struct {
			UserID string `db:"user_id"`
		}
		r, ok, err := postgres.CollectOne[row](ctx, tx, `
			UPDATE tokens
			SET revoked_at = coalesce(revoked_at, now())
			WHERE id = @id
			RETURNING user_id`, pgx.NamedArgs{"id": tokenID})
		if err == nil && !ok {
			err = platen.Errorf(platen.KindNotFound, "token_not_found", "there is no token %s", tokenID)
		}
		return postgres.Subject{OwnerID: r.UserID, ObjectID: tokenID}, err
	})
	if err != nil {
		return fmt.Errorf("revoke token %s: %w", tokenID, err)
	}
	return nil
}
