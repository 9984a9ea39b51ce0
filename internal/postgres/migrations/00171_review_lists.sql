-- +goose NO TRANSACTION
-- What waits for people is found without reading all that was ever made, and what they did
-- not approve is never DONE, whichever release's program records it. A constraint would write
-- the row into the log.
-- +goose Up
SET lock_timeout = '5s';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_unapproved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an output that people did not approve is not DONE';
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER outputs_approved BEFORE UPDATE OF state ON outputs
    FOR EACH ROW WHEN (NEW.state = 'DONE' AND NEW.verdict IN ('REJECTED', 'EXPIRED'))
    EXECUTE FUNCTION refuse_unapproved();
RESET lock_timeout;
CREATE INDEX CONCURRENTLY IF NOT EXISTS outputs_review ON outputs (document_id, created_at, id) WHERE state = 'REVIEW';
CREATE INDEX CONCURRENTLY IF NOT EXISTS automations_review ON automations (workflow_id, accepted_at, id) WHERE state = 'REVIEW';
