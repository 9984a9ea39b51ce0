-- +goose NO TRANSACTION
-- Mail servers of owners, by which mails about their documents leave.
-- +goose Up
SET lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS mail_senders (
    id            text        PRIMARY KEY,
    owner_id      text        NOT NULL REFERENCES users (id),
    name          text        NOT NULL,
    settings      jsonb       NOT NULL, -- all but the password
    password      bytea,                -- sealed; null: none
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    tested_at     timestamptz,
    failing_since timestamptz,          -- null: the last attempt did not fail at the server
    code          text        NOT NULL DEFAULT '',
    message       text        NOT NULL DEFAULT '',
    UNIQUE (owner_id, name)
);
RESET lock_timeout;
