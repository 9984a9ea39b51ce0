package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/maintenance"
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
	fonts, err := driveFonts(c.Fonts)
	if err != nil {
		return err
	}
	exporter, closeExporter, err := driveExporter(ctx, c, log)
	if err != nil {
		return err
	}
	defer closeExporter()
	pool, err := pgxpool.New(ctx, c.DatabaseURL)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer pool.Close()
	store := drive.NewStore(pool)
	_, err = await(ctx, c.StartWait.Value(), log, "Postgres", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, store.CheckSchema(ctx)
	})
	if err != nil {
		return fmt.Errorf("open the drive's database: %w", err)
	}
	server, err := drive.New(drive.Options{
		Store: store, PublicURL: publicURL(c.DriveURL, listener, ""), Bodies: bodies(driveBodies), Log: log, Fonts: fonts, Exporter: exporter, Google: likeGoogle(c.Likeness, log),
	})
	if err != nil {
		return fmt.Errorf("prepare the drive: %w", err)
	}
	stop := maintenance.Start(ctx, log, driveJobs(store)...)
	defer stop()
	if err := serveSites(ctx, log, ready, site{listener: listener, handler: server, write: 2 * time.Minute}); err != nil {
		return fmt.Errorf("serve the drive: %w", err)
	}
	return nil
}
