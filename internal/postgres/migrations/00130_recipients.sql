-- +goose NO TRANSACTION
-- What became of each recipient of a mail, and mails that some of them did not get.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE mails ADD COLUMN IF NOT EXISTS whom bytea, ADD COLUMN IF NOT EXISTS accepted integer NOT NULL DEFAULT 0,
    DROP CONSTRAINT IF EXISTS mails_state_check, ADD CONSTRAINT mails_state_check CHECK (state IN ('PENDING', 'SENT', 'PARTLY_SENT', 'FAILED', 'NOT_SENT')) NOT VALID;
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS mails_undelivered;
DROP INDEX CONCURRENTLY IF EXISTS mails_unsettled;
CREATE INDEX CONCURRENTLY mails_undelivered ON mails (ended_at) WHERE state IN ('FAILED', 'PARTLY_SENT');
CREATE INDEX CONCURRENTLY mails_unsettled ON mails (workflow_id, automation_id) WHERE state IN ('FAILED', 'PARTLY_SENT', 'PENDING');
DROP INDEX CONCURRENTLY IF EXISTS mails_failed;
DROP INDEX CONCURRENTLY IF EXISTS mails_unsent;
