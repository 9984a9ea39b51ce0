-- +goose NO TRANSACTION
-- Owners get a mail when the server of a mail sender fails.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE notices DROP CONSTRAINT IF EXISTS notices_kind_check;
ALTER TABLE notices ADD CONSTRAINT notices_kind_check CHECK (kind IN ('failures', 'receiver', 'connection', 'mails', 'keys', 'targets', 'schedules', 'usage', 'senders')) NOT VALID;
ALTER TABLE notices VALIDATE CONSTRAINT notices_kind_check;
RESET lock_timeout;
