-- +goose NO TRANSACTION
-- Indexes of what 00174 separates.
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS batch_rows_running ON batch_rows (batch_id, automation_id) WHERE state = 'RUNNING' AND NOT waits;
CREATE INDEX CONCURRENTLY IF NOT EXISTS batch_rows_in_review ON batch_rows (batch_id) WHERE waits;
CREATE INDEX CONCURRENTLY IF NOT EXISTS reviews_asked ON reviews (requested_at) WHERE verdict = '' AND next_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS reviews_unsent ON reviews (requested_at) WHERE verdict = '' AND next_at IS NOT NULL AND unsent <> '';
