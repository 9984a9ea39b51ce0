package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/internal/platen"
)

// Settings of yardsticks beside those of the service.
const (
	stepsVariable      = "PLATEN_BENCH_STEPS"
	templateVariable   = "PLATEN_BENCH_TEMPLATE"
	driveTokenVariable = "PLATEN_BENCH_DRIVE_TOKEN"
	receiverVariable   = "PLATEN_BENCH_RECEIVER"
)

// insertConnections is more than Postgres gains from on a small machine.
const insertConnections = 64

// beYardstick serves one yardstick over HTTP until ctx ends.
func beYardstick(ctx context.Context, name string) error {
	var handler http.Handler
	var err error
	done := func() {}
	switch name {
	case partBare:
		handler = http.HandlerFunc(answerNothing)
	case partInsert:
		handler, done, err = insertEach(ctx)
	case partNoop:
		handler, done, err = runNothing(ctx)
	case partLoop:
		handler, err = callInLoop()
	}
	if err != nil {
		return err
	}
	defer done()
	l, err := listen()
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: answerLimit}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	tell(addresses{Main: address(l)})
	_ = server.Serve(l) // ends by Close
	return nil
}

// answerNothing is what a webhook host costs that does nothing.
func answerNothing(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, "{}")
}

// insertEach stores each body in a transaction of its own, and does nothing else.
func insertEach(ctx context.Context) (http.Handler, func(), error) {
	c, err := pgxpool.ParseConfig(os.Getenv("PLATEN_DATABASE_URL"))
	if err != nil {
		return nil, nil, fmt.Errorf("open the database: %w", err)
	}
	c.MaxConns = insertConnections
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, nil, fmt.Errorf("open the database: %w", err)
	}
	_, err = pool.Exec(ctx, `
		CREATE TABLE IF NOT EXISTS bench_events (
			id          text        PRIMARY KEY,
			body        bytea       NOT NULL,
			accepted_at timestamptz NOT NULL
		)`)
	if err != nil {
		pool.Close()
		return nil, nil, fmt.Errorf("make the yardstick's table: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = pool.Exec(r.Context(), `INSERT INTO bench_events (id, body, accepted_at) VALUES ($1, $2, $3)`,
				platen.NewID(platen.PrefixAutomation), body, time.Now())
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, "{}")
	}), pool.Close, nil
}

// A tally is what a yardstick that drives itself answers.
type tally struct {
	Done    int           `json:"done"`
	Took    time.Duration `json:"took"`
	Failure string        `json:"failure,omitempty"`
}

func (t tally) rate() float64 { return float64(t.Done) / t.Took.Seconds() }

// serveRepeats answers GET ?for=2s&parallel=8 by doing one thing over and over.
func serveRepeats(once func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		length, err := time.ParseDuration(r.FormValue("for"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		parallel, err := strconv.Atoi(r.FormValue("parallel"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var done atomic.Int64
		var failure atomic.Pointer[string]
		var wg sync.WaitGroup
		begun := time.Now()
		for range parallel {
			wg.Go(func() {
				for time.Since(begun) < length && failure.Load() == nil {
					if err := once(r.Context()); err != nil {
						said := err.Error()
						failure.Store(&said)
						return
					}
					done.Add(1)
				}
			})
		}
		wg.Wait()
		t := tally{Done: int(done.Load()), Took: time.Since(begun)}
		if said := failure.Load(); said != nil {
			t.Failure = *said
		}
		_ = json.NewEncoder(w).Encode(t)
	})
}

// repeat asks a yardstick part to drive itself.
func repeat(ctx context.Context, p *part, length time.Duration, parallel int) (tally, error) {
	var t tally
	query := url.Values{"for": {length.String()}, "parallel": {strconv.Itoa(parallel)}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Main+"/?"+query.Encode(), nil)
	if err != nil {
		return t, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return t, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&t); err != nil {
		return t, fmt.Errorf("%s: %w", p.name, err)
	}
	if t.Failure != "" {
		return t, fmt.Errorf("%s: %s", p.name, t.Failure)
	}
	return t, nil
}

// runNothing is Temporal alone: runs of as many local activities as an
// automation has, which do nothing, started eagerly.
func runNothing(ctx context.Context) (http.Handler, func(), error) {
	steps, err := strconv.Atoi(os.Getenv(stepsVariable))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", stepsVariable, err)
	}
	c, err := client.DialContext(ctx, client.Options{
		HostPort: os.Getenv("PLATEN_TEMPORAL_ADDRESS"), Namespace: os.Getenv("PLATEN_TEMPORAL_NAMESPACE"), Logger: quiet(),
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reach Temporal: %w", err)
	}
	queue := os.Getenv("PLATEN_QUEUE") + "-noop"
	w := sdk.New(c, queue, sdk.Options{LocalActivityWorkerOnly: true, MaxConcurrentLocalActivityExecutionSize: 256})
	w.RegisterWorkflowWithOptions(doNothing, workflow.RegisterOptions{Name: "DoNothing"})
	if err := w.Start(); err != nil {
		c.Close()
		return nil, nil, fmt.Errorf("start the worker: %w", err)
	}
	once := func(ctx context.Context) error {
		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue, EnableEagerStart: true}, "DoNothing", steps)
		if err != nil {
			return err
		}
		return run.Get(ctx, nil)
	}
	return serveRepeats(once), func() { w.Stop(); c.Close() }, nil
}

func doNothing(ctx workflow.Context, steps int) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout: 5 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	for range steps {
		if err := workflow.ExecuteLocalActivity(ctx, nothing).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func nothing(context.Context) error { return nil }
