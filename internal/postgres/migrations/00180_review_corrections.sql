-- +goose NO TRANSACTION
-- Data of outputs that those who approve them have corrected, and which fields these were.
-- +goose Up
SET lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS review_corrections (
    output_id    text        NOT NULL REFERENCES outputs (id) ON DELETE CASCADE,
    round        integer     NOT NULL, -- that it begins
    body         bytea       NOT NULL, -- what the output is made of: sealed with the key of the source data; empty: erased, or corrected since
    detail       bytea       NOT NULL, -- who, and which fields: sealed likewise
    user_id      text        NOT NULL, -- empty: it came by a link
    corrected_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (output_id, round)
);
ALTER TABLE audit ADD COLUMN IF NOT EXISTS fields text[] NOT NULL DEFAULT '{}'; -- of an event, that were changed; never a value
RESET lock_timeout;
