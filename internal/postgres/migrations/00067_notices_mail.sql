-- +goose Up

-- The mail that tells of a notice: one that is sent again keeps its name.
ALTER TABLE notices ADD COLUMN IF NOT EXISTS mail text NOT NULL DEFAULT '';
