package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
)

type doctorCommand struct {
	config.Doctor
	Program []config.Program `help:"Programs whose settings the environment has: serve, worker, drive. Default: serve and worker, and drive where it is the cloud drive."`
	User    string           `help:"E-mail address of the one user whose drive is looked at. Default: all users."`
	Folder  string           `help:"Id of a folder of the cloud drive: say what the user may do there."`
	Limit   time.Duration    `default:"10s" help:"Longest time of one check."`
	JSON    bool             `name:"json" help:"Print the report as JSON, with how each setting stands."`
}

func (c *doctorCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

// run prints what was found, and fails if something keeps the service from working.
func (c *doctorCommand) run(ctx context.Context, to io.Writer) error {
	if c.Limit <= 0 {
		return fmt.Errorf("--limit %v leaves no time; give one such as 10s", c.Limit)
	}
	if c.Folder != "" && c.User == "" {
		return fmt.Errorf("--folder needs --user: whose folder it is; 'platen doctor --help' has more")
	}
	for _, p := range c.Program {
		if !slices.Contains([]config.Program{config.ServeProgram, config.WorkerProgram, config.DriveProgram}, p) {
			return fmt.Errorf("--program %s: there is no such program; take serve, worker or drive", p)
		}
	}
	known, err := variables()
	if err != nil {
		return err
	}
	report := app.Doctor(ctx, doctor.Options{
		Settings: c.Doctor, Programs: c.programs(), User: c.User, Folder: c.Folder, Limit: c.Limit,
		Known: known,
	})
	write := report.Print
	if c.JSON {
		write = report.PrintJSON
	}
	if err := write(to); err != nil {
		return err
	}
	if report.Interrupted {
		return errors.New("doctor: interrupted")
	}
	if n := report.Failures(); n > 0 {
		return fmt.Errorf("doctor: %s", count(n, "failure"))
	}
	return nil
}

func (c *doctorCommand) programs() []config.Program {
	if len(c.Program) > 0 {
		return c.Program
	}
	programs := []config.Program{config.ServeProgram, config.WorkerProgram}
	if c.DriveEndpoint != "" {
		programs = append(programs, config.DriveProgram)
	}
	return programs
}

// variables tells which some command reads. Those of platen-dev are another program's.
func variables() (known func(variable string) bool, err error) {
	parser, err := kong.New(&commands{})
	if err != nil {
		return nil, err
	}
	all := config.SecretFileVariables(parser)
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			all = append(all, flag.Envs...)
		}
		return next(nil)
	})
	return func(variable string) bool {
		return strings.HasPrefix(variable, "PLATEN_DEV_") || slices.Contains(all, variable)
	}, err
}
