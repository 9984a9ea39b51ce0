package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/mail"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Doctor looks at an installation, through connections to Postgres that change
// nothing. o needs its settings, and what to look at.
func Doctor(ctx context.Context, o doctor.Options) doctor.Report {
	o.Pool = func(ctx context.Context) (*pgxpool.Pool, error) { return openReadOnly(ctx, o.Settings.DatabaseURL) }
	o.Connections = poolSizes(o.Settings.DatabaseURL)
	o.Temporal = func(ctx context.Context) (client.Client, error) {
		return reach(ctx, o.Settings.Temporal, slog.New(slog.DiscardHandler), pulses{})
	}
	o.Drives = func(connections func(context.Context, string) (platen.DriveConnection, error)) (*google.Connector, error) {
		return newConnector(o.Settings.Cloud, google.Options{Connections: connections})
	}
	o.Seal = examinedSeal(o.Settings.SealKey)
	if c := o.Settings.MailServer; c.SMTPURL != "" {
		o.MailServer = func(ctx context.Context) error {
			server, err := mail.NewServer(mailOptions(c))
			if err != nil {
				return err
			}
			return server.SignIn(ctx)
		}
	}
	return doctor.Examine(ctx, o)
}

// poolSizes are how many connections each program may open to the database at an address, which may
// bound the pool (pool_max_conns). A serve has a pool to accept events beside it, and a
// worker listens on a connection of its own.
func poolSizes(databaseURL string) doctor.Connections {
	pool := func(otherwise int32) int {
		c, err := postgres.ReadURL(databaseURL, postgres.Session{MaxConns: otherwise})
		if err != nil {
			return int(otherwise) // opening the database says so
		}
		return int(c.MaxConns)
	}
	return doctor.Connections{Serve: pool(postgres.DefaultMaxConns) + acceptConns, Worker: pool(postgres.DefaultMaxConns) + 1, Drive: pool(driveConns)}
}

// temporalVersionTimeout is how long TemporalVersion waits for an answer.
const temporalVersionTimeout = 3 * time.Second

// TemporalVersion asks Temporal's frontend for its version, such as 1.28.0.
func TemporalVersion(ctx context.Context, c config.Temporal) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, temporalVersionTimeout)
	defer cancel()
	temporal, err := reach(ctx, c, slog.New(slog.DiscardHandler), pulses{})
	if err != nil {
		return "", err
	}
	defer temporal.Close()
	info, err := temporal.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return "", fmt.Errorf("ask Temporal at %s for its version: %w", c.TemporalAddress, err)
	}
	return info.GetServerVersion(), nil
}

// openReadOnly opens a database to look at it. A pooler that shares sessions is KindInvalid,
// with code "sessions_shared".
func openReadOnly(ctx context.Context, url string) (*pgxpool.Pool, error) {
	c, err := postgres.ReadURL(url, postgres.Session{Application: "platen doctor", Settings: map[string]string{"default_transaction_read_only": "on"}})
	if err != nil {
		return nil, err
	}
	c.MaxConns = 2
	if err := postgres.CheckSessions(ctx, c.ConnConfig); err != nil {
		return nil, err
	}
	if err := takeOwnRole(ctx, c); err != nil {
		return nil, err
	}
	return pgxpool.NewWithConfig(ctx, c)
}

// takeOwnRole has connections of a program's login take the role of that program, without
// which it reads nothing.
func takeOwnRole(ctx context.Context, c *pgxpool.Config) error {
	standing, err := postgres.TakeRole(ctx, c, "")
	if err != nil || standing.Excess() != "" {
		return err
	}
	for _, part := range []postgres.Part{postgres.PartWork, postgres.PartFront, postgres.PartDrive} {
		if standing.Member[part] {
			_, err := postgres.TakeRole(ctx, c, part)
			return err
		}
	}
	return nil
}
