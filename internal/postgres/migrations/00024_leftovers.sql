-- +goose NO TRANSACTION
-- +goose Up

-- When the drive was last looked through for files that an ended output left
-- behind: its list may not have shown them when the run looked.
ALTER TABLE outputs ADD COLUMN IF NOT EXISTS swept_at timestamptz;

-- Outputs that wait for that, in the order in which they ended.
DROP INDEX CONCURRENTLY IF EXISTS outputs_unswept;
CREATE INDEX CONCURRENTLY outputs_unswept ON outputs (updated_at, id)
    WHERE state <> 'PENDING' AND (repeated OR state = 'FAILED' AND copy_begun) AND (swept_at IS NULL OR swept_at < updated_at);
