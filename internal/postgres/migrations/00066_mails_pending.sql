-- +goose NO TRANSACTION
-- +goose Up

-- Mails that are to be sent, without all that were.
DROP INDEX CONCURRENTLY IF EXISTS mails_pending;
CREATE INDEX CONCURRENTLY mails_pending ON mails ((coalesce(tried_at, created_at))) WHERE state = 'PENDING';
