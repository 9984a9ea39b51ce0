-- +goose Up

-- Events are accepted into this table: they wait for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- The key that the automation's source data, the payloads of its events and the
-- answers to them are encrypted with, itself sealed. NULL: they are as an earlier
-- release stored them, or erased. Erasing the key makes every copy unreadable.
ALTER TABLE automations ADD COLUMN IF NOT EXISTS data_key bytea;

-- When source data, payloads and answers were erased; NULL: they are there.
ALTER TABLE automations ADD COLUMN IF NOT EXISTS data_erased_at timestamptz;

-- Erasure of the whole run: who asked for it and when, when it is to be tried next,
-- and when it was done.
ALTER TABLE automations ADD COLUMN IF NOT EXISTS erase_requested_at timestamptz;
ALTER TABLE automations ADD COLUMN IF NOT EXISTS erase_requested_by text;
ALTER TABLE automations ADD COLUMN IF NOT EXISTS erase_due_at timestamptz;
ALTER TABLE automations ADD COLUMN IF NOT EXISTS erased_at timestamptz;

-- A receiver's answer, encrypted; answer is empty then.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS answer_sealed bytea;

-- Whether a worker reads encrypted source data. One of the previous release does
-- not say so.
ALTER TABLE workers ADD COLUMN IF NOT EXISTS opens_data boolean NOT NULL DEFAULT false;
