-- +goose Up

-- Cancelling. The constraints are made anew without reading the table while
-- writers wait; rows that are there hold to them, because they were narrower.
ALTER TABLE automations
    ADD COLUMN cancel_requested_at timestamptz,
    ADD COLUMN failure_code        text NOT NULL DEFAULT '', -- why nothing could be begun
    ADD COLUMN failure             text NOT NULL DEFAULT '',
    DROP CONSTRAINT automations_state_check,
    ADD CONSTRAINT automations_state_check
        CHECK (state IN ('ACCEPTED', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')) NOT VALID,
    DROP CONSTRAINT automations_check1,
    ADD CONSTRAINT automations_finished_check
        CHECK ((state IN ('COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')) = (finished_at IS NOT NULL)) NOT VALID;

-- A REMOVED document stays as a row as long as outputs were made from it; its
-- template goes when no output under way needs it any more.
ALTER TABLE documents
    ADD COLUMN template_removed_at timestamptz,
    DROP CONSTRAINT documents_state_check,
    ADD CONSTRAINT documents_state_check
        CHECK (state IN ('PENDING', 'READY', 'DISCARDED', 'REMOVED')) NOT VALID;

-- After a rotation the secret before it signs along for a while.
ALTER TABLE outgoing_webhooks
    ADD COLUMN previous_secret bytea, -- sealed
    ADD COLUMN previous_until  timestamptz;

-- Attempts up to this number belong to deliveries that were begun before the
-- present ones, and do not change the event's state any more.
ALTER TABLE events
    ADD COLUMN attempts_before integer NOT NULL DEFAULT 0;

-- What Temporal is to be told on behalf of /v0: written with the change that
-- asks for it, deleted when it was passed on.
CREATE TABLE errands (
    kind         text        NOT NULL CHECK (kind IN ('CANCEL', 'DELIVER')),
    id           text        NOT NULL, -- of the automation or the event
    version      integer     NOT NULL DEFAULT 1,
    requested_at timestamptz NOT NULL DEFAULT now(),
    leased_until timestamptz, -- somebody is passing it on
    PRIMARY KEY (kind, id)
);

CREATE INDEX errands_due ON errands (requested_at);

