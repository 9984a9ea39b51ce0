-- +goose NO TRANSACTION
-- What each owner used in each month of UTC: outputs that were made, the pages and bytes of
-- their PDFs, and recipients of mails. Tests are not counted. Rows hold numbers alone and
-- refer to nothing, so that they outlive what they count.
-- +goose Up
SET lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS usage_months (
    owner_id  text   NOT NULL,
    month     date   NOT NULL CHECK (extract(day FROM month) = 1),
    documents bigint NOT NULL DEFAULT 0,
    pages     bigint NOT NULL DEFAULT 0,
    bytes     bigint NOT NULL DEFAULT 0,
    mails     bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (owner_id, month)
);

-- What was not added to its month yet. The transaction that makes an output or records a mail
-- inserts a row and waits for nobody; workers add rows to their months, and delete them, a few
-- seconds later. What was used is the sum of both tables.
CREATE TABLE IF NOT EXISTS usage_entries (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id  text    NOT NULL,
    month     date    NOT NULL,
    documents integer NOT NULL DEFAULT 0,
    pages     integer NOT NULL DEFAULT 0,
    bytes     bigint  NOT NULL DEFAULT 0,
    mails     integer NOT NULL DEFAULT 0
) WITH (
    -- Every row is deleted within seconds.
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000
);

-- An output is DONE once, and nothing takes that back.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_output() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO usage_entries (owner_id, month, documents, pages, bytes)
    SELECT a.owner_id, date_trunc('month', NEW.updated_at AT TIME ZONE 'UTC')::date, 1,
        coalesce(substring(NEW.pdf->'properties'->>'platenPages' FROM '^[0-9]{1,6}$')::integer, 0),
        coalesce(substring(NEW.pdf->>'size' FROM '^[0-9]{1,15}$')::bigint, 0)
    FROM automations a
    WHERE a.id = NEW.automation_id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER outputs_counted AFTER UPDATE OF state ON outputs
    FOR EACH ROW WHEN (NEW.state = 'DONE' AND OLD.state <> 'DONE' AND NOT NEW.test)
    EXECUTE FUNCTION count_output();

-- accepted grows by those whom the mail server took the mail for. A mail to the rest begins
-- with those who got it before.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO usage_entries (owner_id, month, mails)
    SELECT a.owner_id, date_trunc('month', coalesce(NEW.sent_at, now()) AT TIME ZONE 'UTC')::date, NEW.accepted - OLD.accepted
    FROM automations a
    WHERE a.id = NEW.automation_id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER mails_counted AFTER UPDATE OF accepted ON mails
    FOR EACH ROW WHEN (NEW.accepted > OLD.accepted)
    EXECUTE FUNCTION count_mail();

-- How many documents an operator lets an owner have in a month.
CREATE TABLE IF NOT EXISTS usage_limits (
    owner_id   text        PRIMARY KEY REFERENCES users (id),
    documents  bigint      NOT NULL CHECK (documents >= 0),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- How many events of an owner may still be accepted in this month; null: there is no
-- limit. What waits or runs counts as a document each. With hold, those who ask for the same
-- owner take turns. It reads across tenants for roles that may not.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION usage_room(owner text, hold boolean) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    most bigint;
BEGIN
    IF hold THEN
        SELECT l.documents INTO most FROM usage_limits l WHERE l.owner_id = owner FOR UPDATE;
    ELSE
        SELECT l.documents INTO most FROM usage_limits l WHERE l.owner_id = owner;
    END IF;
    IF most IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN most - (
        SELECT coalesce(sum(n), 0)
        FROM (
            SELECT documents AS n FROM usage_months WHERE owner_id = owner AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
            UNION ALL
            SELECT documents FROM usage_entries WHERE owner_id = owner AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
            UNION ALL
            SELECT count(*) FROM automations WHERE owner_id = owner AND state = 'ACCEPTED' AND NOT test
            UNION ALL
            SELECT count(*) FROM automations WHERE owner_id = owner AND state = 'RUNNING' AND NOT test
            UNION ALL
            SELECT count(*) FROM workflows w JOIN automations a ON a.workflow_id = w.id AND a.state = 'REVIEW' WHERE w.owner_id = owner AND NOT a.test
            UNION ALL
            SELECT count(*) FROM workflows w JOIN automations a ON a.workflow_id = w.id AND a.state = 'BEHIND' AND a.order_number IS NOT NULL AND a.finished_at IS NULL WHERE w.owner_id = owner AND NOT a.test
            UNION ALL
            SELECT count(*)
            FROM workflows w
            JOIN batches b ON b.workflow_id = w.id AND b.finished_at IS NULL AND b.state <> 'STORING' AND NOT b.test
            JOIN batch_rows r ON r.batch_id = b.id AND r.state IN ('PENDING', 'RETRY')
            WHERE w.owner_id = owner
        ) counted
    );
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION usage_room(text, boolean) SET search_path = %I, pg_temp', current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION usage_room(text, boolean) FROM PUBLIC;
RESET lock_timeout;
