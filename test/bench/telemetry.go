package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

// watchedVariable tells a part that it is watched.
const watchedVariable = "PLATEN_BENCH_WATCHED"

const (
	// telemetryTurns are of automations that nobody watches, and beside them of those
	// that are logged, counted and traced.
	telemetryTurns = 10
	// telemetryRound is as long as both send events in a turn.
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
func beWatched(ctx context.Context, o *config.Observe, program string, log *slog.Logger) (metrics string, stop func(), err error) {
	if os.Getenv(watchedVariable) == "" {
		return "", func() {}, nil
	}
	l, err := listen()
	if err != nil {
		return "", nil, err
	}
	stop, err = app.Observe(ctx, o, program, l, log)
	return address(l), stop, err
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
	b.say("automations that nobody watches and watched ones, side by side")
	sunk := processorTime(sink.cmd.Process.Pid).own
	var all, programs [2][]float64
	for range telemetryTurns {
		each, err := telemetryTurn(ctx, both)
		if err != nil {
			return err
		}
		for k, e := range each {
			all[k], programs[k] = append(all[k], e.all()), append(programs[k], e.programs)
		}
	}
	if processorTime(sink.cmd.Process.Pid).own == sunk {
		return errors.New("the collector was sent nothing")
	}
	r := b.report
	r.add("CPU per automation, nobody watches", "ms", all[0])
	r.add("CPU per automation, traces, metrics and logs", "ms", all[1])
	r.add("CPU per automation, traces, metrics and logs ÷ without", "×", ratios(all[1], all[0]), atMost(1.03), note("Temporal and Postgres included"))
	r.add("the same of serve, worker and drive alone", "×", ratios(programs[1], programs[0]))
	return errors.Join(both[0].failures(ctx), both[1].failures(ctx))
}

// A telemetryCost is the milliseconds of processor time of an automation.
type telemetryCost struct {
	programs, postgres float64
	shared             float64 // of Temporal and its Postgres, which both use
}

func (c telemetryCost) all() float64 { return c.programs + c.postgres + c.shared }

// telemetryTurn has both send events at the same time: other load on the machine then
// slows both down alike. What they share costs each automation the same.
func telemetryTurn(ctx context.Context, both [2]*harness) (each [2]telemetryCost, err error) {
	var before, after [2]ledger
	for k, g := range both {
		if before[k], err = g.account(ctx); err != nil {
			return each, err
		}
	}
	var completed [2]int
	var errs [2]error
	var sending sync.WaitGroup
	for k, g := range both {
		sending.Go(func() {
			_, completed[k], errs[k] = g.sender.saturate(ctx, inFlight/2, 0, telemetryRound)
			errs[k] = errors.Join(errs[k], g.watch.ask(ctx, g.http))
		})
	}
	sending.Wait()
	if err := errors.Join(errs[0], errs[1], pause(ctx, 3*spanDelay/2*time.Millisecond)); err != nil {
		return each, err
	}
	for k, g := range both {
		if after[k], err = g.account(ctx); err != nil {
			return each, err
		}
	}
	for k := range both {
		used, n := after[k].since(before[k]), float64(completed[k])
		for _, kind := range []string{partServe, partWorker, partDrive} {
			each[k].programs += milliseconds(used[kind]) / n
		}
		each[k].postgres = milliseconds(used[kindPlatenPostgres]) / n
		each[k].shared = milliseconds(used[kindTemporal]+used[kindTemporalPostgres]) / float64(completed[0]+completed[1])
	}
	return each, nil
}
