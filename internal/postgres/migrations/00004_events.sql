-- +goose Up

-- One event for each output and attempt: an output that failed and is made by
-- a retry tells of both.
CREATE TABLE events (
    id            text        PRIMARY KEY,
    workflow_id   text        NOT NULL REFERENCES workflows (id),
    automation_id text        NOT NULL REFERENCES automations (id),
    output_id     text        NOT NULL REFERENCES outputs (id),
    attempt       integer     NOT NULL,
    type          text        NOT NULL,
    payload       bytea       NOT NULL, -- sent byte for byte
    state         text        NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED')),
    created_at    timestamptz NOT NULL,
    UNIQUE (output_id, attempt)
);

CREATE INDEX events_pending ON events (created_at) WHERE state = 'PENDING';

CREATE TABLE deliveries (
    event_id    text        NOT NULL REFERENCES events (id),
    attempt     integer     NOT NULL CHECK (attempt >= 1),
    at          timestamptz NOT NULL,
    duration    interval    NOT NULL,
    status      integer     NOT NULL,
    failure     text        NOT NULL, -- empty: delivered
    answer      text        NOT NULL,
    retry_after interval    NOT NULL,
    PRIMARY KEY (event_id, attempt)
);
