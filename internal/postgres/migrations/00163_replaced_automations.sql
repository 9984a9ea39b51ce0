-- +goose NO TRANSACTION
-- The automation that was made of the corrected row of a batch, in place of one that failed.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE automations ADD COLUMN IF NOT EXISTS replaced_by text;
RESET lock_timeout;
