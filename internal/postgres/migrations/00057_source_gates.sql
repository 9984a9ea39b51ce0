-- +goose Up

-- Each event reads sources: it waits for the lock no longer than this, behind a
-- transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- After a rotation the address before takes events along for a while.
ALTER TABLE sources ADD COLUMN IF NOT EXISTS previous_key_hash bytea CHECK (octet_length(previous_key_hash) = 32);
ALTER TABLE sources ADD COLUMN IF NOT EXISTS previous_until timestamptz;

-- What senders prove themselves by: JSON, sealed; null: by the address alone.
ALTER TABLE sources ADD COLUMN IF NOT EXISTS verification bytea;
