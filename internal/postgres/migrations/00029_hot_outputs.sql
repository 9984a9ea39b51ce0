-- +goose NO TRANSACTION
-- +goose Up

-- An output is written some seven times while it is made. Postgres keeps the new
-- row beside the old one, and out of the indexes, where none of them has a
-- column that changes and the page has room: so the index of those that wait to
-- be looked through goes by when they began, and a retry makes them wait again.
UPDATE outputs SET swept_at = NULL WHERE swept_at < updated_at;
DROP INDEX CONCURRENTLY IF EXISTS outputs_unswept;
CREATE INDEX CONCURRENTLY outputs_unswept ON outputs (created_at, id)
    WHERE state <> 'PENDING' AND (repeated OR state = 'FAILED' AND copy_begun) AND swept_at IS NULL;
ALTER TABLE outputs SET (fillfactor = 70);
