-- What an output is called, also where it could not be made. Searches find those that failed, too.
-- +goose Up
SET LOCAL lock_timeout = '5s';
ALTER TABLE outputs ADD COLUMN name text NOT NULL DEFAULT '';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_output_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.state <> 'PENDING' AND (OLD.name <> '' OR OLD.copy IS NOT NULL OR OLD.pdf IS NOT NULL) THEN
        DELETE FROM output_words
        WHERE document_id = OLD.document_id AND word = ANY (words_of(concat_ws(' ', OLD.name, OLD.copy->>'name', OLD.pdf->>'name')))
            AND created_at = OLD.created_at AND output_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.state <> 'PENDING' THEN
        INSERT INTO output_words (document_id, word, created_at, output_id)
        SELECT NEW.document_id, word, NEW.created_at, NEW.id
        FROM unnest(words_of(concat_ws(' ', NEW.name, NEW.copy->>'name', NEW.pdf->>'name'))) word
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER output_words_failed AFTER UPDATE ON outputs
    FOR EACH ROW WHEN (NEW.state = 'FAILED' AND (OLD.state <> 'FAILED' OR OLD.name <> NEW.name OR OLD.copy IS DISTINCT FROM NEW.copy OR OLD.pdf IS DISTINCT FROM NEW.pdf))
    EXECUTE FUNCTION keep_output_words();
