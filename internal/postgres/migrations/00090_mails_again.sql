-- +goose NO TRANSACTION
-- +goose Up

-- Workers write these tables all the time: they wait for a lock no longer than this. The
-- migration is tried again then.
SET lock_timeout = '200ms';

-- An output may be sent again. The mail of its automation has number 1 and the id of the
-- output; each further one has its number behind it.
ALTER TABLE mails ADD COLUMN IF NOT EXISTS id text;
ALTER TABLE mails ADD COLUMN IF NOT EXISTS number integer NOT NULL DEFAULT 1;
-- Whom a further one goes to, encrypted with the automation's data key. NULL: the document
-- says it.
ALTER TABLE mails ADD COLUMN IF NOT EXISTS sent_to bytea;
ALTER TABLE mails ADD COLUMN IF NOT EXISTS workflow_id text;
-- When it was sent or given up.
ALTER TABLE mails ADD COLUMN IF NOT EXISTS ended_at timestamptz;
UPDATE mails m SET id = m.output_id, workflow_id = a.workflow_id FROM automations a WHERE a.id = m.automation_id AND m.id IS NULL;
UPDATE mails SET ended_at = coalesce(sent_at, tried_at, created_at) WHERE state <> 'PENDING' AND ended_at IS NULL;
ALTER TABLE mails DROP CONSTRAINT IF EXISTS mails_pkey;
ALTER TABLE mails ADD PRIMARY KEY (id);
ALTER TABLE mails ALTER COLUMN workflow_id SET NOT NULL;

ALTER TABLE errands DROP CONSTRAINT IF EXISTS errands_kind_check;
ALTER TABLE errands ADD CONSTRAINT errands_kind_check CHECK (kind IN ('CANCEL', 'DELIVER', 'WAKE', 'MAIL'));

RESET lock_timeout;

DROP INDEX CONCURRENTLY IF EXISTS mails_of_output;
CREATE UNIQUE INDEX CONCURRENTLY mails_of_output ON mails (output_id, number);

-- Mails of a workflow that did not go out, and all that failed by time, without those that
-- went.
DROP INDEX CONCURRENTLY IF EXISTS mails_unsent;
CREATE INDEX CONCURRENTLY mails_unsent ON mails (workflow_id, automation_id) WHERE state IN ('FAILED', 'PENDING');
DROP INDEX CONCURRENTLY IF EXISTS mails_failed;
CREATE INDEX CONCURRENTLY mails_failed ON mails (ended_at) WHERE state = 'FAILED';
