package operator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

type pauseCommand struct {
	List     pauseListCommand     `cmd:"" default:"1" help:"List what is paused, since when, by whom and why (the default)."`
	Workflow pauseWorkflowCommand `cmd:"" help:"Start no automation of a workflow."`
	User     pauseUserCommand     `cmd:"" help:"Start no automation of the workflows that a user owns."`
	Team     pauseTeamCommand     `cmd:"" help:"Start no automation of the workflows that members of a team own."`
	All      pauseAllCommand      `cmd:"" help:"Start no automation at all."`
}

// pausing are the settings of each command that pauses.
type pausing struct {
	config.Database
	Reason string `help:"Why, in 200 characters at most. Users read it in waitingFor."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

func (c pausing) pause(ctx context.Context, out io.Writer, scope platen.PauseScope, of string) error {
	return act(ctx, "pause "+string(scope), c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		id, err := a.Pause(ctx, scope, of, c.Reason)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(out).Encode(map[string]any{"scope": scope, "id": id, "paused": true})
		}
		_, err = fmt.Fprintln(out, "Paused. Events are accepted and wait; what has started goes on, and events are delivered.")
		return err
	})
}

type pauseWorkflowCommand struct {
	pausing
	ID string `arg:"" help:"Id of the workflow (wkf_…)."`
}

func (c *pauseWorkflowCommand) Run(ctx context.Context) error {
	return c.pause(ctx, os.Stdout, platen.PauseWorkflow, c.ID)
}

type pauseUserCommand struct {
	pausing
	Email string `arg:"" help:"E-mail address of the user."`
}

func (c *pauseUserCommand) Run(ctx context.Context) error {
	return c.pause(ctx, os.Stdout, platen.PauseUser, c.Email)
}

type pauseTeamCommand struct {
	pausing
	Team string `arg:"" help:"Id of the team, or its name where one team has it."`
}

func (c *pauseTeamCommand) Run(ctx context.Context) error {
	return c.pause(ctx, os.Stdout, platen.PauseTeam, c.Team)
}

type pauseAllCommand struct {
	pausing
	asking
}

func (c *pauseAllCommand) Run(ctx context.Context, e *cli.Environment) error {
	if err := c.confirm(ctx, e, "No automation of any user starts until 'platen resume all'. Pause all?"); err != nil {
		return err
	}
	return c.pause(ctx, e.Out, platen.PauseAll, "")
}

type pauseListCommand struct {
	config.Database
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

func (c *pauseListCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *pauseListCommand) run(ctx context.Context, out io.Writer) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		all, err := a.DB.Pauses.Pauses(ctx)
		if err != nil {
			return err
		}
		if !c.JSON {
			return tableTo(out, "SCOPE\tID\tSINCE\tBY\tREASON", func(row func(...string)) error {
				for _, p := range all {
					row(string(p.Scope), cmp.Or(p.ID, "-"), moment(&p.Since), p.By, cmp.Or(p.Reason, "-"))
				}
				return nil
			})
		}
		to := json.NewEncoder(out)
		for _, p := range all {
			err := to.Encode(map[string]string{"scope": string(p.Scope), "id": p.ID, "since": platen.Timestamp(p.Since), "by": p.By, "reason": p.Reason})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

type resumeCommand struct {
	Workflow resumeWorkflowCommand `cmd:"" help:"Take back the pause of a workflow."`
	User     resumeUserCommand     `cmd:"" help:"Take back the pause of a user."`
	Team     resumeTeamCommand     `cmd:"" help:"Take back the pause of a team."`
	All      resumeAllCommand      `cmd:"" help:"Take back the pause of everything. Pauses of workflows, users and teams stay."`
}

// resuming are the settings of each command that resumes.
type resuming struct {
	config.Database
	JSON bool `name:"json" help:"Print one JSON object."`
}

func (c resuming) resume(ctx context.Context, out io.Writer, scope platen.PauseScope, of string) error {
	return act(ctx, "resume "+string(scope), c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		id, was, err := a.Resume(ctx, scope, of)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(out).Encode(map[string]any{"scope": scope, "id": id, "paused": false, "wasPaused": was})
		}
		text := "Resumed. What waited starts in the order in which it came."
		if !was {
			text = "It was not paused."
		}
		_, err = fmt.Fprintln(out, text)
		return err
	})
}

type resumeWorkflowCommand struct {
	resuming
	ID string `arg:"" help:"Id of the workflow (wkf_…)."`
}

func (c *resumeWorkflowCommand) Run(ctx context.Context) error {
	return c.resume(ctx, os.Stdout, platen.PauseWorkflow, c.ID)
}

type resumeUserCommand struct {
	resuming
	Email string `arg:"" help:"E-mail address of the user."`
}

func (c *resumeUserCommand) Run(ctx context.Context) error {
	return c.resume(ctx, os.Stdout, platen.PauseUser, c.Email)
}

type resumeTeamCommand struct {
	resuming
	Team string `arg:"" help:"Id of the team, or its name where one team has it."`
}

func (c *resumeTeamCommand) Run(ctx context.Context) error {
	return c.resume(ctx, os.Stdout, platen.PauseTeam, c.Team)
}

type resumeAllCommand struct{ resuming }

func (c *resumeAllCommand) Run(ctx context.Context) error {
	return c.resume(ctx, os.Stdout, platen.PauseAll, "")
}
