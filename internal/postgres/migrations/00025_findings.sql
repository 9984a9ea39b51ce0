-- +goose Up

-- What a drive said that a PDF does not show as its template meant it: a list
-- of objects with code and message.
ALTER TABLE outputs ADD COLUMN findings jsonb NOT NULL DEFAULT '[]';
