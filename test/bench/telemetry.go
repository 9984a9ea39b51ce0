package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"time"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

// watchedVariable tells a part that it is watched.
const watchedVariable = "PLATEN_BENCH_WATCHED"

const (
	// telemetryTurns are of automations that nobody watches, and of those that are
	// logged, counted and traced.
	telemetryTurns = 10
	// telemetryRound is as long as either sends events in a turn.
	telemetryRound = 6 * time.Second
	// spanDelay is after how many milliseconds spans are sent at the latest, a fifth of
	// the default: those of a turn are sent within it.
	spanDelay = 1000
)

// A watch is what the operators of an instance have: a collector of traces, metrics that
// are asked for, and a log. A nil one is nobody.
type watch struct {
	collector string
	metrics   []string // addresses
}

// start starts a part that is watched.
func (w *watch) start(ctx context.Context, b *bench, name string, settings map[string]string) (*part, error) {
	if w == nil {
		return b.start(ctx, name, settings)
	}
	settings = maps.Clone(settings)
	maps.Copy(settings, map[string]string{
		"PLATEN_LOG_LEVEL": "info", watchedVariable: "1", "OTEL_EXPORTER_OTLP_ENDPOINT": w.collector, "OTEL_BSP_SCHEDULE_DELAY": fmt.Sprint(spanDelay),
	})
	p, err := b.start(ctx, name, settings)
	if err == nil {
		w.metrics = append(w.metrics, p.Metrics+"/metrics")
	}
	return p, err
}

// beWatched shows the metrics of a part that is watched, until stop.
func beWatched(o *config.Observe) (metrics string, stop func(), err error) {
	if os.Getenv(watchedVariable) == "" {
		return "", func() {}, nil
	}
	l, err := listen()
	if err != nil {
		return "", nil, err
	}
	return address(l), app.Observe(o, l), nil
}

// ask reads the metrics of each program, as Prometheus does every 15 or 60 seconds.
func (w *watch) ask(ctx context.Context, client *http.Client) error {
	if w == nil {
		return nil
	}
	for _, address := range w.metrics {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err != nil {
			return fmt.Errorf("read metrics: %w", err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if answer.StatusCode != http.StatusOK {
			err = errors.New(answer.Status)
		}
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return fmt.Errorf("read metrics: %w", err)
		}
	}
	return nil
}

// measureTelemetry: what traces, metrics and logs cost an automation.
func measureTelemetry(ctx context.Context, b *bench) (err error) {
	sink, err := b.start(ctx, partBare, nil)
	if err != nil {
		return err
	}
	defer sink.stop()
	var both [2]*harness
	for k, w := range []*watch{nil, {collector: sink.Main}} {
		if both[k], err = b.startWatched(ctx, w); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, both[k].close(context.WithoutCancel(ctx))) }()
		if _, _, err := both[k].sender.saturate(ctx, inFlight, b.round, b.round); err != nil { // connections and caches
			return err
		}
	}
	b.say("automations that nobody watches and watched ones, in turns")
	sunk := processorTime(sink.cmd.Process.Pid).own
	var costs, programs [2][]float64
	for turn := range telemetryTurns {
		for _, k := range []int{turn % 2, 1 - turn%2} { // who comes second finds a warmer machine
			all, ours, err := both[k].telemetryTurn(ctx)
			if err != nil {
				return err
			}
			costs[k], programs[k] = append(costs[k], all), append(programs[k], ours)
		}
	}
	if processorTime(sink.cmd.Process.Pid).own == sunk {
		return errors.New("the collector was sent nothing")
	}
	r := b.report
	r.add("CPU per automation, nobody watches", "ms", costs[0])
	r.add("CPU per automation, traces, metrics and logs", "ms", costs[1])
	r.add("CPU per automation, traces, metrics and logs ÷ without", "×", ratios(costs[1], costs[0]), atMost(1.03), note("Temporal and Postgres included"))
	r.add("the same of serve, worker and drive alone", "×", ratios(programs[1], programs[0]))
	return errors.Join(both[0].failures(ctx), both[1].failures(ctx))
}

// telemetryTurn returns the milliseconds of processor time of an automation: all, and
// those of our programs.
func (g *harness) telemetryTurn(ctx context.Context) (all, ours float64, err error) {
	before, err := g.account(ctx)
	if err != nil {
		return 0, 0, err
	}
	_, completed, err := g.sender.saturate(ctx, inFlight, 0, telemetryRound)
	if err != nil {
		return 0, 0, err
	}
	if err := errors.Join(g.watch.ask(ctx, g.http), pause(ctx, 3*spanDelay/2*time.Millisecond)); err != nil {
		return 0, 0, err
	}
	after, err := g.account(ctx)
	if err != nil {
		return 0, 0, err
	}
	used := after.since(before)
	delete(used, kindBench)
	for _, kind := range []string{partServe, partWorker, partDrive} {
		ours += milliseconds(used[kind]) / float64(completed)
	}
	return milliseconds(used.total()) / float64(completed), ours, nil
}
