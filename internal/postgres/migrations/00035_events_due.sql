-- +goose NO TRANSACTION
-- +goose Up

-- When the next attempt to deliver an event is due; NULL: when it was made,
-- which is so for its first attempt and for rows of the previous release. The
-- index takes the place of one that nothing reads. Only an attempt that fails,
-- or an event that is looked after, changes what it holds.
ALTER TABLE events ADD COLUMN IF NOT EXISTS next_at timestamptz;
DROP INDEX CONCURRENTLY IF EXISTS events_due;
CREATE INDEX CONCURRENTLY events_due ON events (coalesce(next_at, created_at)) WHERE state = 'PENDING';
DROP INDEX CONCURRENTLY IF EXISTS events_pending;
