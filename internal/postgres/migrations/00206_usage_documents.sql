-- +goose NO TRANSACTION
-- The limit of an owner counts the documents that what waits or runs still makes. Before, it
-- counted each event and each row of a batch as one.
-- +goose Up
SET lock_timeout = '5s';
-- How many documents an owner may have in a month, null for no limit, and how many were made
-- in this month or are still to be made. What has no outputs yet makes as many as its workflow
-- has documents. With hold, those who ask for the same owner take turns. It reads across
-- tenants for roles that may not.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION usage_standing(owner text, hold boolean, OUT most bigint, OUT used bigint)
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    now_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
BEGIN
    IF hold THEN
        SELECT l.documents INTO most FROM usage_limits l WHERE l.owner_id = owner FOR UPDATE;
    ELSE
        SELECT l.documents INTO most FROM usage_limits l WHERE l.owner_id = owner;
    END IF;
    IF most IS NULL THEN
        RETURN;
    END IF;
    WITH waiting AS (
        SELECT workflow_id FROM automations WHERE owner_id = owner AND state = 'ACCEPTED' AND attempt = 1 AND NOT test
        UNION ALL
        SELECT w.id FROM workflows w JOIN automations a ON a.workflow_id = w.id AND a.state = 'BEHIND' AND a.order_number IS NOT NULL AND a.finished_at IS NULL WHERE w.owner_id = owner AND a.attempt = 1 AND NOT a.test
        UNION ALL
        SELECT w.id
        FROM workflows w
        JOIN batches b ON b.workflow_id = w.id AND b.finished_at IS NULL AND b.state <> 'STORING' AND NOT b.test
        JOIN batch_rows r ON r.batch_id = b.id AND r.state IN ('PENDING', 'RETRY')
        WHERE w.owner_id = owner
    ), begun AS (
        SELECT id, workflow_id FROM automations WHERE owner_id = owner AND state = 'ACCEPTED' AND attempt > 1 AND NOT test
        UNION ALL
        SELECT id, workflow_id FROM automations WHERE owner_id = owner AND state = 'RUNNING' AND NOT test
        UNION ALL
        SELECT a.id, w.id FROM workflows w JOIN automations a ON a.workflow_id = w.id AND a.state = 'BEHIND' AND a.order_number IS NOT NULL AND a.finished_at IS NULL WHERE w.owner_id = owner AND a.attempt > 1 AND NOT a.test
        UNION ALL
        SELECT a.id, w.id FROM workflows w JOIN automations a ON a.workflow_id = w.id AND a.state = 'REVIEW' WHERE w.owner_id = owner AND NOT a.test
    ), counted AS (
        SELECT documents AS n FROM usage_months WHERE owner_id = owner AND month = now_month
        UNION ALL
        SELECT documents FROM usage_entries WHERE owner_id = owner AND month = now_month
        UNION ALL
        SELECT w.events * (SELECT count(*) FROM documents d WHERE d.workflow_id = w.workflow_id AND d.state = 'READY')
        FROM (SELECT workflow_id, count(*) AS events FROM waiting GROUP BY workflow_id) w
        UNION ALL
        SELECT CASE o.planned
            WHEN 0 THEN (SELECT count(*) FROM documents d WHERE d.workflow_id = b.workflow_id AND d.state = 'READY')
            ELSE o.open
        END
        FROM begun b
        CROSS JOIN LATERAL (SELECT count(*) AS planned, count(*) FILTER (WHERE state IN ('PENDING', 'REVIEW')) AS open FROM outputs WHERE automation_id = b.id) o
    )
    SELECT coalesce(sum(n), 0) INTO used FROM counted;
END
$$;
-- +goose StatementEnd
-- Programs of the release before ask for this.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION usage_room(owner text, hold boolean) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER AS $$
    SELECT most - used FROM usage_standing(owner, hold)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION usage_standing(text, boolean) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION usage_room(text, boolean) SET search_path = %I, pg_temp', current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION usage_standing(text, boolean) FROM PUBLIC;
RESET lock_timeout;
