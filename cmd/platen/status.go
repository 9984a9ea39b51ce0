package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

type statusCommand struct {
	config.Database
	JSON bool `name:"json" help:"Print one JSON object."`
}

func (c *statusCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

// run prints the numbers of the installation.
func (c *statusCommand) run(ctx context.Context, out io.Writer) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *app.Admin) error {
		o, err := a.DB.Overview(ctx)
		if err != nil {
			return err
		}
		codes, owners, err := failedToday(ctx, a)
		if err != nil {
			return err
		}
		if c.JSON {
			all := overviewJSON(o)
			all["failedToday"], all["failedTodayByOwner"] = codes, owners
			return json.NewEncoder(out).Encode(all)
		}
		return tableTo(out, "WHAT\tNOW", func(row func(...string)) error {
			row("version of this program", app.Version())
			row("workers", fmt.Sprintf("%d, which take %d runs", o.Workers, o.Carried))
			row("backlog", fmt.Sprintf("%d, the oldest for %v", o.Backlog, o.OldestAge.Round(time.Second)))
			row("open runs", strconv.Itoa(o.Open))
			row("parked runs", byName(o.Parked))
			row("events", fmt.Sprintf("%d pending, %d overdue, %d held", o.EventsPending, o.EventsOverdue, o.EventsHeld))
			row("endpoints", byName(o.Endpoints))
			row("failed within 24 hours", byName(codes))
			row("of them by owner", mostOf(owners))
			return nil
		})
	})
}

// failedToday counts what failed within a day, by code and by owner; of more than
// 10,000 the newest.
func failedToday(ctx context.Context, a *app.Admin) (codes, owners map[string]int, err error) {
	found, err := a.DB.Automations.OperatorAutomations(ctx, []platen.AutomationState{platen.AutomationFailed}, 24*time.Hour, 10_000)
	codes, owners = map[string]int{}, map[string]int{}
	for _, f := range found {
		codes[f.Code]++
		owners[f.OwnerID]++
	}
	return codes, owners, err
}

// mostOf are the five names with the largest numbers, or none.
func mostOf(numbers map[string]int) string {
	names := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		return cmp.Or(numbers[b]-numbers[a], strings.Compare(a, b))
	})
	most := make([]string, 0, 5)
	for _, name := range names[:min(5, len(names))] {
		most = append(most, fmt.Sprintf("%d of %s", numbers[name], name))
	}
	return cmp.Or(strings.Join(most, ", "), "none")
}

// overviewJSON is the installation's numbers for programs.
func overviewJSON(o platen.Overview) map[string]any {
	return map[string]any{
		"version": app.Version(), "workers": o.Workers, "carried": o.Carried, "backlog": o.Backlog, "oldestAgeSeconds": o.OldestAge.Seconds(), "open": o.Open,
		"parked": o.Parked, "eventsPending": o.EventsPending, "eventsOverdue": o.EventsOverdue, "eventsHeld": o.EventsHeld, "endpoints": o.Endpoints,
	}
}

// byName is each number with its name, or none.
func byName(numbers map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		all = append(all, fmt.Sprintf("%d %s", numbers[name], name))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
