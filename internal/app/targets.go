package app

import (
	"context"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/target"
	"github.com/platenhq/platen/internal/telemetry"
)

// targets are the steps that store outputs at targets. What is allowed to receivers is
// allowed to targets.
func targets(c config.Work, db *postgres.DB, connector *google.Connector, documents *activities.Documents, counts *telemetry.Metrics) *activities.Targets {
	client := outgoing.NewClient(outgoing.Options{
		AllowPrivate: c.AllowPrivate.Value(), Own: append(ownPorts(c.Database, c.Observe), c.TemporalAddress), Timeout: target.DefaultTimeout,
	})
	return &activities.Targets{Documents: documents, Store: countedPlacements{db.Targets, counts}, Places: target.NewStores(client, targetDrives(connector))}
}

// stores are where targets are tested.
func (s served) stores() *target.Stores {
	return target.NewStores(outgoing.NewClient(outgoing.Options{AllowPrivate: s.AllowPrivate.Value(), Own: append(ownPorts(s.Database, s.Observe), s.API, s.Hooks)}), targetDrives(s.connector))
}

// targetDrives opens drives that targets are in.
func targetDrives(connector *google.Connector) target.Drives {
	return func(ctx context.Context, userID string) (target.Drive, error) { return connector.Drive(ctx, userID) }
}

// countedPlacements counts what became of outputs at targets.
type countedPlacements struct {
	*postgres.Targets
	counts *telemetry.Metrics
}

func (s countedPlacements) RecordPlacement(ctx context.Context, p platen.Placement) error {
	err := s.Targets.RecordPlacement(ctx, p)
	if err == nil {
		s.counts.Placed(p.State, p.Code)
	}
	return err
}

func (s countedPlacements) GiveUpPlacement(ctx context.Context, key platen.PlacementKey, code, message string) error {
	err := s.Targets.GiveUpPlacement(ctx, key, code, message)
	if err == nil {
		s.counts.Placed(platen.PlacementFailed, code)
	}
	return err
}
