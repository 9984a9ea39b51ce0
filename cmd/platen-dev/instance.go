package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/platenhq/platen/cmd/platen-dev/internal/embedded/postgres"
	"github.com/platenhq/platen/cmd/platen-dev/internal/embedded/temporal"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
	"github.com/platenhq/platen/internal/testkit/ports"
)

const (
	databaseName      = "platen"
	temporalNamespace = "default"

	// stopLimit bounds a whole orderly stop; Temporal may take temporalStop of
	// it, so that Postgres always has its share.
	stopLimit    = 10 * time.Second
	temporalStop = 4 * time.Second
)

// An instance is everything, running.
type instance struct {
	ready    ready
	examples seeded
	dataDir  string
	failed   <-chan error // the first part that ended by itself
}

// runInstance brings everything up, calls use, and takes everything down in
// order: hooks and API with the batcher, dispatch and worker, drive, UI and
// Temporal, Postgres.
func runInstance(ctx context.Context, s settings, use func(context.Context, *instance) error) (err error) {
	listeners, err := s.check()
	if err != nil {
		return err
	}
	if s.DataDir, err = filepath.Abs(s.DataDir); err != nil {
		listeners.close()
		return fmt.Errorf("--data-dir: %w", err)
	}
	var stops []func(context.Context) error
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
		defer cancel()
		for i := len(stops) - 1; i >= 0; i-- {
			err = errors.Join(err, stops[i](stopping))
		}
	}()
	stops = append(stops, func(context.Context) error { listeners.close(); return nil })
	database, err := startPostgres(ctx, s)
	if err != nil {
		return cause(ctx, err)
	}
	stops = append(stops, database.Stop)
	logs, err := openLogs(s)
	if err != nil {
		return err
	}
	stops = append(stops, logs.close)
	cluster, err := startTemporal(ctx, s, database, logs)
	if err != nil {
		return cause(ctx, err)
	}
	stops = append(stops, func(ctx context.Context) error { return stopTemporal(ctx, cluster, temporalStop) })
	keys, err := readOrMake(filepath.Join(s.DataDir, "secret-keys"), func() (string, error) { return app.NewSecretKey(), nil })
	if err != nil {
		return err
	}
	p := product{
		settings: s, listeners: *listeners, log: logs.product,
		database: config.Database{DatabaseURL: database.URL(databaseName)}, secrets: config.Secrets{SecretKeys: platen.Secret(keys)},
		temporal: cluster.Address(), temporalUI: cluster.UIURL(), failed: make(chan error, 4), telemetry: telemetry.New(app.Version()),
	}
	stopTelemetry := p.telemetry.Serve(listeners.metrics)
	stops = append(stops, func(context.Context) error { stopTelemetry(); return nil })
	stopExport, err := p.telemetry.ExportMetrics(ctx, "dev", app.Version(), p.log)
	if err != nil {
		return err
	}
	stops = append(stops, func(context.Context) error { stopExport(); return nil })
	started, err := p.start(ctx)
	stops = append(stops, started.stop)
	if err != nil {
		return cause(ctx, err)
	}
	go func() {
		<-database.Done()
		p.failed <- errors.Join(errors.New("the Postgres server is gone"), database.Err())
	}()
	i := &instance{failed: p.failed, ready: p.ready(cluster), dataDir: s.DataDir}
	if i.examples, err = p.seed(ctx, &i.ready); err != nil {
		return cause(ctx, fmt.Errorf("set up the demo user and the examples: %w", err))
	}
	return use(ctx, i)
}

func stopTemporal(ctx context.Context, cluster *temporal.Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := cluster.Stop(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		// A busy machine is no fault: what it acknowledged is in Postgres.
		progress("Temporal")("ends with the program: it was slow to stop, and nothing is lost")
		return nil
	}
	return err
}

// cause tells an interrupted start from a failed one.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func startPostgres(ctx context.Context, s settings) (*postgres.Server, error) {
	binaries, err := postgres.Find(s.PostgresBin, s.DataDir)
	if err != nil {
		return nil, err
	}
	server, err := postgres.Start(ctx, postgres.Options{DataDir: s.DataDir, Bin: binaries, Progress: progress("Postgres")})
	if err != nil {
		return nil, fmt.Errorf("start Postgres: %w", err)
	}
	return server, nil
}

// startTemporal makes the service's database meanwhile.
func startTemporal(ctx context.Context, s settings, database *postgres.Server, l logs) (*temporal.Server, error) {
	say := progress("Temporal")
	say("starting")
	var server *temporal.Server
	var both errgroup.Group
	both.Go(func() error { return database.EnsureDatabase(ctx, databaseName) })
	both.Go(func() (err error) {
		server, err = temporal.Start(ctx, temporal.Options{
			Postgres:         temporal.Postgres{Address: database.Address(), User: postgres.User, Password: database.Password()},
			Address:          s.Temporal,
			UIAddress:        s.TemporalUI,
			Namespace:        temporalNamespace,
			SearchAttributes: searchAttributes(),
			Log:              l.temporal,
			Progress:         say,
		})
		return err
	})
	return server, both.Wait()
}

// listeners are opened before anything slow, so that a port in use is reported at
// once and a free one stays ours while Postgres starts.
type listeners struct {
	api, hooks, drive, metrics net.Listener
}

// check returns the open listeners of settings that have no fault; else it
// reports every fault together, before anything is started.
func (s settings) check() (*listeners, error) {
	var faults []error
	if strings.TrimSpace(s.DataDir) == "" {
		faults = append(faults, errors.New("--data-dir (PLATEN_DEV_DATA_DIR): it is empty; name a directory, or leave it out for "+defaultDataDir()))
	}
	faults = append(faults, config.Dev{
		Log: s.Log, RetrySchedule: s.RetrySchedule, Likeness: config.Likeness{Like: s.DriveLike, Speed: s.DriveSpeed},
		Fonts: s.DriveFonts, Exporter: s.DriveExporter, Soffice: s.DriveSoffice, Unconfined: s.DriveUnconfined, ReadyFile: s.readyFile,
		MailServer: s.MailServer, SealKey: s.SealKey, Bounces: s.Bounces,
	}.Check())
	if _, err := postgres.Find(s.PostgresBin, s.DataDir); err != nil {
		faults = append(faults, err)
	}
	var l listeners
	faults = append(faults, l.listen(s))
	if err := errors.Join(faults...); err != nil {
		l.close()
		return nil, err
	}
	return &l, nil
}

// listen opens them; it reports every address that cannot be had.
func (l *listeners) listen(s settings) error {
	var faults []error
	examples := defaults()
	for _, one := range []struct {
		flag, address, example string
		listener               *net.Listener
	}{
		{"--api", s.API, examples["api"], &l.api},
		{"--hooks", s.Hooks, examples["hooks"], &l.hooks},
		{"--drive", s.Drive, examples["drive"], &l.drive},
		{"--metrics", s.Metrics, examples["metrics"], &l.metrics},
		{"--temporal", s.Temporal, examples["temporal"], nil}, // Temporal opens its own: here only a look
		{"--temporal-ui", s.TemporalUI, examples["temporal_ui"], nil},
	} {
		_, port, err := ports.Resolve(one.address)
		if err == nil && port != 0 {
			err = ports.Check(one.address)
		}
		if err == nil && one.listener != nil {
			*one.listener, err = net.Listen("tcp", one.address)
		}
		switch {
		case errors.Is(err, ports.ErrTaken):
			faults = append(faults, fmt.Errorf("%s %w: another platen-dev may be running; stop it, or give %s another port (0 takes a free one)", one.flag, err, one.flag))
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w; give host:port, such as %s", one.flag, err, one.example))
		}
	}
	return errors.Join(faults...)
}

func (l *listeners) close() {
	for _, listener := range []net.Listener{l.api, l.hooks, l.drive, l.metrics} {
		if listener != nil {
			_ = listener.Close() // closed by its server already, as a rule
		}
	}
}
