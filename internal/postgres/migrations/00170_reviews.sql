-- +goose NO TRANSACTION
-- Outputs that wait for people who approve them.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS approval jsonb; -- null: nobody is asked
ALTER TABLE outputs ADD COLUMN IF NOT EXISTS verdict text NOT NULL DEFAULT ''; -- what people decided about it; empty: nothing

-- An output in REVIEW is made and waits; so does its automation, for which no run exists.
ALTER TABLE outputs DROP CONSTRAINT IF EXISTS outputs_state_check;
ALTER TABLE outputs ADD CONSTRAINT outputs_state_check CHECK (state IN ('PENDING', 'REVIEW', 'DONE', 'FAILED')) NOT VALID;
ALTER TABLE automations DROP CONSTRAINT IF EXISTS automations_state_check;
ALTER TABLE automations ADD CONSTRAINT automations_state_check
    CHECK (state IN ('ACCEPTED', 'BEHIND', 'RUNNING', 'REVIEW', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')) NOT VALID;
ALTER TABLE errands DROP CONSTRAINT IF EXISTS errands_kind_check;
ALTER TABLE errands ADD CONSTRAINT errands_kind_check CHECK (kind IN ('CANCEL', 'DELIVER', 'WAKE', 'MAIL', 'REVIEW')) NOT VALID;
ALTER TABLE outputs VALIDATE CONSTRAINT outputs_state_check;
ALTER TABLE automations VALIDATE CONSTRAINT automations_state_check;
ALTER TABLE errands VALIDATE CONSTRAINT errands_kind_check;

-- Who opened a link to approve an output is an approver.
ALTER TABLE audit DROP CONSTRAINT IF EXISTS audit_actor_check;
ALTER TABLE audit ADD CONSTRAINT audit_actor_check CHECK (actor IN ('user', 'operator', 'service', 'approver')) NOT VALID;
ALTER TABLE audit VALIDATE CONSTRAINT audit_actor_check;

-- Each time that an output waits is a round, which has the number of the attempt that made it.
CREATE TABLE IF NOT EXISTS reviews (
    output_id     text        NOT NULL REFERENCES outputs (id) ON DELETE CASCADE,
    round         integer     NOT NULL,
    automation_id text        NOT NULL,
    workflow_id   text        NOT NULL,
    terms         jsonb       NOT NULL, -- who decides, and until when: the document's as it was
    sha256        text        NOT NULL, -- of the PDF
    requested_at  timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    reminded_at   timestamptz,
    mailed        text[]      NOT NULL DEFAULT '{}', -- mails that went out
    unsent        text        NOT NULL DEFAULT '', -- why the last one did not; empty: it did
    next_at       timestamptz NOT NULL DEFAULT now(), -- when something is due
    verdict       text        NOT NULL DEFAULT '',
    decided_at    timestamptz,
    PRIMARY KEY (output_id, round)
);
CREATE INDEX IF NOT EXISTS reviews_due ON reviews (next_at) WHERE verdict = '';
CREATE TABLE IF NOT EXISTS review_answers (
    output_id   text        NOT NULL,
    round       integer     NOT NULL,
    place       integer     NOT NULL, -- of the approver in the terms
    approves    boolean     NOT NULL,
    detail      bytea       NOT NULL, -- who, and why: sealed with the key of the source data
    user_id     text        NOT NULL, -- empty: it came by a link
    answered_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (output_id, round, place),
    FOREIGN KEY (output_id, round) REFERENCES reviews (output_id, round) ON DELETE CASCADE
);

-- As before, but what is in REVIEW keeps the turn of its key.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION start_next_of_key() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(encode(NEW.order_key, 'hex'), 0));
    UPDATE automations
    SET state = 'ACCEPTED'
    WHERE id = (
        SELECT id
        FROM automations
        WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = NEW.order_key AND workflow_id = NEW.workflow_id AND state = 'BEHIND'
            AND NOT EXISTS ( -- each state is looked up by itself: an index reads a list of them as a filter
                SELECT
                FROM automations
                WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = NEW.order_key AND workflow_id = NEW.workflow_id AND state = 'ACCEPTED'
            )
            AND NOT EXISTS (
                SELECT
                FROM automations
                WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = NEW.order_key AND workflow_id = NEW.workflow_id AND state = 'RUNNING'
            )
            AND NOT EXISTS (
                SELECT
                FROM automations
                WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = NEW.order_key AND workflow_id = NEW.workflow_id AND state = 'REVIEW'
            )
        ORDER BY order_number
        LIMIT 1
        FOR NO KEY UPDATE
    );
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER automations_of_key AFTER UPDATE OF state, order_key ON automations
    FOR EACH ROW WHEN (NEW.order_number IS NOT NULL AND NEW.order_key <> '' AND (
        NEW.state = 'BEHIND' AND (OLD.state <> 'BEHIND' OR OLD.order_key IS DISTINCT FROM NEW.order_key)
        OR OLD.state IN ('ACCEPTED', 'RUNNING', 'REVIEW') AND NEW.state NOT IN ('ACCEPTED', 'RUNNING', 'REVIEW')))
    EXECUTE FUNCTION start_next_of_key();
RESET lock_timeout;
