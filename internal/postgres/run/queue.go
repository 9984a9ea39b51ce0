package run

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Queue is the store of automations that wait to start, and of the places
// that those take which have.
type Queue struct {
	db *postgres.DB
	// Settings are what Register says of this process beside what it takes. They are set
	// before it is called.
	Settings platen.WorkerSettings
}

// stillWaits is a.state = 'ACCEPTED' for rows that are known by id. If it were
// written so, Postgres would look them up in the index of all that wait while it
// takes that index to be empty: it does not know yet of a queue that has grown.
const stillWaits = `CASE a.state WHEN 'ACCEPTED' THEN true ELSE false END`

// claimLock is the advisory lock under which claims take turns ("claim" in ASCII).
const claimLock = 0x636c61696d

// rest is after how long without a start nothing is known of an owner or a workflow any
// more.
const rest = time.Minute

// Claim leases up to limit waiting automations to the caller, which starts them and
// calls MarkStarted or Release; a lease that expires before that frees them. For all
// workers together, running and leased automations stay within what the registered
// workers carry and within by.Most.Open; those of one worker within what it carries;
// those of one owner within OwnerOpen. seen is their number after the claim. The places
// above OwnerOpen are for owners who have no run open and none parked, so that a new
// owner always finds one.
//
// Parked runs take no place. From by.Most.OwnerParked of an owner on, or from the owner's
// share if by.Most.Parked is reached, workflows with parked runs share that number; a
// workflow without any goes on. After a run of a workflow began to fail, or failed, the
// workflow pauses, then starts one at a time.
//
// A workflow that was idle starts one run, then twice as many at once as have ended and do
// not wait. An owner who was idle starts platen.FirstWorkflows, then grows in the same way.
//
// Owners take turns: the owner with the fewest open runs comes first, then the one served longest
// ago. The workflows of an owner take turns in the same way; within one the oldest automation
// comes first. A workflow has three quarters of its owner's places at most while the owner uses
// another. The cost grows with the number of workflows that wait and of runs under way, not with
// the number of automations. Settings force index scans, because Postgres would not choose them
// for a queue that has grown since the last ANALYZE. They also force a generic plan: it is the
// same with any arguments, and planning takes longer than execution.
//
// Paused automations are not claimed, and cost others nothing.
//
// Claim, MarkStarted and Release do not wait for the disk. A crash may undo them, and
// repeating them is safe: starting a run twice starts it once.
func (s *Queue) Claim(ctx context.Context, limit int, by platen.Claimer, lease time.Duration) (claimed []platen.Automation, seen platen.Occupancy, err error) {
	err = onConn(ctx, s.db.Pool(), func(conn *pgx.Conn) error {
		if seen, err = takeTurn(ctx, conn, by); err != nil {
			return err
		}
		claimed, err = claim(ctx, conn, min(limit, seen.Room()), by.Worker, seen, lease)
		seen.Open += len(claimed)
		seen.Own += len(claimed)
		return err
	})
	if err != nil {
		return nil, platen.Occupancy{}, fmt.Errorf("claim automations: %w", err)
	}
	return claimed, seen, nil
}

// onConn runs do with a connection of its own, for statements that go to the server
// together. do begins and commits by such statements; when it fails, its transaction is
// rolled back. The error of do comes back as it is.
func onConn(ctx context.Context, pool *pgxpool.Pool, do func(conn *pgx.Conn) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire: %w", postgres.Classify(err))
	}
	defer conn.Release()
	if err := do(conn.Conn()); err != nil {
		// The connection may be the reason; the pool throws it away then.
		_, _ = conn.Exec(context.WithoutCancel(ctx), `ROLLBACK`)
		return err
	}
	return nil
}

// takeTurn begins the transaction of a claim, waits for its turn, sets the planner's
// options for it and counts the open runs, in one round trip.
func takeTurn(ctx context.Context, conn *pgx.Conn, by platen.Claimer) (platen.Occupancy, error) {
	var others platen.Others
	var open, own int
	var b pgx.Batch
	b.Queue(`BEGIN`)
	b.Queue(turnStatement, pgx.NamedArgs{"worker": by.Worker, "gone": postgres.WorkerGone, "lock": int64(claimLock)}).
		QueryRow(func(row pgx.Row) error { return row.Scan(&others.Workers, &others.Carried) })
	b.Queue(occupancyStatement, pgx.NamedArgs{"worker": by.Worker}).
		QueryRow(func(row pgx.Row) error { return row.Scan(&open, &own) })
	if err := conn.SendBatch(ctx, &b).Close(); err != nil {
		return platen.Occupancy{}, postgres.Classify(err)
	}
	return by.Occupancy(open, own, others), nil
}

// claimSettings are those of the transactions that start automations.
const claimSettings = `set_config('synchronous_commit', 'off', true),
				set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
				set_config('plan_cache_mode', 'force_generic_plan', true)`

// turnStatement also reads the other workers, before sequential scans are disabled: their
// table has no index for it, so the planner would overestimate the cost.
const turnStatement = `
		SELECT others.workers, others.carried
		FROM (
			SELECT count(*) AS workers, coalesce(sum(carries), 0) AS carried
			FROM workers
			WHERE id <> @worker AND seen_at > now() - @gone::interval
		) others, (
			SELECT pg_advisory_xact_lock(@lock), ` + claimSettings + `
			OFFSET 0 -- or it would not be carried out, because nobody reads it
		) turn`

const occupancyStatement = `
		SELECT count(*) AS open, count(*) FILTER (WHERE claimed_by = @worker) AS own
		FROM automations
		WHERE ` + postgres.OpenAutomation

// claim leases up to room automations and commits, in one round trip.
func claim(ctx context.Context, conn *pgx.Conn, room int, worker string, seen platen.Occupancy, lease time.Duration) (claimed []platen.Automation, err error) {
	var b pgx.Batch
	if room > 0 {
		b.Queue(claimStatement, claimArgs(room, worker, seen, lease)).Query(func(rows pgx.Rows) error {
			claimed, err = postgres.ScanAutomations(rows)
			return err
		})
	}
	b.Queue(`COMMIT`)
	if err := conn.SendBatch(ctx, &b).Close(); err != nil {
		return nil, postgres.Classify(err)
	}
	return claimed, nil
}

func claimArgs(room int, worker string, seen platen.Occupancy, lease time.Duration) pgx.NamedArgs {
	return pgx.NamedArgs{
		"room": room, "open": seen.Open, "worker": worker, "lease": lease, "rest": rest,
		"owner_open": seen.Most.OwnerOpen, "workflow_open": seen.Most.WorkflowOpen(), "first": platen.FirstWorkflows, "parked": seen.Most.Parked, "owner_parked": seen.Most.OwnerParked,
	}
}

const claimStatement = waitingWorkflows + `, ` + candidates + `, ` + seats + `, locked AS (
			SELECT a.id
			FROM automations a
			JOIN seated s ON s.id = a.id
			WHERE s.seat <= @room AND ` + stillWaits + ` AND (a.leased_until IS NULL OR a.leased_until <= now())
			FOR NO KEY UPDATE OF a SKIP LOCKED
		), leased AS (
			UPDATE automations a
			SET leased_until = now() + @lease::interval, claimed_by = @worker, not_before = NULL, parked_at = NULL, waits = '{}'
			FROM locked l
			WHERE a.id = l.id
			RETURNING ` + postgres.AutomationColumns + `
		), ` + served + `
		SELECT *
		FROM leased
		ORDER BY accepted_at, id`

// waitingWorkflows begins the statement of a claim: waiting is whose automations wait,
// by hopping over the index.
const waitingWorkflows = `
		WITH RECURSIVE waiting AS (
			(
				SELECT owner_id, workflow_id
				FROM automations
				WHERE state = 'ACCEPTED'
				ORDER BY owner_id, workflow_id
				LIMIT 1
			)
			UNION ALL
			SELECT n.owner_id, n.workflow_id
			FROM waiting w
			CROSS JOIN LATERAL (
				SELECT a.owner_id, a.workflow_id
				FROM automations a
				WHERE a.state = 'ACCEPTED' AND (a.owner_id, a.workflow_id) > (w.owner_id, w.workflow_id)
				ORDER BY a.owner_id, a.workflow_id
				LIMIT 1
			) n
		)`

// candidates are automations that may start, with their turn: how many of their
// owner would be open with them. most is how many may be, of an owner and of a
// workflow: as many as begin at once more than were open when the first of them came,
// then twice as many as have ended since.
const candidates = `under_way AS (
			SELECT owner_id, workflow_id, count(*) FILTER (WHERE ` + postgres.OpenAutomation + `) AS open,
				count(*) FILTER (WHERE parked_at IS NOT NULL AND (state = 'RUNNING' OR leased_until > now())) AS parked -- one whose lease is over waits to be claimed again
			FROM automations
			WHERE state = 'RUNNING' OR leased_until IS NOT NULL
			GROUP BY owner_id, workflow_id
		), of_owners AS (
			SELECT owner_id, sum(open)::int AS open, sum(parked)::int AS parked, count(*) FILTER (WHERE parked > 0) AS parking
			FROM under_way
			GROUP BY owner_id
		), share AS ( -- how many parked ones an owner may have
			SELECT CASE WHEN sum(parked) >= @parked::int THEN least(@owner_parked::int, greatest(1, @parked::int / count(*) FILTER (WHERE parked > 0))) ELSE @owner_parked::int END AS most
			FROM of_owners
		), owners AS (
			SELECT o.owner_id, coalesce(u.open, 0) AS open, coalesce(u.parked, 0) AS parked, t.served_at, share.most AS share,
				greatest(1, share.most / greatest(1, u.parking)) AS part, -- of each workflow with parked ones
				greatest(1, @owner_parked::int / greatest(1, u.parking)) AS most_parked,
				CASE WHEN t.other_at >= now() - @rest::interval THEN @workflow_open::int ELSE @owner_open::int END AS places, -- of each workflow
				CASE
					WHEN t.served_at IS NULL OR t.served_at < now() - @rest::interval THEN coalesce(u.open, 0) + @first::int
					ELSE least(t.held, coalesce(u.open, 0)) + greatest(@first::int, 2 * (t.served - coalesce(u.open, 0) - coalesce(u.parked, 0)))
				END AS most
			FROM (SELECT DISTINCT owner_id FROM waiting) o
			CROSS JOIN share
			LEFT JOIN of_owners u ON u.owner_id = o.owner_id
			LEFT JOIN turns t ON t.owner_id = o.owner_id
			WHERE NOT EXISTS (SELECT FROM pauses p WHERE ` + postgres.PausesOwner + `)
		), workflow_states AS (
			SELECT w.owner_id, w.workflow_id, coalesce(u.open, 0) AS open, coalesce(u.parked, 0) AS parked, t.served_at,
				CASE
					WHEN t.served_at IS NULL OR t.served_at < now() - @rest::interval THEN coalesce(u.open, 0) + 1
					WHEN t.alone_until > now() THEN least(t.held, coalesce(u.open, 0)) + 1
					ELSE least(t.held, coalesce(u.open, 0)) + greatest(1, 2 * (t.served - coalesce(u.open, 0) - coalesce(u.parked, 0)))
				END AS most
			FROM waiting w
			LEFT JOIN under_way u ON u.owner_id = w.owner_id AND u.workflow_id = w.workflow_id
			LEFT JOIN workflow_turns t ON t.workflow_id = w.workflow_id
			WHERE (t.paused_until IS NULL OR t.paused_until <= now())
				AND w.workflow_id NOT IN (SELECT p.id FROM pauses p WHERE p.scope = 'workflow') -- read once for all
		), known AS (
			SELECT w.owner_id, w.workflow_id, w.open, w.parked, w.served_at, o.open AS owner_open, o.served_at AS owner_served_at, o.most AS owner_most, o.parked AS owner_parked,
				least(w.most, o.places) - w.open AS fits,
				CASE WHEN w.parked > 0 THEN greatest(@owner_parked::int - o.parked - o.open, o.most_parked - w.parked - w.open) END AS may_park
			FROM workflow_states w
			JOIN owners o ON o.owner_id = w.owner_id
			WHERE w.parked = 0 OR o.parked < o.share OR w.parked < o.part
		), candidates AS (
			SELECT a.id, a.accepted_at, k.owner_served_at AS served_at, k.owner_most AS most, k.parked, k.owner_parked,
				k.owner_open + row_number() OVER (
					PARTITION BY k.owner_id
					ORDER BY k.open + a.n, k.served_at + CASE WHEN k.parked > 0 THEN interval '5 seconds' ELSE '0' END NULLS FIRST, a.accepted_at, a.id
				) AS turn
			FROM known k
			CROSS JOIN LATERAL (
				SELECT w.id, w.accepted_at, row_number() OVER (ORDER BY w.accepted_at, w.id) AS n
				FROM (
					SELECT a.id, a.accepted_at
					FROM automations a
					WHERE a.state = 'ACCEPTED' AND a.owner_id = k.owner_id AND a.workflow_id = k.workflow_id
						AND (a.leased_until IS NULL OR a.leased_until <= now())
						AND (a.not_before IS NULL OR a.not_before <= now())
					ORDER BY a.accepted_at, a.id
					LIMIT greatest(0, least(@room::int, k.fits, k.may_park))
				) w
			) a
		)`

// seats puts candidates in order. Those of workflows with parked runs wait a little
// longer for their turn than others, and none of an owner with parked runs gets a place
// above OwnerOpen.
const seats = `placed AS (
			SELECT id, turn, owner_parked, row_number() OVER (
				ORDER BY turn, served_at + CASE WHEN parked > 0 THEN interval '5 seconds' ELSE '0' END NULLS FIRST, accepted_at, id) AS place
			FROM candidates
			WHERE turn <= least(most, @owner_open)
		), seated AS (
			SELECT id, row_number() OVER (ORDER BY place) AS seat
			FROM placed
			WHERE @open + place <= @owner_open OR turn = 1 AND owner_parked = 0
		)`

// served notes the turns of owners and of workflows.
const served = `served_workflows AS (
			INSERT INTO workflow_turns (workflow_id, served_at, served, held)
			SELECT l.workflow_id, clock_timestamp(),
				count(*) + CASE WHEN t.served_at >= now() - @rest::interval THEN least(t.served, 1000000) ELSE coalesce(u.open, 0) + coalesce(u.parked, 0) END,
				CASE WHEN t.served_at >= now() - @rest::interval THEN t.held ELSE coalesce(u.open, 0) END
			FROM leased l
			LEFT JOIN under_way u ON u.owner_id = l.owner_id AND u.workflow_id = l.workflow_id
			LEFT JOIN workflow_turns t ON t.workflow_id = l.workflow_id
			GROUP BY l.workflow_id, t.served_at, t.served, t.held, u.open, u.parked
			ON CONFLICT (workflow_id) DO UPDATE
			SET served_at = excluded.served_at, served = excluded.served, held = excluded.held
		), served_owners AS (
			INSERT INTO turns (owner_id, workflow_id, other_at, served_at, served, held)
			SELECT l.owner_id, max(l.workflow_id),
				CASE WHEN count(DISTINCT l.workflow_id) > 1 THEN clock_timestamp() WHEN t.workflow_id <> max(l.workflow_id) THEN t.served_at ELSE t.other_at END,
				clock_timestamp(),
				count(*) + CASE WHEN t.served_at >= now() - @rest::interval THEN least(t.served, 1000000) ELSE coalesce(u.open, 0) + coalesce(u.parked, 0) END,
				CASE WHEN t.served_at >= now() - @rest::interval THEN t.held ELSE coalesce(u.open, 0) END
			FROM leased l
			LEFT JOIN of_owners u ON u.owner_id = l.owner_id
			LEFT JOIN turns t ON t.owner_id = l.owner_id
			GROUP BY l.owner_id, t.workflow_id, t.other_at, t.served_at, t.served, t.held, u.open, u.parked
			ON CONFLICT (owner_id) DO UPDATE
			SET workflow_id = excluded.workflow_id, other_at = excluded.other_at, served_at = excluded.served_at, served = excluded.served, held = excluded.held
		)`

// MarkStarted says that a Temporal run exists for these attempts. One that has
// ended meanwhile stays ended, and a later attempt waits for a run of its
// own: what is said of an earlier one may come late.
//
// Its plan is that of a claim: one that a connection keeps from a short queue would read all
// of a queue that has grown since.
//
// The arrays stand in sub-selects, where Postgres does not see how short they
// are: it would plan the statement again for each.
func (s *Queue) MarkStarted(ctx context.Context, started []platen.Automation) error {
	ids, attempts := make([]string, len(started)), make([]int, len(started))
	for i, a := range started {
		ids[i], attempts[i] = a.ID, a.Attempt
	}
	err := onConn(ctx, s.db.Pool(), func(conn *pgx.Conn) error {
		var b pgx.Batch
		b.Queue(`BEGIN`)
		b.Queue(`SELECT ` + claimSettings)
		b.Queue(`
		UPDATE automations a
		SET state = 'RUNNING', started_at = now(), leased_until = NULL, not_before = NULL
		FROM unnest((SELECT @ids::text[]), (SELECT @attempts::int[])) AS started (id, attempt)
		WHERE a.id = started.id AND a.attempt = started.attempt AND `+stillWaits, pgx.NamedArgs{"ids": ids, "attempts": attempts})
		b.Queue(`COMMIT`)
		return postgres.Classify(conn.SendBatch(ctx, &b).Close())
	})
	if err != nil {
		return fmt.Errorf("note that %d automations started: %w", len(started), err)
	}
	return nil
}

// Release ends the lease of automations that were not started; no start is
// tried again before the delay is over.
func (s *Queue) Release(ctx context.Context, automationIDs []string, delay time.Duration) error {
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		UPDATE automations a
		SET leased_until = NULL, not_before = now() + @delay::interval
		FROM set_config('synchronous_commit', 'off', true) AS commit
		WHERE a.id = ANY (@ids) AND `+stillWaits+` AND commit = 'off'`,
		pgx.NamedArgs{"ids": automationIDs, "delay": delay})
	if err != nil {
		return fmt.Errorf("release %d automations: %w", len(automationIDs), err)
	}
	return nil
}

// OverdueAutomations returns the automations that have been RUNNING for longer
// than age, oldest first, at most a thousand; after is the last one of those
// before, the zero automation to begin with.
func (s *Queue) OverdueAutomations(ctx context.Context, age time.Duration, after platen.Automation) ([]platen.Automation, error) {
	rows, err := s.db.Pool().Query(ctx, `
		SELECT `+postgres.AutomationColumns+`
		FROM automations a
		WHERE (a.state = 'RUNNING' OR a.leased_until IS NOT NULL)
			AND a.state = 'RUNNING' AND a.started_at < now() - @age::interval
			AND (a.started_at, a.id) > (coalesce(@started::timestamptz, '-infinity'), @id)
		ORDER BY a.started_at, a.id
		LIMIT 1000`, pgx.NamedArgs{"age": age, "started": after.StartedAt, "id": after.ID})
	if err != nil {
		return nil, fmt.Errorf("list overdue automations: %w", postgres.Classify(err))
	}
	overdue, err := postgres.ScanAutomations(rows)
	if err != nil {
		return nil, fmt.Errorf("list overdue automations: %w", err)
	}
	return overdue, nil
}

// Requeue puts a RUNNING automation whose run is gone back into the queue with
// the next attempt; outputs that have ended stay as they are. It does nothing
// to one that is not RUNNING in this attempt any more.
func (s *Queue) Requeue(ctx context.Context, automationID string, attempt int) error {
	if err := postgres.Requeue(ctx, s.db.Pool(), automationID, attempt); err != nil {
		return fmt.Errorf("requeue automation %s: %w", automationID, err)
	}
	return nil
}
