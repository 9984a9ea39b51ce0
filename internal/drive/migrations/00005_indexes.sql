-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS drive.contents_without_sha1;
CREATE INDEX CONCURRENTLY contents_without_sha1 ON drive.contents (sha256) WHERE sha1 IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS drive.files_changes;
CREATE INDEX CONCURRENTLY files_changes ON drive.files (owner_id, changed_in, id);
