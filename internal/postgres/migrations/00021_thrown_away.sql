-- +goose Up

-- Copies that are not in use any more, to be removed by their ids: the drive's
-- list may not show them when they are looked for.
ALTER TABLE outputs ADD COLUMN thrown_away text[] NOT NULL DEFAULT '{}';
