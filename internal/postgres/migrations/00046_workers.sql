-- +goose Up

-- The workers that are there, and how many open runs each takes. A row is
-- written again every few seconds, and what it says is worth nothing after a
-- crash: it is not logged.
CREATE UNLOGGED TABLE IF NOT EXISTS workers (
    id      text        PRIMARY KEY,
    carries integer     NOT NULL CHECK (carries > 0),
    seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Events are accepted into this table: they wait for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- The worker that claimed the automation last; NULL: one of the previous
-- release. It is not indexed: only open rows are asked, which are few.
ALTER TABLE automations ADD COLUMN IF NOT EXISTS claimed_by text;
