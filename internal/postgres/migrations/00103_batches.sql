-- Batches: files whose rows are source events.
-- +goose Up
SET LOCAL lock_timeout = '5s';

-- A batch is STORING until its last row is stored; nobody sees it before. counts is how many
-- rows ended in which state, once all have.
CREATE TABLE batches (
    id              text        PRIMARY KEY,
    workflow_id     text        NOT NULL REFERENCES workflows (id),
    user_id         text        NOT NULL, -- who sent it
    name            text        NOT NULL,
    state           text        NOT NULL CHECK (state IN ('STORING', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED')),
    test            boolean     NOT NULL,
    attempt         integer     NOT NULL DEFAULT 1,
    request_id      text        NOT NULL,
    row_count       integer     NOT NULL DEFAULT 0,
    counts          jsonb,
    created_at      timestamptz NOT NULL,
    touched_at      timestamptz NOT NULL DEFAULT now(), -- when a part of it was stored, or it was resumed
    finished_at     timestamptz,
    -- What a repeat of the request is known by: null, it is known by nothing.
    idempotency_key text,
    fingerprint     bytea
);
CREATE INDEX batches_workflow ON batches (workflow_id, created_at, id);
CREATE UNIQUE INDEX batches_key ON batches (workflow_id, user_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX batches_open ON batches (workflow_id, created_at, id) WHERE finished_at IS NULL;

-- A row is PENDING until it is moved into the queue under its automation_id, with its body
-- and the key of that, and is RUNNING until its automation has ended. RETRY is a row whose
-- automation failed and goes into the queue again. Rows have no foreign key to their batch:
-- it would lock the batch once for each of them.
CREATE TABLE batch_rows (
    batch_id      text        NOT NULL,
    number        integer     NOT NULL,
    automation_id text        NOT NULL UNIQUE,
    state         text        NOT NULL CHECK (state IN ('PENDING', 'RETRY', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')),
    data_key      bytea,      -- sealed; null: the row has begun, or never will
    body          bytea       NOT NULL, -- encrypted
    reference     text        NOT NULL DEFAULT '',
    ended_at      timestamptz,
    PRIMARY KEY (batch_id, number)
) WITH (
    -- Every row is updated twice and then rests.
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 5000
);
CREATE INDEX batch_rows_state ON batch_rows (batch_id, state) INCLUDE (ended_at);
CREATE INDEX batch_rows_waiting ON batch_rows (batch_id, number) WHERE state IN ('PENDING', 'RETRY');
