package run

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Notices is the store of notices sent to owners by mail.
type Notices struct{ db *postgres.DB }

// dueNotices selects causes of the last day without a notice. Failures of a workflow are
// sent once in a digest's time, and those of one owner together. The causes of a mail
// that was begun stay in that mail; later causes wait for the next.
var dueNotices = digestOf(platen.NoticeFailures, "automations a", "a.workflow_id", "a.finished_at", "a.state = 'FAILED' AND NOT a.test") + `
	UNION ALL` + digestOf(platen.NoticeMails, "mails m", "m.workflow_id", "m.ended_at", postgres.UnsentMail) + `
	UNION ALL` + digestOf(platen.NoticeKeys, "automations a", "a.workflow_id", "a.finished_at", "a.reason = '"+platen.ReasonKeyReused+"' AND NOT a.test") + `
	UNION ALL` + digestOf(platen.NoticeTargets, "placements p", "p.workflow_id", "p.ended_at", unstored) + `
	UNION ALL` + digestOf(platen.NoticeSchedules, "schedules s", "s.workflow_id", "s.last_ended", "s.last_state = 'FAILED' AND NOT s.test") + `
	UNION ALL
	SELECT 'receiver', e.owner_id || '/' || encode(e.url_hash, 'hex'), e.owner_id, coalesce(w.id, ''), coalesce(w.name, ''), 1, e.disabled_at,
		e.disabled_at, CASE WHEN e.disabled_at <= t.pending_at THEN t.mail ELSE '' END
	FROM endpoints e
	LEFT JOIN notices t ON t.kind = 'receiver' AND t.subject = e.owner_id || '/' || encode(e.url_hash, 'hex')
	LEFT JOIN LATERAL (
		SELECT w.id, w.name
		FROM workflows w
		JOIN (SELECT workflow_id, url FROM outgoing_webhooks UNION ALL SELECT workflow_id, url FROM receivers) o ON o.workflow_id = w.id
		WHERE w.owner_id = e.owner_id AND sha256(convert_to(o.url, 'UTF8')) = e.url_hash
		ORDER BY w.created_at
		LIMIT 1
	) w ON true
	WHERE e.disabled <> '' AND NOT e.test AND e.disabled_at > now() - interval '26 hours' AND e.disabled_at > coalesce(t.caused_at, '-infinity')
		AND coalesce(t.leased_until, '-infinity') < now()
	UNION ALL
	SELECT 'usage', l.owner_id, l.owner_id, '', '', coalesce(m.documents, 0), greatest(l.near_at, l.reached_at),
		greatest(l.near_at, l.reached_at), CASE WHEN greatest(l.near_at, l.reached_at) <= t.pending_at THEN t.mail ELSE '' END
	FROM usage_limits l
	LEFT JOIN usage_months m ON m.owner_id = l.owner_id AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
	LEFT JOIN notices t ON t.kind = 'usage' AND t.subject = l.owner_id
	WHERE greatest(l.near_at, l.reached_at) > now() - interval '26 hours' AND greatest(l.near_at, l.reached_at) > coalesce(t.caused_at, '-infinity')
		AND coalesce(t.leased_until, '-infinity') < now()
	UNION ALL
	SELECT 'senders', s.id, s.owner_id, '', '', 1, s.failing_since,
		s.failing_since, CASE WHEN s.failing_since <= t.pending_at THEN t.mail ELSE '' END
	FROM mail_senders s
	LEFT JOIN notices t ON t.kind = 'senders' AND t.subject = s.id
	WHERE s.failing_since < CASE WHEN s.code = '` + platen.CodeSenderUnavailable + `' THEN now() - interval '10 minutes' ELSE 'infinity' END
		AND s.failing_since > now() - interval '26 hours' AND s.failing_since > coalesce(t.caused_at, '-infinity')
		AND coalesce(t.told_at, '-infinity') < now() - @digest::interval
		AND coalesce(t.leased_until, '-infinity') < now()
	UNION ALL
	SELECT 'connection', c.user_id, c.user_id, '', '', 1, c.broken_at,
		c.broken_at, CASE WHEN c.broken_at <= t.pending_at THEN t.mail ELSE '' END
	FROM drive_connections c
	LEFT JOIN notices t ON t.kind = 'connection' AND t.subject = c.user_id
	WHERE c.broken_at >= c.updated_at AND c.broken_at > now() - interval '26 hours' AND c.broken_at > coalesce(t.caused_at, '-infinity')
		AND coalesce(t.leased_until, '-infinity') < now()`

// unstored is a condition for outputs p at targets that did not get them, though they were to.
const unstored = `p.state = 'FAILED' AND p.code NOT IN ('` + platen.CodeDataErased + `', '` + platen.CodeTargetGone + `')`

// digestOf selects the causes that one notice per workflow sums up: the rows of table for
// which holds is true; workflow and at are the columns of their workflow and time.
func digestOf(kind platen.NoticeKind, table, workflow, at, holds string) string {
	return strings.NewReplacer("{kind}", string(kind), "{table}", table, "{workflow}", workflow, "{at}", at, "{holds}", holds).Replace(`
	SELECT '{kind}' AS kind, w.id AS subject, w.owner_id, w.id AS workflow_id, w.name AS workflow,
		coalesce(nullif(count(*) FILTER (WHERE {at} <= t.pending_at), 0), count(*)) AS count,
		coalesce(max({at}) FILTER (WHERE {at} <= t.pending_at), max({at})) AS caused_at,
		min({at}) AS first_at,
		CASE WHEN bool_or({at} <= t.pending_at) THEN t.mail ELSE '' END AS mail
	FROM {table}
	JOIN workflows w ON w.id = {workflow}
	LEFT JOIN notices t ON t.kind = '{kind}' AND t.subject = w.id
	WHERE {holds} AND {at} > now() - interval '26 hours' AND {at} > coalesce(t.caused_at, '-infinity')
		AND coalesce(t.told_at, '-infinity') < now() - @digest::interval
		AND coalesce(t.leased_until, '-infinity') < now()
		AND NOT EXISTS (SELECT FROM notices o WHERE o.owner_id = w.owner_id AND o.kind = '{kind}' AND o.told_at > now() - @apart::interval)
	GROUP BY w.id, t.mail`)
}

// causeOfNotice is what a claimed cause d says beside its time: the first of what was at that
// moment.
const causeOfNotice = `
	(SELECT coalesce(nullif(a.failure_code, ''), o.failure_code, '') AS code, coalesce(nullif(a.failure, ''), o.failure, '') AS message, '' AS automation, '' AS key_taken_by
	FROM automations a
	LEFT JOIN outputs o ON o.automation_id = a.id AND o.state = 'FAILED'
	WHERE d.kind = 'failures' AND a.workflow_id = d.workflow_id AND a.state = 'FAILED' AND NOT a.test AND a.finished_at = d.caused_at
	ORDER BY a.id, o.id
	LIMIT 1)
	UNION ALL
	(SELECT m.code, m.message, '', ''
	FROM mails m
	WHERE d.kind = 'mails' AND m.workflow_id = d.workflow_id AND ` + postgres.UndeliveredMail + ` AND m.ended_at = d.caused_at
	ORDER BY m.id
	LIMIT 1)
	UNION ALL
	-- A message may have a path with values of the data.
	(SELECT p.code, p.target_name, '', ''
	FROM placements p
	WHERE d.kind = 'targets' AND p.workflow_id = d.workflow_id AND p.ended_at = d.caused_at AND ` + unstored + `
	ORDER BY p.id
	LIMIT 1)
	UNION ALL
	(SELECT s.last_code, concat_ws(': ', s.name, (
			SELECT f.name
			FROM schedule_files f
			WHERE f.schedule_id = s.id AND f.state = 'FAILED' AND s.last_code = '` + platen.CodeFilesFailed + `'
			ORDER BY f.ended_at DESC, f.file_id
			LIMIT 1
		)), '', ''
	FROM schedules s
	WHERE d.kind = 'schedules' AND s.workflow_id = d.workflow_id AND s.last_ended = d.caused_at AND s.last_state = 'FAILED'
	ORDER BY s.id
	LIMIT 1)
	UNION ALL
	(SELECT s.code, s.message, '', ''
	FROM mail_senders s
	WHERE d.kind = 'senders' AND s.id = d.subject)
	UNION ALL
	(SELECT CASE WHEN l.reached_at >= l.near_at THEN '` + platen.CodeUsageLimit + `' ELSE '' END, l.documents::text, '', ''
	FROM usage_limits l
	WHERE d.kind = 'usage' AND l.owner_id = d.subject)
	UNION ALL
	(SELECT '', '', a.id, a.key_taken_by
	FROM automations a
	WHERE d.kind = 'keys' AND a.workflow_id = d.workflow_id AND a.reason = '` + platen.ReasonKeyReused + `' AND NOT a.test AND a.finished_at = d.caused_at
	ORDER BY a.id
	LIMIT 1)`

type noticeRow struct {
	Kind       platen.NoticeKind `db:"kind"`
	Subject    string            `db:"subject"`
	OwnerID    string            `db:"owner_id"`
	Email      string            `db:"email"`
	WorkflowID string            `db:"workflow_id"`
	Workflow   string            `db:"workflow"`
	Locale     string            `db:"locale"`
	Count      int               `db:"count"`
	CausedAt   time.Time         `db:"caused_at"`
	Again      bool              `db:"again"`
	Code       string            `db:"code"`
	Message    string            `db:"message"`
	Mail       string            `db:"mail"`
	Automation string            `db:"automation"`
	KeyTakenBy string            `db:"key_taken_by"`
}

// noticesTogether is how many workflows or receivers one mail lists at most.
const noticesTogether = 20

// ClaimNotices leases the notices of up to mails mails to the caller: the oldest causes
// first, and those of one mail together. An owner gets one notice within digest about
// failures of the same workflow, and one within apart about failures of any workflow.
func (s *Notices) ClaimNotices(ctx context.Context, digest, apart, lease time.Duration, mails int) ([]platen.Notice, error) {
	rows, err := postgres.Collect[noticeRow](ctx, s.db.Pool(), `
		WITH causes AS MATERIALIZED (
			SELECT d.*, u.email
			FROM (`+dueNotices+`) d
			JOIN users u ON u.id = d.owner_id AND u.disabled_at IS NULL AND u.deleted_at IS NULL
		), letters AS (
			-- One that was begun goes before what would be a new one.
			SELECT owner_id, kind, max(mail) AS mail, min(first_at) AS since
			FROM causes
			GROUP BY owner_id, kind
			ORDER BY since, owner_id, kind
			LIMIT @mails
		), due AS MATERIALIZED (
			SELECT c.*, m.since
			FROM letters m
			CROSS JOIN LATERAL (
				SELECT *
				FROM causes
				WHERE causes.owner_id = m.owner_id AND causes.kind = m.kind AND causes.mail = m.mail
				ORDER BY first_at, subject
				LIMIT @together
			) c
		), claimed AS (
			INSERT INTO notices AS t (kind, subject, owner_id, pending_at, leased_until, mail)
			SELECT kind, subject, owner_id, caused_at, now() + @lease::interval, coalesce(nullif(mail, ''), @call || owner_id)
			FROM due
			ORDER BY kind, subject
			ON CONFLICT (kind, subject) DO UPDATE
			SET pending_at = excluded.pending_at, leased_until = excluded.leased_until, mail = excluded.mail
			WHERE coalesce(t.leased_until, '-infinity') < now() AND excluded.pending_at > coalesce(t.caused_at, '-infinity')
			RETURNING t.kind, t.subject, t.mail, t.told_at IS NOT NULL AS again
		)
		SELECT d.kind, d.subject, d.owner_id, d.email, d.workflow_id, d.workflow, d.count, d.caused_at, c.again, c.mail,
			coalesce(f.code, (SELECT e.disabled FROM endpoints e WHERE d.kind = 'receiver' AND e.owner_id || '/' || encode(e.url_hash, 'hex') = d.subject), '') AS code,
			coalesce(f.message, '') AS message, coalesce(f.automation, '') AS automation, coalesce(f.key_taken_by, '') AS key_taken_by,
			coalesce(
				(SELECT w.locale FROM workflows w WHERE w.id = d.workflow_id),
				(SELECT w.locale FROM workflows w WHERE w.owner_id = d.owner_id ORDER BY w.created_at DESC, w.id LIMIT 1), ''
			) AS locale -- of the owner's newest workflow where the cause is no workflow's
		FROM claimed c
		JOIN due d ON d.kind = c.kind AND d.subject = c.subject
		LEFT JOIN LATERAL (`+causeOfNotice+`) f ON true
		ORDER BY d.since, d.owner_id, d.kind, d.subject`,
		pgx.NamedArgs{"digest": digest, "apart": apart, "lease": lease, "mails": mails, "together": noticesTogether, "call": platen.NewID(platen.PrefixNotice)})
	if err != nil {
		return nil, fmt.Errorf("claim notices: %w", err)
	}
	all := make([]platen.Notice, len(rows))
	for i, r := range rows {
		all[i] = platen.Notice{
			Kind: r.Kind, Subject: r.Subject, OwnerID: r.OwnerID, Email: r.Email, Workflow: r.Workflow, WorkflowID: r.WorkflowID,
			Count: r.Count, Code: r.Code, Message: r.Message, CausedAt: r.CausedAt.UTC(), Again: r.Again, Mail: r.Mail,
			AutomationID: r.Automation, KeyTakenBy: r.KeyTakenBy, Locale: r.Locale,
		}
	}
	return all, nil
}

// MarkTold notes that an owner was told of notices.
func (s *Notices) MarkTold(ctx context.Context, told []platen.Notice) error {
	kinds, subjects, causes := make([]string, len(told)), make([]string, len(told)), make([]time.Time, len(told))
	for i, n := range told {
		kinds[i], subjects[i], causes[i] = string(n.Kind), n.Subject, n.CausedAt
	}
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		UPDATE notices n
		SET caused_at = d.caused_at, told_at = now(), leased_until = NULL
		FROM unnest(@kinds::text[], @subjects::text[], @causes::timestamptz[]) AS d (kind, subject, caused_at)
		WHERE n.kind = d.kind AND n.subject = d.subject`,
		pgx.NamedArgs{"kinds": kinds, "subjects": subjects, "causes": causes})
	if err != nil {
		return fmt.Errorf("note what owners were told of: %w", err)
	}
	return nil
}
