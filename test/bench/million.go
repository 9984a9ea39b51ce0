package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

const storedAutomations = 1_000_000

// noWorse is how much slower anything may be with all of that stored.
const noWorse = 1.3

// measureMillion measures the service empty, fills its database, and measures
// again.
func measureMillion(ctx context.Context, b *bench) (err error) {
	g, err := b.rig(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	caller, err := g.newCaller(ctx, "some", fewWorkflows)
	if err != nil {
		return err
	}
	empty, err := g.checkup(ctx, caller)
	if err != nil {
		return err
	}
	b.say("storing %d workflows and %d automations", manyWorkflows, storedAutomations)
	if _, err := g.newCaller(ctx, "crowd", manyWorkflows); err != nil {
		return err
	}
	if err := g.storeAutomations(ctx, storedAutomations); err != nil {
		return err
	}
	full, err := g.checkup(ctx, caller)
	if err != nil {
		return err
	}
	for k, before := range empty {
		after := full[k]
		b.report.add(before.name+", empty", before.unit, before.rounds)
		b.report.add(before.name+", full", after.unit, after.rounds)
		worse := spreadOf(after.rounds).Median / spreadOf(before.rounds).Median
		if before.unit == "/s" {
			worse = 1 / worse
		}
		b.report.one(before.name+", worse by", "×", worse, atMost(noWorse))
	}
	return g.failures(ctx)
}

// A finding of a checkup.
type finding struct {
	name, unit string
	rounds     []float64
}

// checkup measures what could feel how much is stored. Accepting comes last,
// without a worker; what it accepted is ended.
func (g *rig) checkup(ctx context.Context, c apiCaller) ([]finding, error) {
	b := g.bench
	b.say("checkup")
	var slow, sustained, lists []float64
	if _, err := g.sender.oneByOne(ctx, 20); err != nil { // connections and caches
		return nil, err
	}
	if _, _, err := g.sender.saturate(ctx, inFlight, b.round, b.round); err != nil {
		return nil, err
	}
	for range b.rounds {
		l, err := g.sender.oneByOne(ctx, 50)
		if err != nil {
			return nil, err
		}
		slow = append(slow, quantile(l.latencies, 0.5))
		perSecond, _, err := g.sender.saturate(ctx, inFlight, b.round, 3*b.round)
		if err != nil {
			return nil, err
		}
		sustained = append(sustained, perSecond)
		took, err := g.quickest(ctx, 60, "GET", "/workflows/", c.token, nil)
		if err != nil {
			return nil, err
		}
		lists = append(lists, took)
	}
	accepted, err := g.acceptAlone(ctx)
	if err != nil {
		return nil, err
	}
	return []finding{
		{"accepted events at 64 connections", "/s", accepted.rate},
		{"accepted events at 64 connections, p99", "ms", accepted.p99},
		{"event to event, one at a time, p50", "ms", slow},
		{"completed automations", "/s", sustained},
		{"GET /v0/workflows/ of 100", "ms", lists},
	}, nil
}

func (g *rig) acceptAlone(ctx context.Context) (series, error) {
	var s series
	if err := g.stopWorker(ctx); err != nil {
		return s, err
	}
	body, err := letterEvent(0, bodySize)
	if err != nil {
		return s, err
	}
	for range g.bench.rounds {
		l, err := hammer(ctx, g.job.source, body, usual, g.bench.round)
		if err != nil {
			return s, err
		}
		s.add(l)
	}
	if _, err := g.pool.Exec(ctx, `
		UPDATE automations
		SET state = 'SKIPPED', reason = 'accepted for its own sake', finished_at = now(), leased_until = NULL
		WHERE state = 'ACCEPTED'`); err != nil {
		return s, fmt.Errorf("end what was accepted: %w", err)
	}
	if _, err := g.pool.Exec(ctx, `VACUUM ANALYZE automations`); err != nil {
		return s, fmt.Errorf("vacuum: %w", err)
	}
	return s, g.startWorker(ctx)
}

// storeAutomations multiplies one completed automation, with all that belongs
// to it, over every workflow there is. Columns are read from the database, so
// that it goes on working when there are more of them.
func (g *rig) storeAutomations(ctx context.Context, n int) error {
	var original string
	err := g.pool.QueryRow(ctx, `
		SELECT id
		FROM automations
		WHERE state = 'COMPLETED'
		LIMIT 1`).Scan(&original)
	if err != nil {
		return fmt.Errorf("find an automation to multiply: %w", err)
	}
	const another = `left(%s, 4) || 'x' || lpad(n::text, 15, '0')`
	id := func(column string) string { return fmt.Sprintf(another, column) }
	for _, table := range []struct {
		name, where string
		changed     map[string]string
	}{
		{"automations", "t.id = @id", map[string]string{
			"id": id("t.id"), "workflow_id": "w.id", "source_id": "w.source_id", "owner_id": "w.owner_id",
			"accepted_at": "t.accepted_at - n * interval '20 s'", "finished_at": "t.finished_at - n * interval '20 s'",
		}},
		{"plans", "t.automation_id = @id", map[string]string{"automation_id": id("t.automation_id")}},
		{"outputs", "t.automation_id = @id", map[string]string{"id": id("t.id"), "automation_id": id("t.automation_id")}},
		{"events", "t.automation_id = @id", map[string]string{
			"id": id("t.id"), "automation_id": id("t.automation_id"), "output_id": id("t.output_id"), "workflow_id": "w.id",
			"created_at": "t.created_at - n * interval '20 s'",
		}},
		{"deliveries", "t.event_id IN (SELECT id FROM events WHERE automation_id = @id)", map[string]string{"event_id": id("t.event_id")}},
	} {
		if err := g.multiply(ctx, table.name, table.where, original, n, table.changed); err != nil {
			return fmt.Errorf("fill %s: %w", table.name, err)
		}
	}
	return nil
}

func (g *rig) multiply(ctx context.Context, table, where, original string, n int, changed map[string]string) error {
	rows, err := g.pool.Query(ctx, `
		SELECT column_name::text
		FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name = @table AND is_generated = 'NEVER'
		ORDER BY ordinal_position`, pgx.NamedArgs{"table": table})
	if err != nil {
		return err
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = "t." + column
		if change, ok := changed[column]; ok {
			values[i] = change
		}
	}
	sql := fmt.Sprintf(`
		WITH w AS (
			SELECT w.id, w.owner_id, s.id AS source_id, row_number() OVER (ORDER BY w.id) - 1 AS k
			FROM workflows w JOIN sources s ON s.workflow_id = w.id
		)
		INSERT INTO %s (%s)
		SELECT %s
		FROM %s t
		CROSS JOIN generate_series(1, @n::integer) n
		JOIN w ON w.k = n %% (SELECT count(*) FROM sources) -- alone on its side, so that the join is by hash
		WHERE %s`, table, strings.Join(columns, ", "), strings.Join(values, ", "), table, where)
	if _, err := g.pool.Exec(ctx, sql, pgx.NamedArgs{"id": original, "n": n}); err != nil {
		return err
	}
	_, err = g.pool.Exec(ctx, "VACUUM ANALYZE "+table)
	return err
}
