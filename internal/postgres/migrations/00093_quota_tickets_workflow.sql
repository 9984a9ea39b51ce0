-- +goose Up

-- Whose turn it is among the workflows of an owner who wait for a quota.
ALTER TABLE quota_tickets ADD COLUMN IF NOT EXISTS workflow_id text NOT NULL DEFAULT '';
