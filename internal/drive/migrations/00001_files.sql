-- +goose Up
CREATE TABLE drive.users (
    id         text PRIMARY KEY,
    name       text NOT NULL,
    email      text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON drive.users (lower(email));

CREATE TABLE drive.tokens (
    sha256     bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    user_id    text NOT NULL REFERENCES drive.users,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE INDEX tokens_user ON drive.tokens (user_id);

CREATE TABLE drive.contents (
    sha256      bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    md5         bytea NOT NULL CHECK (octet_length(md5) = 16),
    size        bigint NOT NULL CHECK (size BETWEEN 0 AND 33554432),
    body        bytea NOT NULL,
    -- When a sweep first found that no file has these bytes.
    orphaned_at timestamptz
);
-- Office files, PDFs and pictures are compressed already.
ALTER TABLE drive.contents ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX contents_orphans ON drive.contents (orphaned_at) WHERE orphaned_at IS NOT NULL;

CREATE TABLE drive.files (
    id                 text PRIMARY KEY,
    owner_id           text NOT NULL REFERENCES drive.users,
    -- NULL for an owner's root folder only.
    parent_id          text REFERENCES drive.files ON DELETE CASCADE,
    name               text NOT NULL,
    mime_type          text NOT NULL,
    description        text NOT NULL DEFAULT '',
    original_filename  text NOT NULL DEFAULT '',
    properties         jsonb NOT NULL DEFAULT '{}',
    app_properties     jsonb NOT NULL DEFAULT '{}',
    starred            boolean NOT NULL DEFAULT false,
    trashed            boolean NOT NULL DEFAULT false,
    explicitly_trashed boolean NOT NULL DEFAULT false,
    trashed_at         timestamptz,
    -- Milliseconds, as clients see them: a comparison must not see more.
    created_at         timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
    modified_at        timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
    -- Moves with every change; revision moves with the content alone.
    version            bigint NOT NULL DEFAULT 1,
    revision           bigint NOT NULL DEFAULT 1,
    -- NULL for folders.
    sha256             bytea REFERENCES drive.contents,
    -- The secret part of the file's public address; a new one revokes the old.
    link_key           text NOT NULL UNIQUE
);
CREATE UNIQUE INDEX files_root ON drive.files (owner_id) WHERE parent_id IS NULL;
CREATE INDEX files_recent ON drive.files (owner_id, modified_at DESC, id);
CREATE INDEX files_parent ON drive.files (parent_id);
CREATE INDEX files_content ON drive.files (sha256);
CREATE INDEX files_trash ON drive.files (trashed_at) WHERE explicitly_trashed;
-- Without fastupdate: the key of a copy is looked for right before it is made.
CREATE INDEX files_app_properties ON drive.files USING gin (app_properties jsonb_path_ops) WITH (fastupdate = off);

CREATE TABLE drive.uploads (
    -- The session address is a credential of its own, so only its hash is kept.
    sha256       bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    owner_id     text NOT NULL REFERENCES drive.users,
    -- The file whose content is replaced; NULL when one is created.
    file_id      text,
    metadata     bytea NOT NULL,
    query        text NOT NULL,
    media_type   text NOT NULL,
    size         bigint,
    received     bigint NOT NULL DEFAULT 0,
    done_file_id text,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX uploads_expiry ON drive.uploads (expires_at);

CREATE TABLE drive.upload_chunks (
    upload bytea NOT NULL REFERENCES drive.uploads ON DELETE CASCADE,
    start  bigint NOT NULL,
    body   bytea NOT NULL,
    PRIMARY KEY (upload, start)
);
ALTER TABLE drive.upload_chunks ALTER COLUMN body SET STORAGE EXTERNAL;
