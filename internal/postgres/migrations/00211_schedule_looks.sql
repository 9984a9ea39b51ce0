-- +goose NO TRANSACTION
-- When a folder was listed that has more files than are looked at.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE schedules
    ADD COLUMN IF NOT EXISTS looked_at timestamptz; -- the moment for which the folder was listed, all of it (listed_at) or its newest files
RESET lock_timeout;
