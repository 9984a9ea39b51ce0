-- +goose NO TRANSACTION
-- Which events a document, its appendices, its sharing and its mail are made for, and what was skipped.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE documents ADD COLUMN IF NOT EXISTS condition text NOT NULL DEFAULT '', ADD COLUMN IF NOT EXISTS appendices_condition text NOT NULL DEFAULT '', ADD COLUMN IF NOT EXISTS output_sharing_condition text NOT NULL DEFAULT '';
ALTER TABLE automations ADD COLUMN IF NOT EXISTS skipped jsonb NOT NULL DEFAULT '[]';
RESET lock_timeout;
