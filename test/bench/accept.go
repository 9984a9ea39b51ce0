package main

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"
)

const (
	// bodySize of a source event, in bytes: an order with its address.
	bodySize = 900
	// usual is the number of connections that promises are about.
	usual = 64
)

// leastOfInsert is what is wanted of accepted ÷ one INSERT, by connections.
var leastOfInsert = map[int]float64{1: 0.8, 16: 1, usual: 1.3}

func connections() []int { return []int{1, 16, usual, 256} }

// measureAccept: how fast source events are answered with 200.
func measureAccept(ctx context.Context, b *bench) (err error) {
	i, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.close(context.WithoutCancel(ctx))) }()
	r, err := newReceiver()
	if err != nil {
		return err
	}
	defer r.close()
	j, err := i.newJob(ctx, r.url)
	if err != nil {
		return err
	}
	held, err := acceptHeldBack(ctx, i, j)
	if err != nil {
		return err
	}
	return acceptWhileDispatching(ctx, i, j, r, held)
}

// acceptHeldBack runs without a worker, so that nothing but accepting happens,
// beside servers that do less. It returns the usual load's rates.
func acceptHeldBack(ctx context.Context, i *instance, j job) ([]float64, error) {
	b := i.bench
	body, err := letterEvent(0, bodySize)
	if err != nil {
		return nil, err
	}
	bare, err := b.start(ctx, partBare, nil)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	insert, err := b.start(ctx, partInsert, i.settings())
	if err != nil {
		return nil, err
	}
	defer insert.stop()
	targets := []acceptor{
		{"bare server answering {}", bare.Main + "/hook", bare},
		{"one INSERT per request", insert.Main + "/hook", insert},
		{"accepted events", j.source, i.serve},
	}
	var held []float64
	for _, n := range connections() {
		b.say("accepting on %d connections", n)
		measured, costs := make([]series, len(targets)), make([][]float64, len(targets))
		for range b.rounds {
			for k, target := range targets {
				l, cost, err := target.round(ctx, i, body, n)
				if err != nil {
					return nil, err
				}
				measured[k].add(l)
				costs[k] = append(costs[k], cost)
			}
		}
		for k, target := range targets {
			reportLoad(b.report, strconv.Itoa(n)+" conn., "+target.name, measured[k], n == usual && k == len(targets)-1)
		}
		bare, insert, accepted := measured[0].rate, measured[1].rate, measured[2].rate
		b.report.add(strconv.Itoa(n)+" conn., accepted ÷ bare", "×", ratios(accepted, bare))
		if n == usual {
			held = accepted
		}
		var wants []remark
		if least, ok := leastOfInsert[n]; ok {
			wants = append(wants, atLeast(least))
		}
		b.report.add(strconv.Itoa(n)+" conn., CPU per event, one INSERT", "ms", costs[1], note("its server and Postgres"))
		b.report.add(strconv.Itoa(n)+" conn., CPU per event, accepted", "ms", costs[2], note("serve and Postgres"))
		b.report.add(strconv.Itoa(n)+" conn., accepted ÷ one INSERT", "×", ratios(accepted, insert), wants...)
	}
	memory(b.report, i.serve, "after accepting on up to 256 connections")
	return held, nil
}

// An acceptor takes the load.
type acceptor struct {
	name, address string
	part          *part
}

// round returns what the load came to, and the processor time that the server
// and Postgres needed for each request, in milliseconds: on a machine that has
// other work, that says more than any rate.
func (a acceptor) round(ctx context.Context, i *instance, body []byte, connections int) (load, float64, error) {
	used := func() (time.Duration, error) {
		l := ledger{}
		err := accountPostgres(ctx, i.pool, i.databaseName, l)
		return processorTime(a.part.cmd.Process.Pid).own + l[kindPlatenPostgres] + l[kindSharedPostgres], err
	}
	before, err := used()
	if err != nil {
		return load{}, 0, err
	}
	l, err := hammer(ctx, a.address, body, connections, i.bench.round)
	if err != nil {
		return l, 0, err
	}
	after, err := used()
	if after == 0 { // this machine does not tell
		return l, math.NaN(), err
	}
	return l, milliseconds(after-before) / float64(len(l.latencies)), err
}

func reportLoad(r *report, name string, s series, promised bool) {
	r.add(name, "/s", s.rate)
	r.add(name+", p50", "ms", s.p50)
	var wants []remark
	if promised {
		wants = append(wants, atMost(60))
	}
	r.add(name+", p99", "ms", s.p99, wants...)
}

// acceptWhileDispatching lets the worker loose on the backlog that was
// accepted, with and without full load on accepting, in turns.
func acceptWhileDispatching(ctx context.Context, i *instance, j job, r *receiver, held []float64) error {
	b := i.bench
	b.say("accepting on %d connections while the worker runs", usual)
	body, err := letterEvent(0, bodySize)
	if err != nil {
		return err
	}
	if err := i.startWorker(ctx); err != nil {
		return err
	}
	window := 3 * b.round
	if err := pause(ctx, window); err != nil { // connections and caches
		return err
	}
	var accepted series
	var alone, beside []float64
	for range b.rounds {
		before := r.received.Load()
		l, err := hammer(ctx, j.source, body, usual, window)
		if err != nil {
			return err
		}
		accepted.add(l)
		beside = append(beside, float64(r.received.Load()-before)/l.took.Seconds())
		// What the load left in flight is over soon.
		if err := pause(ctx, b.round/2); err != nil {
			return err
		}
		before, begun := r.received.Load(), time.Now()
		if err := pause(ctx, window); err != nil {
			return err
		}
		alone = append(alone, float64(r.received.Load()-before)/time.Since(begun).Seconds())
	}
	if err := i.failures(ctx); err != nil {
		return err
	}
	reportLoad(b.report, "accepted beside dispatch", accepted, false)
	b.report.one("accepted beside dispatch ÷ held back", "×", spreadOf(accepted.rate).Median/spreadOf(held).Median, atLeast(0.5))
	b.report.add("automations from a backlog", "/s", alone)
	b.report.add("automations while accepting", "/s", beside)
	b.report.one("automations while accepting ÷ alone", "×", spreadOf(beside).Median/spreadOf(alone).Median, atLeast(0.5))
	memory(b.report, i.serve, "beside dispatch")
	memory(b.report, i.worker, "with a backlog, accepting beside it")
	return nil
}

func memory(r *report, p *part, when string) {
	if mb, ok := peakMemory(p); ok {
		r.one("peak memory of "+p.name, "MB", mb, atMost(150), note("%s", when))
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
