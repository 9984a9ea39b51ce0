-- +goose Up

-- The API reads documents all the time: it waits for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- Who may open outputs beside those whom their folder lets; empty: nobody.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS output_sharing text NOT NULL DEFAULT '' CHECK (output_sharing IN ('', 'folder', 'domain', 'anyone'));
