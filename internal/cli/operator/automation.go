package operator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
)

type automationCommand struct {
	List   automationListCommand   `cmd:"" help:"List automations of all users, the newest first. What failed today: --state FAILED."`
	Show   automationShowCommand   `cmd:"" help:"Show one automation: its state, outputs, events, and what it waits for."`
	Retry  automationRetryCommand  `cmd:"" help:"Begin the next attempt of a FAILED automation. What is done stays done. Prints its state."`
	Cancel automationCancelCommand `cmd:"" help:"End an automation that waits, or ask one that runs to end. Prints its state."`
}

type automationListCommand struct {
	config.Database
	State []string `help:"Only those in these states: ACCEPTED, RUNNING, REVIEW, COMPLETED, FAILED, SKIPPED, CANCELLED." enum:"ACCEPTED,RUNNING,REVIEW,COMPLETED,FAILED,SKIPPED,CANCELLED"`
	Since ago      `default:"1d" help:"Only those accepted so long ago at most, such as 7d or 12h, or since a time such as 2026-01-02T03:04:05Z."`
	Limit int      `default:"100" help:"Most that are listed, up to 10000."`
	JSON  bool     `name:"json" help:"Print one JSON object a line."`
}

// Run prints ids and codes, and nothing of what was sent.
func (c *automationListCommand) Run(ctx context.Context) error {
	if err := listable(c.Limit); err != nil {
		return err
	}
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		states := make([]platen.AutomationState, len(c.State))
		for i, s := range c.State {
			states[i] = platen.AutomationState(s)
		}
		found, err := a.DB.Automations.OperatorAutomations(ctx, states, time.Duration(c.Since), c.Limit)
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
		err := to.Encode(struct {
			ID         string  `json:"id"`
			WorkflowID string  `json:"workflowId"`
			OwnerID    string  `json:"ownerId"`
			State      string  `json:"state"`
			Code       string  `json:"code"`
			Attempt    int     `json:"attempt"`
			AcceptedAt string  `json:"acceptedAt"`
			FinishedAt *string `json:"finishedAt"`
		}{f.AutomationID, f.WorkflowID, f.OwnerID, string(f.State), f.Code, f.Attempt, platen.Timestamp(f.AcceptedAt), timestamp(&f.FinishedAt)})
		if err != nil {
			return err
		}
	}
	return nil
}

type automationShowCommand struct {
	config.Database
	ID   string `arg:"" help:"Id of the automation (aut_…)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (c *automationShowCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

// run prints ids and codes, and nothing of what was sent or made.
func (c *automationShowCommand) run(ctx context.Context, out io.Writer) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		found, events, err := a.Automation(ctx, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(out).Encode(automationShown(found, events))
		}
		return tableTo(out, "WHAT\tIS", func(row func(...string)) error {
			row("automation", found.ID)
			row("workflow", found.WorkflowID)
			row("owner", found.OwnerID)
			row("state", string(found.State)+codeAfter(cmp.Or(found.FailureCode, found.Reason)))
			row("attempt", strconv.Itoa(found.Attempt))
			row("accepted, started, finished", moment(&found.AcceptedAt)+", "+moment(found.StartedAt)+", "+moment(found.FinishedAt))
			row("cancel asked for", moment(found.CancelRequestedAt))
			row("request", orDash(found.RequestID))
			row("trace", telemetry.TraceID(found.ID))
			for _, w := range found.Waits {
				if w.Code == platen.CodePaused {
					row("waits", fmt.Sprintf("since %s: %s%s", moment(&w.Since), w.Message, codeAfter(w.Code)))
					continue
				}
				row("waits", fmt.Sprintf("%s of %s since %s, %d tries%s", w.Step, w.Subject, moment(&w.Since), w.Tries, codeAfter(w.Code)))
			}
			for _, o := range found.Outputs {
				row("output", fmt.Sprintf("%s %s%s", o.ID, o.State, codeAfter(o.FailureCode)))
				if o.Mail != nil {
					row("mail", fmt.Sprintf("%s %s, %d attempts%s", o.Mail.ID(), o.Mail.State, o.Mail.Attempts, codeAfter(o.Mail.Code)))
				}
			}
			for _, e := range events {
				row("event", fmt.Sprintf("%s %s %s, %d attempts%s", e.ID, e.Type, e.State, e.Attempts, codeAfter(e.Reason)))
			}
			return nil
		})
	})
}

func codeAfter(code string) string {
	if code == "" {
		return ""
	}
	return " (" + code + ")"
}

type (
	automationShownJSON struct {
		ID                string            `json:"id"`
		WorkflowID        string            `json:"workflowId"`
		OwnerID           string            `json:"ownerId"`
		State             string            `json:"state"`
		Code              string            `json:"code"`
		Attempt           int               `json:"attempt"`
		AcceptedAt        *string           `json:"acceptedAt"`
		StartedAt         *string           `json:"startedAt"`
		FinishedAt        *string           `json:"finishedAt"`
		CancelRequestedAt *string           `json:"cancelRequestedAt"`
		RequestID         string            `json:"requestId"`
		TraceID           string            `json:"traceId"`
		Waits             []waitShownJSON   `json:"waits"`
		Outputs           []outputShownJSON `json:"outputs"`
		Events            []eventShownJSON  `json:"events"`
	}
	waitShownJSON struct {
		Subject string  `json:"subject"`
		Step    string  `json:"step"`
		Code    string  `json:"code"`
		Since   *string `json:"since"`
		Tries   int     `json:"tries"`
	}
	outputShownJSON struct {
		ID      string `json:"id"`
		State   string `json:"state"`
		Code    string `json:"code"`
		Attempt int    `json:"attempt"`
	}
)

func automationShown(a platen.Automation, events []platen.EventStanding) automationShownJSON {
	shown := automationShownJSON{
		ID: a.ID, WorkflowID: a.WorkflowID, OwnerID: a.OwnerID, State: string(a.State), Code: cmp.Or(a.FailureCode, a.Reason), Attempt: a.Attempt,
		AcceptedAt: timestamp(&a.AcceptedAt), StartedAt: timestamp(a.StartedAt), FinishedAt: timestamp(a.FinishedAt),
		CancelRequestedAt: timestamp(a.CancelRequestedAt), RequestID: a.RequestID, TraceID: telemetry.TraceID(a.ID),
		Waits: []waitShownJSON{}, Outputs: []outputShownJSON{}, Events: []eventShownJSON{},
	}
	for _, w := range a.Waits {
		shown.Waits = append(shown.Waits, waitShownJSON{w.Subject, w.Step, w.Code, timestamp(&w.Since), w.Tries})
	}
	for _, o := range a.Outputs {
		shown.Outputs = append(shown.Outputs, outputShownJSON{o.ID, string(o.State), o.FailureCode, o.Attempt})
	}
	for _, e := range events {
		shown.Events = append(shown.Events, eventShown(e))
	}
	return shown
}

// timestamp is t as the API writes it; nil: it was not.
func timestamp(t *time.Time) *string {
	if t == nil || t.IsZero() {
		return nil
	}
	at := platen.Timestamp(*t)
	return &at
}

type automationRetryCommand struct {
	config.Database
	ID   string `arg:"" help:"Id of the automation (aut_…)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (c *automationRetryCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *automationRetryCommand) run(ctx context.Context, out io.Writer) error {
	return act(ctx, "automation retry", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		changed, err := a.RetryAutomation(ctx, c.ID)
		if err != nil {
			return err
		}
		return printChanged(out, c.JSON, changed)
	})
}

type automationCancelCommand struct {
	config.Database
	ID   string `arg:"" help:"Id of the automation (aut_…)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (c *automationCancelCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *automationCancelCommand) run(ctx context.Context, out io.Writer) error {
	return act(ctx, "automation cancel", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		changed, err := a.CancelAutomation(ctx, c.ID)
		if err != nil {
			return err
		}
		return printChanged(out, c.JSON, changed)
	})
}

// printChanged says how an automation stands after a change.
func printChanged(out io.Writer, asJSON bool, a platen.Automation) error {
	if asJSON {
		return json.NewEncoder(out).Encode(automationShown(a, nil))
	}
	_, err := fmt.Fprintln(out, a.State)
	return err
}
