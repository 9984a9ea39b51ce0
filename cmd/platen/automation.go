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

type automationCommand struct {
	List automationListCommand `cmd:"" help:"List automations of all users, the newest first. What failed today: --state FAILED."`
}

type automationListCommand struct {
	config.Database
	State []string      `help:"Only those in these states: ACCEPTED, RUNNING, COMPLETED, FAILED, SKIPPED, CANCELLED." enum:"ACCEPTED,RUNNING,COMPLETED,FAILED,SKIPPED,CANCELLED"`
	Since time.Duration `default:"24h" help:"Only those accepted so long ago at most."`
	Limit int           `default:"100" help:"Most that are listed, up to 10000."`
	JSON  bool          `name:"json" help:"Print one JSON object a line."`
}

// Run prints ids and codes, and nothing of what was sent.
func (c *automationListCommand) Run(ctx context.Context) error {
	if c.Since <= 0 {
		return fmt.Errorf("--since %v: give more than 0s, such as 24h", c.Since)
	}
	if c.Limit < 1 || c.Limit > 10_000 {
		return fmt.Errorf("--limit %d: give a number from 1 to 10000", c.Limit)
	}
	return operate(ctx, c.Database, config.Secrets{}, func(a *app.Admin) error {
		states := make([]platen.AutomationState, len(c.State))
		for i, s := range c.State {
			states[i] = platen.AutomationState(s)
		}
		found, err := a.DB.Automations.OperatorAutomations(ctx, states, c.Since, c.Limit)
		if err != nil {
			return err
		}
		if c.JSON {
			return printAutomations(found)
		}
		return table("ID\tSTATE\tCODE\tATTEMPT\tACCEPTED\tWORKFLOW\tOWNER", func(row func(...string)) {
			for _, f := range found {
				row(f.AutomationID, string(f.State), cmp.Or(f.Code, "-"), strconv.Itoa(f.Attempt), f.AcceptedAt.UTC().Format(time.RFC3339), f.WorkflowID, f.OwnerID)
			}
		})
	})
}

func printAutomations(found []platen.Ending) error {
	to := json.NewEncoder(os.Stdout)
	for _, f := range found {
		var finished *string
		if !f.FinishedAt.IsZero() {
			at := platen.Timestamp(f.FinishedAt)
			finished = &at
		}
		err := to.Encode(struct {
			ID         string  `json:"id"`
			WorkflowID string  `json:"workflowId"`
			OwnerID    string  `json:"ownerId"`
			State      string  `json:"state"`
			Code       string  `json:"code"`
			Attempt    int     `json:"attempt"`
			AcceptedAt string  `json:"acceptedAt"`
			FinishedAt *string `json:"finishedAt"`
		}{f.AutomationID, f.WorkflowID, f.OwnerID, string(f.State), f.Code, f.Attempt, platen.Timestamp(f.AcceptedAt), finished})
		if err != nil {
			return err
		}
	}
	return nil
}

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
			return json.NewEncoder(os.Stdout).Encode(map[string]any{
				"version": app.Version(), "workers": o.Workers, "carried": o.Carried, "backlog": o.Backlog, "oldestAgeSeconds": o.OldestAge.Seconds(), "open": o.Open,
				"parked": o.Parked, "eventsPending": o.EventsPending, "eventsOverdue": o.EventsOverdue, "eventsHeld": o.EventsHeld, "endpoints": o.Endpoints,
			})
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

// byName is each number with its name, or none.
func byName(numbers map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		all = append(all, fmt.Sprintf("%d %s", numbers[name], name))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
