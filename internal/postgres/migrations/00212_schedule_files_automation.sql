-- +goose NO TRANSACTION
-- An erasure finds the file of which an automation was made, and takes its name away.
-- +goose Up
SET lock_timeout = '5s';
CREATE INDEX CONCURRENTLY IF NOT EXISTS schedule_files_automation ON schedule_files (automation_id) WHERE automation_id <> '';
RESET lock_timeout;
