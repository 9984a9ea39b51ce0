package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/maintenance"
)

const (
	// keptDays are over which the stored automations ended, evenly: a day's worth of
	// them is erased.
	keptDays = 100
	// turns of accepting alone and beside the erasure.
	retentionTurns = 8
)

// short is what is stored instead of what is long, for the disk's sake.
var short = map[string]string{
	"automations.body": "substr(t.body, 1, 64)", "plans.plan": "'{}'", "outputs.copy": "NULL", "outputs.pdf": "NULL", "outputs.pdf_hashes": "'{}'",
	"events.payload": "substr(t.payload, 1, 64)",
}

// measureRetention: whether accepting feels that a day's worth of a long past is
// erased. No worker runs: it would erase, too, and take the machine.
func measureRetention(ctx context.Context, b *bench) (err error) {
	g, err := b.startHarness(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	if _, err := g.sender.oneByOne(ctx, 1); err != nil {
		return err
	}
	if err := g.stopWorker(ctx); err != nil {
		return err
	}
	const day = 24 * time.Hour
	perDay := b.options.Stored / keptDays
	if err := g.storeAutomations(ctx, b.options.Stored, day/time.Duration(perDay), short); err != nil {
		return err
	}
	if _, err := g.pool.Exec(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("write what was stored: %w", err)
	}
	size, err := g.databaseSize(ctx)
	if err != nil {
		return err
	}
	b.report.one("automations stored", "", float64(b.options.Stored), note("%.1f GB", size/1e9))
	admin, err := g.admin(ctx)
	if err != nil {
		return err
	}
	defer admin.Close()
	return g.acceptBesideErasure(ctx, maintenance.Retain(admin.DB.Automations, maintenance.Ages{Data: (keptDays - 1) * day}), perDay)
}

func (g *harness) acceptBesideErasure(ctx context.Context, retention maintenance.Job, perDay int) error {
	b := g.bench
	b.say("accepting alone, and while data is erased, in turns")
	body, err := letterEvent(0, bodySize)
	if err != nil {
		return err
	}
	var alone, beside, noise []float64
	erasing := time.Duration(0)
	for range retentionTurns {
		l, err := hammer(ctx, g.job.source, body, usual, b.round)
		if err != nil {
			return err
		}
		alone = append(alone, l.rate())
		begun := time.Now()
		l, err = hammerBeside(ctx, retention, func() (load, error) { return hammer(ctx, g.job.source, body, usual, b.round) })
		if err != nil {
			return err
		}
		erasing += time.Since(begun)
		beside = append(beside, l.rate())
	}
	for k := range len(alone) - 1 {
		noise = append(noise, alone[k+1]/alone[k])
	}
	erased, err := g.erased(ctx)
	if err != nil {
		return err
	}
	b.report.add("accepted events, alone", "/s", alone)
	b.report.add("accepted events, while data is erased", "/s", beside)
	b.report.add("while data is erased ÷ alone", "×", ratios(beside, alone), atLeast(0.95))
	b.report.add("noise: alone ÷ alone in the turn before", "×", noise)
	b.report.one("automations erased meanwhile", "/s", float64(erased)/erasing.Seconds())
	b.say("erasing the rest of the day")
	begun := time.Now()
	if err := retention.Do(ctx, quiet()); err != nil {
		return err
	}
	all, err := g.erased(ctx)
	if err != nil {
		return err
	}
	if all < perDay || erased == all {
		return fmt.Errorf("%d automations were erased beside accepting and %d in all, want a day's worth, %d, and some after it", erased, all, perDay)
	}
	b.report.one("automations erased afterwards", "/s", float64(all-erased)/time.Since(begun).Seconds(), note("%d in all", all))
	return nil
}

// hammerBeside makes passes of a job until the load is over.
func hammerBeside(ctx context.Context, job maintenance.Job, hammer func() (load, error)) (load, error) {
	within, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := job.Do(within, quiet())
		if within.Err() != nil {
			err = nil
		} else if err == nil {
			err = errors.New("everything was erased before the turn was over")
		}
		ended <- err
	}()
	l, err := hammer()
	stop()
	return l, errors.Join(err, <-ended)
}

func (g *harness) erased(ctx context.Context) (n int, err error) {
	err = g.pool.QueryRow(ctx, "SELECT count(*) FROM automations WHERE data_erased_at IS NOT NULL").Scan(&n)
	return n, err
}

func (g *harness) databaseSize(ctx context.Context) (bytes float64, err error) {
	err = g.pool.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&bytes)
	return bytes, err
}
