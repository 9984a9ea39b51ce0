package deploy_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

type alertRules struct {
	Groups []struct {
		Rules []struct {
			Alert       string            `yaml:"alert"`
			Expr        string            `yaml:"expr"`
			For         string            `yaml:"for"`
			Labels      map[string]string `yaml:"labels"`
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

// A documented metric is a line of the table in docs/metrics.md.
type documented struct {
	kind   string
	labels []string
}

func documentedMetrics(t *testing.T) map[string]documented {
	t.Helper()
	lines := regexp.MustCompile("(?m)^\\| `(platen_\\w+)` \\| (\\w+) \\| ([^|]*) \\|").FindAllStringSubmatch(read(t, "../docs/metrics.md"), -1)
	all := map[string]documented{}
	for _, line := range lines {
		d := documented{kind: line[2]}
		for _, label := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(line[3], -1) {
			d.labels = append(d.labels, label[1])
		}
		all[line[1]] = d
	}
	if len(all) < 20 {
		t.Fatalf("found %d metrics in docs/metrics.md", len(all))
	}
	return all
}

var (
	metricUse = regexp.MustCompile(`\b(platen_\w+)(?:\{([^}]*)\})?(\[\w+\])?`)
	labelUse  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"`)
	grouping  = regexp.MustCompile(`\b(?:by|without) \(([^)]*)\)`)
)

// checkQuery says what of a query is not in docs/metrics.md.
func checkQuery(metrics map[string]documented, query string) (faults []string) {
	for _, pair := range []string{"()", "{}", "[]"} {
		if strings.Count(query, pair[:1]) != strings.Count(query, pair[1:]) {
			faults = append(faults, "its "+pair+" do not match")
		}
	}
	known := []string{"le", "job", "instance", "operation"}
	for _, use := range metricUse.FindAllStringSubmatch(query, -1) {
		name, ranged := use[1], use[3] != ""
		base := name
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if trimmed, ok := strings.CutSuffix(name, suffix); ok && metrics[trimmed].kind == "histogram" {
				base = trimmed
			}
		}
		m, ok := metrics[base]
		if !ok || m.kind == "histogram" && base == name {
			faults = append(faults, name+" is no metric")
			continue
		}
		if counts := m.kind != "gauge"; counts != ranged {
			faults = append(faults, name+" is a "+m.kind+": it wants a range where it counts, and none else")
		}
		for _, label := range labelUse.FindAllStringSubmatch(use[2], -1) {
			if !slices.Contains(m.labels, label[1]) {
				faults = append(faults, name+" has no label "+label[1])
			}
		}
		known = append(known, m.labels...)
	}
	for _, group := range grouping.FindAllStringSubmatch(query, -1) {
		for label := range strings.SplitSeq(group[1], ",") {
			if !slices.Contains(known, strings.TrimSpace(label)) {
				faults = append(faults, "it groups by "+label+", which none of its metrics has")
			}
		}
	}
	return faults
}

func TestAQueryThatFitsNoMetricIsFound(t *testing.T) {
	t.Parallel()
	metrics := documentedMetrics(t)
	for _, query := range []string{
		`max(platen_backlog)`, `sum(rate(platen_document_duration_seconds[5m]))`, `max(platen_workers[5m])`, `sum(platen_events_accepted_total)`,
		`max(platen_events{owner="x"})`, `max by (owner) (platen_events)`, `max(platen_workers`,
	} {
		if len(checkQuery(metrics, query)) == 0 {
			t.Errorf("%s: nothing was found", query)
		}
	}
}

func TestEachAlertAsksForMetricsThatAreThereAndHasItsSection(t *testing.T) {
	t.Parallel()
	var rules alertRules
	if err := yaml.Unmarshal([]byte(read(t, "prometheus/alerts.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	metrics, runbook := documentedMetrics(t), read(t, "../docs/runbook.md")
	sections := map[string]bool{}
	for _, rule := range rules.Groups[0].Rules {
		for _, fault := range checkQuery(metrics, rule.Expr) {
			t.Errorf("%s: %s", rule.Alert, fault)
		}
		_, section, ok := strings.Cut(runbook, "\n## "+rule.Alert+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, part := range []string{"**Meaning.**", "**Look.**", "**Do.**"} {
			if !ok || !strings.Contains(section, part) {
				t.Errorf("%s: docs/runbook.md has no %s", rule.Alert, part)
			}
		}
		if want := "docs/runbook.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook"] != want || rule.Annotations["summary"] == "" || rule.For == "" {
			t.Errorf("%s: got %+v, for %q; want a summary, its section and how long", rule.Alert, rule.Annotations, rule.For)
		}
		if severity := rule.Labels["severity"]; severity != "page" && severity != "ticket" {
			t.Errorf("%s: severity %q", rule.Alert, severity)
		}
		sections[rule.Alert] = true
	}
	for _, section := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(runbook, -1) {
		if !sections[section[1]] {
			t.Errorf("docs/runbook.md has a section for %s, which is no alert", section[1])
		}
	}
	if len(sections) < 10 {
		t.Errorf("found %d alerts", len(sections))
	}
}

// Alerts on what a program alone counts are blind where Prometheus does not read it.
func TestTheRunbookScrapesEachProgram(t *testing.T) {
	t.Parallel()
	_, example, _ := strings.Cut(read(t, "../docs/runbook.md"), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	var prometheus struct {
		ScrapeConfigs []struct {
			JobName string `yaml:"job_name"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(example), &prometheus); err != nil {
		t.Fatal(err)
	}
	var jobs []string
	for _, c := range prometheus.ScrapeConfigs {
		jobs = append(jobs, c.JobName)
	}
	wanted := []string{"platen-serve", "platen-worker", "platen-drive"}
	for _, named := range regexp.MustCompile(`job="([^"]+)"`).FindAllStringSubmatch(read(t, "prometheus/alerts.yaml"), -1) {
		wanted = append(wanted, named[1])
	}
	for _, want := range wanted {
		if !slices.Contains(jobs, want) {
			t.Errorf("docs/runbook.md scrapes %v, and not %s", jobs, want)
		}
	}
}

func TestTheDashboardShowsMetricsThatAreThere(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/platen.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	metrics, ids := documentedMetrics(t), map[int]bool{}
	for _, panel := range dashboard.Panels {
		if ids[panel.ID] || panel.Title == "" || len(panel.Targets) == 0 {
			t.Errorf("panel %d %q: want an id of its own, a title and a query", panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			for _, fault := range checkQuery(metrics, target.Expr) {
				t.Errorf("%s: %s: %s", panel.Title, target.Expr, fault)
			}
		}
	}
	if len(ids) < 10 {
		t.Errorf("found %d panels", len(ids))
	}
}

// systemd judges its own files, where it is installed; what they say of us is looked
// at everywhere.
func TestSystemdUnitsRunProgramsWithSettingsThatAreThere(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob("systemd/*.service")
	if err != nil || len(units) != 4 {
		t.Fatalf("got %v, %v; want serve, worker, drive and temporal", units, err)
	}
	settings := append(settingsOfPlaten(t), "PLATEN_DEV_TEMPORAL_DATABASE_URL")
	analyze, missing := exec.LookPath("systemd-analyze")
	for _, unit := range units {
		text := read(t, unit)
		for _, setting := range regexp.MustCompile(`(?m)^Environment=(PLATEN_\w+)_FILE=%d/(\S+)$`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(settings, setting[1]) {
				t.Errorf("%s: %s is no setting", unit, setting[1])
			}
			if !strings.Contains(text, "\nLoadCredential="+setting[2]+":") {
				t.Errorf("%s: nothing loads %s", unit, setting[2])
			}
		}
		if missing != nil {
			continue
		}
		stand, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		there := filepath.Join(t.TempDir(), filepath.Base(unit))
		if err := os.WriteFile(there, []byte(regexp.MustCompile(`/usr/bin/platen(-dev)?`).ReplaceAllString(text, stand)), 0o644); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command(analyze, "verify", "--man=no", there).CombinedOutput(); err != nil || strings.Contains(string(said), filepath.Base(unit)) {
			t.Errorf("systemd-analyze verify %s: %v\n%s", unit, err, said)
		}
	}
}
