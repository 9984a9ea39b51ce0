-- +goose NO TRANSACTION
-- A target that fails is left alone for a while. What waits for it says until when, and a test
-- that succeeds ends the pause.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE targets ADD COLUMN IF NOT EXISTS tested_at timestamptz; -- when a test of it last succeeded
ALTER TABLE placements ADD COLUMN IF NOT EXISTS next_at timestamptz; -- until when its target is left alone
RESET lock_timeout;
