-- +goose NO TRANSACTION
-- +goose Up

-- The folders that no output went into for long are forgotten, the oldest first.
DROP INDEX CONCURRENTLY IF EXISTS output_folders_age;
CREATE INDEX CONCURRENTLY output_folders_age ON output_folders (updated_at);
