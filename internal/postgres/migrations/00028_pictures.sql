-- +goose Up

-- Pictures that drives may read at signed addresses for some minutes, under the
-- SHA-256 of their content.
CREATE TABLE IF NOT EXISTS pictures (
    id         text        PRIMARY KEY,
    media_type text        NOT NULL,
    content    bytea       NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS pictures_expired ON pictures (expires_at);
