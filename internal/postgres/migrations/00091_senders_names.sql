-- +goose NO TRANSACTION
-- +goose Up

-- Events are accepted all the time: they wait for the lock no longer than this. The
-- migration is tried again then.
SET lock_timeout = '200ms';

-- The sender's name of the event, encrypted with the data key, and the automation that had
-- the name before one that is skipped for it.
ALTER TABLE automations ADD COLUMN IF NOT EXISTS event_key bytea;
ALTER TABLE automations ADD COLUMN IF NOT EXISTS key_taken_by text;

-- Owners are also told of mails that did not go out, and of events that came under the name
-- of another.
ALTER TABLE notices DROP CONSTRAINT IF EXISTS notices_kind_check;
ALTER TABLE notices ADD CONSTRAINT notices_kind_check CHECK (kind IN ('failures', 'receiver', 'connection', 'mails', 'keys'));

RESET lock_timeout;

-- Ids that senders gave their requests, without those that were made for them.
DROP INDEX CONCURRENTLY IF EXISTS automations_request;
CREATE INDEX CONCURRENTLY automations_request ON automations (workflow_id, request_id, accepted_at, id) WHERE request_id NOT LIKE 'req\_%';

-- Events that came under the name of another.
DROP INDEX CONCURRENTLY IF EXISTS automations_key_taken;
CREATE INDEX CONCURRENTLY automations_key_taken ON automations (key_taken_by) WHERE key_taken_by IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS automations_key_reused;
CREATE INDEX CONCURRENTLY automations_key_reused ON automations (finished_at) WHERE reason = 'KEY_REUSED';
