-- +goose Up

-- Runs read outputs and the API documents all the time: they wait for the locks no longer
-- than this, behind a transaction that is long. The migration is tried again then.
SET LOCAL lock_timeout = '200ms';

-- Files of the drive that are put behind the PDF of each output.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS appendices text[] NOT NULL DEFAULT '{}';

-- Those that are ready to be appended, and whether the next one was begun.
ALTER TABLE outputs ADD COLUMN IF NOT EXISTS appendices jsonb NOT NULL DEFAULT '[]';
ALTER TABLE outputs ADD COLUMN IF NOT EXISTS appendix_begun boolean NOT NULL DEFAULT false;
