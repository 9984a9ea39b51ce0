-- +goose NO TRANSACTION
-- Schedules whose events are the new files of a folder, and what became of each file.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE schedules
    ADD COLUMN IF NOT EXISTS folder        text    NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS take_existing boolean NOT NULL DEFAULT false,
    ADD COLUMN IF NOT EXISTS folder_since  timestamptz, -- when the folder was set
    ADD COLUMN IF NOT EXISTS listed_at     timestamptz; -- the moment for which all of it was listed; null: it never was
CREATE TABLE IF NOT EXISTS schedule_files (
    schedule_id   text        NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    file_id       text        NOT NULL,
    name          text        NOT NULL,
    mime_type     text        NOT NULL,
    size          bigint      NOT NULL,
    made_at       timestamptz NOT NULL, -- in the drive
    changed_at    timestamptz NOT NULL, -- there
    state         text        NOT NULL CHECK (state IN ('PENDING', 'TAKEN', 'FAILED', 'SKIPPED')),
    automation_id text        NOT NULL DEFAULT '',
    batch_id      text        NOT NULL DEFAULT '',
    code          text        NOT NULL DEFAULT '',
    message       text        NOT NULL DEFAULT '',
    attempts      integer     NOT NULL DEFAULT 0, -- that failed
    try_at        timestamptz,                    -- of one that waits: not before; null: now
    noted_at      timestamptz NOT NULL,
    ended_at      timestamptz,
    PRIMARY KEY (schedule_id, file_id)
);
CREATE INDEX IF NOT EXISTS schedule_files_noted ON schedule_files (schedule_id, noted_at, file_id);
CREATE INDEX IF NOT EXISTS schedule_files_states ON schedule_files (schedule_id, state, ended_at);
CREATE INDEX IF NOT EXISTS schedule_files_pending ON schedule_files (schedule_id, attempts, made_at, file_id) WHERE state = 'PENDING';
RESET lock_timeout;
