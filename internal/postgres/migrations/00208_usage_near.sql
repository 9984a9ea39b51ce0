-- +goose NO TRANSACTION
-- When an owner had four in five of the documents of a month, and when all of them. The owner
-- gets a mail about each.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE usage_limits
    ADD COLUMN IF NOT EXISTS near_at    timestamptz,
    ADD COLUMN IF NOT EXISTS reached_at timestamptz;
ALTER TABLE notices DROP CONSTRAINT IF EXISTS notices_kind_check;
ALTER TABLE notices ADD CONSTRAINT notices_kind_check CHECK (kind IN ('failures', 'receiver', 'connection', 'mails', 'keys', 'targets', 'schedules', 'usage')) NOT VALID;
ALTER TABLE notices VALIDATE CONSTRAINT notices_kind_check;
RESET lock_timeout;
