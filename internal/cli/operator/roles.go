package operator

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

type rolesCommand struct{ config.Roles }

func (c *rolesCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

// run makes the roles, or prints what an administrator runs to make them.
func (c *rolesCommand) run(ctx context.Context, to io.Writer) error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Print {
		script, err := app.RolesSQL(c.DatabaseURL, c.Prefix, c.RoleLogins)
		if err == nil {
			_, err = io.WriteString(to, script)
		}
		return err
	}
	if err := app.MakeRoles(ctx, c.DatabaseURL, c.Prefix, c.RoleLogins, c.StartWait.Value(), app.Logger(c.Log)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(to, "Each part of the programs has a role of its own in the database, and row-level security is on.")
	return err
}
