package app

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/include"
)

// includes puts documents into copies of templates in an owner's drive. They are read with the
// access of the reader. It is nil at Google, whose API puts no document into another.
func includes(kind platen.DriveKind, connector *google.Connector) func(ownerID, readerID, templateID string) fill.Include {
	if kind != platen.DrivePlaten {
		return nil
	}
	return func(ownerID, readerID, templateID string) fill.Include {
		return func(ctx context.Context, copied platen.File, choose fill.Choose) (func(context.Context) error, error) {
			drive, reader, err := drivesOf(ctx, connector, ownerID, readerID)
			if err != nil {
				return nil, err
			}
			return include.Of(drive, reader, templateID)(ctx, copied, choose)
		}
	}
}

// includesOfRuns are includes with the access of the owner, as runs have it.
func includesOfRuns(kind platen.DriveKind, connector *google.Connector) func(ownerID, templateID string) fill.Include {
	as := includes(kind, connector)
	if as == nil {
		return nil
	}
	return func(ownerID, templateID string) fill.Include { return as(ownerID, ownerID, templateID) }
}

// wholes reads templates with what they include, for checks. It is nil where includes is.
func wholes(kind platen.DriveKind, connector *google.Connector) func(ownerID, readerID, templateID string) fill.Whole {
	if kind != platen.DrivePlaten {
		return nil
	}
	return func(ownerID, readerID, templateID string) fill.Whole {
		return func(ctx context.Context, choose fill.Choose) ([]byte, error) {
			drive, reader, err := drivesOf(ctx, connector, ownerID, readerID)
			if err != nil {
				return nil, err
			}
			return include.Whole(drive, reader, templateID)(ctx, choose)
		}
	}
}

func drivesOf(ctx context.Context, connector *google.Connector, ownerID, readerID string) (drive, reader *google.Client, err error) {
	if drive, err = connector.Drive(ctx, ownerID); err != nil {
		return nil, nil, fmt.Errorf("open the drive of %s: %w", ownerID, err)
	}
	if readerID == ownerID {
		return drive, drive, nil
	}
	if reader, err = connector.Drive(ctx, readerID); err != nil {
		return nil, nil, fmt.Errorf("open the drive of %s: %w", readerID, err)
	}
	return drive, reader, nil
}
