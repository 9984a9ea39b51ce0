-- +goose Up

-- The API reads documents all the time: it waits for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- Into which folder outputs go: a template for the names of folders, and the id of the
-- folder that these are in; empty: not set.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS output_folder text NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS output_folder_id text NOT NULL DEFAULT '';

-- The folders that outputs went into, so that none is made twice. Names are data of
-- events: their hashes are enough. made: the folder is known to have been there.
CREATE TABLE IF NOT EXISTS output_folders (
    owner_id    text        NOT NULL REFERENCES users,
    parent_id   text        NOT NULL,
    name_sha256 bytea       NOT NULL CHECK (octet_length(name_sha256) = 32),
    folder_id   text        NOT NULL,
    made        boolean     NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, parent_id, name_sha256)
);
