-- +goose NO TRANSACTION
-- Automations of one key that have not ended.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE automations VALIDATE CONSTRAINT automations_state_check;
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS automations_order; -- one that was cut off is there, and of no use
CREATE INDEX CONCURRENTLY automations_order ON automations (order_key, workflow_id, state, order_number) WHERE order_number IS NOT NULL AND finished_at IS NULL;
