-- +goose NO TRANSACTION
-- What the sender of an event calls the automation.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE automations ADD COLUMN IF NOT EXISTS reference text NOT NULL DEFAULT '';
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS automations_reference; -- one that was cut off is there, and of no use
CREATE INDEX CONCURRENTLY automations_reference ON automations (workflow_id, reference, accepted_at, id) WHERE reference <> '';
