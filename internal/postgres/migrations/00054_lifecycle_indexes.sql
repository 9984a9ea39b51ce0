-- +goose NO TRANSACTION
-- +goose Up

-- Automations whose data is still there, in the order in which they ended.
DROP INDEX CONCURRENTLY IF EXISTS automations_data;
CREATE INDEX CONCURRENTLY automations_data ON automations (finished_at) WHERE finished_at IS NOT NULL AND data_erased_at IS NULL;

-- Those whose data is gone and whose outputs are not.
DROP INDEX CONCURRENTLY IF EXISTS automations_outputs;
CREATE INDEX CONCURRENTLY automations_outputs ON automations (finished_at) WHERE data_erased_at IS NOT NULL AND erase_requested_at IS NULL;

-- Erasures that are not done.
DROP INDEX CONCURRENTLY IF EXISTS automations_erasures;
CREATE INDEX CONCURRENTLY automations_erasures ON automations (erase_due_at) WHERE erase_due_at IS NOT NULL;

-- Data that an earlier release stored as it was.
DROP INDEX CONCURRENTLY IF EXISTS automations_unsealed;
CREATE INDEX CONCURRENTLY automations_unsealed ON automations (id) WHERE data_key IS NULL AND data_erased_at IS NULL AND finished_at IS NOT NULL;
