-- +goose NO TRANSACTION
-- A mail that waits while the server of its sender is left alone.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE mails ADD COLUMN IF NOT EXISTS held_at timestamptz; -- exact to ten minutes; null: it was not held
RESET lock_timeout;
