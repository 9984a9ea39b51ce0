-- +goose NO TRANSACTION
-- What waits for people for months costs nothing meanwhile: the row of a batch says that its
-- automation waits, so that nobody looks at it, and a review has no next time once its output
-- has ended without it.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE batch_rows ADD COLUMN IF NOT EXISTS waits boolean NOT NULL DEFAULT false; -- RUNNING, and its automation is in REVIEW
ALTER TABLE reviews ALTER COLUMN next_at DROP NOT NULL; -- null: nobody is asked any more

-- Whichever release's program changes the automation. Whoever may do that need not see batches.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_row_waits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
    UPDATE public.batch_rows
    SET waits = NEW.state = 'REVIEW'
    WHERE automation_id = NEW.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER automations_of_row AFTER UPDATE OF state ON automations
    FOR EACH ROW WHEN ((OLD.state = 'REVIEW') <> (NEW.state = 'REVIEW'))
    EXECUTE FUNCTION note_row_waits();
UPDATE batch_rows r
SET waits = true
FROM automations a
WHERE a.state = 'REVIEW' AND r.automation_id = a.id AND NOT r.waits;
UPDATE reviews r
SET next_at = NULL
FROM outputs o
WHERE r.verdict = '' AND r.next_at IS NOT NULL AND o.id = r.output_id AND (o.state <> 'REVIEW' OR o.attempt <> r.round);
RESET lock_timeout;
