package app

import (
	"context"
	"log/slog"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/worker"
)

// OpenDeployment reaches the worker deployment of a queue, for an operator.
func OpenDeployment(ctx context.Context, c config.Temporal, queue string) (d worker.Deployment, closed func(), err error) {
	temporal, err := dial(ctx, c, slog.New(slog.DiscardHandler), pulses{})
	if err != nil {
		return worker.Deployment{}, nil, err
	}
	return worker.Deployment{Client: temporal, Namespace: c.TemporalNamespace, Queue: queue}, temporal.Close, nil
}

// buildID is the build that a worker's settings name; empty: none.
func buildID(c config.Work) string {
	if c.BuildID == "auto" {
		return Version()
	}
	return c.BuildID
}

// rollout is the worker's place among builds; nil: it is not versioned.
func rollout(c config.Work, d worker.Deployment, log *slog.Logger) *worker.Rollout {
	build := buildID(c)
	if build == "" {
		return nil
	}
	return &worker.Rollout{Deployment: d, Build: build, Manual: c.Promotion == config.PromoteManual, Alone: c.Alone, Log: log}
}
