package operators_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

const (
	alertsFile = "../../deploy/prometheus/alerts.yaml"
	// healthy is before a fault, longer than any window, and after it, until all have
	// forgotten it. Times are minutes of the rules' clock.
	healthy = 8 * 60
)

// A course gives the value of a series in each minute; of a counter what it grows by, of
// a moment how many seconds ago it was.
type course struct {
	kind  kind
	value float64
}

type kind int

const (
	gauge kind = iota
	counter
	moment
)

func grows(perMinute float64) course { return course{counter, perMinute} }
func is(value float64) course        { return course{gauge, value} }
func ago(seconds float64) course     { return course{moment, seconds} }

// gone is a series that nobody gives any more.
var gone = course{value: -1}

// well is an installation that works.
func well() map[string]course {
	return map[string]course{
		`up{job="platen-serve",instance="a:9464"}`:                                                     is(1),
		`up{job="platen-worker",instance="b:9464"}`:                                                    is(1),
		`platen_http_requests_total{host="hooks",status="200"}`:                                        grows(600),
		`platen_http_requests_total{host="hooks",status="503"}`:                                        grows(0.1),
		`platen_http_requests_total{host="api",status="500"}`:                                          grows(1), // not the hooks'
		`platen_backlog_oldest_age_seconds`:                                                            is(2),
		`platen_workers`:                                                                               is(2),
		`platen_reviews_unsent`:                                                                        is(0),
		`platen_reviews_oldest_age_seconds`:                                                            is(5 * 86400),
		`platen_backlog_behind_oldest_age_seconds`:                                                     is(600),
		`platen_automations_ended_total{state="COMPLETED"}`:                                            grows(600),
		`platen_automations_ended_total{state="FAILED"}`:                                               grows(0.5),
		`platen_document_duration_seconds_bucket{le="1"}`:                                              grows(590),
		`platen_document_duration_seconds_bucket{le="60"}`:                                             grows(600),
		`platen_document_duration_seconds_bucket{le="120"}`:                                            grows(600),
		`platen_document_duration_seconds_bucket{le="+Inf"}`:                                           grows(600),
		`platen_placements_failed`:                                                                     is(0),
		`platen_schedules_failed`:                                                                      is(0),
		`platen_mails_unsent`:                                                                          is(0),
		`platen_events_overdue`:                                                                        is(0),
		`platen_events{state="PENDING"}`:                                                               is(40),
		`platen_events{state="HELD"}`:                                                                  is(0),
		`platen_drive_calls_total{outcome="200"}`:                                                      grows(3000),
		`platen_drive_calls_total{outcome="429"}`:                                                      grows(30),
		`platen_drive_calls_total{outcome="no_answer"}`:                                                grows(1),
		`platen_runs_parked{code="drive_unavailable"}`:                                                 is(3),
		`platen_quota_used{quota="writes"}`:                                                            is(30),
		`platen_quota_limit{quota="writes"}`:                                                           is(60),
		`platen_quota_used{quota="unlimited"}`:                                                         is(1000),
		`platen_quota_limit{quota="unlimited"}`:                                                        is(0),
		`platen_postgres_connections{job="w",instance="b",pool="p",state="acquired"}`:                  is(5),
		`platen_postgres_connections_max{job="w",instance="b",pool="p"}`:                               is(20),
		`platen_overview_up`:                                                                           is(1),
		`platen_tokens_ending`:                                                                         is(0),
		`platen_backup_completed_timestamp_seconds`:                                                    ago(25 * 3600),
		`node_filesystem_avail_bytes{job="platen-postgres",instance="c",mountpoint="/",fstype="ext4"}`: is(50e9),
		`node_filesystem_size_bytes{job="platen-postgres",instance="c",mountpoint="/",fstype="ext4"}`:  is(100e9),
		`node_filesystem_readonly{job="platen-postgres",instance="c",mountpoint="/",fstype="ext4"}`:    is(0),
		`node_filesystem_avail_bytes{job="platen-postgres",instance="c",mountpoint="/snap",fstype="squashfs"}`:  is(0), // an image is always full
		`node_filesystem_size_bytes{job="platen-postgres",instance="c",mountpoint="/snap",fstype="squashfs"}`:   is(1e9),
		`node_filesystem_readonly{job="platen-postgres",instance="c",mountpoint="/snap",fstype="squashfs"}`:     is(1),
		`node_filesystem_avail_bytes{job="platen-postgres",instance="c",mountpoint="/run/lock",fstype="tmpfs"}`: is(0),
		`node_filesystem_size_bytes{job="platen-postgres",instance="c",mountpoint="/run/lock",fstype="tmpfs"}`:  is(5e6),
		`node_filesystem_readonly{job="platen-postgres",instance="c",mountpoint="/run/lock",fstype="tmpfs"}`:    is(0),
		`node_filesystem_avail_bytes{job="node",instance="d",mountpoint="/",fstype="ext4"}`:                     is(1e9), // not of Postgres
		`node_filesystem_size_bytes{job="node",instance="d",mountpoint="/",fstype="ext4"}`:                      is(100e9),
		`node_filesystem_readonly{job="node",instance="d",mountpoint="/",fstype="ext4"}`:                        is(0),
		`temporal_request_failure_total{operation="StartWorkflowExecution"}`:                                    grows(0.2),
	}
}

// A fault changes series for so many minutes.
type fault struct {
	lasts   int
	changes map[string]course
	also    []string // other alerts that it is right to have
}

// faults are by the alert that is for them.
func faults() map[string]fault {
	const hooks503 = `platen_http_requests_total{host="hooks",status="503"}`
	return map[string]fault{
		"PlatenProgramDown":          {10, map[string]course{`up{job="platen-worker",instance="b:9464"}`: is(0)}, nil},
		"PlatenRefusesEventsFast":    {90, map[string]course{hooks503: grows(60)}, []string{"PlatenRefusesEventsSlowly"}},
		"PlatenRefusesEventsSlowly":  {420, map[string]course{hooks503: grows(6)}, nil},
		"PlatenBacklogOld":           {20, map[string]course{`platen_backlog_oldest_age_seconds`: is(900)}, nil},
		"PlatenNoWorkers":            {10, map[string]course{`platen_workers`: is(0)}, nil},
		"PlatenTargetsFail":          {90, map[string]course{`platen_placements_failed`: is(1)}, nil},
		"PlatenSchedulesFail":        {90, map[string]course{`platen_schedules_failed`: is(1)}, nil},
		"PlatenMailsFail":            {90, map[string]course{`platen_mails_unsent`: is(1)}, nil},
		"PlatenReviewsUnsent":        {120, map[string]course{`platen_reviews_unsent`: is(1)}, nil},
		"PlatenReviewsOld":           {120, map[string]course{`platen_reviews_oldest_age_seconds`: is(15 * 86400)}, nil},
		"PlatenBehindOld":            {120, map[string]course{`platen_backlog_behind_oldest_age_seconds`: is(90000)}, nil},
		"PlatenAutomationsFail":      {60, map[string]course{`platen_automations_ended_total{state="FAILED"}`: grows(60)}, nil},
		"PlatenDocumentsSlow":        {60, map[string]course{`platen_document_duration_seconds_bucket{le="1"}`: grows(500), `platen_document_duration_seconds_bucket{le="60"}`: grows(560)}, nil},
		"PlatenDeliveriesOverdue":    {30, map[string]course{`platen_events_overdue`: is(5)}, nil},
		"PlatenEventsHeld":           {90, map[string]course{`platen_events{state="HELD"}`: is(3)}, nil},
		"PlatenDriveFails":           {30, map[string]course{`platen_drive_calls_total{outcome="no_answer"}`: grows(600)}, nil},
		"PlatenRunsParked":           {30, map[string]course{`platen_runs_parked{code="drive_unavailable"}`: is(500)}, nil},
		"PlatenQuotaNearlyUsed":      {30, map[string]course{`platen_quota_used{quota="writes"}`: is(59)}, nil},
		"PlatenPoolFull":             {30, map[string]course{`platen_postgres_connections{job="w",instance="b",pool="p",state="acquired"}`: is(20)}, nil},
		"PlatenOverviewUnreadable":   {20, map[string]course{`platen_overview_up`: is(0)}, nil},
		"PlatenTemporalFails":        {30, map[string]course{`temporal_request_failure_total{operation="StartWorkflowExecution"}`: grows(120)}, nil},
		"PlatenTokensEnd":            {90, map[string]course{`platen_tokens_ending`: is(2)}, nil},
		"PlatenBackupOld":            {90, map[string]course{`platen_backup_completed_timestamp_seconds`: ago(27 * 3600)}, nil},
		"PlatenBackupOld, no metric": {90, map[string]course{`platen_backup_completed_timestamp_seconds`: gone}, nil},
		"PlatenPostgresDiskFull":     {30, map[string]course{`node_filesystem_avail_bytes{job="platen-postgres",instance="c",mountpoint="/",fstype="ext4"}`: is(9e9)}, nil},
		"PlatenNoWorkers, no metric": {10, map[string]course{`platen_workers`: gone}, nil},
	}
}

// series writes what Prometheus has scraped, a sample a minute.
func series(f fault) string {
	var text strings.Builder
	fmt.Fprintln(&text, "load 1m")
	all := well()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text.WriteString("  " + name)
		total := 0.0
		for minute := range healthy + f.lasts + healthy {
			c := all[name]
			if changed, ok := f.changes[name]; ok && minute >= healthy && minute < healthy+f.lasts {
				c = changed
			}
			switch {
			case c == gone:
				text.WriteString(" _")
			case c.kind == counter:
				total += c.value
				fmt.Fprintf(&text, " %g", total)
			case c.kind == moment:
				fmt.Fprintf(&text, " %g", float64(minute*60)-c.value)
			default:
				fmt.Fprintf(&text, " %g", c.value)
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}

// fired evaluates the rules minute by minute, as Prometheus does, and returns for each
// alert the first and last minute in which it fired.
func fired(t *testing.T, f fault) map[string][2]int {
	t.Helper()
	storage := promqltest.LoadedStorage(t, series(f))
	engine := promqltest.NewTestEngine(t, false, 0, 1_000_000)
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(engine, storage), AppendableV2: storage, Queryable: storage, Context: t.Context(),
		NotifyFunc: func(_ context.Context, _ string, _ ...*rules.Alert) {}, Logger: slog.New(slog.DiscardHandler), Parser: parser.NewParser(parser.Options{}),
	})
	groups, errs := manager.LoadGroups(time.Minute, labels.EmptyLabels(), "", nil, false, alertsFile)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	all := map[string][2]int{}
	for minute := range healthy + f.lasts + healthy {
		for _, g := range groups {
			g.Eval(t.Context(), time.Unix(0, 0).Add(time.Duration(minute)*time.Minute))
			for _, r := range g.AlertingRules() {
				if r.LastError() != nil {
					t.Fatalf("%s: %v", r.Name(), r.LastError())
				}
				if r.State() == rules.StateFiring {
					first, ok := all[r.Name()]
					if !ok {
						first[0] = minute
					}
					all[r.Name()] = [2]int{first[0], minute}
				}
			}
		}
	}
	return all
}

func TestEachAlertFiresByItsFaultAloneAndClears(t *testing.T) {
	var named []string
	for name, f := range faults() {
		alert, _, _ := strings.Cut(name, ",")
		named = append(named, alert)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := fired(t, f)
			when, ok := got[alert]
			if !ok || when[0] < healthy || when[0] >= healthy+f.lasts {
				t.Errorf("it fired in the minutes %v, want it within the fault, from %d to %d", when, healthy, healthy+f.lasts)
			}
			if when[1] >= healthy+f.lasts+healthy-1 {
				t.Error("it never clears")
			}
			t.Logf("fires %d minutes after the fault begins, and clears %d minutes after its end", when[0]-healthy, when[1]+1-healthy-f.lasts)
			for other := range got {
				if other != alert && !slices.Contains(f.also, other) {
					t.Errorf("%s fired, too", other)
				}
			}
		})
	}
	for _, alert := range alerts(t) {
		if !slices.Contains(named, alert) {
			t.Errorf("no fault is for %s", alert)
		}
	}
}

func TestNoAlertFiresWhileAllIsWell(t *testing.T) {
	if got := fired(t, fault{lasts: 60}); len(got) > 0 {
		t.Errorf("got %v, want silence", got)
	}
}

// alerts are the names of all rules.
func alerts(t *testing.T) (names []string) {
	t.Helper()
	manager := rules.NewManager(&rules.ManagerOptions{Context: t.Context(), Logger: slog.New(slog.DiscardHandler), Parser: parser.NewParser(parser.Options{})})
	groups, errs := manager.LoadGroups(time.Minute, labels.EmptyLabels(), "", nil, false, alertsFile)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, g := range groups {
		for _, r := range g.AlertingRules() {
			names = append(names, r.Name())
		}
	}
	return names
}

// Grafana puts its own words for times into queries, which Prometheus never sees.
var grafana = strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h", "$__interval", "1m")

type panel struct {
	Title   string
	Targets []struct{ Expr string }
}

// panels are those of the dashboard.
func panels(t *testing.T) []panel {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/grafana/platen.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal(raw, &dashboard); err != nil {
		t.Fatal(err)
	}
	if len(dashboard.Panels) < 10 {
		t.Fatalf("got %d panels, want all of the dashboard", len(dashboard.Panels))
	}
	return dashboard.Panels
}

func TestPrometheusReadsEachQueryOfTheDashboard(t *testing.T) {
	read := 0
	for _, panel := range panels(t) {
		for _, target := range panel.Targets {
			if _, err := parser.NewParser(parser.Options{}).ParseExpr(grafana.Replace(target.Expr)); err != nil {
				t.Errorf("%s: %s: %v", panel.Title, target.Expr, err)
			}
			read++
		}
	}
	if read < 20 {
		t.Errorf("got %d queries, want all of the dashboard", read)
	}
}
