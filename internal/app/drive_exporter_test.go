package app

import (
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
)

func TestAProgramThatIsNoLibreOfficeIsReportedAtTheStart(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "soffice")
	idle, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{none, idle} {
		c := config.DriveServer{Exporter: config.LibreOffice, Soffice: path, Unconfined: true}
		_, _, err := driveExporter(t.Context(), c, Logger(config.Log{LogLevel: config.Of(slog.LevelError)}))
		if err == nil || !strings.HasPrefix(err.Error(), "--drive-soffice (PLATEN_DRIVE_SOFFICE): ") || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want an error that names the setting and %s", err, path)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e, _, err := driveExporter(ctx, config.DriveServer{Exporter: config.OwnExporter}, nil); e != nil || err != nil {
		t.Errorf("own: got %v, %v; want none", e, err)
	}
}
