package operator

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

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

type statusCommand struct {
	config.Database
	config.Secrets
	config.Temporal
	JSON bool `name:"json" help:"Print one JSON object."`
}

func (c *statusCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

// run prints the numbers of the installation. Keys are counted where they are given.
func (c *statusCommand) run(ctx context.Context, out io.Writer) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		o, err := a.DB.Overview(ctx)
		if err != nil {
			return err
		}
		i, err := a.DB.Installation(ctx, 24*time.Hour)
		if err != nil {
			return err
		}
		pauses, err := a.DB.Pauses.Pauses(ctx)
		if err != nil {
			return err
		}
		keys, err := keyUses(ctx, a, c.Secrets)
		if err != nil {
			return err
		}
		temporal, errTemporal := app.TemporalVersion(ctx, c.Temporal)
		if c.JSON {
			all := statusJSON(o, i, pauses, keys)
			all["temporal"], all["temporalReached"] = temporal, errTemporal == nil
			return json.NewEncoder(out).Encode(all)
		}
		if errTemporal != nil {
			temporal = "no answer: " + errTemporal.Error()
		}
		return tableTo(out, "WHAT\tNOW", func(row func(...string)) error {
			row("version of this program", app.Version())
			row("versions of schema, Postgres", fmt.Sprintf("%d, %s", i.Schema, i.Postgres))
			row("version of Temporal", temporal)
			row("workers", fmt.Sprintf("%d, which take %d runs", o.Workers, o.Carried))
			row("backlog", fmt.Sprintf("%d, %d of them paused; the oldest of the others for %v", o.Backlog, o.Paused, o.OldestAge.Round(time.Second)))
			row("paused", cmp.Or(strings.Join(pausesInWords(pauses), ", "), "nothing"))
			row("behind another of their key", fmt.Sprintf("%d, the oldest for %v; batches with such rows: %d", o.Behind, o.OldestBehind.Round(time.Second), o.BatchesBehind))
			row("outputs that wait for approval", fmt.Sprintf("%d, the oldest for %v; the mails about %d did not go out", o.Reviews, o.OldestReview.Round(time.Second), o.ReviewsUnsent))
			row("open runs", strconv.Itoa(o.Open))
			row("parked runs", byName(o.Parked))
			row("events", fmt.Sprintf("%d pending, %d overdue, %d held", o.EventsPending, o.EventsOverdue, o.EventsHeld))
			row("mails that did not go out within 24 hours", strconv.Itoa(o.MailsFailed))
			row("outputs that a target did not get within 24 hours", strconv.Itoa(o.NotStored))
			row("schedules whose last moment failed within 24 hours", strconv.Itoa(o.NotStarted))
			row("mail senders whose server fails now", strconv.Itoa(o.SendersFailing))
			row("tokens in use that end within a week", strconv.Itoa(o.TokensEnding))
			row("endpoints", byName(o.Endpoints))
			row("failed within 24 hours", byName(i.FailedByCode))
			row("of them by owner", mostOf(i.FailedByOwner))
			row("retention", fmt.Sprintf("the oldest source data is of %s; %d automations wait to be erased", moment(o.OldestData), o.Erasures))
			row("connections by program", byName(i.Connections))
			row("connections of the server", fmt.Sprintf("%d of %d", total(i.Connections)+i.OtherConnections, i.MaxConnections))
			row("values by key", byName(keys))
			return nil
		})
	})
}

// keyUses is how many values each key encrypts; nothing where no keys are given.
func keyUses(ctx context.Context, a *admin.Admin, s config.Secrets) (map[string]int, error) {
	if s.SecretKeys == "" {
		return nil, nil
	}
	box, err := s.Box()
	if err != nil {
		return nil, err
	}
	uses, err := a.KeyUses(ctx, box)
	keys := map[string]int{}
	for _, u := range uses {
		keys["by key "+u.Key] += u.Count
	}
	return keys, err
}

func pausedNames(pauses []platen.Pause) []string {
	var names []string
	for _, p := range pauses {
		names = append(names, strings.TrimSpace(string(p.Scope)+" "+p.ID))
	}
	return names
}

// pausesInWords are the pauses with since when each is, and why.
func pausesInWords(pauses []platen.Pause) []string {
	words := pausedNames(pauses)
	for i, p := range pauses {
		words[i] += " since " + moment(&p.Since) + codeAfter(p.Reason)
	}
	return words
}

func total(numbers map[string]int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
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
		"version": app.Version(), "workers": o.Workers, "carried": o.Carried, "backlog": o.Backlog, "paused": o.Paused, "oldestAgeSeconds": o.OldestAge.Seconds(), "open": o.Open,
		"behind": o.Behind, "oldestBehindSeconds": o.OldestBehind.Seconds(), "batchesBehind": o.BatchesBehind, "reviews": o.Reviews, "oldestReviewSeconds": o.OldestReview.Seconds(), "reviewsUnsent": o.ReviewsUnsent,
		"parked": o.Parked, "eventsPending": o.EventsPending, "eventsOverdue": o.EventsOverdue, "eventsHeld": o.EventsHeld, "mailsFailed": o.MailsFailed, "notStored": o.NotStored, "notStarted": o.NotStarted, "sendersFailing": o.SendersFailing, "tokensEnding": o.TokensEnding, "endpoints": o.Endpoints,
	}
}

func statusJSON(o platen.Overview, i platen.Installation, pauses []platen.Pause, keys map[string]int) map[string]any {
	all := overviewJSON(o)
	maps.Copy(all, map[string]any{
		"schema": i.Schema, "postgres": i.Postgres, "pauses": append([]string{}, pausedNames(pauses)...), "erasures": o.Erasures, "oldestData": timestamp(o.OldestData), "failedToday": i.FailedByCode, "failedTodayByOwner": i.FailedByOwner,
		"connections": i.Connections, "otherConnections": i.OtherConnections, "maxConnections": i.MaxConnections, "valuesByKey": keys,
	})
	return all
}

// byName is each number with its name, or none.
func byName(numbers map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		all = append(all, fmt.Sprintf("%d %s", numbers[name], name))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
