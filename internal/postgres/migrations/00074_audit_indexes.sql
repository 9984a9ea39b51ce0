-- +goose NO TRANSACTION
-- +goose Up

-- Operators look for what a user did, and for what was done to a workflow.
DROP INDEX CONCURRENTLY IF EXISTS audit_actor;
CREATE INDEX CONCURRENTLY audit_actor ON audit (actor_id, at, id);
DROP INDEX CONCURRENTLY IF EXISTS audit_workflow;
CREATE INDEX CONCURRENTLY audit_workflow ON audit (workflow_id, at, id) WHERE workflow_id <> '';
