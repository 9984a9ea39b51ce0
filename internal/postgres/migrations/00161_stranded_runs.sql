-- +goose NO TRANSACTION
-- When a worker said a word, also one that takes no new runs (seen_at is '-infinity' then).
-- Programs of before write seen_at alone.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE workers ADD COLUMN IF NOT EXISTS alive_at timestamptz;
RESET lock_timeout;
