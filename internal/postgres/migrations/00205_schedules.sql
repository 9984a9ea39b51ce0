-- +goose NO TRANSACTION
-- Schedules, which start runs by the clock.
-- +goose Up
SET lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS schedules (
    id           text        PRIMARY KEY,
    workflow_id  text        NOT NULL REFERENCES workflows (id),
    name         text        NOT NULL,
    cron         text        NOT NULL,
    time_zone    text        NOT NULL,
    data         bytea,                         -- sealed; null: it is read from url
    url          text        NOT NULL DEFAULT '',
    header       text        NOT NULL DEFAULT '',
    secret       bytea,                         -- sealed; null: none
    test         boolean     NOT NULL DEFAULT false,
    paused       boolean     NOT NULL DEFAULT false,
    next_at      timestamptz NOT NULL,          -- the moment that is carried out next, or now
    requested_at timestamptz,                   -- a run that somebody asked for besides
    try_at       timestamptz,                   -- when a worker looks; null: never
    attempts     integer     NOT NULL DEFAULT 0, -- of the moment that is carried out now
    leased_until timestamptz,
    last_at      timestamptz,
    last_state   text CHECK (last_state IN ('DONE', 'RETRY', 'FAILED')),
    last_events  integer     NOT NULL DEFAULT 0,
    last_code    text        NOT NULL DEFAULT '',
    last_message text        NOT NULL DEFAULT '',
    last_ended   timestamptz,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    UNIQUE (workflow_id, name)
);
CREATE INDEX IF NOT EXISTS schedules_due ON schedules (try_at) WHERE try_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS schedules_failed ON schedules (last_ended) WHERE last_state = 'FAILED';
ALTER TABLE notices DROP CONSTRAINT IF EXISTS notices_kind_check;
ALTER TABLE notices ADD CONSTRAINT notices_kind_check CHECK (kind IN ('failures', 'receiver', 'connection', 'mails', 'keys', 'targets', 'schedules')) NOT VALID;
ALTER TABLE notices VALIDATE CONSTRAINT notices_kind_check;
RESET lock_timeout;
