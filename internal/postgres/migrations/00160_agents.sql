-- +goose NO TRANSACTION
-- Which entries of the audit are of an AI agent, through our tools for these.
-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE audit ADD COLUMN IF NOT EXISTS agent boolean NOT NULL DEFAULT false;
RESET lock_timeout;
