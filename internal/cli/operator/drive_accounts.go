package operator

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/config"
)

type driveUserCommand struct {
	Create driveUserCreateCommand `cmd:"" help:"Make an account of the drive. Prints the id alone."`
	List   driveUserListCommand   `cmd:"" help:"List accounts."`
	Revoke driveUserRevokeCommand `cmd:"" help:"Revoke all tokens of an account at once."`

	Disable driveUserDisableCommand `cmd:"" help:"Have an account's tokens, keys and uploads under way open nothing, within two seconds. Its files and their links stay."`
	Enable  driveUserEnableCommand  `cmd:"" help:"Take back what disable did."`
}

type driveUserDisableCommand struct {
	config.Database
	asking
	Email string `required:"" help:"E-mail address of the account."`
}

func (c *driveUserDisableCommand) Run(ctx context.Context, e *cli.Environment) error {
	if err := c.confirm(ctx, e, "Nothing opens the files of "+c.Email+" until 'platen drive user enable', and runs that need them wait or fail. Disable the account?"); err != nil {
		return err
	}
	return act(ctx, "drive user disable", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		return a.DisableDriveAccount(ctx, c.Email, true)
	})
}

type driveUserEnableCommand struct {
	config.Database
	Email string `required:"" help:"E-mail address of the account."`
}

func (c *driveUserEnableCommand) Run(ctx context.Context) error {
	return act(ctx, "drive user enable", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		return a.DisableDriveAccount(ctx, c.Email, false)
	})
}

type driveUserCreateCommand struct {
	config.Database
	Name  string `help:"Name of the account. Default: its e-mail address."`
	Email string `required:"" help:"E-mail address; no other account may have it."`
}

func (c *driveUserCreateCommand) Run(ctx context.Context) error {
	return act(ctx, "drive user create", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		u, err := a.CreateDriveAccount(ctx, c.Name, c.Email)
		if err != nil {
			return err
		}
		_, err = fmt.Println(u.ID)
		return err
	})
}

type driveUserListCommand struct{ config.Database }

func (c *driveUserListCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *driveUserListCommand) run(ctx context.Context, to io.Writer) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		users, err := a.Drive.Users(ctx)
		if err != nil {
			return err
		}
		return tableTo(to, "ID\tNAME\tEMAIL\tCREATED\tSTATE", func(row func(...string)) error {
			for _, u := range users {
				state := "active"
				if u.DisabledAt != nil {
					state = "disabled since " + moment(u.DisabledAt)
				}
				row(u.ID, u.Name, u.Email, moment(&u.CreatedAt), state)
			}
			return nil
		})
	})
}

type driveUserRevokeCommand struct {
	config.Database
	asking
	Email string `required:"" help:"E-mail address of the account."`
}

func (c *driveUserRevokeCommand) Run(ctx context.Context, e *cli.Environment) error {
	if err := c.confirm(ctx, e, "Nobody can take back that the tokens and keys of "+c.Email+" end, and runs that need them fail. Revoke them?"); err != nil {
		return err
	}
	return act(ctx, "drive user revoke", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		u, err := a.DriveAccount(ctx, c.Email)
		if err != nil {
			return err
		}
		n, err := a.Drive.RevokeTokens(ctx, u.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Printf("%d token(s) revoked.\n", n)
		return err
	})
}

type driveTokenCommand struct {
	config.Database
	Name  string `default:"" help:"Name of the account, when it has to be made."`
	Email string `required:"" help:"E-mail address of the account."`
}

func (c *driveTokenCommand) Run(ctx context.Context) error {
	return act(ctx, "drive token", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		name := c.Name
		if name == "" {
			name = c.Email
		}
		token, err := a.CreateDriveToken(ctx, name, c.Email)
		if err != nil {
			return err
		}
		_, err = fmt.Println(token)
		return err
	})
}
