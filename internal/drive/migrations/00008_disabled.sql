-- +goose Up

-- Each request reads accounts: it waits for the lock no longer than this, behind a
-- transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- A disabled account's credentials open nothing.
ALTER TABLE drive.users ADD COLUMN IF NOT EXISTS disabled_at timestamptz;

-- The bearer token that began the session, which ends with it; NULL: not known.
ALTER TABLE drive.uploads ADD COLUMN IF NOT EXISTS token_sha256 bytea;
