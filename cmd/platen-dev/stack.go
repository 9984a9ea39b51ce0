package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"

	"github.com/platenhq/platen/internal/embedded/postgres"
	"github.com/platenhq/platen/internal/embedded/temporal"
)

const (
	database  = "platen"
	namespace = "platen"

	// What Temporal may take of the stop budget; Postgres has the rest.
	temporalStop = 4 * time.Second

	// A log longer than this is moved aside at the next start.
	logLimit = 10 << 20
)

// stack is what the product's parts run on.
type stack struct {
	dataDir  string
	postgres *postgres.Server
	temporal *temporal.Server
	log      *os.File // Temporal's
}

func startStack(ctx context.Context, c *runCommand, say func(part, message string)) (s *stack, err error) {
	s = &stack{dataDir: c.DataDir}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop(stopBudget))
		}
	}()
	bin, err := postgres.Find(c.PostgresBin, c.DataDir)
	if err != nil {
		return s, err
	}
	say("Postgres", fmt.Sprintf("starting version %d", bin.Major))
	s.postgres, err = postgres.Start(ctx, postgres.Options{
		DataDir:  c.DataDir,
		Bin:      bin,
		Progress: func(m string) { say("Postgres", m) },
	})
	if err != nil {
		return s, err
	}
	if s.log, err = openLog(filepath.Join(c.DataDir, "log", "temporal.log")); err != nil {
		return s, fmt.Errorf("open Temporal's log: %w", err)
	}
	say("Temporal", "starting")
	var g errgroup.Group
	g.Go(func() error { return s.postgres.EnsureDatabase(ctx, database) })
	g.Go(func() (err error) {
		s.temporal, err = temporal.Start(ctx, temporal.Options{
			Postgres:  temporal.Postgres{Address: s.postgres.Address(), User: postgres.User, Password: s.postgres.Password()},
			Address:   c.Temporal,
			UIAddress: c.TemporalUI,
			Namespace: namespace,
			SearchAttributes: map[string]enums.IndexedValueType{
				"PlatenWorkflowId": enums.INDEXED_VALUE_TYPE_KEYWORD,
				"PlatenOwner":      enums.INDEXED_VALUE_TYPE_KEYWORD,
				"PlatenTeam":       enums.INDEXED_VALUE_TYPE_KEYWORD,
				"PlatenOutcome":    enums.INDEXED_VALUE_TYPE_KEYWORD,
			},
			Log:      slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Progress: func(m string) { say("Temporal", m) },
		})
		return err
	})
	return s, g.Wait()
}

// stop ends what runs, in the reverse order of starting.
func (s *stack) stop(budget time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), budget)
	defer cancel()
	var errs []error
	if s.temporal != nil {
		ctx, cancel := context.WithTimeout(ctx, temporalStop)
		defer cancel()
		errs = append(errs, s.temporal.Stop(ctx))
	}
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
	}
	return errors.Join(errs...)
}

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}
