-- +goose Up

-- Runs that wait for a connection are woken when their owner connects again. The
-- previous release leaves such a command to this one.
ALTER TABLE errands DROP CONSTRAINT IF EXISTS errands_kind_check;
ALTER TABLE errands ADD CONSTRAINT errands_kind_check CHECK (kind IN ('CANCEL', 'DELIVER', 'WAKE'));
