-- +goose NO TRANSACTION
-- Owners are told of outputs that a target did not get.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE notices DROP CONSTRAINT IF EXISTS notices_kind_check;
ALTER TABLE notices ADD CONSTRAINT notices_kind_check CHECK (kind IN ('failures', 'receiver', 'connection', 'mails', 'keys', 'targets')) NOT VALID;
ALTER TABLE notices VALIDATE CONSTRAINT notices_kind_check;
RESET lock_timeout;
