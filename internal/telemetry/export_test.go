package telemetry

import (
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

// work counts an automation that took 40 s and whose event was delivered.
func work(m *Metrics, traces *Traces, automationID string) {
	now := time.Now()
	m.Stored(1, time.Second, time.Second)
	m.Ended(platen.Ending{State: platen.AutomationCompleted, AcceptedAt: now.Add(-40 * time.Second), StartedAt: now.Add(-39 * time.Second), FinishedAt: now}, traces.ID(automationID))
	m.Attempted(platen.Event{AcceptedAt: now.Add(-40 * time.Second), CreatedAt: now}, platen.Delivery{Attempt: 1, Status: 200, At: now, Duration: time.Second}, traces.ID(automationID))
	m.Mailed(MailOfOutput, platen.MailSent, "")
	m.Placed(platen.PlacementStored, "")
	m.Carried(platen.ScheduleDone, "")
	m.Posted(time.Second)
	m.Returned("BOUNCED")
}

func TestMetricsComeToACollectorWithTheTraceOfASlowAutomation(t *testing.T) {
	got := testkit.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", got.URL)
	all, log := New("v1"), slog.New(slog.DiscardHandler)
	traces, err := OpenTraces(t.Context(), "worker", "v1", log)
	if err != nil {
		t.Fatal(err)
	}
	defer traces.Close()
	stop, err := all.ExportMetrics(t.Context(), "worker", "v1", log)
	if err != nil {
		t.Fatal(err)
	}
	const id = "aut_4fGk2LmQx8Rt0ZbC"
	work(all.Metrics, traces, id)
	stop()

	sent := got.Metrics("platen-worker")
	for _, d := range Definitions() {
		if !read[d.Name] && !strings.Contains(d.Name, "_http_") && !strings.Contains(d.Name, "_drive_call") && sent[d.Name] == nil {
			t.Errorf("%s did not come", d.Name)
		}
	}
	if got := sent["platen_automations_ended_total"].GetSum(); got == nil || !got.IsMonotonic || got.DataPoints[0].GetAsDouble() != 1 {
		t.Errorf("automations that ended: got %v, want a sum of 1", got)
	}
	for _, name := range []string{"platen_document_duration_seconds", "platen_delivery_duration_seconds", "platen_automation_duration_seconds"} {
		h := sent[name].GetHistogram()
		if h == nil || h.DataPoints[0].Count != 1 || h.DataPoints[0].GetSum() < 40 {
			t.Errorf("%s: got %v, want one of 40 s or more", name, h)
			continue
		}
		if got := exemplars(h); len(got) != 1 || got[0] != TraceID(id) {
			t.Errorf("%s: the exemplars are of traces %v, want that of the automation, %s", name, got, TraceID(id))
		}
	}
}

func exemplars(h *metrics.Histogram) (traces []string) {
	for _, of := range h.DataPoints {
		for _, e := range of.Exemplars {
			traces = append(traces, hex.EncodeToString(e.TraceId))
		}
	}
	return traces
}

func TestMetricsGoNowhereUnlessACollectorIsNamed(t *testing.T) {
	for _, variables := range []map[string]string{
		{"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_METRICS_EXPORTER": "none"},
		{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
	} {
		for name, value := range variables {
			t.Setenv(name, value)
		}
		if MetricsExported() {
			t.Errorf("%v: metrics are sent", variables)
		}
		for name := range variables {
			t.Setenv(name, "")
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://127.0.0.1:1/v1/metrics")
	if !MetricsExported() {
		t.Error("a collector of metrics alone is not used")
	}
}

// A Prometheus that keeps exemplars asks for OpenMetrics.
func TestWhoAsksForOpenMetricsGetsTheTraceOfASlowAutomation(t *testing.T) {
	t.Parallel()
	all := New("v1")
	const id = "aut_4fGk2LmQx8Rt0ZbC"
	work(all.Metrics, newTraces(1), id)
	work(all.Metrics, newTraces(0), "aut_not_traced")
	ask := func(accept string) string {
		r, w := httptest.NewRequest(http.MethodGet, "/metrics", nil), httptest.NewRecorder()
		r.Header.Set("Accept", accept)
		all.Handler().ServeHTTP(w, r)
		return w.Body.String()
	}
	got := ask("application/openmetrics-text; version=1.0.0")
	if want := `platen_document_duration_seconds_bucket{le="60.0"} 2 # {trace_id="` + TraceID(id) + `"}`; !strings.Contains(got, want) {
		t.Errorf("no exemplar of the automation in %s", got)
	}
	if strings.Contains(got, TraceID("aut_not_traced")) {
		t.Error("the trace of an automation is named that is not traced")
	}
	if plain := ask("text/plain"); strings.Contains(plain, "trace_id") {
		t.Error("the old format has no exemplars")
	}
}
