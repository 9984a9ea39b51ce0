package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// A report holds what was measured, and where.
type report struct {
	Machine machine   `json:"machine"`
	Began   time.Time `json:"began"`
	Rounds  int       `json:"rounds"`
	RoundMS float64   `json:"roundMs"`
	Figures []figure  `json:"figures"`
	section string
	subject string // of the figures to come
}

type machine struct {
	OS       string  `json:"os"`
	CPU      string  `json:"cpu"`
	Cores    int     `json:"cores"`
	Load     string  `json:"loadAverageAtStart"`
	Go       string  `json:"go"`
	Commit   string  `json:"commit"`
	Postgres string  `json:"postgres"`
	Temporal string  `json:"temporal"`
	MemoryGB float64 `json:"memoryGb"`
}

// A figure is one line of the table.
type figure struct {
	Section string `json:"section"`
	Subject string `json:"subject,omitempty"`
	Name    string `json:"name"`
	Unit    string `json:"unit"`
	// Without a spread nothing could be measured here, and Note says why.
	*spread
	// Want says what the figure should be, where something was promised.
	Want string `json:"want,omitempty"`
	// Broken: what Want says is a condition, and is not met.
	Broken bool   `json:"broken,omitempty"`
	Note   string `json:"note,omitempty"`
}

func newReport(ctx context.Context, b *bench) (*report, error) {
	m := machine{
		OS: runtime.GOOS + "/" + runtime.GOARCH, CPU: procField("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(),
		Go: runtime.Version(), Commit: commit(),
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load = strings.Join(strings.Fields(string(load))[:3], " ")
	}
	var kilobytes float64
	if _, err := fmt.Sscanf(procField("/proc/meminfo", "MemTotal"), "%f kB", &kilobytes); err == nil {
		m.MemoryGB = math.Round(kilobytes / 1e6)
	}
	conn, err := pgx.Connect(ctx, b.stack.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("reach Postgres: %w", err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "SHOW server_version").Scan(&m.Postgres); err != nil {
		return nil, fmt.Errorf("ask Postgres for its version: %w", err)
	}
	temporal, err := client.DialContext(ctx, client.Options{HostPort: b.stack.TemporalAddress, Namespace: b.stack.TemporalNamespace, Logger: quiet()})
	if err != nil {
		return nil, fmt.Errorf("reach Temporal: %w", err)
	}
	defer temporal.Close()
	info, err := temporal.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return nil, fmt.Errorf("ask Temporal for its version: %w", err)
	}
	m.Temporal = info.GetServerVersion()
	return &report{Machine: m, Began: time.Now().UTC(), Rounds: b.rounds, RoundMS: milliseconds(b.round)}, nil
}

// commit is the revision that was built, where the build knows it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func (r *report) begin(section string) { r.section = section }

// about begins figures of one subject, which have a heading; "" ends them.
func (r *report) about(subject string) { r.subject = subject }

// add puts a figure into the report.
func (r *report) add(name, unit string, rounds []float64, remarks ...remark) {
	r.interval(name, unit, spreadOf(rounds), remarks...)
}

// interval is add for a figure whose bounds are known.
func (r *report) interval(name, unit string, measured spread, remarks ...remark) {
	if math.IsNaN(measured.Median) {
		return // this machine does not tell
	}
	f := figure{Section: r.section, Subject: r.subject, Name: name, Unit: unit, spread: &measured}
	for _, remark := range remarks {
		remark(&f)
	}
	r.Figures = append(r.Figures, f)
}

// absent says why there is no figure of that name.
func (r *report) absent(name, why string) {
	r.Figures = append(r.Figures, figure{Section: r.section, Name: name, Note: why})
}

// one is add for what was measured once.
func (r *report) one(name, unit string, value float64, remarks ...remark) {
	r.add(name, unit, []float64{value}, remarks...)
}

// A remark completes a figure.
type remark func(*figure)

func note(format string, args ...any) remark {
	return func(f *figure) { f.Note = fmt.Sprintf(format, args...) }
}

// atLeast and atMost say what was promised of the figure.
func atLeast(limit float64) remark {
	return func(f *figure) { f.Want = formatLimit(f.Median >= limit, "≥", limit) }
}

func atMost(limit float64) remark {
	return func(f *figure) { f.Want = formatLimit(f.Median <= limit, "≤", limit) }
}

// mustBeAtMost is atMost for what the bench fails by.
func mustBeAtMost(limit float64) remark {
	return func(f *figure) {
		atMost(limit)(f)
		f.Broken = f.Median > limit
	}
}

// broken returns an error that names the figures whose condition is not met.
func (r *report) broken() error {
	var errs []error
	for _, f := range r.Figures {
		if f.Broken {
			errs = append(errs, fmt.Errorf("%s: %s: %s: got %s %s, wanted %s", f.Section, f.Subject, f.Name, number(f.Median), f.Unit, f.Want))
		}
	}
	return errors.Join(errs...)
}

func formatLimit(met bool, sign string, limit float64) string {
	answer := "no"
	if met {
		answer = "yes"
	}
	return fmt.Sprintf("%s %s: %s", sign, number(limit), answer)
}

func (r *report) head(w io.Writer) {
	m := r.Machine
	fmt.Fprintf(w, "%s, %d × %s, %.0f GB, load %s\n", m.OS, m.Cores, m.CPU, m.MemoryGB, m.Load)
	fmt.Fprintf(w, "%s, Postgres %s, Temporal %s, commit %.12s\n", m.Go, m.Postgres, m.Temporal, m.Commit)
	fmt.Fprintf(w, "median of %d rounds of %.1f s (lowest – highest)\n", r.Rounds, r.RoundMS/1000)
}

func (r *report) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	section, subject := "", ""
	for _, f := range r.Figures {
		if f.Section != section {
			section = f.Section
			fmt.Fprintf(table, "\n%s\t\t\t\t\t\n", strings.ToUpper(section))
		}
		if f.Subject != subject {
			subject = f.Subject
			fmt.Fprintf(table, "  %s\t\t\t\t\t\n", subject)
		}
		if f.spread == nil {
			fmt.Fprintf(table, "  %s\t%s\t\t\t\n", f.Name, f.Note)
			continue
		}
		span := ""
		if f.Min != f.Max {
			span = "(" + number(f.Min) + " – " + number(f.Max) + ")"
		}
		fmt.Fprintf(table, "  %s\t%s %s\t%s\t%s\t%s\n", f.Name, number(f.Median), f.Unit, span, f.Want, f.Note)
	}
	return table.Flush()
}

// number shows three significant digits, and whole numbers from 100 on.
func number(v float64) string {
	switch size := math.Abs(v); {
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

func (r *report) write(name string) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	return os.WriteFile(name, append(raw, '\n'), 0o644)
}
