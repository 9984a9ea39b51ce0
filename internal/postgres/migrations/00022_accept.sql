-- +goose Up

-- Sources are never deleted, and an event's source is read in the statement
-- that stores the event. These constraints only locked the source's row once
-- more for every single event.
ALTER TABLE automations DROP CONSTRAINT automations_source_id_fkey;
ALTER TABLE source_event_keys DROP CONSTRAINT source_event_keys_source_id_fkey;
