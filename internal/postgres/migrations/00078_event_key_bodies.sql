-- +goose Up

-- Which event took a sender's name, and eight bytes of the hash of its name and body: the
-- same name with another body is another event. Both are null for names that the release
-- before stored.
ALTER TABLE source_event_keys ADD COLUMN automation_id text;
ALTER TABLE source_event_keys ADD COLUMN body_hash bytea;
