-- +goose NO TRANSACTION
-- Whether the PDF of a document is signed with the certificate of the installation.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS seal boolean NOT NULL DEFAULT false;
RESET lock_timeout;
