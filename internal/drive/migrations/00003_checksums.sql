-- +goose Up

-- Uploads write to this table: they wait for the lock no longer than this, behind a
-- transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- NULL for content of an earlier release, until a sweep has read it.
ALTER TABLE drive.contents ADD COLUMN sha1 bytea;
