-- +goose NO TRANSACTION
-- An output and an attempt have one event for each receiver.
-- +goose Up
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS events_output ON events (output_id, attempt, receiver_id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS events_batch_receiver ON events (batch_id, attempt, receiver_id) WHERE batch_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_receiver ON events (receiver_id, created_at, id) WHERE receiver_id <> '';
DROP INDEX CONCURRENTLY IF EXISTS events_batch;
SET lock_timeout = '5s';
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_output_id_attempt_key;
RESET lock_timeout;
