package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

type eventCommand struct {
	List      eventListCommand      `cmd:"" help:"List events of all users, the newest first. What was not delivered: --state FAILED --state HELD."`
	Redeliver eventRedeliverCommand `cmd:"" help:"Send one event again, in any state: same id, same bytes."`
	Recover   eventRecoverCommand   `cmd:"" help:"Send FAILED and HELD events again, the oldest first, 20 a second for each workflow. For after an outage."`
}

type eventListCommand struct {
	config.Database
	State    []string `help:"Only those in these states: PENDING, DELIVERED, FAILED, HELD." enum:"PENDING,DELIVERED,FAILED,HELD"`
	Since    ago      `default:"1d" help:"Only those created so long ago at most, such as 7d or 12h, or since a time such as 2026-01-02T03:04:05Z."`
	Workflow string   `help:"Only those of this workflow (wkf_…)."`
	Limit    int      `default:"100" help:"Most that are listed, up to 10000."`
	JSON     bool     `name:"json" help:"Print one JSON object a line."`
}

func (c *eventListCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

// run prints ids and codes, and nothing of what events say.
func (c *eventListCommand) run(ctx context.Context, out io.Writer) error {
	if err := listable(c.Limit); err != nil {
		return err
	}
	query := platen.EventStandingQuery{Since: time.Duration(c.Since), WorkflowID: c.Workflow, Limit: c.Limit}
	for _, state := range c.State {
		query.States = append(query.States, platen.EventState(state))
	}
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		found, err := a.DB.Events.OperatorEvents(ctx, query)
		if err != nil {
			return err
		}
		if c.JSON {
			to := json.NewEncoder(out)
			for _, e := range found {
				if err := to.Encode(eventShown(e)); err != nil {
					return err
				}
			}
			return nil
		}
		return tableTo(out, "ID\tTYPE\tSTATE\tREASON\tATTEMPTS\tLAST\tNEXT\tCREATED\tAUTOMATION\tWORKFLOW\tOWNER", func(row func(...string)) error {
			for _, e := range found {
				last := "-"
				if e.Status != 0 {
					last = strconv.Itoa(e.Status)
				}
				row(e.ID, e.Type, string(e.State), orDash(e.Reason), strconv.Itoa(e.Attempts), last, moment(e.NextAt), moment(&e.CreatedAt), e.AutomationID, e.WorkflowID, e.OwnerID)
			}
			return nil
		})
	})
}

// listable refuses what no list of an operator takes.
func listable(limit int) error {
	if limit < 1 || limit > 10_000 {
		return fmt.Errorf("--limit %d: give a number from 1 to 10000", limit)
	}
	return nil
}

type eventShownJSON struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	State        string  `json:"state"`
	Reason       string  `json:"reason"`
	Attempts     int     `json:"attempts"`
	LastStatus   *int    `json:"lastStatus"` // null: no answer, or no attempt
	NextAt       *string `json:"nextAt"`
	CreatedAt    *string `json:"createdAt"`
	AutomationID string  `json:"automationId"`
	WorkflowID   string  `json:"workflowId"`
	OwnerID      string  `json:"ownerId"`
}

func eventShown(e platen.EventStanding) eventShownJSON {
	shown := eventShownJSON{
		ID: e.ID, Type: e.Type, State: string(e.State), Reason: e.Reason, Attempts: e.Attempts, NextAt: timestamp(e.NextAt),
		CreatedAt: timestamp(&e.CreatedAt), AutomationID: e.AutomationID, WorkflowID: e.WorkflowID, OwnerID: e.OwnerID,
	}
	if e.Status != 0 {
		shown.LastStatus = &e.Status
	}
	return shown
}

type eventRedeliverCommand struct {
	config.Database
	ID   string `arg:"" help:"Id of the event (evt_…)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (c *eventRedeliverCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *eventRedeliverCommand) run(ctx context.Context, out io.Writer) error {
	return act(ctx, "event redeliver", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		if err := a.RedeliverEvent(ctx, c.ID); err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(out).Encode(map[string]string{"id": c.ID, "state": string(platen.EventPending)})
		}
		_, err := fmt.Fprintln(out, platen.EventPending)
		return err
	})
}

type eventRecoverCommand struct {
	config.Database
	Since    ago    `required:"" help:"Only those created so long ago at most, such as 6h or 2d, or since a time such as 2026-01-02T03:04:05Z."`
	Workflow string `xor:"of" required:"" help:"Those of this workflow (wkf_…)."`
	All      bool   `xor:"of" required:"" help:"Those of all workflows of all users."`
	JSON     bool   `name:"json" help:"Print one JSON object for each workflow."`
}

func (c *eventRecoverCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *eventRecoverCommand) run(ctx context.Context, out io.Writer) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		all, err := a.RecoverEvents(ctx, admin.ByCommand("platen event recover"), c.Workflow, time.Now().Add(-time.Duration(c.Since)))
		return errors.Join(printRecovered(out, c.JSON, all), err)
	})
}

func printRecovered(out io.Writer, asJSON bool, all []admin.WorkflowRecovery) error {
	if asJSON {
		to := json.NewEncoder(out)
		for _, w := range all {
			err := to.Encode(struct {
				WorkflowID string `json:"workflowId"`
				Recovered  int    `json:"recovered"`
				Held       int    `json:"held"` // of these
				Code       string `json:"code"` // why none is
			}{w.WorkflowID, w.Events, w.Held, codeOf(w.Err)})
			if err != nil {
				return err
			}
		}
		return nil
	}
	return tableTo(out, "WORKFLOW\tEVENTS\tOF THEM HELD\tWHY NOT", func(row func(...string)) error {
		for _, w := range all {
			row(w.WorkflowID, strconv.Itoa(w.Events), strconv.Itoa(w.Held), orDash(codeOf(w.Err)))
		}
		return nil
	})
}

// codeOf is the code of an error; empty: there is none.
func codeOf(err error) string {
	if known := new(platen.Error); errors.As(err, &known) {
		return known.Code
	}
	return ""
}
