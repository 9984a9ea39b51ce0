-- +goose Up

-- Each request reads tokens and users: it waits for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- What a token lets its user do; empty: everything. The previous release knows no
-- scopes: tokens that have some are made when it is gone.
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS scopes text[] NOT NULL DEFAULT '{}';

-- A disabled user's tokens are refused; a deleted one is nobody any more, and
-- stays as a row for what refers to it.
ALTER TABLE users ADD COLUMN IF NOT EXISTS disabled_at timestamptz;
ALTER TABLE users ADD COLUMN IF NOT EXISTS deleted_at timestamptz;
