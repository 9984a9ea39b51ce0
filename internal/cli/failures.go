package cli

import (
	"context"
	"strconv"

	"github.com/platenhq/platen/client"
)

type automationsFailures struct {
	Access
	Showing
	Since Ago `placeholder:"1d" help:"Only failures of automations that were accepted so long ago at most, such as 1d or 12h. Default: 7d, which is the most."`
}

func (c *automationsFailures) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	causes, err := api.Failures(ctx, c.Since.time())
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, causes)
	}
	t := newTable("FAILED", "MADE SINCE", "WORKFLOW", "NEWEST", "WHY")
	for _, f := range causes {
		var newest client.Automation
		if len(f.Newest) > 0 {
			newest = f.Newest[0]
		}
		t.row(strconv.Itoa(f.Open), strconv.Itoa(f.Cured), f.WorkflowID, newest.ID, why(newest))
	}
	return t.print(e)
}

type automationsDone struct {
	AutomationOf
	Showing
	Undo bool `help:"Take it back."`
}

func (c *automationsDone) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	mark := api.MarkFailuresDone
	if c.Undo {
		mark = api.ReopenFailures
	}
	a, err := mark(ctx, id, c.Automation)
	return printState(e, c.Showing, a, a.State, err)
}
