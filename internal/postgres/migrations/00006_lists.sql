-- +goose NO TRANSACTION
-- +goose Up

-- Indexes of the lists of /v0, made while events are accepted. One that was
-- interrupted is left behind invalid, so each is dropped first.
ALTER TABLE automations VALIDATE CONSTRAINT automations_state_check;
ALTER TABLE automations VALIDATE CONSTRAINT automations_finished_check;
ALTER TABLE documents VALIDATE CONSTRAINT documents_state_check;

DROP INDEX CONCURRENTLY IF EXISTS automations_workflow;
CREATE INDEX CONCURRENTLY automations_workflow ON automations (workflow_id, accepted_at, id);

DROP INDEX CONCURRENTLY IF EXISTS events_workflow;
CREATE INDEX CONCURRENTLY events_workflow ON events (workflow_id, created_at, id);

DROP INDEX CONCURRENTLY IF EXISTS documents_of_workflow;
CREATE INDEX CONCURRENTLY documents_of_workflow ON documents (workflow_id);

DROP INDEX CONCURRENTLY IF EXISTS outputs_document;
CREATE INDEX CONCURRENTLY outputs_document ON outputs (document_id, created_at, id);

-- Which removed documents still have outputs under way.
DROP INDEX CONCURRENTLY IF EXISTS outputs_pending;
CREATE INDEX CONCURRENTLY outputs_pending ON outputs (document_id) WHERE state = 'PENDING';
