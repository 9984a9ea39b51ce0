-- +goose NO TRANSACTION
-- +goose Up

-- The words that a search for outputs finds: lower case, at most fifty of a name, cut
-- off after sixty characters. Searches cut their own words alike.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION words_of(name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(word), '{}')
    FROM (
        SELECT DISTINCT left(word, 60) COLLATE "C" AS word
        FROM regexp_split_to_table(left(lower(name), 4000), '[\s!-/:-@\[-`{-~–—„“”‘’«»]+') word
        WHERE word <> ''
        LIMIT 50
    ) words
$$;
-- +goose StatementEnd

-- Where each word is in the name of a finished output, in the order of the list. It
-- has no key of its own towards outputs: a trigger knows which rows are of one, and
-- such a key would need another index.
CREATE TABLE IF NOT EXISTS output_words (
    document_id text        NOT NULL,
    word        text        COLLATE "C" NOT NULL,
    created_at  timestamptz NOT NULL, -- of the output
    output_id   text        NOT NULL,
    PRIMARY KEY (document_id, word, created_at, output_id)
);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_output_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND (OLD.copy IS NOT NULL OR OLD.pdf IS NOT NULL) AND OLD.state = 'DONE' THEN
        DELETE FROM output_words
        WHERE document_id = OLD.document_id AND word = ANY (words_of(concat_ws(' ', OLD.copy->>'name', OLD.pdf->>'name')))
            AND created_at = OLD.created_at AND output_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.state = 'DONE' THEN
        INSERT INTO output_words (document_id, word, created_at, output_id)
        SELECT NEW.document_id, word, NEW.created_at, NEW.id
        FROM unnest(words_of(concat_ws(' ', NEW.copy->>'name', NEW.pdf->>'name'))) word
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- Serve and workers write outputs all the time: they wait no longer than this.
SET lock_timeout = '2s';
CREATE OR REPLACE TRIGGER output_words_removed AFTER DELETE ON outputs
    FOR EACH ROW EXECUTE FUNCTION keep_output_words();
CREATE OR REPLACE TRIGGER output_words_added AFTER INSERT ON outputs
    FOR EACH ROW WHEN (NEW.state = 'DONE') EXECUTE FUNCTION keep_output_words();
CREATE OR REPLACE TRIGGER output_words_changed AFTER UPDATE ON outputs
    FOR EACH ROW WHEN (NEW.state = 'DONE' AND (OLD.state <> 'DONE' OR OLD.copy IS DISTINCT FROM NEW.copy OR OLD.pdf IS DISTINCT FROM NEW.pdf OR OLD.created_at <> NEW.created_at))
    EXECUTE FUNCTION keep_output_words();
RESET lock_timeout;

-- What was made before.
INSERT INTO output_words (document_id, word, created_at, output_id)
SELECT o.document_id, word, o.created_at, o.id
FROM outputs o, unnest(words_of(concat_ws(' ', o.copy->>'name', o.pdf->>'name'))) word
WHERE o.state = 'DONE'
ON CONFLICT DO NOTHING;
