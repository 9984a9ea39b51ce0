package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// Queue is the store of automations that wait to start, and of the places
// that those take which have.
type Queue struct {
	db *DB
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

// rest is after how long without a start nothing is known of an owner any more.
const rest = time.Minute

// Claim leases up to limit waiting automations to the caller, who starts them
// and says so with MarkStarted or Release; a lease that runs out before that
// frees them. However many workers claim, running and leased ones together stay
// within what the registered workers carry and within by.Most.Open, those that one
// worker claimed within what it carries, those of one owner within OwnerOpen; seen is
// how many there are then. The places above OwnerOpen are for owners who have
// no run open and none parked, so that a new one finds a place whoever came
// before.
//
// Parked runs take no place. An owner with by.Most.OwnerParked of them starts no
// more, nor does one whose share is used up where there are by.Most.Parked of
// them in all. After a run of theirs began to fail, or failed, owners wait for a
// moment, then start one at a time.
//
// An owner who comes after a rest starts one run, then twice as many at once as
// have ended and do not wait.
//
// Owners take turns: whoever has the fewest open comes first, then whoever was
// served longest ago; within an owner the oldest. The cost grows with the
// number of owners who wait and of runs under way, not with the number of
// automations. Postgres is told to go by the indexes, which it would not do for
// a queue that has grown since it last looked at the table. It is told to keep
// its plan, too: with the arguments or without, the plan is the same, and making
// it takes longer than carrying it out.
//
// What a pause holds is not claimed, and costs others nothing. A test is claimed by whoever
// says that it knows tests (platen.runs_tests): workers of the release before do not, and
// a trigger puts what they would claim where only claims of this release look.
//
// Claim, MarkStarted and Release do not wait for the disk. What a crash may take
// back there comes out the same when it is done again: starting a run twice
// starts it once.
func (s *Queue) Claim(ctx context.Context, limit int, by platen.Claimer, lease time.Duration) (claimed []platen.Automation, seen platen.Occupancy, err error) {
	err = s.db.inTx(ctx, func(tx pgx.Tx) error {
		others, err := takeTurn(ctx, tx, by)
		if err != nil {
			return err
		}
		if seen, err = occupancy(ctx, tx, by, others); err != nil {
			return err
		}
		if room := min(limit, seen.Room()); room > 0 {
			if claimed, err = claim(ctx, tx, room, by.Worker, seen, lease); err != nil {
				return err
			}
		}
		seen.Open += len(claimed)
		seen.Own += len(claimed)
		return nil
	})
	if err != nil {
		return nil, platen.Occupancy{}, fmt.Errorf("claim automations: %w", err)
	}
	return claimed, seen, nil
}

// takeTurn waits for the turn of a claim, and sets how Postgres goes about it. It reads
// the workers beside the one that claims, too: of that table there is no index to go by,
// and once a scan is forbidden, Postgres takes it to cost more than all else together.
func takeTurn(ctx context.Context, tx pgx.Tx, by platen.Claimer) (platen.Others, error) {
	type row struct {
		Workers int `db:"workers"`
		Carried int `db:"carried"`
	}
	r, _, err := collectOne[row](ctx, tx, `
		SELECT others.workers, others.carried
		FROM (
			SELECT count(*) AS workers, coalesce(sum(carries), 0) AS carried
			FROM workers
			WHERE id <> @worker AND seen_at > now() - @gone::interval
		) others, (
			SELECT pg_advisory_xact_lock(@lock), set_config('synchronous_commit', 'off', true),
				set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
				set_config('plan_cache_mode', 'force_generic_plan', true), set_config('platen.runs_tests', 'on', true)
			OFFSET 0 -- or it would not be carried out, because nobody reads it
		) turn`, pgx.NamedArgs{"worker": by.Worker, "gone": workerGone, "lock": int64(claimLock)})
	return platen.Others{Workers: r.Workers, Carried: r.Carried}, err
}

// openAutomation tells of a row of automations whether it takes a place; the
// first line has the predicate of the index.
const openAutomation = `(state = 'RUNNING' OR leased_until IS NOT NULL)
				AND (state = 'RUNNING' AND parked_at IS NULL OR leased_until > now())`

// occupancy counts the open runs.
func occupancy(ctx context.Context, q querier, by platen.Claimer, others platen.Others) (platen.Occupancy, error) {
	type row struct {
		Open int `db:"open"`
		Own  int `db:"own"`
	}
	r, _, err := collectOne[row](ctx, q, `
		SELECT count(*) AS open, count(*) FILTER (WHERE claimed_by = @worker) AS own
		FROM automations
		WHERE `+openAutomation, pgx.NamedArgs{"worker": by.Worker})
	return by.Occupancy(r.Open, r.Own, others), err
}

func claim(ctx context.Context, tx pgx.Tx, room int, worker string, seen platen.Occupancy, lease time.Duration) ([]platen.Automation, error) {
	rows, err := collect[automationRow](ctx, tx, claimStatement, claimArgs(room, worker, seen, lease))
	if err != nil {
		return nil, err
	}
	return automations(rows), nil
}

func claimArgs(room int, worker string, seen platen.Occupancy, lease time.Duration) pgx.NamedArgs {
	return pgx.NamedArgs{
		"room": room, "open": seen.Open, "worker": worker, "lease": lease, "rest": rest,
		"owner_open": seen.Most.OwnerOpen, "parked": seen.Most.Parked, "owner_parked": seen.Most.OwnerParked,
	}
}

const claimStatement = waitingOwners + `, ` + candidates + `, ` + seats + `, locked AS (
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
			RETURNING ` + automationColumns + `
		), served AS (
			INSERT INTO turns (owner_id, served_at, served, held)
			SELECT l.owner_id, clock_timestamp(),
				count(*) + CASE WHEN t.served_at >= now() - @rest::interval THEN least(t.served, 1000000) ELSE coalesce(open.n, 0) + coalesce(parked.n, 0) END,
				CASE WHEN t.served_at >= now() - @rest::interval THEN t.held ELSE coalesce(open.n, 0) END
			FROM leased l
			LEFT JOIN open ON open.owner_id = l.owner_id
			LEFT JOIN parked ON parked.owner_id = l.owner_id
			LEFT JOIN turns t ON t.owner_id = l.owner_id
			GROUP BY l.owner_id, t.served_at, t.served, t.held, open.n, parked.n
			ON CONFLICT (owner_id) DO UPDATE
			SET served_at = excluded.served_at, served = excluded.served, held = excluded.held
		)
		SELECT *
		FROM leased
		ORDER BY accepted_at, id`

// waitingOwners begins the statement of a claim: owners is who waits, by hopping
// over the index.
const waitingOwners = `
		WITH RECURSIVE owners AS (
			(
				SELECT owner_id
				FROM automations
				WHERE state = 'ACCEPTED'
				ORDER BY owner_id
				LIMIT 1
			)
			UNION ALL
			SELECT (
				SELECT a.owner_id
				FROM automations a
				WHERE a.state = 'ACCEPTED' AND a.owner_id > o.owner_id
				ORDER BY a.owner_id
				LIMIT 1
			)
			FROM owners o
			WHERE o.owner_id IS NOT NULL
		)`

// candidates are automations that may start, with their turn: how many of their
// owner would be open with them. most is how many may be: one more than were
// open when the owner came, then twice as many as have ended since.
const candidates = `open AS (
			SELECT owner_id, count(*) AS n
			FROM automations
			WHERE ` + openAutomation + `
			GROUP BY owner_id
		), parked AS (
			SELECT owner_id, count(*) AS n
			FROM automations
			WHERE (state = 'RUNNING' OR leased_until IS NOT NULL) AND parked_at IS NOT NULL
				AND (state = 'RUNNING' OR leased_until > now()) -- one whose lease is over waits to be claimed again
			GROUP BY owner_id
		), share AS ( -- how many parked ones an owner may have
			SELECT CASE WHEN sum(n) >= @parked::int THEN least(@owner_parked, greatest(1, @parked::int / count(*))) ELSE @owner_parked END AS most
			FROM parked
		), known AS (
			SELECT o.owner_id, coalesce(open.n, 0) AS open, coalesce(parked.n, 0) AS parked, t.served_at,
				CASE
					WHEN t.served_at IS NULL OR t.served_at < now() - @rest::interval THEN coalesce(open.n, 0) + 1
					WHEN t.alone_until > now() THEN least(t.held, coalesce(open.n, 0)) + 1
					ELSE least(t.held, coalesce(open.n, 0)) + greatest(1, 2 * (t.served - coalesce(open.n, 0) - coalesce(parked.n, 0)))
				END AS most,
				-- Some of the owner's workflows are paused; read once for all owners.
				o.owner_id IN (SELECT w.owner_id FROM pauses p JOIN workflows w ON w.id = p.id WHERE p.scope = 'workflow') AS partly
			FROM owners o
			CROSS JOIN share
			LEFT JOIN open ON open.owner_id = o.owner_id
			LEFT JOIN parked ON parked.owner_id = o.owner_id
			LEFT JOIN turns t ON t.owner_id = o.owner_id
			WHERE o.owner_id IS NOT NULL
				AND (t.paused_until IS NULL OR t.paused_until <= now())
				AND NOT EXISTS (SELECT FROM pauses p WHERE ` + pausesOwner + `)
				AND coalesce(parked.n, 0) < share.most
		), candidates AS (
			SELECT a.id, a.accepted_at, k.served_at, k.most, k.parked,
				k.open + row_number() OVER (PARTITION BY k.owner_id ORDER BY a.accepted_at, a.id) AS turn
			FROM known k
			CROSS JOIN LATERAL (
				(
					SELECT w.id, w.accepted_at
					FROM automations w
					WHERE NOT k.partly AND w.state = 'ACCEPTED' AND w.owner_id = k.owner_id
						AND (w.leased_until IS NULL OR w.leased_until <= now())
						AND (w.not_before IS NULL OR w.not_before <= now() OR w.test AND w.not_before = 'infinity')
					ORDER BY w.accepted_at, w.id
					LIMIT @room
				)
				UNION ALL
				(` + besidePaused + `)
			) a
		)`

// besidePaused are the candidates of an owner of whom some workflows are paused: it
// hops from workflow to workflow, and reads nothing that waits for a paused one.
const besidePaused = `
					SELECT w.id, w.accepted_at
					FROM (
						WITH RECURSIVE theirs AS (
							(
								SELECT a.workflow_id
								FROM automations a
								WHERE k.partly AND a.state = 'ACCEPTED' AND a.owner_id = k.owner_id
								ORDER BY a.workflow_id
								LIMIT 1
							)
							UNION ALL
							SELECT (
								SELECT a.workflow_id
								FROM automations a
								WHERE a.state = 'ACCEPTED' AND a.owner_id = k.owner_id AND a.workflow_id > t.workflow_id
								ORDER BY a.workflow_id
								LIMIT 1
							)
							FROM theirs t
							WHERE t.workflow_id IS NOT NULL
						)
						SELECT t.workflow_id
						FROM theirs t
						WHERE t.workflow_id IS NOT NULL AND NOT EXISTS (SELECT FROM pauses p WHERE p.scope = 'workflow' AND p.id = t.workflow_id)
					) f
					CROSS JOIN LATERAL (
						SELECT a.id, a.accepted_at
						FROM automations a
						WHERE a.state = 'ACCEPTED' AND a.owner_id = k.owner_id AND a.workflow_id = f.workflow_id
							AND (a.leased_until IS NULL OR a.leased_until <= now())
							AND (a.not_before IS NULL OR a.not_before <= now() OR a.test AND a.not_before = 'infinity')
						ORDER BY a.accepted_at, a.id
						LIMIT @room
					) w
					ORDER BY w.accepted_at, w.id
					LIMIT @room`

// seats puts candidates in order. Those with parked runs wait a little longer
// for their turn than others, and none of them gets a place above OwnerOpen.
const seats = `placed AS (
			SELECT id, turn, parked, row_number() OVER (
				ORDER BY turn, served_at + CASE WHEN parked > 0 THEN interval '5 seconds' ELSE '0' END NULLS FIRST, accepted_at, id) AS place
			FROM candidates
			WHERE turn <= least(most, @owner_open) AND (parked = 0 OR parked + turn <= @owner_parked)
		), seated AS (
			SELECT id, row_number() OVER (ORDER BY place) AS seat
			FROM placed
			WHERE @open + place <= @owner_open OR turn = 1 AND parked = 0
		)`

// MarkStarted says that a Temporal run exists for these attempts. One that has
// ended meanwhile stays ended, and a later attempt waits for a run of its
// own: what is said of an earlier one may come late.
//
// The arrays stand in sub-selects, where Postgres does not see how short they
// are: it would plan the statement again for each.
func (s *Queue) MarkStarted(ctx context.Context, started []platen.Automation) error {
	ids, attempts := make([]string, len(started)), make([]int, len(started))
	for i, a := range started {
		ids[i], attempts[i] = a.ID, a.Attempt
	}
	_, err := execute(ctx, s.db.pool, `
		UPDATE automations a
		SET state = 'RUNNING', started_at = now(), leased_until = NULL, not_before = NULL
		FROM set_config('synchronous_commit', 'off', true) AS commit, unnest((SELECT @ids::text[]), (SELECT @attempts::int[])) AS started (id, attempt)
		WHERE a.id = started.id AND a.attempt = started.attempt AND `+stillWaits+` AND commit = 'off'`,
		pgx.NamedArgs{"ids": ids, "attempts": attempts})
	if err != nil {
		return fmt.Errorf("note that %d automations started: %w", len(started), err)
	}
	return nil
}

// Release ends the lease of automations that were not started; no start is
// tried again before the delay is over.
func (s *Queue) Release(ctx context.Context, automationIDs []string, delay time.Duration) error {
	_, err := execute(ctx, s.db.pool, `
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
	rows, err := collect[automationRow](ctx, s.db.pool, `
		SELECT `+automationColumns+`
		FROM automations a
		WHERE (a.state = 'RUNNING' OR a.leased_until IS NOT NULL)
			AND a.state = 'RUNNING' AND a.started_at < now() - @age::interval
			AND (a.started_at, a.id) > (coalesce(@started::timestamptz, '-infinity'), @id)
		ORDER BY a.started_at, a.id
		LIMIT 1000`, pgx.NamedArgs{"age": age, "started": after.StartedAt, "id": after.ID})
	if err != nil {
		return nil, fmt.Errorf("list overdue automations: %w", err)
	}
	return automations(rows), nil
}

// Requeue puts a RUNNING automation whose run is gone back into the queue with
// the next attempt; outputs that have ended stay as they are. It does nothing
// to one that is not RUNNING in this attempt any more.
func (s *Queue) Requeue(ctx context.Context, automationID string, attempt int) error {
	if err := requeue(ctx, s.db.pool, automationID, attempt); err != nil {
		return fmt.Errorf("requeue automation %s: %w", automationID, err)
	}
	return nil
}

func requeue(ctx context.Context, q querier, automationID string, attempt int) error {
	_, err := execute(ctx, q, `
		UPDATE automations
		SET state = 'ACCEPTED', attempt = attempt + 1, started_at = NULL, parked_at = NULL, waits = '{}'
		WHERE id = @id AND state = 'RUNNING' AND attempt = @attempt`,
		pgx.NamedArgs{"id": automationID, "attempt": attempt})
	return err
}
