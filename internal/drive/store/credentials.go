package store

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// refreshPrefix makes refresh tokens recognisable to secret scanners.
const refreshPrefix = "drr_"

// credentialBytes are the random bytes of a bearer token and of a refresh token.
const credentialBytes = 32

// serviceKeyBits is the length of the keys that are made here, and the least
// of those that are taken.
const serviceKeyBits = 2048

// CreateTokenUntil makes a bearer token; the zero time means without end.
func (s *Store) CreateTokenUntil(ctx context.Context, userID string, expires time.Time) (string, error) {
	token := newToken()
	return token, s.keepCredential(ctx, "token", `
		INSERT INTO drive.tokens (sha256, user_id, expires_at)
		SELECT @sha256, id, @expires::timestamptz FROM drive.users WHERE id = @user`,
		pgx.NamedArgs{"sha256": Hash(token), "user": userID, "expires": orNull(expires)})
}

// CreateRefreshToken makes an OAuth refresh token for the user, which
// POST /token takes for bearer tokens of an hour. It is returned this once;
// only its SHA-256 is stored.
func (s *Store) CreateRefreshToken(ctx context.Context, userID string) (string, error) {
	token := refreshPrefix + secret(credentialBytes)
	return token, s.keepCredential(ctx, "refresh token", `
		INSERT INTO drive.refresh_tokens (sha256, user_id)
		SELECT @sha256, id FROM drive.users WHERE id = @user`,
		pgx.NamedArgs{"sha256": Hash(token), "user": userID})
}

// CreateServiceKey makes a key pair for the user as a service account. The
// private half is returned this once, as PKCS #8 in PEM; only the public half
// is stored. id names the key.
func (s *Store) CreateServiceKey(ctx context.Context, userID string) (id string, private []byte, err error) {
	key, err := rsa.GenerateKey(rand.Reader, serviceKeyBits)
	if err != nil {
		return "", nil, fmt.Errorf("make service key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", nil, fmt.Errorf("make service key: %w", err)
	}
	id, err = s.keepServiceKey(ctx, userID, &key.PublicKey)
	return id, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}

// AddServiceKey registers the public half of an RSA key, of 2048 bits at least
// and in PEM (PKIX), whose assertions POST /token takes for the user. Anything
// else is ErrInvalid.
func (s *Store) AddServiceKey(ctx context.Context, userID string, public []byte) (id string, err error) {
	block, _ := pem.Decode(public)
	if block == nil {
		return "", fmt.Errorf("the service key must be a public key in PEM, such as 'openssl rsa -pubout' writes: %w", ErrInvalid)
	}
	key, err := rsaKey(block.Bytes)
	if err != nil {
		return "", fmt.Errorf("service key: %v: %w", err, ErrInvalid)
	}
	return s.keepServiceKey(ctx, userID, key)
}

func (s *Store) keepServiceKey(ctx context.Context, userID string, key *rsa.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", fmt.Errorf("encode service key: %w", err)
	}
	id := "key_" + secret(12)
	return id, s.keepCredential(ctx, "service key", `
		INSERT INTO drive.service_keys (id, user_id, public_key)
		SELECT @id, id, @key FROM drive.users WHERE id = @user`,
		pgx.NamedArgs{"id": id, "user": userID, "key": der})
}

func (s *Store) keepCredential(ctx context.Context, what, insert string, args pgx.NamedArgs) error {
	tag, err := s.pool.Exec(ctx, insert, args)
	if err != nil {
		return fmt.Errorf("create drive %s: %w", what, err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("create drive %s for user %s: %w", what, args["user"], ErrNotFound)
	}
	return nil
}

func rsaKey(der []byte) (*rsa.PublicKey, error) {
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	key, ok := public.(*rsa.PublicKey)
	if !ok || key.Size() < serviceKeyBits/8 || key.Size() > 8192/8 {
		return nil, fmt.Errorf("it must be an RSA key of %d to 8192 bits", serviceKeyBits)
	}
	return key, nil
}

// UserByRefreshToken finds whose refresh token it is; ErrNotFound for an
// unknown or revoked one.
func (s *Store) UserByRefreshToken(ctx context.Context, token string) (User, error) {
	return s.user(ctx, `
		SELECT u.id, u.name, u.email, u.created_at, u.disabled_at
		FROM drive.refresh_tokens t
		JOIN drive.users u ON u.id = t.user_id
		WHERE t.sha256 = @key AND t.revoked_at IS NULL AND u.disabled_at IS NULL`, Hash(token))
}

// ServiceKey is a key with whose assertions a user can come.
type ServiceKey struct {
	User
	PublicKey []byte `db:"public_key"`

	Public *rsa.PublicKey
}

// ServiceKeys lists the keys in force of the account with this address.
func (s *Store) ServiceKeys(ctx context.Context, email string) ([]ServiceKey, error) {
	if !isStorable(email) {
		return nil, nil
	}
	rows, err := s.pool.Query(ctx, `
		SELECT u.id, u.name, u.email, u.created_at, u.disabled_at, k.public_key
		FROM drive.service_keys k
		JOIN drive.users u ON u.id = k.user_id
		WHERE lower(u.email) = lower(@email) AND k.revoked_at IS NULL AND u.disabled_at IS NULL
		ORDER BY k.created_at DESC
		LIMIT 20`,
		pgx.NamedArgs{"email": email})
	if err != nil {
		return nil, fmt.Errorf("read service keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[ServiceKey])
	if err != nil {
		return nil, fmt.Errorf("read service keys: %w", err)
	}
	for i := range keys {
		if keys[i].Public, err = rsaKey(keys[i].PublicKey); err != nil {
			return nil, fmt.Errorf("read service key: %w", err)
		}
	}
	return keys, nil
}
