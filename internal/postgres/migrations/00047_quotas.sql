-- +goose Up

-- What was used of Google's quotas, by when it counts no more. Rows
-- of a project whose account is empty, and of an account whose project is empty,
-- are what Google refused without our knowing why. After a crash nothing is known of
-- the minute before: it is not logged.
CREATE UNLOGGED TABLE IF NOT EXISTS quota_uses (
    project       text        NOT NULL,
    account       text        NOT NULL,
    owner_id      text        NOT NULL,
    until         timestamptz NOT NULL,
    docs_writes   integer     NOT NULL DEFAULT 0,
    docs_reads    integer     NOT NULL DEFAULT 0,
    slides_writes integer     NOT NULL DEFAULT 0,
    slides_reads  integer     NOT NULL DEFAULT 0,
    drive_units   integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (project, until, account, owner_id)
) WITH (fillfactor = 50);

-- Who uses quotas now (held_until), and who waits for them and asks again (due_at).
CREATE UNLOGGED TABLE IF NOT EXISTS quota_tickets (
    id            text        PRIMARY KEY,
    project       text        NOT NULL,
    account       text        NOT NULL,
    owner_id      text        NOT NULL,
    docs_writes   integer     NOT NULL DEFAULT 0,
    docs_reads    integer     NOT NULL DEFAULT 0,
    slides_writes integer     NOT NULL DEFAULT 0,
    slides_reads  integer     NOT NULL DEFAULT 0,
    drive_units   integer     NOT NULL DEFAULT 0,
    asked_at      timestamptz NOT NULL,
    due_at        timestamptz,
    held_until    timestamptz,
    CHECK ((due_at IS NULL) <> (held_until IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX IF NOT EXISTS quota_tickets_project ON quota_tickets (project);
