package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	temporallog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/failpoint"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/rebuild"
	"github.com/platenhq/platen/internal/schedule"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/telemetry"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/worker"
)

// Work runs automations, and dispatches them, until ctx ends. It calls ready
// when it polls Temporal.
func Work(ctx context.Context, c config.Work, log *slog.Logger, ready func()) error {
	if err := c.Check(); err != nil {
		return err
	}
	t := c.Telemetry
	started := t.Starting("worker")
	traces, err := telemetry.OpenTraces(ctx, "worker", Version(), log)
	if err != nil {
		return err
	}
	defer traces.Close()
	opened, box, err := openDatabase(ctx, postgres.PartWork, c.Database, c.Secrets, c.StartWait.Value(), log, t.Counts(), traces)
	if err != nil {
		return err
	}
	defer opened.Close()
	db := run.New(opened)
	db.Queue.Settings = platen.WorkerSettings{Build: buildID(c), RetentionData: c.RetentionData.Value(), RetentionOutputs: c.RetentionOutputs.Value()}
	connector, err := connector(c.Cloud, c.GoogleQuotas, db.DB, platen.ConnectionRemembered, log, t.Counts())
	if err != nil {
		return err
	}
	pulses := watchWorker(t, c, db.DB)
	defer pulses.stopWatching()
	temporal, err := await(ctx, c.StartWait.Value(), log, "Temporal", func(ctx context.Context) (client.Client, error) {
		return dial(ctx, c.Temporal, log, pulses)
	})
	if err != nil {
		return err
	}
	defer temporal.Close()
	db.Plans.Zone = c.Location()
	db.Plans.Decide = func(p *platen.Plan, event []byte) error { return fill.Decide(p, event, c.Location()) }
	db.Batches.Completed = delivery.NewBatchEvent
	db.Order.Key = func(formula string, e platen.OrderedEvent) (string, error) { return fill.Key(formula, e, c.Location()) }
	protector, err := protector(c.SealKey)
	if err != nil {
		return err
	}
	documents := documents(c, db, box, connector, protector)
	mails, err := mails(c, db.DB, box, documents, t.Counts())
	if err != nil {
		return err
	}
	starter := &worker.Starter{Client: temporal, Namespace: c.TemporalNamespace, Queue: c.Queue}
	rollout := rollout(c, worker.Deployment{Client: temporal, Namespace: c.TemporalNamespace, Queue: c.Queue}, log)
	var takes func() bool
	if rollout != nil {
		starter.Eager, takes = rollout.Current, rollout.TakesNew
	}
	work := worker.New(worker.Options{
		Client:     temporal,
		Queue:      c.Queue,
		Documents:  documents,
		Deliveries: deliveries(c, outgoing.NewHosts(c.APIURL, c.HooksURL, c.DriveURL, c.DriveEndpoint), db.DB, log, t.Counts(), traces),
		Mails:      mails,
		Reviews:    reviews(c, db.DB, box, documents, mails.Server),
		Targets:    targets(c, db.DB, connector, documents, t.Counts()),
		Parking:    db.Parking,
		Slow:       slow(c),
		Trace:      traces.Below,
		Rollout:    rollout,
		Log:        log,
	})
	watchTemporal(t, temporal)
	worker.WarnOfServer(ctx, temporal, log)
	dispatcher := dispatcher(c, db, tracedStarter{starter, traces}, starter, documents.Drives, takes, pulses.dispatch.Beat, log)
	folders := func(ctx context.Context, ownerID string) (schedule.Drive, error) {
		return connector.Drive(ctx, ownerID)
	}
	defer maintenance.Start(ctx, log, workJobs(c, db, documents.Drives, folders, dispatcher, mails, t.Counts())...)()
	if err := worker.RunWithDispatch(ctx, work, dispatcher, func() { started(); ready() }); err != nil {
		return fmt.Errorf("work: %w", err)
	}
	return nil
}

// documents are the steps that make the documents of automations.
func documents(c config.Work, db *run.DB, box *secret.Box, connector *google.Connector, protector protect.Protector) *activities.Documents {
	return &activities.Documents{
		Automations: db.Automations,
		Plans:       db.Plans,
		Outputs:     db.Outputs,
		Folders:     db.Folders,
		Reviews:     db.Reviews,
		Receivers:   db.Deliveries,
		Drives:      storingDrives(connector),
		Protector:   protector,
		Pictures:    pictures(c.Kind() == platen.DrivePlaten, c.PicturesURL, c.PicturesPrivate.Value(), db.Pictures, box.Derive(picturePurpose)),
		Include:     includesOfRuns(c.Kind(), connector),
		Readings:    fill.NewReadings(),
		Quotas:      connector,
		Location:    c.Location(),
	}
}

func dispatcher(c config.Work, db *run.DB, starts dispatch.Starter, starter *worker.Starter, open activities.Drives, takes func() bool, turned func(), log *slog.Logger) *dispatch.Dispatcher {
	return dispatch.New(failpoint.Dispatching(dispatch.Options{
		Queue:       db.Queue,
		Running:     db.Queue,
		Automations: db.Automations,
		Starter:     starts,
		Rebuilder:   rebuilder(db, open),
		Outbox:      db.Outbox,
		Batches:     db.Batches,
		Order:       db.Order,
		Runs:        starter,
		Endpoints:   db.Endpoints,
		Refuses:     breaker(c.Endpoints()).RefusesFor,
		Deliveries:  db.Deliveries,
		Workers:     db.Queue,
		Takes:       takes,
		Carries:     c.Carries(),
		Places:      c.Places(),
		Turned:      turned,
		Log:         log,
	}))
}

func rebuilder(db *run.DB, open activities.Drives) rebuild.Rebuilder {
	return rebuild.Rebuilder{
		Automations: db.Automations, Plans: db.Plans, Outputs: db.Outputs, Parking: db.Parking,
		Drives: func(ctx context.Context, ownerID string) (rebuild.Drive, error) { return open(ctx, ownerID) },
	}
}

// slow is after how long a first attempt is a wait: Google takes a second for what
// our drive does in milliseconds.
func slow(c config.Work) time.Duration {
	if c.Kind() == platen.DriveGoogle {
		return worker.DefaultSlowGoogle
	}
	return worker.DefaultSlow
}

// storingDrives opens drives whose calls a test may make fail.
func storingDrives(connector *google.Connector) activities.Drives {
	return func(ctx context.Context, userID string) (activities.Drive, error) {
		opened, err := connector.Drive(ctx, userID)
		if err != nil {
			return nil, err
		}
		return failpoint.Storing(opened), nil
	}
}

func deliveries(c config.Work, own outgoing.Hosts, db *postgres.DB, log *slog.Logger, m *telemetry.Metrics, traces *telemetry.Traces) *activities.Deliveries {
	schedule := c.RetrySchedule.Value()
	if len(schedule) == 0 {
		schedule = delivery.DefaultSchedule()
	}
	sender := delivery.NewHTTPSender(outgoing.NewClient(outgoing.Options{
		AllowPrivate: c.AllowPrivate.Value(), Own: append(ownPorts(c.Database, c.Observe), c.TemporalAddress), Timeout: c.Endpoints().Timeout,
	}), own)
	deliverer := &delivery.Deliverer{
		Events:    db.Deliveries,
		Endpoints: db.Endpoints,
		Sender:    failpoint.Sending(sender),
		Breaker:   breaker(c.Endpoints()),
		Schedule:  schedule,
		Attempted: noteAttempt(m, traces),
		Log:       log,
	}
	if traces != nil {
		deliverer.Sender, deliverer.Trace = tracedSender{deliverer.Sender, traces}, traces.Within
	}
	return &activities.Deliveries{Deliverer: deliverer}
}

// ownPorts are those of the database and of metrics, which nobody outside is to reach.
func ownPorts(d config.Database, o config.Observe) []string {
	var own []string
	if o.Metrics != "" {
		own = append(own, o.Metrics)
	}
	pool, err := pgxpool.ParseConfig(d.DatabaseURL)
	if err != nil {
		return own // opening the database says so
	}
	add := func(host string, port uint16) {
		if !strings.HasPrefix(host, "/") { // a socket of the file system
			own = append(own, net.JoinHostPort(host, strconv.Itoa(int(port))))
		}
	}
	add(pool.ConnConfig.Host, pool.ConnConfig.Port)
	for _, f := range pool.ConnConfig.Fallbacks {
		add(f.Host, f.Port)
	}
	return own
}

func breaker(c config.EndpointLimits) delivery.Breaker {
	return delivery.Breaker{
		InFlight: c.InFlight, MaxInFlight: c.MaxInFlight, Failures: c.Failures, CoolDown: c.Rest, MaxCoolDown: c.MaxRest, DisableAfter: c.DisableAfter,
		Lease: delivery.LeaseFor(cmp.Or(c.Timeout, outgoing.DefaultTimeout)),
	}.WithDefaults()
}

// dial reaches Temporal and, unless a setting says not to, sees that its namespace is as
// runs need it.
func dial(ctx context.Context, c config.Temporal, log *slog.Logger, p pulses) (client.Client, error) {
	temporal, err := reach(ctx, c, log, p)
	if err != nil {
		return nil, err
	}
	if c.TemporalSkipAttributes.Value() {
		return temporal, nil
	}
	if err := worker.EnsureSearchAttributes(ctx, temporal, c.TemporalNamespace); err != nil {
		temporal.Close()
		return nil, err
	}
	return temporal, nil
}

// reach connects to Temporal.
func reach(ctx context.Context, c config.Temporal, log *slog.Logger, p pulses) (client.Client, error) {
	options := client.Options{
		HostPort:  c.TemporalAddress,
		Namespace: c.TemporalNamespace,
		Logger:    temporallog.NewStructuredLogger(log),

		FailureConverter: worker.Failures(),
		MetricsHandler:   p.metrics.Temporal(),
		// What runs tell is some kilobytes: to compress it costs both sides more than
		// to send it.
		ConnectionOptions: client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}, DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(p.notePolls)}},
	}
	if c.TemporalAPIKey != "" {
		options.Credentials = client.NewAPIKeyStaticCredentials(string(c.TemporalAPIKey))
	}
	if c.UsesTLS() {
		var err error
		if options.ConnectionOptions.TLS, err = temporalTLS(c); err != nil {
			return nil, err
		}
	}
	temporal, err := client.DialContext(ctx, failpoint.Running(options))
	if err != nil {
		return nil, fmt.Errorf("reach Temporal at %s (--temporal-address): %w", c.TemporalAddress, err)
	}
	return temporal, nil
}
