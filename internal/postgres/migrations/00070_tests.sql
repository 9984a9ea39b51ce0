-- +goose NO TRANSACTION
-- +goose Up

-- Serve and workers write these tables all the time: they wait for a lock no longer
-- than this. The migration is tried again then.
SET lock_timeout = '200ms';

-- Whether the automation is a test: its outputs are marked, and its events go to the
-- workflow's test receiver alone.
ALTER TABLE automations ADD COLUMN IF NOT EXISTS test boolean NOT NULL DEFAULT false;

-- The same of its outputs and its events. A worker of the previous release does not say
-- it: the triggers below do. NULL: the row is older than the column, and no test.
ALTER TABLE outputs ADD COLUMN IF NOT EXISTS test boolean;
ALTER TABLE events ADD COLUMN IF NOT EXISTS test boolean;

-- Whether events of tests go there. Its key is another than that of the same address
-- for others.
ALTER TABLE endpoints ADD COLUMN IF NOT EXISTS test boolean NOT NULL DEFAULT false;

ALTER TABLE mails DROP CONSTRAINT IF EXISTS mails_state_check;
ALTER TABLE mails ADD CONSTRAINT mails_state_check CHECK (state IN ('PENDING', 'SENT', 'FAILED', 'NOT_SENT')) NOT VALID;

-- Where events of tests go. It is no row of outgoing_webhooks: the previous release would
-- send events there that are no tests.
CREATE TABLE IF NOT EXISTS test_receivers (
    id              text        PRIMARY KEY,
    workflow_id     text        NOT NULL UNIQUE REFERENCES workflows (id),
    url             text        NOT NULL,
    secret          bytea       NOT NULL, -- sealed
    previous_secret bytea, -- sealed
    previous_until  timestamptz,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
);

-- A worker of the previous release would run a test as if it were none. It does not get
-- the lease: the row is put where it does not look, and where claims of this release do.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_test_unclaimed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE automations
    SET not_before = 'infinity'
    WHERE id = NEW.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER test_claimed BEFORE UPDATE OF leased_until ON automations
    FOR EACH ROW WHEN (NEW.test AND NEW.leased_until IS NOT NULL AND NEW.leased_until IS DISTINCT FROM OLD.leased_until AND current_setting('platen.runs_tests', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION keep_test_unclaimed();

-- Nor does it write an event of a test, which it would send to the outgoing webhook.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION know_test() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.test := coalesce((SELECT a.test FROM automations a WHERE a.id = NEW.automation_id), false);
    IF NEW.test AND TG_TABLE_NAME = 'events' THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER outputs_test BEFORE INSERT ON outputs
    FOR EACH ROW WHEN (NEW.test IS NULL) EXECUTE FUNCTION know_test();
CREATE OR REPLACE TRIGGER events_test BEFORE INSERT ON events
    FOR EACH ROW WHEN (NEW.test IS NULL) EXECUTE FUNCTION know_test();

-- Dashboards of users count no tests, but those that wait and run take places as others do.
CREATE OR REPLACE VIEW tenant_loads AS
SELECT u.id AS owner_id,
    coalesce(w.waiting, 0) AS waiting,
    w.waiting_since,
    coalesce(o.open, 0) AS open,
    coalesce(o.parked, 0) AS parked,
    coalesce(f.failed, 0) AS failed_within_a_day,
    coalesce(e.overdue, 0) AS events_overdue,
    coalesce(e.pending, 0) AS events_pending,
    coalesce(r.disabled, 0) AS endpoints_disabled,
    coalesce(r.cooling, 0) AS endpoints_cooling_down
FROM users u
LEFT JOIN (
    SELECT owner_id, count(*) AS waiting, min(accepted_at) AS waiting_since
    FROM automations
    WHERE state = 'ACCEPTED'
    GROUP BY owner_id
) w ON w.owner_id = u.id
LEFT JOIN (
    SELECT owner_id, count(*) FILTER (WHERE parked_at IS NULL) AS open, count(*) FILTER (WHERE parked_at IS NOT NULL) AS parked
    FROM automations
    WHERE state = 'RUNNING' OR leased_until IS NOT NULL
    GROUP BY owner_id
) o ON o.owner_id = u.id
LEFT JOIN (
    SELECT owner_id, count(*) AS failed
    FROM automations
    WHERE state = 'FAILED' AND NOT test AND finished_at > now() - interval '1 day'
    GROUP BY owner_id
) f ON f.owner_id = u.id
LEFT JOIN (
    SELECT k.owner_id, count(*) AS pending, count(*) FILTER (WHERE coalesce(v.next_at, v.created_at) < now() - interval '15 minutes') AS overdue
    FROM events v
    JOIN workflows k ON k.id = v.workflow_id
    WHERE v.state = 'PENDING' AND v.test IS NOT TRUE
    GROUP BY k.owner_id
) e ON e.owner_id = u.id
LEFT JOIN (
    SELECT owner_id, count(*) FILTER (WHERE disabled <> '') AS disabled, count(*) FILTER (WHERE disabled = '' AND rests_until > now()) AS cooling
    FROM endpoints
    WHERE NOT test
    GROUP BY owner_id
) r ON r.owner_id = u.id;

RESET lock_timeout;
