-- +goose NO TRANSACTION
-- Mails that the mail server took, and that came back.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE mails DROP CONSTRAINT IF EXISTS mails_state_check,
    ADD CONSTRAINT mails_state_check CHECK (state IN ('PENDING', 'SENT', 'PARTLY_SENT', 'FAILED', 'BOUNCED', 'NOT_SENT')) NOT VALID;
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS mails_missed;
DROP INDEX CONCURRENTLY IF EXISTS mails_open;
CREATE INDEX CONCURRENTLY mails_missed ON mails (ended_at) WHERE state IN ('FAILED', 'PARTLY_SENT', 'BOUNCED');
CREATE INDEX CONCURRENTLY mails_open ON mails (workflow_id, automation_id) WHERE state IN ('FAILED', 'PARTLY_SENT', 'BOUNCED', 'PENDING');
DROP INDEX CONCURRENTLY IF EXISTS mails_undelivered;
DROP INDEX CONCURRENTLY IF EXISTS mails_unsettled;
