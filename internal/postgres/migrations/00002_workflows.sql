-- +goose Up

CREATE TABLE workflows (
    id             text        PRIMARY KEY,
    owner_id       text        NOT NULL REFERENCES users (id),
    team_id        text        REFERENCES teams (id),
    name           text        NOT NULL,
    color          text        NOT NULL,
    icon           text        NOT NULL,
    status         text        NOT NULL CHECK (status IN ('INCOMPLETE', 'COMPLETE', 'ARCHIVED')),
    auto_create    boolean     NOT NULL,
    created_by_api boolean     NOT NULL,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL
);

CREATE INDEX workflows_owner ON workflows (owner_id, created_at, id);
CREATE INDEX workflows_team ON workflows (team_id, created_at, id) WHERE team_id IS NOT NULL;

-- The key is a credential: sealed, and found by its hash.
CREATE TABLE sources (
    id           text    PRIMARY KEY,
    workflow_id  text    NOT NULL UNIQUE REFERENCES workflows (id),
    type         text    NOT NULL CHECK (type = 'WEBHOOK'),
    key          bytea   NOT NULL,
    key_hash     bytea   NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    fields       jsonb   NOT NULL CHECK (jsonb_typeof(fields) = 'array'),
    fields_given boolean NOT NULL
);

-- A PENDING document has no template yet; a DISCARDED one never became ready,
-- and its copy is being removed.
CREATE TABLE documents (
    id                        text        PRIMARY KEY,
    workflow_id               text        NOT NULL REFERENCES workflows (id),
    state                     text        NOT NULL CHECK (state IN ('PENDING', 'READY', 'DISCARDED')),
    type                      text        NOT NULL CHECK (type IN ('CLOUD_DOCS', 'CLOUD_SLIDES')),
    file_id                   text        NOT NULL,
    file_name                 text        NOT NULL,
    file_url                  text        NOT NULL,
    file_mime_type            text        NOT NULL,
    output_name               text        NOT NULL,
    create_pdf_copy           boolean     NOT NULL,
    remove_output             boolean     NOT NULL,
    enable_pdf_password       boolean     NOT NULL,
    pdf_password              bytea,      -- sealed; null: empty
    pdf_password_prevent_copy boolean     NOT NULL,
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    CHECK (state <> 'READY' OR file_id <> '')
);

CREATE INDEX documents_workflow ON documents (workflow_id, created_at, id) WHERE state = 'READY';
CREATE INDEX documents_strays ON documents (created_at) WHERE state <> 'READY';

CREATE TABLE outgoing_webhooks (
    id          text        PRIMARY KEY,
    workflow_id text        NOT NULL UNIQUE REFERENCES workflows (id),
    url         text        NOT NULL,
    secret      bytea       NOT NULL, -- sealed
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);
