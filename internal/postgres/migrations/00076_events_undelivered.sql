-- +goose NO TRANSACTION
-- +goose Up

-- Events of a workflow that are not delivered, by state and time: their lists, and how many
-- there are of each state since a time. Delivered ones, the most by far, are not in it.
DROP INDEX CONCURRENTLY IF EXISTS events_undelivered;
CREATE INDEX CONCURRENTLY events_undelivered ON events (workflow_id, state, created_at, id) WHERE state IN ('PENDING', 'FAILED', 'HELD');
