-- +goose NO TRANSACTION
-- How the e-invoices of a document are made: syntax, profile, and what each business term is filled with.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS einvoice jsonb;
RESET lock_timeout;
