-- +goose NO TRANSACTION
-- +goose Up

-- Lists of one state that few have, in the order of the lists: without these, a page
-- of them reads everything that was ever made. Nothing that ends well is in them.
DROP INDEX CONCURRENTLY IF EXISTS automations_rare_ends;
CREATE INDEX CONCURRENTLY automations_rare_ends ON automations (workflow_id, state, accepted_at, id) WHERE state IN ('FAILED', 'SKIPPED', 'CANCELLED');

DROP INDEX CONCURRENTLY IF EXISTS outputs_failed;
CREATE INDEX CONCURRENTLY outputs_failed ON outputs (document_id, created_at, id) WHERE state = 'FAILED';
