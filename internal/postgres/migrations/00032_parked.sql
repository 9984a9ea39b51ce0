-- +goose NO TRANSACTION
-- +goose Up

-- When a run began to wait for something outside and left the count of open
-- runs, and what it waits for: an object of waits by the ids of what waits.
ALTER TABLE automations
    ADD COLUMN IF NOT EXISTS parked_at timestamptz,
    ADD COLUMN IF NOT EXISTS waits jsonb NOT NULL DEFAULT '{}';

-- One of the owner's runs waits or has failed, for a reason that may hold for
-- the next, too: no run of the owner starts before paused_until, and one at a
-- time before alone_until. served is how many were started since the owner last
-- rested, with those that were under way then; held is how many of these were open.
ALTER TABLE turns
    ADD COLUMN IF NOT EXISTS served integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS held integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS paused_until timestamptz,
    ADD COLUMN IF NOT EXISTS alone_until timestamptz;

-- What counts against the limit of open runs, and apart from it what is parked.
DROP INDEX CONCURRENTLY IF EXISTS automations_under_way;
CREATE INDEX CONCURRENTLY automations_under_way ON automations (owner_id, parked_at) WHERE state = 'RUNNING' OR leased_until IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS automations_open;
