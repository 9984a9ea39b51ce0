-- +goose Up

CREATE TABLE teams (
    id         text        PRIMARY KEY,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
    id         text        PRIMARY KEY,
    name       text        NOT NULL,
    email      text        NOT NULL,
    team_id    text        REFERENCES teams (id),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX users_email ON users (lower(email));

-- The text of a token is stored nowhere.
CREATE TABLE tokens (
    id           text        PRIMARY KEY,
    user_id      text        NOT NULL REFERENCES users (id),
    name         text        NOT NULL,
    hash         bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);

CREATE INDEX tokens_user ON tokens (user_id);

-- One drive for each user; the secret is sealed.
CREATE TABLE drive_connections (
    user_id    text        PRIMARY KEY REFERENCES users (id),
    kind       text        NOT NULL CHECK (kind IN ('token', 'refresh_token', 'service_account')),
    subject    text        NOT NULL,
    secret     bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
