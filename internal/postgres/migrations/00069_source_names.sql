-- +goose NO TRANSACTION
-- +goose Up

-- The names of fields that events of a source had, for suggestions and forms. What the
-- source shows as its fields are those of its last event.
CREATE TABLE IF NOT EXISTS source_names (
    source_id text        NOT NULL REFERENCES sources (id),
    name      text        COLLATE "C" NOT NULL,
    seen_at   timestamptz NOT NULL, -- when a list that has it was replaced
    lists     integer     NOT NULL DEFAULT 1, -- how many lists of fields had it
    PRIMARY KEY (source_id, name)
);

-- Each event reads sources and writes automations: nobody waits longer than this behind
-- a transaction that is long. The migration is tried again then.
SET lock_timeout = '2s';

-- The names of the last event, where the source has fields that were given.
ALTER TABLE sources ADD COLUMN IF NOT EXISTS last_names jsonb;

-- A list of names is kept when another one takes its place: a source whose events are
-- alike writes nothing here. At most 500 names are kept, those that were seen last. Where
-- 500 came within a minute, as of a sender that has values as names, no more are taken.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_source_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) >= 500 AND min(seen_at) > now() - interval '1 minute' FROM source_names WHERE source_id = NEW.id) THEN
        RETURN NULL;
    END IF;
    INSERT INTO source_names AS kept (source_id, name, seen_at)
    SELECT NEW.id, name, now()
    FROM jsonb_array_elements_text(CASE WHEN OLD.fields_given THEN OLD.last_names ELSE OLD.fields END) WITH ORDINALITY AS old (name, place)
    WHERE place <= 500
    ON CONFLICT (source_id, name) DO UPDATE
    SET seen_at = excluded.seen_at, lists = kept.lists + 1
    WHERE kept.seen_at < excluded.seen_at - interval '1 minute';
    DELETE FROM source_names
    WHERE source_id = NEW.id AND name IN (
        SELECT name
        FROM source_names
        WHERE source_id = NEW.id
        ORDER BY seen_at DESC, name
        OFFSET 500
    );
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER source_names_kept AFTER UPDATE OF fields, last_names ON sources
    FOR EACH ROW WHEN (OLD.fields IS DISTINCT FROM NEW.fields OR OLD.last_names IS DISTINCT FROM NEW.last_names)
    EXECUTE FUNCTION keep_source_names();

-- Names end with their workflow.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION forget_source_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM source_names WHERE source_id IN (SELECT id FROM sources WHERE workflow_id = NEW.id);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER source_names_forgotten AFTER UPDATE OF status ON workflows
    FOR EACH ROW WHEN (NEW.status = 'ARCHIVED' AND OLD.status <> 'ARCHIVED')
    EXECUTE FUNCTION forget_source_names();
RESET lock_timeout;
