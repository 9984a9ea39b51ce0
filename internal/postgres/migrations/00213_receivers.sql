-- +goose NO TRANSACTION
-- Receivers, which get events of a workflow by rules, beside its outgoing webhook. Each has an
-- event of its own. The receiver is empty of those that go to the outgoing webhook or to the
-- test receiver.
-- +goose Up
SET lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS receivers (
    id              text        PRIMARY KEY,
    workflow_id     text        NOT NULL REFERENCES workflows (id),
    name            text        NOT NULL,
    url             text        NOT NULL,
    events          text[]      NOT NULL, -- the types that it gets
    condition       text        NOT NULL DEFAULT '',
    secret          bytea       NOT NULL, -- sealed
    -- After a rotation the previous secret signs along until previous_until.
    previous_secret bytea, -- sealed
    previous_until  timestamptz,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    UNIQUE (workflow_id, name)
);
-- An event stays when its receiver is deleted.
ALTER TABLE events ADD COLUMN IF NOT EXISTS receiver_id text NOT NULL DEFAULT '';
RESET lock_timeout;
