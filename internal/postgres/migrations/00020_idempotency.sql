-- +goose Up

-- The first request with an Idempotency-Key holds a claim, then its answer.
CREATE TABLE idempotency_keys (
    user_id       text        NOT NULL REFERENCES users (id),
    key           text        NOT NULL,
    fingerprint   bytea       NOT NULL, -- of method, path and body
    claim         text        NOT NULL,
    claimed_until timestamptz NOT NULL,
    answer        bytea,                -- sealed; null: under way
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Names that senders gave their events, hashed: an event whose name is here
-- starts nothing again. A table of its own, because names are forgotten long
-- before automations.
CREATE TABLE source_event_keys (
    source_id   text        NOT NULL REFERENCES sources (id),
    key_hash    bytea       NOT NULL CHECK (octet_length(key_hash) = 32),
    accepted_at timestamptz NOT NULL,
    PRIMARY KEY (source_id, key_hash)
);

CREATE INDEX source_event_keys_age ON source_event_keys (accepted_at);
