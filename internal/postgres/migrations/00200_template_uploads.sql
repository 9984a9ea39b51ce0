-- +goose NO TRANSACTION
-- The office file that a template was made of, and when the drive changed the template then:
-- a drive that converts files gives other bytes back.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS uploaded_sha256 bytea;
ALTER TABLE documents ADD COLUMN IF NOT EXISTS uploaded_modified_at timestamptz;
RESET lock_timeout;
