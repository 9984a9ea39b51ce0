package telemetry

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/platenhq/platen/internal/platen"
)

var write = flag.Bool("write", false, "write docs/metrics.md")

const page = "../../docs/metrics.md"

// reference is the table of docs/metrics.md.
func reference() string {
	var b strings.Builder
	b.WriteString("| metric | kind | labels | what it counts |\n|---|---|---|---|\n")
	for _, d := range Definitions() {
		labels := "–"
		if len(d.Labels) > 0 {
			labels = "`" + strings.Join(d.Labels, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.Name, d.Kind, labels, d.Help)
	}
	return b.String()
}

func TestThePageOfMetricsHasEachOne(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(raw), "| metric |")
	_, after, found := strings.Cut(rest, "\n\n")
	want := before + reference() + "\n" + after
	if *write && found {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(raw) != want {
		t.Errorf("docs/metrics.md is not as the metrics are: go test ./internal/telemetry -run %s -write", t.Name())
	}
}

// used returns a Metrics after a call of each method, with values of hostile tenants.
func used(t *testing.T) *Metrics {
	t.Helper()
	m := NewMetrics("v1")
	host := m.Host("api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/known" {
			r.Pattern = "/known"
		}
	}))
	for i := range 1000 {
		id := fmt.Sprintf("tenant-%d", i)
		host.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("X"+fmt.Sprint(i), "/"+id+"?a="+id, nil))
		m.Ended(platen.Ending{State: platen.AutomationFailed, Code: "made_up_" + id, StartedAt: time.Now()}, "")
		m.Mailed(MailOfOutput, platen.MailFailed, "made_up_"+id)
		drive := m.DriveCalls(roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New(id) }))
		_, _ = drive.RoundTrip(httptest.NewRequest("GET", "http://drive/drive/v3/files/"+id, nil))
		_, _ = drive.RoundTrip(httptest.NewRequest("GET", "http://drive/"+id, nil))
		m.Temporal().WithTags(map[string]string{"operation": "Poll", "run_id": id}).Counter("temporal_request").Inc(1)
	}
	m.Posted(time.Second)
	m.Returned("BOUNCED")
	m.Stored(3, time.Second, time.Second)
	m.Attempted(platen.Event{}, platen.Delivery{Attempt: 1, Status: 200}, "")
	m.Attempted(platen.Event{}, platen.Delivery{Attempt: 2, Status: 503, Failure: "server_error"}, "")
	m.WatchCache("plans", func() (uint64, uint64) { return 1, 2 })
	m.QuotaLimits(map[string]int{"docs_writes": 60})
	m.WatchInstallation(func(context.Context) (platen.Overview, error) {
		return platen.Overview{Parked: map[string]int{"drive_fault": 1}, Endpoints: map[string]int{"open": 1}, QuotaUsed: map[string]int{"docs_writes": 1}}, nil
	})
	return m
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNoLabelGrowsWithTenants(t *testing.T) {
	t.Parallel()
	families, err := used(t).registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]Definition{}
	for _, d := range Definitions() {
		known[d.Name] = d
	}
	for _, f := range families {
		name := f.GetName()
		most := 10
		codes := name == "platen_automations_ended_total" || name == "platen_mails_total" || name == "platen_placements_total" || name == "platen_schedule_moments_total"
		if codes {
			most = mostCodes + 1
		}
		if len(f.GetMetric()) > most && strings.HasPrefix(name, "platen_") {
			t.Errorf("%s has %d series", name, len(f.GetMetric()))
		}
		d, ok := known[name]
		if strings.HasPrefix(name, "platen_") != ok {
			t.Errorf("%s is not among the definitions", name)
		}
		for _, series := range f.GetMetric() {
			for _, label := range series.GetLabel() {
				if ok && !slices.Contains(d.Labels, label.GetName()) {
					t.Errorf("%s has the label %s", name, label.GetName())
				}
				if strings.Contains(label.GetValue(), "tenant-") && !codes {
					t.Errorf("%s: label %s says %q", name, label.GetName(), label.GetValue())
				}
			}
		}
	}
}

func TestNamesFollowPrometheus(t *testing.T) {
	t.Parallel()
	for _, d := range Definitions() {
		if strings.HasSuffix(d.Name, "_total") != (d.Kind == Counter) || d.Help == "" || !strings.HasPrefix(d.Name, "platen_") || strings.Contains(d.Name, "_ms") {
			t.Errorf("%s: a %s, %q", d.Name, d.Kind, d.Help)
		}
	}
	problems, err := testutil.GatherAndLint(used(t).registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "platen_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func TestTheInstallationIsReadEveryFifteenSecondsAtMost(t *testing.T) {
	t.Parallel()
	m, reads := NewMetrics("v1"), 0
	m.WatchInstallation(func(context.Context) (platen.Overview, error) {
		reads++
		return platen.Overview{}, errors.New("away")
	})
	for range 5 {
		if n, err := testutil.GatherAndCount(m.registry, "platen_overview_up", "platen_backlog_automations"); err != nil || n != 1 {
			t.Fatalf("got %d series, %v; want platen_overview_up alone", n, err)
		}
	}
	if reads != 1 {
		t.Errorf("got %d reads, want 1", reads)
	}
}

func TestCallsToTheDriveHaveGooglesNames(t *testing.T) {
	t.Parallel()
	for call, want := range map[[2]string]string{
		{"POST", "/drive/v3/files/1abc/copy"}:            "files.copy",
		{"GET", "/drive/v3/files/1abc"}:                  "files.get",
		{"GET", "/drive/v3/files"}:                       "files.list",
		{"PATCH", "/drive/v3/files/1abc"}:                "files.update",
		{"DELETE", "/drive/v3/files/1abc"}:               "files.delete",
		{"POST", "/upload/drive/v3/files"}:               "files.create",
		{"PUT", "/resumable/upload/drive/v3/files/1abc"}: "files.update",
		{"GET", "/drive/v3/files/generateIds"}:           "files.generateIds",
		{"GET", "/drive/v3/files/1abc/export"}:           "files.export",
		{"POST", "/drive/v3/files/1abc/permissions"}:     "files.permissions",
		{"GET", "/drive/v3/about"}:                       "about",
		{"GET", "/v1/documents/1abc"}:                    "documents.get",
		{"POST", "/v1/documents/1abc:batchUpdate"}:       "documents.batchUpdate",
		{"POST", "/v1/presentations/1abc:batchUpdate"}:   "presentations.batchUpdate",
		{"GET", "/drive/v3/files/1abc/what"}:             "other",
		{"GET", "/drive/v3/what"}:                        "other",
		{"GET", "/what"}:                                 "other",
		{"BREW", "/drive/v3/files/1abc"}:                 "other",
	} {
		if got := Operation(call[0], call[1]); got != want {
			t.Errorf("%v: got %s, want %s", call, got, want)
		}
	}
}

// A document that people approved after a month did not wait in the queue.
func TestALaterAttemptDidNotWaitInTheQueue(t *testing.T) {
	t.Parallel()
	m, now := NewMetrics("v1"), time.Now()
	for _, attempt := range []int{1, 2} {
		m.Ended(platen.Ending{State: platen.AutomationCompleted, Attempt: attempt, AcceptedAt: now.AddDate(0, 0, -30), StartedAt: now, FinishedAt: now}, "")
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "platen_automation_queue_wait_seconds" {
			continue
		}
		if n := f.GetMetric()[0].GetHistogram().GetSampleCount(); n != 1 {
			t.Errorf("got %d waits, want that of the first attempt", n)
		}
		return
	}
	t.Error("no wait is counted")
}

func TestNothingIsCountedWithoutTelemetry(t *testing.T) {
	t.Parallel()
	var none *Telemetry
	m := none.Counts()
	m.Stored(1, 0, 0)
	m.Ended(platen.Ending{}, "")
	m.Attempted(platen.Event{}, platen.Delivery{}, "")
	m.Mailed(MailOfNotice, platen.MailSent, "")
	m.Posted(0)
	m.WatchInstallation(nil)
	none.CheckLive("x", nil)
	none.CheckReady("x", nil)
	none.Starting("x")()
	base := http.DefaultTransport
	if m.DriveCalls(base) != base || m.Temporal() != nil {
		t.Error("something is wrapped for nobody")
	}
}

func TestALoopThatStandsStillIsFoundOut(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pulse := NewPulse(time.Minute, func() time.Time { return now })
	all := New("v1")
	all.CheckLive("dispatch", pulse.Err)
	server := httptest.NewServer(all.Handler())
	t.Cleanup(server.Close)
	now = now.Add(time.Minute)
	if err := Ask(t.Context(), server.URL+"/livez"); err != nil {
		t.Errorf("a loop that turned a minute ago: %v", err)
	}
	now = now.Add(time.Second)
	if err := Ask(t.Context(), server.URL+"/livez"); err == nil || !strings.Contains(err.Error(), "dispatch: it has stood still for 1m1s") {
		t.Errorf("a loop that stands still: got %v", err)
	}
	if err := Ask(t.Context(), server.URL+"/readyz"); err != nil {
		t.Errorf("readiness is not life: %v", err)
	}
	pulse.Beat()
	if err := Ask(t.Context(), server.URL+"/livez"); err != nil {
		t.Errorf("a loop that turns again: %v", err)
	}
}

func TestReadinessSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	all := New("v1")
	all.CheckReady("database", func(context.Context) error { return errors.New("does not answer") })
	all.CheckReady("Temporal", func(context.Context) error { return nil })
	w := httptest.NewRecorder()
	all.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
	if want := `{"status":"failing","checks":{"Temporal":"ok","database":"does not answer"}}`; w.Code != 503 || strings.TrimSpace(w.Body.String()) != want {
		t.Errorf("got %d %s, want 503 %s", w.Code, w.Body, want)
	}
}

// What a program needs to be ready is known when it has opened it.
func TestAProgramThatStartsIsNotReady(t *testing.T) {
	t.Parallel()
	all := New("v1")
	started := all.Starting("worker")
	all.CheckReady("database", func(context.Context) error { return nil })
	server := httptest.NewServer(all.Handler())
	t.Cleanup(server.Close)
	if err := Ask(t.Context(), server.URL+"/readyz"); err == nil || !strings.Contains(err.Error(), "worker: it has not started yet") {
		t.Errorf("a program that starts: got %v, want that it has not started yet", err)
	}
	if err := Ask(t.Context(), server.URL+"/livez"); err != nil {
		t.Errorf("a program that starts lives: %v", err)
	}
	started()
	if err := Ask(t.Context(), server.URL+"/readyz"); err != nil {
		t.Errorf("a program that has started: %v", err)
	}
}

var _ prometheus.Collector = registered{}
