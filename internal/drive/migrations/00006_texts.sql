-- +goose Up

-- Uploads write contents all the time: they wait for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- The words of content, for searches: made when somebody searches.
CREATE TABLE drive.texts (
    sha256 bytea NOT NULL REFERENCES drive.contents ON DELETE CASCADE,
    -- How it was read: the same bytes may be a Docs file and a file as it is.
    mime_type text NOT NULL,
    words  tsvector NOT NULL,
    PRIMARY KEY (sha256, mime_type)
);
CREATE INDEX texts_words ON drive.texts USING gin (words);
