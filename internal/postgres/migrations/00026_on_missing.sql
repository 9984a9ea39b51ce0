-- +goose Up

-- What becomes of an output whose event does not have a field that its template
-- names.
ALTER TABLE documents ADD COLUMN on_missing text NOT NULL DEFAULT 'blank' CHECK (on_missing IN ('blank', 'fail'));
