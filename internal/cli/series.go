package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
)

type seriesCommand struct {
	List    seriesList    `cmd:"" help:"List the series of your team that have begun."`
	Numbers seriesNumbers `cmd:"" help:"List what became of each number of a series, the lowest first."`
	Next    seriesNext    `cmd:"" help:"Have a series go on at a higher number. Those between are listed as VOID."`
}

type seriesList struct {
	Access
	Showing
}

func (c *seriesList) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	all, err := api.AllSeries(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, all)
	}
	t := newTable("SERIES", "NEXT", "CHANGED")
	for _, s := range all {
		at := ""
		if s.UpdatedAt != nil {
			at = stamp(*s.UpdatedAt)
		}
		t.row(s.Name, strconv.Itoa(s.Next), at)
	}
	return t.print(e)
}

type seriesNumbers struct {
	Access
	Listing
	Series string   `arg:"" help:"Name of the series, such as invoices, or invoices@2026."`
	State  []string `enum:"OPEN,USED,VOID" help:"Only those in this state: OPEN, USED, VOID."`
}

func (c *seriesNumbers) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	heading := []string{"NUMBER", "STATE", "WHY", "AUTOMATION", "DRAWN"}
	return printList(e, c.Listing, api.Numbers(ctx, c.Series, client.NumberQuery{States: c.State}), heading, func(n client.DrawnNumber) []string {
		number := strconv.Itoa(n.Number)
		if n.UpTo > n.Number {
			number += "–" + strconv.Itoa(n.UpTo)
		}
		return []string{number, n.State, textOr(n.Code), textOr(n.AutomationID), stamp(n.DrawnAt)}
	})
}

type seriesNext struct {
	Access
	Series string `arg:"" help:"Name of the series."`
	Number int    `arg:"" help:"What the next automation gets."`
	New    bool   `help:"Begin a series that has not begun."`
}

func (c *seriesNext) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	if !c.New {
		if err := c.hasBegun(ctx, api); err != nil {
			return err
		}
	}
	s, err := api.SetNextNumber(ctx, c.Series, client.SeriesChange{Next: c.Number})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "The series %s goes on at %d.\n", strings.TrimSpace(Shown(s.Name)), s.Next)
	return err
}

// hasBegun refuses a series that no automation has taken a number of: its name may be
// misspelt.
func (c *seriesNext) hasBegun(ctx context.Context, api *client.Client) error {
	all, err := api.AllSeries(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(all))
	for i, s := range all {
		if names[i] = s.Name; s.Name == c.Series {
			return nil
		}
	}
	known := "No series has begun."
	if len(names) > 0 {
		known = "Those that have: " + strings.Join(names, ", ") + "."
	}
	return Usage(fmt.Errorf("no series %s has begun. %s Give --new to begin it at %d", c.Series, known, c.Number))
}
