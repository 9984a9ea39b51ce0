-- +goose Up

-- What failed within a day is what ended within it, however long it waited before. The
-- renaming keeps who may read the view.
ALTER VIEW tenant_loads RENAME COLUMN endpoints_resting TO endpoints_cooling_down;

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
    WHERE state = 'FAILED' AND finished_at > now() - interval '1 day'
    GROUP BY owner_id
) f ON f.owner_id = u.id
LEFT JOIN (
    SELECT k.owner_id, count(*) AS pending, count(*) FILTER (WHERE coalesce(v.next_at, v.created_at) < now() - interval '15 minutes') AS overdue
    FROM events v
    JOIN workflows k ON k.id = v.workflow_id
    WHERE v.state = 'PENDING'
    GROUP BY k.owner_id
) e ON e.owner_id = u.id
LEFT JOIN (
    SELECT owner_id, count(*) FILTER (WHERE disabled <> '') AS disabled, count(*) FILTER (WHERE disabled = '' AND rests_until > now()) AS cooling
    FROM endpoints
    GROUP BY owner_id
) r ON r.owner_id = u.id;
