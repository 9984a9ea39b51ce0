-- +goose NO TRANSACTION
-- What becomes of a document whose template keeps its PDF from being read aloud.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS accessibility text NOT NULL DEFAULT '';
RESET lock_timeout;
