// Command bench measures the whole of Platen on one machine, and prints every
// figure beside yardsticks that the same run measured. Ratios mean the same on
// a slow machine and on a busy one, rates do not.
//
// It runs under `bin/platen-dev exec`, whose Postgres and Temporal it uses.
// The service's parts are processes of their own – this program, started again
// as one part – so that processor time and memory are known by part. What a
// figure means is in docs/benchmarks.md.
//
// It proves nothing about correctness: that is what tests are for.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

type options struct {
	Quick   bool     `xor:"length" help:"Short rounds, about three minutes in all. The default."`
	Full    bool     `xor:"length" help:"Longer rounds, and all again with 1,000,000 stored automations and 10,000 workflows."`
	Only    []string `placeholder:"NAME" help:"Sections to run: ${sections}. The last one runs only when it is named."`
	JSON    string   `name:"json" placeholder:"FILE" help:"Write the figures there, too."`
	Stored  int      `default:"10000000" placeholder:"N" help:"Automations that the section retention stores (default: ${default}, which take some 20 GB)."`
	Profile string   `placeholder:"DIR" help:"Write a CPU profile of each part of the service, and of the section parts, into that directory."`
	Quiet   bool     `help:"Do not say on standard error what is being measured."`
}

// A section measures one thing and puts its figures into the report.
type section struct {
	name string
	// full sections run with --full, or when they are named; rare ones when they are.
	full, rare bool
	run        func(context.Context, *bench) error
}

func sections() []section {
	return []section{
		{name: "accept", run: measureAccept},
		{name: "automations", run: measureAutomations},
		{name: "batches", run: measureBatches},
		{name: "workers", run: measureWorkers},
		{name: "lists", run: measureLists},
		{name: "console", run: measureConsole},
		{name: "neighbours", run: measureNeighbours},
		{name: "parts", run: measureParts},
		{name: "million", full: true, run: measureMillion},
		{name: "roles", full: true, run: measureRoles},
		{name: "telemetry", full: true, run: measureTelemetry},
		{name: "retention", rare: true, run: measureRetention},
	}
}

// A bench is one run of this program.
type bench struct {
	stack   stack
	report  *report
	options options
	// Every measurement is repeated; its figure is the median of the rounds.
	rounds int
	round  time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := runBench
	if name := os.Getenv(partVariable); name != "" {
		run = func(ctx context.Context) error { return runPart(ctx, name) }
	}
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

func runBench(ctx context.Context) error {
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	var o options
	kong.Parse(&o, kong.Name("bench"), kong.Vars{"sections": strings.Join(names, ", ")},
		kong.Description("Measure Platen on this machine, in ratios to yardsticks of the same run."))
	for _, name := range o.Only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("--only: there is no section %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	s, err := readStack()
	if err != nil {
		return err
	}
	b := &bench{stack: s, options: o, rounds: 3, round: time.Second}
	if o.Full {
		b.rounds, b.round = 5, 3*time.Second
	}
	if b.report, err = newReport(ctx, b); err != nil {
		return err
	}
	b.report.head(os.Stdout)
	for _, s := range sections() {
		if len(o.Only) == 0 && (s.rare || s.full && !o.Full) || len(o.Only) > 0 && !slices.Contains(o.Only, s.name) {
			continue
		}
		b.report.begin(s.name)
		if err := s.run(ctx, b); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", s.name, err), b.report.print(os.Stdout))
		}
	}
	if err := b.report.print(os.Stdout); err != nil {
		return err
	}
	if o.JSON != "" {
		if err := b.report.write(o.JSON); err != nil {
			return err
		}
	}
	return b.report.broken()
}

// say tells an impatient reader what is being measured.
func (b *bench) say(format string, args ...any) {
	if !b.options.Quiet {
		fmt.Fprintf(os.Stderr, "  … "+format+"\n", args...)
	}
}
