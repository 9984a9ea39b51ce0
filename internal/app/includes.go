package app

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/include"
)

// includes puts documents of an owner's drive into copies of templates; nil at Google,
// whose API puts no document into another.
func includes(kind platen.DriveKind, connector *google.Connector) func(ownerID, templateID string) fill.Include {
	if kind != platen.DrivePlaten {
		return nil
	}
	return func(ownerID, templateID string) fill.Include {
		return func(ctx context.Context, copied platen.File, choose fill.Choose) (func(context.Context) error, error) {
			drive, err := connector.Drive(ctx, ownerID)
			if err != nil {
				return nil, fmt.Errorf("open the drive of %s: %w", ownerID, err)
			}
			return include.Of(drive, templateID)(ctx, copied, choose)
		}
	}
}
