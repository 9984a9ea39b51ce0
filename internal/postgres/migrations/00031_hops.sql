-- +goose Up

-- How many deliveries led to the automation's source event. An event of the
-- automation carries one more, so that circles of outgoing webhooks end. The
-- release before stores none.
ALTER TABLE automations ADD COLUMN hops integer NOT NULL DEFAULT 0;
