-- +goose NO TRANSACTION
-- Causes of failures that somebody has done with, until the next failure. A cause is a hash:
-- there is no text of a message in it.
-- +goose Up
SET lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS failures_done (
    workflow_id text        NOT NULL REFERENCES workflows (id),
    cause       bytea       NOT NULL CHECK (octet_length(cause) = 32),
    done_at     timestamptz NOT NULL,
    PRIMARY KEY (workflow_id, cause)
);
RESET lock_timeout;
