-- +goose Up

-- The API reads documents all the time: it waits for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- Templates of the mail about each output; NULL: none is sent.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS email jsonb;

-- The one mail about an output. Nothing of it names a recipient.
CREATE TABLE IF NOT EXISTS mails (
    output_id     text        PRIMARY KEY REFERENCES outputs (id) ON DELETE CASCADE,
    automation_id text        NOT NULL REFERENCES automations (id),
    state         text        NOT NULL CHECK (state IN ('PENDING', 'SENT', 'FAILED')),
    recipients    integer     NOT NULL DEFAULT 0,
    attempts      integer     NOT NULL DEFAULT 0,
    -- An attempt is under way until then, unless its outcome is recorded before.
    leased_until  timestamptz,
    code          text        NOT NULL DEFAULT '', -- of the last failure
    message       text        NOT NULL DEFAULT '', -- quotes no value
    created_at    timestamptz NOT NULL DEFAULT now(),
    tried_at      timestamptz,
    sent_at       timestamptz
);

CREATE INDEX IF NOT EXISTS mails_of_automation ON mails (automation_id);
