-- +goose NO TRANSACTION
-- +goose Up

-- What owners were told of by mail.
CREATE TABLE IF NOT EXISTS notices (
    kind         text        NOT NULL CHECK (kind IN ('failures', 'receiver', 'connection')),
    subject      text        NOT NULL,
    owner_id     text        NOT NULL,
    caused_at    timestamptz, -- the last cause that the owner was told of
    told_at      timestamptz,
    pending_at   timestamptz NOT NULL, -- the last cause that somebody began to tell of
    leased_until timestamptz,
    PRIMARY KEY (kind, subject)
);

DROP INDEX CONCURRENTLY IF EXISTS notices_of_owner;
CREATE INDEX CONCURRENTLY notices_of_owner ON notices (owner_id, kind, told_at);

-- Failures of the last day, without all those before.
DROP INDEX CONCURRENTLY IF EXISTS automations_failed_at;
CREATE INDEX CONCURRENTLY automations_failed_at ON automations (finished_at) WHERE state = 'FAILED';
