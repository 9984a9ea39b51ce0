package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Overview returns the numbers of the whole installation. It reads indexes of what is
// unfinished, and the endpoints: its cost grows with the backlog, not with what was
// done. It waits two seconds at most.
func (db *DB) Overview(ctx context.Context) (platen.Overview, error) {
	type row struct {
		Backlog   int            `db:"backlog"`
		Paused    int            `db:"paused"`
		Oldest    time.Duration  `db:"oldest"`
		Behind    int            `db:"behind"`
		LastKey   time.Duration  `db:"oldest_behind"`
		Batches   int            `db:"batches_behind"`
		Reviews   int            `db:"reviews"`
		Asked     time.Duration  `db:"oldest_review"`
		Unsent    int            `db:"reviews_unsent"`
		Open      int            `db:"open"`
		Parked    map[string]int `db:"parked"`
		Workers   int            `db:"workers"`
		Carried   int            `db:"carried"`
		Pending   int            `db:"pending"`
		Overdue   int            `db:"overdue"`
		Held      int            `db:"held"`
		Mails     int            `db:"mails"`
		Unstored  int            `db:"unstored"`
		Unstarted int            `db:"unstarted"`
		Senders   int            `db:"senders"`
		Endpoints map[string]int `db:"endpoints"`
		Quotas    map[string]int `db:"quotas"`
		Erasures  int            `db:"erasures"`
		Tokens    int            `db:"tokens"`
		Data      *time.Time     `db:"data"`
	}
	var r row
	err := db.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := Execute(ctx, tx, `SET LOCAL statement_timeout = '2s'`, nil); err != nil {
			return err
		}
		var err error
		r, _, err = CollectOne[row](ctx, tx, overviewStatement, pgx.NamedArgs{"gone": WorkerGone, "most_behind": platen.MostBehindRead, "most_reviews": platen.MostReviewsRead})
		return err
	})
	if err != nil {
		return platen.Overview{}, fmt.Errorf("read the overview: %w", err)
	}
	return platen.Overview{
		Backlog: r.Backlog, Paused: r.Paused, OldestAge: r.Oldest, Behind: r.Behind, OldestBehind: r.LastKey, BatchesBehind: r.Batches,
		Reviews: r.Reviews, OldestReview: r.Asked, ReviewsUnsent: r.Unsent, Open: r.Open, Parked: r.Parked, Workers: r.Workers, Carried: r.Carried,
		EventsPending: r.Pending, EventsOverdue: r.Overdue, EventsHeld: r.Held, MailsFailed: r.Mails, NotStored: r.Unstored, NotStarted: r.Unstarted, SendersFailing: r.Senders, Endpoints: r.Endpoints, QuotaUsed: r.Quotas,
		Erasures: r.Erasures, TokensEnding: r.Tokens, OldestData: UTC(r.Data),
	}, nil
}

// overviewStatement is one row of all numbers.
const overviewStatement = `
	SELECT *
	FROM (
		SELECT count(*) AS backlog, count(*) FILTER (WHERE held) AS paused,
			coalesce(greatest(now() - min(accepted_at) FILTER (WHERE NOT held), '0'), '0') AS oldest
		FROM (
			SELECT a.accepted_at, a.workflow_id = ANY (ARRAY(SELECT p.id FROM pauses p WHERE p.scope = 'workflow')) OR owners.owner_id IS NOT NULL AS held
			FROM automations a
			LEFT JOIN (
				SELECT o.owner_id
				FROM (SELECT id AS owner_id FROM users) o
				WHERE EXISTS (SELECT FROM pauses p WHERE ` + PausesOwner + `)
			) owners ON owners.owner_id = a.owner_id
			WHERE a.state = 'ACCEPTED'
		) accepted
	) waiting, (
		SELECT count(*) AS behind, coalesce(greatest(now() - min(accepted_at), '0'), '0') AS oldest_behind
		FROM automations
		WHERE order_number IS NOT NULL AND finished_at IS NULL AND state = 'BEHIND'
	) behind, (
		SELECT count(DISTINCT r.batch_id) AS batches_behind
		FROM (
			SELECT id
			FROM automations
			WHERE order_number IS NOT NULL AND finished_at IS NULL AND state = 'BEHIND'
			LIMIT @most_behind
		) a
		JOIN batch_rows r ON r.automation_id = a.id
	) batches, (
		SELECT (
				SELECT count(*)
				FROM (SELECT FROM reviews WHERE verdict = '' AND next_at IS NOT NULL LIMIT @most_reviews) r
			) AS reviews, coalesce(greatest(now() - (
				SELECT requested_at
				FROM reviews
				WHERE verdict = '' AND next_at IS NOT NULL
				ORDER BY requested_at
				LIMIT 1
			), '0'), '0') AS oldest_review, (
				SELECT count(*)
				FROM (SELECT FROM reviews WHERE verdict = '' AND next_at IS NOT NULL AND unsent <> '' LIMIT @most_reviews) r
			) AS reviews_unsent
	) reviews, (
		SELECT count(*) AS open
		FROM automations
		WHERE ` + OpenAutomation + `
	) open, (
		SELECT coalesce(jsonb_object_agg(code, n), '{}') AS parked
		FROM (
			SELECT coalesce((SELECT w.value ->> 'code' FROM jsonb_each(a.waits) w ORDER BY w.key LIMIT 1), '') AS code, count(*) AS n
			FROM automations a
			WHERE (a.state = 'RUNNING' OR a.leased_until IS NOT NULL) AND a.parked_at IS NOT NULL
			GROUP BY 1
		) by_code
	) parked, (
		SELECT count(*) AS workers, coalesce(sum(carries), 0) AS carried
		FROM workers
		WHERE seen_at > now() - @gone::interval
	) workers, (
		SELECT count(*) AS pending, count(*) FILTER (WHERE coalesce(next_at, created_at) < now() - interval '15 minutes') AS overdue
		FROM events
		WHERE state = 'PENDING' AND test IS NOT TRUE
	) events, (
		SELECT count(*) AS held
		FROM events
		WHERE state = 'HELD' AND test IS NOT TRUE
	) held, (
		SELECT count(*) AS mails
		FROM mails m
		WHERE ` + UnsentMail + ` AND m.ended_at > now() - interval '24 hours'
	) mails, (
		SELECT count(*) AS unstored
		FROM placements p
		WHERE ` + failedPlacement + ` AND p.ended_at > now() - interval '24 hours'
	) placements, (
		SELECT count(*) AS unstarted
		FROM schedules
		WHERE last_state = 'FAILED' AND NOT test AND last_ended > now() - interval '24 hours'
	) schedules, (
		SELECT count(*) AS senders
		FROM mail_senders
		WHERE failing_since IS NOT NULL
	) senders, (
		SELECT coalesce(jsonb_object_agg(breaker, n), '{}') AS endpoints
		FROM (
			SELECT CASE
					WHEN disabled <> '' THEN 'disabled'
					WHEN rests_until > now() THEN 'open'
					WHEN rests_until IS NOT NULL AND failures > 0 THEN 'half_open'
					WHEN failures > 0 THEN 'failing'
					ELSE 'closed'
				END AS breaker, count(*) AS n
			FROM endpoints
			WHERE NOT test
			GROUP BY 1
		) by_breaker
	) endpoints, (
		SELECT jsonb_build_object('docs_writes', coalesce(max(w), 0), 'docs_reads', coalesce(max(r), 0),
			'slides_writes', coalesce(max(sw), 0), 'slides_reads', coalesce(max(sr), 0), 'drive_units', coalesce(max(u), 0)) AS quotas
		FROM (
			SELECT sum(docs_writes) AS w, sum(docs_reads) AS r, sum(slides_writes) AS sw, sum(slides_reads) AS sr, sum(drive_units) AS u
			FROM quota_uses
			WHERE until > now()
			GROUP BY project
		) by_project
	) quotas, (
		SELECT count(*) AS erasures
		FROM automations
		WHERE erase_due_at IS NOT NULL
	) erasures, (
		SELECT count(*) AS tokens
		FROM tokens t
		JOIN users u ON u.id = t.user_id
		WHERE t.expires_at > now() AND t.expires_at <= now() + interval '7 days'
			AND t.revoked_at IS NULL AND t.last_used_at IS NOT NULL AND u.disabled_at IS NULL
	) tokens, (
		SELECT min(finished_at) AS data
		FROM automations
		WHERE finished_at IS NOT NULL AND data_erased_at IS NULL
	) kept`

// Caches are the lookups in each of the store's caches so far.
func (db *DB) Caches() map[string]func() (hits, misses uint64) {
	return map[string]func() (hits, misses uint64){
		"plans": db.Plans.recent.Lookups, "outputs": db.Outputs.recent.Lookups, "source_data": db.Automations.data.Lookups, "data_keys": db.Deliveries.keys.Lookups,
	}
}
