-- +goose Up

-- Files are written all the time: their writers wait for the lock no longer than
-- this, behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- The transaction that changed a file last, and when it began. Triggers set them,
-- so that they are right beside an earlier release. A number from a sequence could
-- be passed over by a reader: it is taken before its transaction commits.
ALTER TABLE drive.files
    ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0',
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();

CREATE TABLE drive.removals (
    owner_id   text NOT NULL,
    file_id    text NOT NULL,
    removed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    removed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX removals_changes ON drive.removals (owner_id, removed_in, file_id);
CREATE INDEX removals_expiry ON drive.removals (removed_at);

-- +goose StatementBegin
CREATE FUNCTION drive.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_in := pg_current_xact_id();
    NEW.changed_at := now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER files_change BEFORE INSERT OR UPDATE ON drive.files
    FOR EACH ROW EXECUTE FUNCTION drive.note_change();

-- +goose StatementBegin
CREATE FUNCTION drive.note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO drive.removals (owner_id, file_id) VALUES (OLD.owner_id, OLD.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER files_removal AFTER DELETE ON drive.files
    FOR EACH ROW EXECUTE FUNCTION drive.note_removal();
