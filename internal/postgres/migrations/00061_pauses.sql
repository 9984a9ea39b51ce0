-- +goose NO TRANSACTION
-- +goose Up

-- What an operator holds: no automation of it starts until somebody resumes it.
CREATE TABLE IF NOT EXISTS pauses (
    scope     text NOT NULL CHECK (scope IN ('all', 'team', 'user', 'workflow')),
    id        text NOT NULL, -- of the team, the user or the workflow; empty: all
    reason    text NOT NULL, -- users read it
    paused_by text NOT NULL,
    paused_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, id)
);

-- Claims of an owner who has a paused workflow go from workflow to workflow: what waits
-- for one that is paused is not read for the others.
DROP INDEX CONCURRENTLY IF EXISTS automations_waiting_workflow;
CREATE INDEX CONCURRENTLY automations_waiting_workflow ON automations (owner_id, workflow_id, accepted_at, id) WHERE state = 'ACCEPTED';
