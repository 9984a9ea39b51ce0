-- +goose NO TRANSACTION
-- The outputs that a mail brings, where it brings those of all documents of its run.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE mails ADD COLUMN IF NOT EXISTS outputs text[];
RESET lock_timeout;
