-- +goose NO TRANSACTION
-- The standard of archives that the PDFs of a document conform to.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS pdf_profile text NOT NULL DEFAULT '';
RESET lock_timeout;
