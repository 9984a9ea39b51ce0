-- +goose Up

-- An output that is made once more because this database was put back to an
-- earlier moment: files under its keys may be those that its receiver was told of,
-- so nobody looks for orphans there.
ALTER TABLE outputs ADD COLUMN IF NOT EXISTS keeps_files boolean NOT NULL DEFAULT false;
