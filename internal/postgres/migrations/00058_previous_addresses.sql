-- +goose NO TRANSACTION
-- +goose Up

-- An index that was interrupted is left behind invalid, so it is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS sources_previous_key;
CREATE UNIQUE INDEX CONCURRENTLY sources_previous_key ON sources (previous_key_hash) WHERE previous_key_hash IS NOT NULL;
