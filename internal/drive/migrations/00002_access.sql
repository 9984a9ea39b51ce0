-- +goose Up
-- Bearer tokens that /token gives end by themselves; others have no end.
ALTER TABLE drive.tokens ADD COLUMN expires_at timestamptz;
CREATE INDEX tokens_expiry ON drive.tokens (expires_at) WHERE expires_at IS NOT NULL;

-- What a client exchanges for bearer tokens at /token.
CREATE TABLE drive.refresh_tokens (
    sha256     bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    user_id    text NOT NULL REFERENCES drive.users,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE INDEX refresh_tokens_user ON drive.refresh_tokens (user_id);

-- Public halves of the keys that sign a service account's assertions.
CREATE TABLE drive.service_keys (
    id         text PRIMARY KEY,
    user_id    text NOT NULL REFERENCES drive.users,
    -- PKIX, DER.
    public_key bytea NOT NULL CHECK (octet_length(public_key) <= 4096),
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE INDEX service_keys_user ON drive.service_keys (user_id);

-- What everybody who knows the file's id may do; NULL: nothing.
ALTER TABLE drive.files ADD COLUMN link_role text CHECK (link_role IN ('reader', 'commenter', 'writer'));
