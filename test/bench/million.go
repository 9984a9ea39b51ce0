package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	storedAutomations = 1_000_000
	// multipliedAtOnce is as many rows as one statement makes.
	multipliedAtOnce = 500_000
)

// noWorse is how much slower anything may be with all of that stored.
const noWorse = 1.3

// A checkup measures what could feel how much is stored, of one service.
type checkup struct {
	*harness
	caller apiCaller
	rounds [5][]float64 // as checked
}

// checked are the figures of a checkup.
var checked = [5]struct{ name, unit string }{
	{"event to event, one at a time, p50", "ms"},
	{"completed automations", "/s"},
	{"GET /v0/workflows/ of 100", "ms"},
	{"accepted events at 64 connections", "/s"},
	{"accepted events at 64 connections, p99", "ms"},
}

// measureMillion compares a service that has stored much with one that has
// stored nothing, round by round.
func measureMillion(ctx context.Context, b *bench) (err error) {
	var both [2]*checkup
	for k := range both {
		if both[k], err = newCheckup(ctx, b); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, both[k].close(context.WithoutCancel(ctx))) }()
	}
	b.say("storing %d workflows and %d automations, some minutes", manyWorkflows, storedAutomations)
	if err := both[1].fill(ctx); err != nil {
		return err
	}
	b.say("both in turns")
	for range b.rounds {
		for _, c := range both {
			if err := c.runs(ctx); err != nil {
				return err
			}
		}
	}
	// Accepting comes last, without workers.
	for _, c := range both {
		if err := c.stopWorker(ctx); err != nil {
			return err
		}
	}
	for range b.rounds {
		for _, c := range both {
			if err := c.accept(ctx); err != nil {
				return err
			}
		}
	}
	reportMillion(b.report, both[0], both[1])
	return errors.Join(both[0].failures(ctx), both[1].failures(ctx))
}

func reportMillion(r *report, empty, full *checkup) {
	for k, figure := range checked {
		worse := ratios(full.rounds[k], empty.rounds[k])
		if figure.unit == "/s" {
			worse = ratios(empty.rounds[k], full.rounds[k])
		}
		r.add(figure.name+", empty", figure.unit, empty.rounds[k])
		r.add(figure.name+", full", figure.unit, full.rounds[k])
		r.add(figure.name+", worse by", "×", worse, atMost(noWorse))
	}
}

// newCheckup starts a service that has connections and warm caches.
func newCheckup(ctx context.Context, b *bench) (_ *checkup, err error) {
	g, err := b.startHarness(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close(context.WithoutCancel(ctx)))
		}
	}()
	caller, err := g.newCaller(ctx, "some", fewWorkflows)
	if err != nil {
		return nil, err
	}
	if _, err := g.sender.oneByOne(ctx, 20); err != nil {
		return nil, err
	}
	_, _, err = g.sender.saturate(ctx, inFlight, b.round, b.round)
	return &checkup{harness: g, caller: caller}, err
}

// fill stores what a service has after a long time, and has Postgres write it
// to the disk, which would else go on beside what is measured.
func (c *checkup) fill(ctx context.Context) error {
	if _, err := c.newCaller(ctx, "crowd", manyWorkflows); err != nil {
		return err
	}
	if err := c.storeAutomations(ctx, storedAutomations, 20*time.Second, nil); err != nil {
		return err
	}
	if _, err := c.pool.Exec(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("write what was stored: %w", err)
	}
	return nil
}

// runs is one round of what needs a worker.
func (c *checkup) runs(ctx context.Context) error {
	l, err := c.sender.oneByOne(ctx, 50)
	if err != nil {
		return err
	}
	perSecond, _, err := c.sender.saturate(ctx, inFlight, c.bench.round, 3*c.bench.round)
	if err != nil {
		return err
	}
	took, err := c.quickest(ctx, 60, "GET", "/workflows/", c.caller.token, nil)
	if err != nil {
		return err
	}
	c.round(0, quantile(l.latencies, 0.5), perSecond, took)
	return nil
}

// accept is one round of accepting; what was accepted is ended.
func (c *checkup) accept(ctx context.Context) error {
	body, err := letterEvent(0, bodySize)
	if err != nil {
		return err
	}
	l, err := hammer(ctx, c.job.source, body, usual, c.bench.round)
	if err != nil {
		return err
	}
	c.round(3, l.rate(), quantile(l.latencies, 0.99))
	if _, err := c.pool.Exec(ctx, `
		UPDATE automations
		SET state = 'SKIPPED', reason = 'accepted for its own sake', finished_at = now(), leased_until = NULL
		WHERE state = 'ACCEPTED'`); err != nil {
		return fmt.Errorf("end what was accepted: %w", err)
	}
	return nil
}

// round notes the figures of one round, from the first on.
func (c *checkup) round(first int, figures ...float64) {
	for k, figure := range figures {
		c.rounds[first+k] = append(c.rounds[first+k], figure)
	}
}

// storeAutomations multiplies one completed automation, with all that belongs
// to it, over every workflow there is; each ended so long before the next. Columns
// are read from the database, so that it goes on working when there are more of
// them; long has what is stored in some of them instead, as SQL.
func (g *harness) storeAutomations(ctx context.Context, n int, apart time.Duration, long map[string]string) error {
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
			"accepted_at": "t.accepted_at - n * @apart::interval", "finished_at": "t.finished_at - n * @apart::interval",
		}},
		{"plans", "t.automation_id = @id", map[string]string{"automation_id": id("t.automation_id")}},
		{"outputs", "t.automation_id = @id", map[string]string{"id": id("t.id"), "automation_id": id("t.automation_id")}},
		{"events", "t.automation_id = @id", map[string]string{
			"id": id("t.id"), "automation_id": id("t.automation_id"), "output_id": id("t.output_id"), "workflow_id": "w.id",
			"created_at": "t.created_at - n * @apart::interval",
		}},
		{"deliveries", "t.event_id IN (SELECT id FROM events WHERE automation_id = @id)", map[string]string{"event_id": id("t.event_id")}},
	} {
		if err := g.multiply(ctx, table.name, table.where, n, table.changed, long, pgx.NamedArgs{"id": original, "apart": apart}); err != nil {
			return fmt.Errorf("fill %s: %w", table.name, err)
		}
	}
	return nil
}

func (g *harness) multiply(ctx context.Context, table, where string, n int, changed, long map[string]string, args pgx.NamedArgs) error {
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
		} else if short, ok := long[table+"."+column]; ok {
			values[i] = short
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
		CROSS JOIN generate_series(@first::integer, @last::integer) n
		JOIN w ON w.k = n %% (SELECT count(*) FROM sources) -- alone on its side, so that the join is by hash
		WHERE %s`, table, strings.Join(columns, ", "), strings.Join(values, ", "), table, where)
	for first := 1; first <= n; first += multipliedAtOnce {
		args["first"], args["last"] = first, min(n, first+multipliedAtOnce-1)
		g.bench.say("%s: %d of %d", table, args["last"], n)
		if _, err := g.pool.Exec(ctx, sql, args); err != nil {
			return err
		}
	}
	_, err = g.pool.Exec(ctx, "VACUUM ANALYZE "+table)
	return err
}
