-- +goose Up

-- Workflow, owner and team are copied from the workflow of the source when an
-- event is accepted, in the statement that reads them; a foreign key for each
-- would lock the same few parent rows once for every event.
CREATE TABLE automations (
    id           text        PRIMARY KEY,
    workflow_id  text        NOT NULL,
    source_id    text        NOT NULL REFERENCES sources (id),
    owner_id     text        NOT NULL,
    team_id      text,
    state        text        NOT NULL CHECK (state IN ('ACCEPTED', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED')),
    reason       text        NOT NULL DEFAULT '',
    attempt      integer     NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    body         bytea       NOT NULL,
    request_id   text        NOT NULL,
    accepted_at  timestamptz NOT NULL,
    started_at   timestamptz,
    finished_at  timestamptz,
    not_before   timestamptz, -- no start is tried earlier
    leased_until timestamptz, -- somebody is starting it
    CHECK (leased_until IS NULL OR state = 'ACCEPTED'),
    CHECK ((state IN ('COMPLETED', 'FAILED', 'SKIPPED')) = (finished_at IS NOT NULL)),
    CHECK ((state = 'SKIPPED') = (reason <> ''))
) WITH (
    -- Every row is updated three times within seconds and then rests: what the
    -- updates leave behind must not wait for a fifth of the table.
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.05
);

-- The queue: each owner's waiting automations, oldest first.
CREATE INDEX automations_waiting ON automations (owner_id, accepted_at, id) WHERE state = 'ACCEPTED';

-- What counts against the limit of open runs.
CREATE INDEX automations_open ON automations (owner_id) WHERE state = 'RUNNING' OR leased_until IS NOT NULL;

-- When each owner's automations were last claimed, so that owners take turns.
CREATE TABLE turns (
    owner_id  text        PRIMARY KEY,
    served_at timestamptz NOT NULL
);

-- The configuration that an automation was started with; passwords in it are
-- sealed one by one.
CREATE TABLE plans (
    automation_id text        PRIMARY KEY REFERENCES automations (id),
    plan          jsonb       NOT NULL,
    pinned_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE outputs (
    id             text        PRIMARY KEY,
    automation_id  text        NOT NULL REFERENCES automations (id),
    document_id    text        NOT NULL REFERENCES documents (id),
    state          text        NOT NULL CHECK (state IN ('PENDING', 'DONE', 'FAILED')),
    attempt        integer     NOT NULL, -- of the automation, when it last became PENDING
    generation     integer     NOT NULL,
    copy_begun     boolean     NOT NULL,
    copy           jsonb,
    fill_begun     boolean     NOT NULL,
    fill_ended     boolean     NOT NULL,
    missing_fields text[]      NOT NULL,
    pdf_id         text        NOT NULL,
    pdf_hashes     text[]      NOT NULL,
    pdf            jsonb,
    removed        boolean     NOT NULL,
    repeated       boolean     NOT NULL,
    failure_code   text        NOT NULL,
    failure        text        NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (automation_id, document_id)
);
