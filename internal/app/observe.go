package app

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/telemetry"
)

// Observe shows operators at l what a program with these settings does, and sends its
// metrics where OpenTelemetry's variables say so, until stop. l nil: there is no
// listener.
func Observe(ctx context.Context, o *config.Observe, program string, l net.Listener, log *slog.Logger) (stop func(), err error) {
	t := telemetry.New(Version())
	t.Starting(program) // until the program says that it is ready
	stopExport, err := t.ExportMetrics(ctx, program, Version(), log)
	if err != nil {
		return func() {}, err
	}
	o.Telemetry = t
	if l == nil {
		return stopExport, nil
	}
	stopServing := t.Serve(l)
	return func() { stopServing(); stopExport() }, nil
}

// watchDatabase shows the service's database as a program uses it.
func watchDatabase(t *telemetry.Telemetry, pool string, db *postgres.DB) {
	t.Counts().WatchPool(pool, db.Pool())
	t.CheckReady(pool+" database", db.Ready)
}

const (
	// dispatchStill and pollStill are after how long a loop of a worker is taken to
	// stand still: one looks at the queue each second, the other asks Temporal for
	// work each minute.
	dispatchStill = time.Minute
	pollStill     = 3 * time.Minute
)

// pulses tell whether the loops of a worker turn.
type pulses struct {
	dispatch, polls *telemetry.Pulse
	metrics         *telemetry.Metrics
	// stopWatching ends the reading of the installation's numbers. Call it before the
	// database is closed.
	stopWatching func()
}

// watchWorker shows a worker and, in its metrics, the whole installation.
func watchWorker(t *telemetry.Telemetry, c config.Work, db *postgres.DB) pulses {
	watchDatabase(t, "worker", db)
	m := t.Counts()
	for name, lookups := range db.Caches() {
		m.WatchCache(name, lookups)
	}
	limits := quotas(c.Cloud, c.GoogleQuotas).Project
	m.QuotaLimits(map[string]int{
		"docs_writes": limits[platen.DocsWrites], "docs_reads": limits[platen.DocsReads], "slides_writes": limits[platen.SlidesWrites],
		"slides_reads": limits[platen.SlidesReads], "drive_units": limits[platen.DriveUnits],
	})
	p := pulses{telemetry.NewPulse(dispatchStill, nil), telemetry.NewPulse(pollStill, nil), m, m.WatchInstallation(db.Overview)}
	t.CheckLive("dispatch", p.dispatch.Err)
	t.CheckLive("polls of Temporal", p.polls.Err)
	return p
}

func watchTemporal(t *telemetry.Telemetry, temporal client.Client) {
	t.CheckReady("Temporal", func(ctx context.Context) error {
		_, err := temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
		return err
	})
}

// notePolls notes each time that the worker asks for runs, or has an answer.
func (p pulses) notePolls(ctx context.Context, method string, request, reply any, connection *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	if !strings.HasSuffix(method, "/PollWorkflowTaskQueue") {
		return call(ctx, method, request, reply, connection, options...)
	}
	p.polls.Beat()
	defer p.polls.Beat()
	return call(ctx, method, request, reply, connection, options...)
}

// noteAttempt returns what counts each attempt to deliver.
func noteAttempt(m *telemetry.Metrics, traces *telemetry.Traces) func(platen.Event, platen.Delivery) {
	return func(e platen.Event, d platen.Delivery) { m.Attempted(e, d, traces.ID(e.AutomationID)) }
}
