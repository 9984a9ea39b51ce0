-- +goose Up

-- The API reads workflows all the time: it waits for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- The locale of numbers, dates and words in what the workflow makes; empty: English.
ALTER TABLE workflows ADD COLUMN IF NOT EXISTS locale text NOT NULL DEFAULT '';
