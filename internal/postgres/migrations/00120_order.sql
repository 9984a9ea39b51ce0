-- Workflows whose automations of one key run one after the other.
-- +goose Up
SET LOCAL lock_timeout = '5s';
ALTER TABLE workflows ADD COLUMN ordered_by text NOT NULL DEFAULT ''; -- a formula for the key; empty: there is no order

-- order_number is the place of an automation among those of its key; null: it has none. Times
-- would not do, because each program has a clock of its own. order_key is a hash of the key;
-- empty: it is not worked out yet; null: there is none, or it was erased.
CREATE SEQUENCE automation_order;
ALTER TABLE automations ADD COLUMN order_number bigint, ADD COLUMN order_key bytea;

-- A BEHIND automation was accepted, and waits for those of its key that were accepted before.
ALTER TABLE automations DROP CONSTRAINT automations_state_check;
ALTER TABLE automations ADD CONSTRAINT automations_state_check
    CHECK (state IN ('ACCEPTED', 'BEHIND', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')) NOT VALID;

-- The first that is BEHIND may start when no other of its key may, or runs. Transactions that
-- end one and that add one take turns: each would leave the start to the other.
-- +goose StatementBegin
CREATE FUNCTION start_next_of_key() RETURNS trigger LANGUAGE plpgsql
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
        ORDER BY order_number
        LIMIT 1
        FOR NO KEY UPDATE
    );
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- This is the one place that starts what is BEHIND, whoever changes a state: a run, a
-- request, an operator, a program of the release before.
CREATE TRIGGER automations_of_key AFTER UPDATE OF state, order_key ON automations
    FOR EACH ROW WHEN (NEW.order_number IS NOT NULL AND NEW.order_key <> '' AND (
        NEW.state = 'BEHIND' AND (OLD.state <> 'BEHIND' OR OLD.order_key IS DISTINCT FROM NEW.order_key)
        OR OLD.state IN ('ACCEPTED', 'RUNNING') AND NEW.state NOT IN ('ACCEPTED', 'RUNNING')))
    EXECUTE FUNCTION start_next_of_key();
