-- +goose NO TRANSACTION
-- +goose Up

-- Claims write these tables all the time: they wait for a lock no longer than this. The
-- migration is tried again then.
SET lock_timeout = '200ms';

-- What turns is for owners, of each workflow. A run of the workflow waits or has failed,
-- for a reason that may hold for the next, too: none starts before paused_until, and one
-- at a time before alone_until.
CREATE TABLE IF NOT EXISTS workflow_turns (
    workflow_id  text        PRIMARY KEY,
    served_at    timestamptz NOT NULL,
    served       integer     NOT NULL DEFAULT 0,
    held         integer     NOT NULL DEFAULT 0,
    paused_until timestamptz,
    alone_until  timestamptz
) WITH (fillfactor = 50);

-- The workflow of the owner that was served last, and when another of theirs was.
ALTER TABLE turns
    ADD COLUMN IF NOT EXISTS workflow_id text,
    ADD COLUMN IF NOT EXISTS other_at timestamptz,
    DROP COLUMN IF EXISTS paused_until,
    DROP COLUMN IF EXISTS alone_until;

-- Claims go from workflow to workflow (automations_waiting_workflow).
DROP INDEX CONCURRENTLY IF EXISTS automations_waiting;

RESET lock_timeout;
