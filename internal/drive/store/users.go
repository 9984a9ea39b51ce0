package store

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// User is an account of this drive.
type User struct {
	ID        string    `db:"id"`
	Name      string    `db:"name"`
	Email     string    `db:"email"`
	CreatedAt time.Time `db:"created_at"`
	// DisabledAt is since when its credentials open nothing; nil: they do.
	DisabledAt *time.Time `db:"disabled_at"`
}

// tokenPrefix makes our tokens recognisable to secret scanners.
const tokenPrefix = "drv_"

// IsToken tells whether text can be a bearer token that a drive of ours has made; whether
// it opens anything, the drive knows.
func IsToken(text string) bool { return isCredential(text, tokenPrefix) }

// IsRefreshToken is IsToken of refresh tokens.
func IsRefreshToken(text string) bool { return isCredential(text, refreshPrefix) }

func isCredential(text, prefix string) bool {
	random, found := strings.CutPrefix(text, prefix)
	b, err := base64.RawURLEncoding.Strict().DecodeString(random)
	return found && err == nil && len(b) == credentialBytes
}

const maxNameLength = 1024

// CreateUser makes an account with an empty root folder. An address that has
// one already, in any case, is ErrExists; an unusable name or address is
// ErrInvalid.
func (s *Store) CreateUser(ctx context.Context, name, email string) (User, error) {
	name, email, err := checkAccount(name, email)
	if err != nil {
		return User{}, err
	}
	var user User
	err = s.InTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			INSERT INTO drive.users (id, name, email)
			VALUES (@id, @name, @email)
			ON CONFLICT DO NOTHING -- a violated constraint would put the address into the log of Postgres
			RETURNING id, name, email, created_at, disabled_at`,
			pgx.NamedArgs{"id": newUserID(), "name": name, "email": email})
		if err != nil {
			return err
		}
		if user, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[User]); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO drive.files (id, owner_id, name, mime_type, link_key)
			VALUES (@id, @owner, 'My Drive', @folder, @key)`,
			pgx.NamedArgs{"id": newRootID(), "owner": user.ID, "folder": FolderType, "key": newLinkKey()})
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fmt.Errorf("create drive user %s: %w", email, ErrExists)
	}
	if err != nil {
		return User{}, fmt.Errorf("create drive user: %w", err)
	}
	return user, nil
}

// OpenAccount is CreateUser, and makes a bearer token without end for the account. tx may be
// of a login that may do nothing else with the drive.
func OpenAccount(ctx context.Context, tx pgx.Tx, name, email string) (token string, err error) {
	if name, email, err = checkAccount(name, email); err != nil {
		return "", err
	}
	token = newToken()
	var opened bool
	err = tx.QueryRow(ctx, `
		SELECT drive.open_account(@id, @name, @email, @root, @key, @token)`,
		pgx.NamedArgs{"id": newUserID(), "name": name, "email": email, "root": newRootID(), "key": newLinkKey(), "token": Hash(token)}).Scan(&opened)
	switch {
	case err != nil:
		return "", fmt.Errorf("open drive account: %w", err)
	case !opened:
		return "", fmt.Errorf("open drive account of %s: %w", email, ErrExists)
	}
	return token, nil
}

func newUserID() string  { return "usr_" + secret(12) }
func newRootID() string  { return "0" + secret(14) }
func newLinkKey() string { return secret(16) }
func newToken() string   { return tokenPrefix + secret(credentialBytes) }

// checkAccount returns the name and the address of a new account as they are stored.
func checkAccount(name, email string) (string, string, error) {
	name, email = strings.TrimSpace(name), strings.TrimSpace(email)
	if at, err := mail.ParseAddress(email); err != nil || at.Address != email || len(email) > 254 {
		return "", "", fmt.Errorf("create drive user: email %q is not an address such as ada@example.com: %w", email, ErrInvalid)
	}
	if name == "" {
		name = email
	}
	if len(name) > maxNameLength || !isStorable(name) {
		return "", "", fmt.Errorf("create drive user: name must be at most %d bytes of text: %w", maxNameLength, ErrInvalid)
	}
	return name, email, nil
}

// UserByEmail finds an account by its address in any case; ErrNotFound if
// there is none.
func (s *Store) UserByEmail(ctx context.Context, email string) (User, error) {
	return s.user(ctx, `
		SELECT id, name, email, created_at, disabled_at
		FROM drive.users
		WHERE lower(email) = lower(@key)`, strings.TrimSpace(email))
}

// UserByID finds an account; ErrNotFound if there is none.
func (s *Store) UserByID(ctx context.Context, id string) (User, error) {
	return s.user(ctx, `
		SELECT id, name, email, created_at, disabled_at
		FROM drive.users
		WHERE id = @key`, id)
}

// Users lists all accounts in the order of their creation.
func (s *Store) Users(ctx context.Context) ([]User, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT id, name, email, created_at, disabled_at
		FROM drive.users
		ORDER BY created_at, id`)
	if err != nil {
		return nil, fmt.Errorf("list drive users: %w", err)
	}
	users, err := pgx.CollectRows(rows, pgx.RowToStructByName[User])
	if err != nil {
		return nil, fmt.Errorf("list drive users: %w", err)
	}
	return users, nil
}

// UserByToken finds whose bearer token it is; ErrNotFound for an unknown,
// revoked or expired one, and one of a disabled account. It asks the database each time.
func (s *Store) UserByToken(ctx context.Context, token string) (User, error) {
	if s.drafts != nil {
		return s.UserByID(ctx, token)
	}
	return s.user(ctx, `
		SELECT u.id, u.name, u.email, u.created_at, u.disabled_at
		FROM drive.tokens t
		JOIN drive.users u ON u.id = t.user_id
		WHERE t.sha256 = @key AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.disabled_at IS NULL`, Hash(token))
}

func (s *Store) user(ctx context.Context, query string, key any) (User, error) {
	rows, err := s.pool.Query(ctx, query, pgx.NamedArgs{"key": key})
	if err != nil {
		return User{}, fmt.Errorf("find drive user: %w", err)
	}
	user, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[User])
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fmt.Errorf("find drive user: %w", ErrNotFound)
	}
	if err != nil {
		return User{}, fmt.Errorf("find drive user: %w", err)
	}
	return user, nil
}

// DisableUser has an account's credentials open nothing, those of uploads under way
// included; off: false takes that back. A Server that has just seen a token takes it
// for two seconds more. Files and their links stay. An unknown id is ErrNotFound.
func (s *Store) DisableUser(ctx context.Context, userID string, off bool) error {
	tag, err := s.pool.Exec(ctx, `
		UPDATE drive.users
		SET disabled_at = CASE WHEN @off THEN coalesce(disabled_at, now()) END
		WHERE id = @id`, pgx.NamedArgs{"id": userID, "off": off})
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("disable drive user %s: %w", userID, err)
	}
	return nil
}

// CreateToken makes a bearer token without end for the user. It is returned this
// once; only its SHA-256 is stored.
func (s *Store) CreateToken(ctx context.Context, userID string) (string, error) {
	return s.CreateTokenUntil(ctx, userID, time.Time{})
}

// RevokeToken ends one bearer or refresh token, and with a bearer token the uploads
// that it began; a Server that has just seen it
// takes it for two seconds more. Revoking it again changes nothing. An unknown
// token is ErrNotFound.
func (s *Store) RevokeToken(ctx context.Context, token string) error {
	var revoked int
	err := s.pool.QueryRow(ctx, `
		WITH bearer AS (
			UPDATE drive.tokens SET revoked_at = coalesce(revoked_at, now()) WHERE sha256 = @sha256 RETURNING 1
		), refresh AS (
			UPDATE drive.refresh_tokens SET revoked_at = coalesce(revoked_at, now()) WHERE sha256 = @sha256 RETURNING 1
		)
		SELECT (SELECT count(*) FROM bearer) + (SELECT count(*) FROM refresh)`,
		pgx.NamedArgs{"sha256": Hash(token)}).Scan(&revoked)
	if err != nil {
		return fmt.Errorf("revoke drive token: %w", err)
	}
	if revoked == 0 {
		return fmt.Errorf("revoke drive token: %w", ErrNotFound)
	}
	return nil
}

// RevokeTokens ends all that a user can come with – bearer tokens, refresh
// tokens, service keys and the addresses of uploads under way – and says how
// many of the first three were in force.
func (s *Store) RevokeTokens(ctx context.Context, userID string) (int64, error) {
	var revoked int64
	err := s.pool.QueryRow(ctx, `
		WITH bearer AS (
			UPDATE drive.tokens SET revoked_at = now()
			WHERE user_id = @user AND revoked_at IS NULL
			RETURNING expires_at
		), refresh AS (
			UPDATE drive.refresh_tokens SET revoked_at = now() WHERE user_id = @user AND revoked_at IS NULL RETURNING 1
		), keys AS (
			UPDATE drive.service_keys SET revoked_at = now() WHERE user_id = @user AND revoked_at IS NULL RETURNING 1
		), uploads AS (
			DELETE FROM drive.uploads WHERE owner_id = @user
		)
		SELECT (SELECT count(*) FROM bearer WHERE expires_at IS NULL OR expires_at > now())
			+ (SELECT count(*) FROM refresh) + (SELECT count(*) FROM keys)`,
		pgx.NamedArgs{"user": userID}).Scan(&revoked)
	if err != nil {
		return 0, fmt.Errorf("revoke drive tokens of %s: %w", userID, err)
	}
	return revoked, nil
}
