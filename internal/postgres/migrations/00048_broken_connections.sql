-- +goose Up

-- Since when the drive accepts a connection no more, and why. A connection that
-- was stored after that is not broken: the previous release stores one without
-- these columns.
ALTER TABLE drive_connections ADD COLUMN IF NOT EXISTS broken_at timestamptz;
ALTER TABLE drive_connections ADD COLUMN IF NOT EXISTS broken_reason text;
