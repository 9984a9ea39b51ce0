-- +goose NO TRANSACTION
-- Until when the link of a mail opens its output.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE mails ADD COLUMN IF NOT EXISTS link_until timestamptz;
RESET lock_timeout;
