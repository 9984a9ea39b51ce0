-- +goose Up

SET LOCAL lock_timeout = '200ms';

-- The file that a shortcut leads to, and its type when the shortcut was made. The file
-- may be gone: as at Google, the shortcut stays.
ALTER TABLE drive.files
    ADD COLUMN target_id text NOT NULL DEFAULT '',
    ADD COLUMN target_type text NOT NULL DEFAULT '';
