package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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

// Run prints the numbers of the installation.
func (c *statusCommand) Run(ctx context.Context) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *app.Admin) error {
		o, err := a.DB.Overview(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(overviewJSON(o))
		}
		return table("WHAT\tNOW", func(row func(...string)) {
			row("version of this program", app.Version())
			row("workers", fmt.Sprintf("%d, which take %d runs", o.Workers, o.Carried))
			row("backlog", fmt.Sprintf("%d, the oldest for %v", o.Backlog, o.OldestAge.Round(time.Second)))
			row("open runs", strconv.Itoa(o.Open))
			row("parked runs", byName(o.Parked))
			row("events", fmt.Sprintf("%d pending, %d overdue, %d held", o.EventsPending, o.EventsOverdue, o.EventsHeld))
			row("endpoints", byName(o.Endpoints))
		})
	})
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
