package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/drive/soffice"
	"github.com/platenhq/platen/internal/drive/store"
)

// driveExporter opens LibreOffice if the settings choose it for PDFs, and makes two at
// once, so that a wrong path fails at the start. nil: the drive's own layout.
func driveExporter(ctx context.Context, c config.DriveServer, log *slog.Logger) (e drive.Exporter, closeIt func(), err error) {
	if c.Exporter != config.LibreOffice {
		return nil, func() {}, nil
	}
	pool, err := soffice.Open(soffice.Options{Program: c.Soffice, MaxBytes: store.MaxContent, Unconfined: c.Unconfined, Log: log})
	if errors.Is(err, soffice.ErrNoCell) {
		return nil, nil, fmt.Errorf("--drive-exporter (PLATEN_DRIVE_EXPORTER): %w; allow the drive user namespaces, or set --drive-exporter-unconfined (PLATEN_DRIVE_EXPORTER_UNCONFINED=true), with which a document that takes LibreOffice over has the drive's files and network", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--drive-soffice (PLATEN_DRIVE_SOFFICE): %w", err)
	}
	if err := drive.TryExporter(ctx, pool); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--drive-soffice (PLATEN_DRIVE_SOFFICE): %s does not work: %w", pool.Program(), err), pool.Close())
	}
	if c.Unconfined {
		log.Warn("LibreOffice is not confined: it runs as the drive's user, on the drive's network", "setting", "PLATEN_DRIVE_EXPORTER_UNCONFINED")
	}
	log.Info("LibreOffice makes the PDFs", "program", pool.Program())
	return pool, func() {
		if err := pool.Close(); err != nil {
			log.Error("LibreOffice could not be closed", "error", err)
		}
	}, nil
}
