-- +goose NO TRANSACTION
-- No two outputs are stored under one path of a target at the same time: what stands there is
-- looked for before, and not each server refuses to replace it.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE placements ADD COLUMN IF NOT EXISTS storing bytea; -- SHA-256 of the path; null: nothing is under way
RESET lock_timeout;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS placements_storing ON placements (target_id, storing) WHERE storing IS NOT NULL;
-- Lists by state find those that are stored by their automations, too.
CREATE INDEX CONCURRENTLY IF NOT EXISTS placements_automations ON placements (automation_id);
DROP INDEX CONCURRENTLY IF EXISTS placements_automation;
