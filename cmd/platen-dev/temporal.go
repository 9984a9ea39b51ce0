package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"

	"github.com/jackc/pgx/v5"
	enums "go.temporal.io/api/enums/v1"

	"github.com/platenhq/platen/cmd/platen-dev/internal/embedded/temporal"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/workflows"
)

// temporalCommand runs Temporal alone, for an installation on one machine whose Postgres
// and programs have services of their own.
type temporalCommand struct {
	DatabaseURL string `name:"database-url" env:"PLATEN_DEV_TEMPORAL_DATABASE_URL" secret:"" required:"" placeholder:"postgres://temporal:password@127.0.0.1:5432" help:"Postgres server with the databases temporal and temporal_visibility, without TLS. They are made and updated at each start, if the login may make databases; else an administrator makes them empty before."`
	Temporal    string `name:"temporal" env:"PLATEN_DEV_TEMPORAL" default:"${temporal}" help:"host:port of Temporal. It asks nobody for credentials: keep it on this machine."`
	TemporalUI  string `name:"temporal-ui" env:"PLATEN_DEV_TEMPORAL_UI" default:"${temporal_ui}" help:"host:port of Temporal's Web UI, which asks for none either."`
	Namespace   string `env:"PLATEN_DEV_TEMPORAL_NAMESPACE" default:"default" help:"Namespace of the installation, made at the first start. It keeps closed runs for seven days."`
}

// connectionsOfTemporal are for each of four services to each of two databases: with
// those of Platen on one machine they fit into the 100 of a Postgres that nobody
// configured.
const connectionsOfTemporal = 4

// Run ends when it is interrupted, or when Postgres ends the connection that keeps a
// second Temporal away.
func (c *temporalCommand) Run(ctx context.Context) error {
	server, err := c.server()
	if err != nil {
		return fmt.Errorf("--database-url (PLATEN_DEV_TEMPORAL_DATABASE_URL): %w", err)
	}
	alone, err := keepAlone(ctx, c.DatabaseURL)
	if err != nil {
		return cause(ctx, err)
	}
	defer alone.Close(context.WithoutCancel(ctx))
	say := progress("Temporal")
	say("starting")
	cluster, err := temporal.Start(ctx, temporal.Options{
		Postgres: server, Connections: connectionsOfTemporal,
		Address: c.Temporal, UIAddress: c.TemporalUI, Namespace: c.Namespace, SearchAttributes: searchAttributes(),
		Log:      app.LoggerTo(os.Stderr, config.Log{LogLevel: config.Of(slog.LevelWarn)}), // it says a lot below a warning
		Progress: say,
	})
	if err != nil {
		return cause(ctx, err)
	}
	say("ready at " + cluster.Address() + ", namespace " + c.Namespace + "; Web UI at " + cluster.UIURL())
	_, lost := alone.WaitForNotification(ctx) // nobody sends one
	stopping := stopTemporal(context.WithoutCancel(ctx), cluster, stopLimit)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), stopping)
	}
	return errors.Join(fmt.Errorf("the connection to Postgres is gone, so that another Temporal may run on it: %w", lost), stopping)
}

// server reads the address. No error has it, because of its password.
func (c *temporalCommand) server() (temporal.Postgres, error) {
	u, err := url.Parse(c.DatabaseURL)
	if err != nil || !slices.Contains([]string{"postgres", "postgresql"}, u.Scheme) || u.Hostname() == "" || u.User.Username() == "" {
		return temporal.Postgres{}, errors.New("give an address with a user, such as postgres://temporal:password@127.0.0.1:5432")
	}
	if database := u.Path; database != "" && database != "/" {
		return temporal.Postgres{}, fmt.Errorf("leave %s out: the databases are called temporal and temporal_visibility", database)
	}
	for name, values := range u.Query() {
		if name != "sslmode" || !slices.Contains([]string{"disable", "prefer", "allow"}, values[0]) {
			return temporal.Postgres{}, fmt.Errorf("leave %s=%s out: this Temporal speaks to Postgres without TLS, on its own machine", name, values[0])
		}
	}
	if u.Port() == "" {
		u.Host += ":5432"
	}
	password, _ := u.User.Password()
	return temporal.Postgres{Address: u.Host, User: u.User.Username(), Password: password}, nil
}

// onlyTemporal is the key of an advisory lock of the database postgres. Two Temporals
// that do not know of each other take runs out of each other's hands.
const onlyTemporal = 0x706c6174656e

// keepAlone returns a connection that no second Temporal of this command gets, as long as
// it is open.
func keepAlone(ctx context.Context, server string) (*pgx.Conn, error) {
	settings, err := pgx.ParseConfig(server)
	if err != nil {
		return nil, errors.New("--database-url (PLATEN_DEV_TEMPORAL_DATABASE_URL): Postgres cannot read it")
	}
	settings.Database = "postgres"
	conn, err := pgx.ConnectConfig(ctx, settings)
	if err != nil {
		return nil, err
	}
	var mine bool
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, onlyTemporal).Scan(&mine)
	if err == nil && !mine {
		err = errors.New("another 'platen-dev temporal' runs on this Postgres: stop it first")
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return conn, nil
}

// searchAttributes are those that runs of Platen have.
func searchAttributes() map[string]enums.IndexedValueType {
	all := map[string]enums.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		all[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
	}
	return all
}
