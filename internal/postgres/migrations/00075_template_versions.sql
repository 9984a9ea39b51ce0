-- +goose Up

-- The API reads documents all the time: it waits for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- Which request changes the contents of the template, until when at most.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS changing text NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS changing_until timestamptz;

-- What templates said before they were replaced, as office files.
CREATE TABLE IF NOT EXISTS template_versions (
    id          text        PRIMARY KEY,
    document_id text        NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    number      integer     NOT NULL,
    cause       text        NOT NULL CHECK (cause IN ('KEPT', 'REPLACED', 'RESTORED')),
    note        text        NOT NULL DEFAULT '',
    sha256      bytea       NOT NULL, -- of the office file
    size        bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  text        NOT NULL REFERENCES users (id),
    data_key    bytea       NOT NULL, -- sealed; encrypts the content
    content     bytea       NOT NULL,
    UNIQUE (document_id, number)
);

-- An office file is a zip file, and encrypted: nothing is left to compress.
ALTER TABLE template_versions ALTER COLUMN content SET STORAGE EXTERNAL;
