-- +goose Up

-- The API reads documents all the time: it waits for the lock no longer than this,
-- behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- Series that outputs take numbers of.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS numbers text[] NOT NULL DEFAULT '{}';

-- What the next automation gets, for each team, or owner without one. The row is locked
-- from the moment a number is drawn until it is kept: so no number is lost.
CREATE TABLE IF NOT EXISTS number_series (
    holder_id  text        NOT NULL, -- of a team or a user
    name       text        NOT NULL,
    next       bigint      NOT NULL CHECK (next > 0),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (holder_id, name)
);

-- Every number below next that the series has given, or left out.
CREATE TABLE IF NOT EXISTS numbers (
    holder_id     text        NOT NULL,
    series        text        NOT NULL,
    number        bigint      NOT NULL,
    up_to         bigint      NOT NULL CHECK (up_to >= number), -- beyond number: all of them were left out
    automation_id text        REFERENCES automations (id),      -- NULL: left out
    output_ids    text[]      NOT NULL DEFAULT '{}',            -- the outputs that ask for it
    drawn_at      timestamptz NOT NULL DEFAULT now(),
    -- What became of it, once its outputs are not kept any more; NULL: they say it.
    used          boolean,
    code          text        NOT NULL DEFAULT '',
    PRIMARY KEY (holder_id, series, number),
    FOREIGN KEY (holder_id, series) REFERENCES number_series (holder_id, name)
);

CREATE UNIQUE INDEX IF NOT EXISTS numbers_of_automation ON numbers (automation_id, series) WHERE automation_id IS NOT NULL;
