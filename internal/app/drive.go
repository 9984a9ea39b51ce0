package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/postgres"
)

// likeGoogle is how the drive behaves like Google's; nil: it does not.
func likeGoogle(l config.Likeness, log *slog.Logger) *drive.GoogleLike {
	if l.Like != config.LikeGoogle {
		return nil
	}
	log.Warn("this drive behaves like Google's: it is slow, has quotas and is for tests", "speed", l.Speed.Value())
	return &drive.GoogleLike{Speed: l.Speed.Value()}
}

// Drive answers as our own cloud drive until ctx ends. The listener is its own
// from then on. It calls ready when it answers.
func Drive(ctx context.Context, c config.DriveServer, log *slog.Logger, listener net.Listener, ready func()) error {
	defer listener.Close()
	if err := c.Check(); err != nil {
		return err
	}
	t := c.Telemetry
	started := t.Starting("drive")
	fonts, err := driveFonts(c.Fonts)
	if err != nil {
		return err
	}
	exporter, closeExporter, err := driveExporter(ctx, c, log)
	if err != nil {
		return err
	}
	defer closeExporter()
	pool, err := await(ctx, c.StartWait.Value(), log, "Postgres", func(ctx context.Context) (*pgxpool.Pool, error) {
		return openDrive(ctx, c.Database, log)
	})
	if err != nil {
		return fmt.Errorf("open the drive's database: %w", err)
	}
	defer pool.Close()
	store := store.New(pool)
	t.Counts().WatchPool("drive", pool)
	t.CheckReady("drive database", store.CheckSchema)
	server, err := drive.New(drive.Options{
		Store: store, PublicURL: publicURL(c.DriveURL, listener, ""), Bodies: bodies(driveBodies), Log: log, Proxies: c.TrustedProxies.Value(), Fonts: fonts, Exporter: exporter, LinkLifetime: c.LinkLifetime.Value(), Google: likeGoogle(c.Likeness, log),
		Limits: drive.Limits{AtOnce: c.AtOnce.Value(), PerSecond: c.RateLimit.Value()},
	})
	if err != nil {
		return fmt.Errorf("prepare the drive: %w", err)
	}
	stop := maintenance.Start(ctx, log, driveJobs(store)...)
	defer stop()
	answering := sites{delay: c.ShutdownDelay.Value(), log: log, all: []site{{listener: listener, handler: t.Counts().Host("drive", server), write: 2 * time.Minute}}}
	if err := answering.serve(ctx, t, func() { started(); ready() }); err != nil {
		return fmt.Errorf("serve the drive: %w", err)
	}
	return nil
}

// driveConns bounds the pool of the drive, where the address of the database does not.
const driveConns = 6

// openDrive opens the drive's database, where it has the tables of this program.
func openDrive(ctx context.Context, d config.Database, log *slog.Logger) (*pgxpool.Pool, error) {
	c, err := postgres.ReadURL(d.DatabaseURL, postgres.Session{Application: application(postgres.PartDrive), MaxConns: driveConns})
	if err != nil {
		return nil, err
	}
	if err := postgres.CheckSessions(ctx, c.ConnConfig); err != nil {
		return nil, err
	}
	if _, err := postgres.TakeRole(ctx, c, postgres.PartDrive); err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(store.New(pool).CheckSchema(ctx), checkStanding(ctx, pool, d, log)); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}
