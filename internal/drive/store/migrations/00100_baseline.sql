-- +goose Up

-- The tables of the drive: accounts and their credentials, files and their contents,
-- uploads, changes. Later changes are migrations of their own.

-- Accounts

-- The credentials of a disabled account open nothing.
CREATE TABLE drive.users (
    id          text        PRIMARY KEY,
    name        text        NOT NULL,
    email       text        NOT NULL,
    disabled_at timestamptz,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON drive.users (lower(email));

-- Bearer tokens. Those that /token gives expire; others have no end.
CREATE TABLE drive.tokens (
    sha256     bytea       PRIMARY KEY CHECK (octet_length(sha256) = 32),
    user_id    text        NOT NULL REFERENCES drive.users,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX tokens_user ON drive.tokens (user_id);
CREATE INDEX tokens_expiry ON drive.tokens (expires_at) WHERE expires_at IS NOT NULL;

-- What a client exchanges for bearer tokens at /token.
CREATE TABLE drive.refresh_tokens (
    sha256     bytea       PRIMARY KEY CHECK (octet_length(sha256) = 32),
    user_id    text        NOT NULL REFERENCES drive.users,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE INDEX refresh_tokens_user ON drive.refresh_tokens (user_id);

-- Public halves of the keys that sign a service account's assertions.
CREATE TABLE drive.service_keys (
    id         text        PRIMARY KEY,
    user_id    text        NOT NULL REFERENCES drive.users,
    public_key bytea       NOT NULL CHECK (octet_length(public_key) <= 4096), -- PKIX, DER
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE INDEX service_keys_user ON drive.service_keys (user_id);

-- Files

CREATE TABLE drive.contents (
    sha256      bytea       PRIMARY KEY CHECK (octet_length(sha256) = 32),
    sha1        bytea       NOT NULL,
    md5         bytea       NOT NULL CHECK (octet_length(md5) = 16),
    size        bigint      NOT NULL CHECK (size BETWEEN 0 AND 33554432),
    body        bytea       NOT NULL,
    orphaned_at timestamptz -- when a sweep first found that no file has these bytes
);
-- Office files, PDFs and pictures are compressed already.
ALTER TABLE drive.contents ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX contents_orphans ON drive.contents (orphaned_at) WHERE orphaned_at IS NOT NULL;

-- The words of content, for searches. A row is made by the first search.
CREATE TABLE drive.texts (
    sha256    bytea    NOT NULL REFERENCES drive.contents ON DELETE CASCADE,
    mime_type text     NOT NULL, -- how it was read: the same bytes may be a Docs file and a file as it is
    words     tsvector NOT NULL,
    PRIMARY KEY (sha256, mime_type)
);
CREATE INDEX texts_words ON drive.texts USING gin (words);

CREATE TABLE drive.files (
    id                 text        PRIMARY KEY,
    owner_id           text        NOT NULL REFERENCES drive.users,
    parent_id          text        REFERENCES drive.files ON DELETE CASCADE, -- null for an owner's root folder only
    name               text        NOT NULL,
    mime_type          text        NOT NULL,
    description        text        NOT NULL DEFAULT '',
    original_filename  text        NOT NULL DEFAULT '',
    properties         jsonb       NOT NULL DEFAULT '{}',
    app_properties     jsonb       NOT NULL DEFAULT '{}',
    starred            boolean     NOT NULL DEFAULT false,
    trashed            boolean     NOT NULL DEFAULT false,
    explicitly_trashed boolean     NOT NULL DEFAULT false,
    trashed_at         timestamptz,
    -- Milliseconds, as clients see them: a comparison must not see more.
    created_at         timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
    modified_at        timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
    -- version moves with every change, revision with the content alone.
    version            bigint      NOT NULL DEFAULT 1,
    revision           bigint      NOT NULL DEFAULT 1,
    sha256             bytea       REFERENCES drive.contents, -- null for folders
    -- The file that a shortcut leads to, and its type when the shortcut was made. The file
    -- may be gone: as at Google, the shortcut stays.
    target_id          text        NOT NULL DEFAULT '',
    target_type        text        NOT NULL DEFAULT '',
    link_key           text        NOT NULL UNIQUE, -- the secret part of the public address; a new one revokes the old
    link_role          text        CHECK (link_role IN ('reader', 'commenter', 'writer')), -- of everybody who knows the id; null: none
    -- The transaction that changed the file last, and when it began; triggers set them. A
    -- reader could pass over a number from a sequence: it is taken before its transaction
    -- commits.
    changed_in         xid8        NOT NULL DEFAULT '0',
    changed_at         timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX files_root ON drive.files (owner_id) WHERE parent_id IS NULL;
CREATE INDEX files_recent ON drive.files (owner_id, modified_at DESC, id);
CREATE INDEX files_parent ON drive.files (parent_id);
CREATE INDEX files_content ON drive.files (sha256);
CREATE INDEX files_trash ON drive.files (trashed_at) WHERE explicitly_trashed;
CREATE INDEX files_changes ON drive.files (owner_id, changed_in, id);
-- Without fastupdate: the key of a copy is looked for right before it is made.
CREATE INDEX files_app_properties ON drive.files USING gin (app_properties jsonb_path_ops) WITH (fastupdate = off);

-- Files that were deleted, for the list of changes.
CREATE TABLE drive.removals (
    owner_id   text        NOT NULL,
    file_id    text        NOT NULL,
    removed_in xid8        NOT NULL DEFAULT pg_current_xact_id(),
    removed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX removals_changes ON drive.removals (owner_id, removed_in, file_id);
CREATE INDEX removals_expiry ON drive.removals (removed_at);

-- Uploads

CREATE TABLE drive.uploads (
    sha256       bytea       PRIMARY KEY CHECK (octet_length(sha256) = 32), -- of the session address, which is a credential
    owner_id     text        NOT NULL REFERENCES drive.users,
    token_sha256 bytea,      -- the bearer token that began the session, which ends with it; null: not known
    file_id      text,       -- whose content is replaced; null: a file is created
    metadata     bytea       NOT NULL,
    query        text        NOT NULL,
    media_type   text        NOT NULL,
    size         bigint,
    received     bigint      NOT NULL DEFAULT 0,
    done_file_id text,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX uploads_expiry ON drive.uploads (expires_at);

CREATE TABLE drive.upload_chunks (
    upload bytea  NOT NULL REFERENCES drive.uploads ON DELETE CASCADE,
    start  bigint NOT NULL,
    body   bytea  NOT NULL,
    PRIMARY KEY (upload, start)
);
ALTER TABLE drive.upload_chunks ALTER COLUMN body SET STORAGE EXTERNAL;

-- Changes

-- +goose StatementBegin
CREATE FUNCTION drive.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_in := pg_current_xact_id();
    NEW.changed_at := now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER files_change BEFORE INSERT OR UPDATE ON drive.files
    FOR EACH ROW EXECUTE FUNCTION drive.note_change();

-- +goose StatementBegin
CREATE FUNCTION drive.note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO drive.removals (owner_id, file_id) VALUES (OLD.owner_id, OLD.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER files_removal AFTER DELETE ON drive.files
    FOR EACH ROW EXECUTE FUNCTION drive.note_removal();
