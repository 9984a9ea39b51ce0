package journey

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
)

// shown is what an operator reads at a path of the telemetry's listener.
func (h *harness) shown(t *testing.T, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.telemetry.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != 200 {
		t.Errorf("%s: got %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func TestOperatorsSeeWhatAnAutomationDidAndNothingOfItsData(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w, e := h.deliverOne(t, "For {{Name}}", object{
		"createPdfCopy": true, "removeOutput": true, "outputName": "Canary-output {{Name}}", "enablePdfPassword": true, "pdfPassword": "Canary-password {{Name}}",
	}, object{"Name": "Canary-value"})
	wanted := []string{
		`platen_http_requests_total\{host="hooks",method="POST",route="/\{key\}",status="200"\} 1`,
		`platen_http_requests_total\{host="drive",method="POST",route="POST /v1/documents/\{call\}",status="200"\} [1-9]`,
		`platen_http_requests_total\{host="api",method="POST",route="/v0/workflows",status="201"\} 1`,
		`platen_events_accepted_total 1`, `platen_batch_events_sum 1`,
		`platen_automations_ended_total\{code="",state="COMPLETED"\} 1`,
		`platen_automation_queue_wait_seconds_count 1`, `platen_automation_duration_seconds_count\{state="COMPLETED"\} 1`,
		`platen_document_duration_seconds_count 1`, `platen_delivery_duration_seconds_count 1`,
		`platen_delivery_attempts_total\{outcome="delivered"\} 1`,
		`platen_drive_calls_total\{operation="files.copy",outcome="ok"\} [1-9]`,
		`platen_drive_calls_total\{operation="files.export",outcome="ok"\} 1`,
		`platen_postgres_connections\{pool="worker",state="acquired"\} \d`,
		`platen_cache_requests_total\{cache="plans",result="hit"\} [1-9]`,
		`platen_overview_up 1`, `platen_workers 1`, `platen_backlog_automations 0`, `platen_runs_open [01]`, `platen_endpoints\{breaker="closed"\} 1`,
		`temporal_request_total\{.*operation="StartWorkflowExecution".*\} 1`,
	}
	var metrics string
	// The event arrives before its delivery and the end of the run are counted, and the
	// installation's numbers are read now and then.
	eventually(t, "metrics", func() error {
		metrics = h.shown(t, "/metrics")
		missing := slices.DeleteFunc(slices.Clone(wanted), func(want string) bool { return regexp.MustCompile(`(?m)^` + want).MatchString(metrics) })
		if len(missing) > 0 {
			return fmt.Errorf("want %s", strings.Join(missing, "\n"))
		}
		return nil
	})
	if live := h.shown(t, "/livez"); !strings.Contains(live, `"dispatch":"ok"`) || !strings.Contains(live, `"polls of Temporal":"ok"`) {
		t.Errorf("livez: got %s", live)
	}
	if ready := h.shown(t, "/readyz"); strings.Count(ready, `:"ok"`) != 6 {
		t.Errorf("readyz: got %s, want the status and five parts", ready)
	}
	_, key, _ := strings.Cut(w.Source.WebhookURL, h.hooks+"/")
	for _, where := range []string{metrics, h.log.String()} {
		for name, secret := range map[string]string{
			"the value": "Canary", "the key of the source": key, "the token": h.token, "the token of the drive": h.driveToken,
			"the link": e.Data.Documents[0].URL,
		} {
			if at := strings.Index(where, secret); at >= 0 {
				t.Errorf("%s is shown: …%s…", name, where[max(0, at-100):min(len(where), at+100)])
			}
		}
	}
	if !strings.Contains(h.log.String(), "automation ended") {
		t.Error("log: no line for the automation that ended")
	}
}

// A program sends its metrics once more when all of it has ended.
func TestAWorkerThatEndedSaysNothingOfTheInstallation(t *testing.T) {
	t.Parallel()
	var h *harness
	if !t.Run("work", func(t *testing.T) { h = open(t, options{}) }) {
		t.FailNow()
	}
	metrics := h.shown(t, "/metrics")
	if strings.Contains(metrics, "\nplaten_overview_up") || !strings.Contains(metrics, "\nplaten_build_info") {
		t.Errorf("got %s, want what the program knows itself, not that the database cannot be read", metrics)
	}
}

func TestACollectorIsSetUpAsPrinted(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true})
	t.Run("metrics", func(t *testing.T) {
		collector := testkit.NewCollector(t)
		h.beside(t, "OTEL_METRIC_EXPORT_INTERVAL=200").follow(t, put(t, pages.Typed(t, "docs/metrics.md", "Metrics to a collector"),
			"http://127.0.0.1:4318", collector.URL, "worker …", "worker"))
		w := h.letter(t, nil, encrypted)
		send(t, w)
		h.finished(t, w.ID, platen.AutomationCompleted)
		eventually(t, "the worker's metrics", func() error {
			ended := collector.Metrics("platen-worker")["platen_automations_ended_total"].GetSum()
			if ended == nil || ended.DataPoints[0].GetAsDouble() != 1 {
				return fmt.Errorf("automations that ended: got %v, want a sum of 1", ended)
			}
			return nil
		})
	})
	t.Run("traces", func(t *testing.T) {
		collector := testkit.NewCollector(t)
		page := put(t, pages.Typed(t, "docs/metrics.md", "Traces"), "http://127.0.0.1:4318", collector.URL, "serve …", "serve", "worker …", "worker")
		start, show, ok := strings.Cut(page, "platen automation show ")
		if !ok {
			t.Fatal("the page shows no automation any more: change this test with it")
		}
		b := h.beside(t, "OTEL_BSP_SCHEDULE_DELAY=50")
		b.follow(t, start)
		b.ready(t)
		h.api, h.hooks = b.api, b.hooks
		w := h.letter(t, nil, encrypted)
		send(t, w)
		a := h.finished(t, w.ID, platen.AutomationCompleted)
		id := telemetry.TraceID(a.id)
		if said := shell(t, reader+"platen automation show "+put(t, show, "aut_4fGk2LmQx8Rt0ZbC", a.id), b.settings...); !strings.Contains(said, id) {
			t.Errorf("got %q, want the trace %s", said, id)
		}
		eventually(t, "the spans of both programs", func() error {
			tree := collector.Tree(id)
			for _, want := range []string{`accept .* platen-serve`, `run .* platen-worker`} {
				if !regexp.MustCompile(want).MatchString(tree) {
					return errors.New(tree)
				}
			}
			return nil
		})
	})
}
