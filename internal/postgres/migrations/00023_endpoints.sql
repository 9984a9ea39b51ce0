-- +goose NO TRANSACTION
-- +goose Up

-- Where events go: one row for each address that an owner's events are sent
-- to, changed twice by each attempt and read by no index but its key, so that
-- its versions stay on one page.
CREATE TABLE IF NOT EXISTS endpoints (
    owner_id      text        NOT NULL,
    url_hash      bytea       NOT NULL CHECK (octet_length(url_hash) = 32),
    in_flight     jsonb       NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(in_flight) = 'array'),
    failures      integer     NOT NULL DEFAULT 0, -- in a row
    failing_since timestamptz,
    rests         integer     NOT NULL DEFAULT 0, -- since it last took an event
    rests_until   timestamptz,
    slowed        boolean     NOT NULL DEFAULT false,
    turn          timestamptz, -- the last that was given to an event that waits
    took          interval    NOT NULL DEFAULT '0',
    disabled      text        NOT NULL DEFAULT '', -- why; empty: in use
    disabled_at   timestamptz,
    PRIMARY KEY (owner_id, url_hash)
) WITH (fillfactor = 50);

-- HELD events, and why they are. Rows that are there hold to the new
-- constraint, because the old one was narrower.
ALTER TABLE events
    ADD COLUMN IF NOT EXISTS reason text NOT NULL DEFAULT '',
    DROP CONSTRAINT IF EXISTS events_state_check,
    ADD CONSTRAINT events_state_check CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED', 'HELD')) NOT VALID;
ALTER TABLE events VALIDATE CONSTRAINT events_state_check;

DROP INDEX CONCURRENTLY IF EXISTS events_held;
CREATE INDEX CONCURRENTLY events_held ON events (workflow_id, automation_id) WHERE state = 'HELD';
