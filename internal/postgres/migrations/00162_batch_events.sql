-- +goose NO TRANSACTION
-- Events about batches. One belongs to the automation of a row, whose key encrypts receivers'
-- answers, and to no output. Its payload has no source data, and is not encrypted. attempt is
-- that of the batch.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE events ADD COLUMN IF NOT EXISTS batch_id text;
ALTER TABLE events ALTER COLUMN output_id DROP NOT NULL;
RESET lock_timeout;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS events_batch ON events (batch_id, attempt) WHERE batch_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_batch_automation ON events (automation_id) WHERE batch_id IS NOT NULL;
