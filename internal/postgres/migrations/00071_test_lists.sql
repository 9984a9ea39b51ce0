-- +goose NO TRANSACTION
-- +goose Up

-- Lists of tests, in the order of the lists, without all that is none.
DROP INDEX CONCURRENTLY IF EXISTS automations_tests;
CREATE INDEX CONCURRENTLY automations_tests ON automations (workflow_id, accepted_at, id) WHERE test;

DROP INDEX CONCURRENTLY IF EXISTS outputs_tests;
CREATE INDEX CONCURRENTLY outputs_tests ON outputs (document_id, created_at, id) WHERE test;

DROP INDEX CONCURRENTLY IF EXISTS events_tests;
CREATE INDEX CONCURRENTLY events_tests ON events (workflow_id, created_at, id) WHERE test;
