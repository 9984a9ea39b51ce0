-- +goose Up

-- Callers are found in this table: they wait for the lock no longer than this, behind a
-- transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- Since when a user is an operator, who sees the operators' pages. A command sets it, and
-- no role of a program may.
ALTER TABLE users ADD COLUMN IF NOT EXISTS operator_since timestamptz;

-- What a worker says of itself; NULL: one of the previous release.
ALTER TABLE workers ADD COLUMN IF NOT EXISTS build text;
ALTER TABLE workers ADD COLUMN IF NOT EXISTS retention_data interval;
ALTER TABLE workers ADD COLUMN IF NOT EXISTS retention_outputs interval;
