package operators_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/teststorage"
	"sigs.k8s.io/yaml"
)

// Each query has something to show of an instance that works: what a dashboard or an
// alert asks for is what the programs give, under these names and labels.
func TestEachQueryFindsSeriesOfAnInstanceThatWorks(t *testing.T) {
	i := runInstance(t)
	i.prepare(t)
	p := newScraper(t)
	p.scrape(t, i)
	for range 3 {
		i.work(t)
		p.scrape(t, i)
	}
	i.loseDrive(t, func() error { return p.waits(t, i) })
	for range 2 {
		i.disable(t)
		p.scrape(t, i)
	}
	queries := dashboardQueries(t)
	for name, expr := range alertQueries(t) {
		queries[name] = expr
	}
	for name, query := range queries {
		switch found, values := p.ask(t, query); {
		case found == 0:
			t.Errorf("%s: %s\nfinds nothing", name, query)
		case values == 0:
			t.Errorf("%s: %s\nfinds %d series without a value", name, query, found)
		}
	}
}

// A scraper keeps what it reads of the instance as if half a minute had passed since the
// last time.
type scraper struct {
	storage *teststorage.TestStorage
	engine  *promql.Engine
	now     time.Time
}

func newScraper(t *testing.T) *scraper {
	t.Helper()
	return &scraper{storage: teststorage.New(t), engine: promqltest.NewTestEngine(t, false, 0, 1_000_000), now: time.Unix(0, 0)}
}

// scrape reads all programs, as Prometheus does.
func (p *scraper) scrape(t *testing.T, i *instance) {
	t.Helper()
	p.now = p.now.Add(30 * time.Second)
	for name, address := range i.metrics {
		raw, err := metrics(address)
		if err != nil && i.programs[name] != nil {
			t.Fatal(err)
		}
		up := 1.0
		if err != nil {
			up, raw = 0, nil
		}
		p.keep(t, raw, up, "job", "platen-"+name, "instance", host(address))
	}
	p.keep(t, []byte(machine), 1, "job", "platen-postgres", "instance", "127.0.0.1:9100")
}

// machine is what the alerts ask of node_exporter 1.9.1, and the line that the commands of
// docs/restore.md give it.
const machine = `# TYPE node_filesystem_avail_bytes gauge
node_filesystem_avail_bytes{device="/dev/sda1",device_error="",fstype="ext4",mountpoint="/"} 1.5e+10
# TYPE node_filesystem_readonly gauge
node_filesystem_readonly{device="/dev/sda1",device_error="",fstype="ext4",mountpoint="/"} 0
# TYPE node_filesystem_size_bytes gauge
node_filesystem_size_bytes{device="/dev/sda1",device_error="",fstype="ext4",mountpoint="/"} 3e+10
# TYPE platen_backup_completed_timestamp_seconds untyped
platen_backup_completed_timestamp_seconds 1.7e+09
`

// waits reads until a run is parked, in which the drive is gone.
func (p *scraper) waits(t *testing.T, i *instance) error {
	raw, err := metrics(i.metrics["worker"])
	if err != nil || !strings.Contains(string(raw), "\nplaten_runs_parked{") {
		return fmt.Errorf("no run is parked: %v", err)
	}
	p.scrape(t, i)
	return nil
}

func metrics(address string) ([]byte, error) {
	answer, err := http.Get(address + "/metrics")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, raw)
	}
	return raw, err
}

// keep stores what was read, and what Prometheus adds to it.
func (p *scraper) keep(t *testing.T, raw []byte, up float64, target ...string) {
	t.Helper()
	to := p.storage.Appender(t.Context())
	store := func(l labels.Labels, value float64) {
		b := labels.NewBuilder(l)
		for i := 0; i < len(target); i += 2 {
			b.Set(target[i], target[i+1])
		}
		if _, err := to.Append(0, b.Labels(), p.now.UnixMilli(), value); err != nil {
			t.Fatal(err)
		}
	}
	store(labels.FromStrings("__name__", "up"), up)
	for read := textparse.NewPromParser(raw, labels.NewSymbolTable(), false); len(raw) > 0; {
		entry, err := read.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry == textparse.EntrySeries {
			var l labels.Labels
			read.Labels(&l)
			_, _, value := read.Series()
			store(l, value)
		}
	}
	if err := to.Commit(); err != nil {
		t.Fatal(err)
	}
}

// ask returns how many series a query finds now, and how many of them have a value.
func (p *scraper) ask(t *testing.T, query string) (found, values int) {
	t.Helper()
	q, err := p.engine.NewInstantQuery(t.Context(), p.storage, nil, query, p.now)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer q.Close()
	answer := q.Exec(t.Context())
	series, err := answer.Vector()
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for _, s := range series {
		if !math.IsNaN(s.F) {
			values++
		}
	}
	return len(series), values
}

// alertQueries are what each alert compares, without the comparison: that finds nothing
// while all is well.
func alertQueries(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	queries := map[string]string{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			expr, err := parser.NewParser(parser.Options{}).ParseExpr(rule.Expr)
			if err != nil {
				t.Fatalf("%s: %v", rule.Alert, err)
			}
			for n, part := range compared(expr) {
				queries[fmt.Sprintf("%s, %d", rule.Alert, n+1)] = part.String()
			}
		}
	}
	return queries
}

// compared are the parts of an expression whose values it compares with a number.
func compared(expr parser.Expr) []parser.Expr {
	switch e := expr.(type) {
	case *parser.ParenExpr:
		return compared(e.Expr)
	case *parser.BinaryExpr:
		switch {
		case e.Op == parser.LAND:
			return append(compared(e.LHS), compared(e.RHS)...)
		case e.Op == parser.LOR, e.Op.IsComparisonOperator():
			return compared(e.LHS)
		}
	}
	return []parser.Expr{expr}
}

// dashboardQueries are those of each panel, by its title.
func dashboardQueries(t *testing.T) map[string]string {
	t.Helper()
	queries := map[string]string{}
	for _, panel := range panels(t) {
		for _, target := range panel.Targets {
			queries[strings.Join([]string{panel.Title, target.Expr}, ": ")] = grafana.Replace(target.Expr)
		}
	}
	return queries
}
