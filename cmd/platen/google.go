package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/google/probe"
)

type googleCommand struct {
	Probe googleProbeCommand `cmd:"" help:"Find out what Google's documentation does not say: makes a folder in a user's drive, some thirty calls in it, and removes everything again."`
}

type googleProbeCommand struct {
	config.Probe
	User   string        `required:"" help:"E-mail address of the user in whose drive the folder is made."`
	Folder string        `help:"Id of the folder to make it in. Needed for a service account without a subject: one on a shared drive. Default: the user's own."`
	Keep   string        `name:"keep-fixtures" placeholder:"DIR" help:"Keep the answers there, without ids, names, addresses, links and tokens: 'make google CORPUS=DIR' reads them."`
	Wait   time.Duration `default:"6m" help:"How long the list of files is asked for a new file."`
	JSON   bool          `name:"json" help:"Print the report as JSON."`
}

func (c *googleProbeCommand) Run(ctx context.Context) error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Wait <= 0 {
		return fmt.Errorf("--wait %v leaves the list no time to show the new file; give one such as 1s", c.Wait)
	}
	return operate(ctx, c.Database, c.Secrets, func(a *app.Admin) error { return c.probe(ctx, a) })
}

func (c *googleProbeCommand) probe(ctx context.Context, a *app.Admin) error {
	report, answers, err := a.ProbeGoogle(ctx, c.Cloud, c.GoogleQuotas, c.User, probe.Options{
		Parent: c.Folder, Wait: c.Wait, Say: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
	})
	if err != nil && len(answers) == 0 {
		return err
	}
	write := report.Print
	if c.JSON {
		write = report.PrintJSON
	}
	unwritten := write(os.Stdout)
	if c.Keep != "" {
		unwritten = errors.Join(unwritten, probe.Keep(c.Keep, answers))
	}
	switch {
	case unwritten != nil:
		return errors.Join(unwritten, err)
	case err != nil:
		return err
	case len(report.Kept) > 0:
		return fmt.Errorf("%s could not be removed", count(len(report.Kept), "file"))
	case report.Interrupted || len(report.Failed) > 0:
		return fmt.Errorf("the probe did not come to its end")
	}
	return nil
}
