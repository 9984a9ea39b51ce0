package operator

import (
	"log/slog"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/testkit"
)

func TestAProgramSendsItsMetricsWithoutAListener(t *testing.T) {
	got := testkit.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", got.URL+"/v1/metrics")
	var o config.Observe
	stop, err := observe(t.Context(), &o, "drive", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if o.Telemetry == nil || got.Metrics("platen-drive")["platen_build_info"] == nil {
		t.Errorf("got metrics %v, want those of the drive", got.Metrics("platen-drive"))
	}
}
