package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// batchRows is how many rows a batch has: some twenty seconds of work.
const batchRows = 400

// measureBatches: what a batch makes in a second, against single events of the same run, and
// what it takes in memory. The two take turns.
func measureBatches(ctx context.Context, b *bench) (err error) {
	g, err := b.startHarness(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	b.say("batches of %d rows, and single events", batchRows)
	if _, _, err := g.sender.saturate(ctx, inFlight, 2*b.round, b.round); err != nil { // connections and caches
		return err
	}
	for made := 0; made < batchRows; { // a peak stays: it is that of as many single events
		_, completed, err := g.sender.saturate(ctx, inFlight, b.round, 3*b.round)
		if err != nil {
			return err
		}
		made += completed
	}
	peaks := map[*part]float64{}
	for _, p := range []*part{g.serve, g.worker, g.drive} {
		if mb, ok := peakMemory(p); ok {
			peaks[p] = mb
		}
	}
	var single, batched []float64
	for range b.rounds {
		rate, _, err := g.sender.saturate(ctx, inFlight, b.round, 3*b.round)
		if err != nil {
			return err
		}
		single = append(single, rate)
		if rate, err = g.batch(ctx, batchRows); err != nil {
			return err
		}
		batched = append(batched, rate)
	}
	r := b.report
	r.add("completed automations, single events", "/s", single, note("%d in flight", inFlight))
	r.add("completed automations, batches", "/s", batched, note("%d rows, from the answer to the last row's end", batchRows))
	r.add("batches ÷ single events", "×", ratios(batched, single), atLeast(0.9))
	for _, p := range []*part{g.serve, g.worker, g.drive} {
		if mb, ok := peakMemory(p); ok && peaks[p] > 0 {
			r.one("peak memory of "+p.name+", batches ÷ single events", "×", mb/peaks[p], atMost(1.3), note("%.0f MB", mb))
		}
	}
	return g.failures(ctx)
}

// batch sends a batch, and returns how many of its rows ended in a second.
func (g *harness) batch(ctx context.Context, rows int) (perSecond float64, err error) {
	file := make([]json.RawMessage, rows)
	for i := range file {
		if file[i], err = letterEvent(g.sender.last.Add(1), bodySize); err != nil {
			return 0, err
		}
	}
	var sent struct {
		ID         string
		FinishedAt *time.Time
		Counts     map[string]int
	}
	path := "/workflows/" + g.job.workflowID + "/batches/"
	if err := g.call(ctx, http.MethodPost, path, g.token, file, &sent); err != nil {
		return 0, err
	}
	begun := time.Now()
	for sent.FinishedAt == nil {
		if time.Since(begun) > eventLimit {
			return 0, fmt.Errorf("batch %s has not ended within %v: %v", sent.ID, eventLimit, sent.Counts)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return 0, err
		}
		if err := g.call(ctx, http.MethodGet, path+sent.ID+"/", g.token, nil, &sent); err != nil {
			return 0, err
		}
	}
	if sent.Counts["COMPLETED"] != rows {
		return 0, fmt.Errorf("batch %s: %v, want %d rows completed", sent.ID, sent.Counts, rows)
	}
	return float64(rows) / time.Since(begun).Seconds(), nil
}
