package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

// operate opens the database for one command.
func operate(ctx context.Context, d config.Database, s config.Secrets, do func(*admin.Admin) error) error {
	admin, err := app.OpenAdmin(ctx, d, s)
	if err != nil {
		return err
	}
	defer admin.Close()
	return do(admin)
}

// act is operate for a command that changes something: what it does has an entry in
// the audit, under the name of the command and of who runs it.
func act(ctx context.Context, command string, d config.Database, s config.Secrets, do func(context.Context, *admin.Admin) error) error {
	return operate(ctx, d, s, func(a *admin.Admin) error {
		return withFlag(a.Act(ctx, admin.ByCommand("platen "+command), func(ctx context.Context) error { return do(ctx, a) }))
	})
}

// withFlag names the flag that stands for a field whose value cannot be taken.
func withFlag(err error) error {
	if e, ok := errors.AsType[*platen.Error](err); ok && len(e.Faults) == 1 {
		return fmt.Errorf("--%s %s", strings.TrimPrefix(e.Faults[0].Pointer, "/"), e.Faults[0].Message)
	}
	return err
}

// table prints rows under a heading, in columns.
func table(heading string, rows func(row func(cells ...string))) error {
	return tableOf(heading, func(row func(cells ...string)) error {
		rows(row)
		return nil
	})
}

// tableOf is table for rows that may end in an error; those before it are printed.
func tableOf(heading string, rows func(row func(cells ...string)) error) error {
	return tableTo(os.Stdout, heading, rows)
}

// tableTo is tableOf, written to out.
func tableTo(out io.Writer, heading string, rows func(row func(cells ...string)) error) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, heading)
	err := rows(func(cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")) })
	return errors.Join(err, w.Flush())
}

type userCommand struct {
	Create  userCreateCommand  `cmd:"" help:"Make a user. Prints the id alone."`
	List    userListCommand    `cmd:"" help:"List users."`
	Connect userConnectCommand `cmd:"" help:"Store how a user's cloud drive is opened."`

	ConnectLink userConnectLinkCommand `cmd:"" help:"Print a link with which a user connects Google in a browser."`
	Disconnect  userDisconnectCommand  `cmd:"" help:"Revoke a user's access at Google, and forget how the drive is opened."`

	Operator userOperatorCommand `cmd:"" help:"Let a user see and use the operators' pages of the console, or take that back."`

	Disable userDisableCommand `cmd:"" help:"Refuse a user's tokens with 403, and what comes to the user's sources with 503, within a minute. What was accepted before is carried out; cancel it, or disconnect the drive, to stop that, too."`
	Enable  userEnableCommand  `cmd:"" help:"Take back what disable did. The same tokens and addresses work as before."`
	Move    userMoveCommand    `cmd:"" help:"Put a user into another team, or into none."`
	Delete  userDeleteCommand  `cmd:"" help:"Delete a user for good: tokens are revoked, workflows archived, name and e-mail address forgotten. Automations, outputs and the audit keep the user's id and go by their retention; files in drives stay. Refused while automations are under way or the drive is connected."`
}

type userCreateCommand struct {
	config.Connect
	Name  string `required:"" help:"Name of the user."`
	Email string `required:"" help:"E-mail address; no other user may have it."`
	Team  string `help:"Id of the user's team, or its name where one team has it."`
	Drive bool   `help:"Make an account of our own drive for the user, too, and connect it: the user works at once. Needs --secret-keys."`
}

func (c *userCreateCommand) Run(ctx context.Context) error {
	var secrets config.Secrets
	if c.Drive {
		if err := c.Check(); err != nil {
			return err
		}
		if c.SecretKeys == "" {
			return errors.New("--drive: it needs --secret-keys (PLATEN_SECRET_KEYS), which seal what opens the drive")
		}
		secrets = c.Secrets
		if c.Kind() != platen.DrivePlaten {
			return errors.New("--drive: it is for our own drive, and this service uses Google (--drive-kind, PLATEN_DRIVE_KIND); 'platen user connect' connects an account there")
		}
	}
	return act(ctx, "user create", c.Database, secrets, func(ctx context.Context, a *admin.Admin) error {
		id, err := a.CreateUser(ctx, c.Name, c.Email, c.Team)
		if err != nil {
			return err
		}
		if _, err = fmt.Println(id); err != nil || !c.Drive {
			return err
		}
		if err := a.GiveDrive(ctx, id); err != nil {
			return fmt.Errorf("the user is made, and has no drive: %w", err)
		}
		return nil
	})
}

type userListCommand struct{ config.Database }

func (c *userListCommand) Run(ctx context.Context) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		users, err := a.DB.Users.All(ctx)
		if err != nil {
			return err
		}
		states, err := a.DB.Users.UserStates(ctx)
		if err != nil {
			return err
		}
		operators, err := a.DB.Users.Operators(ctx)
		if err != nil {
			return err
		}
		return table("ID\tNAME\tEMAIL\tTEAM\tSTATE\tOPERATOR", func(row func(...string)) {
			for _, u := range users {
				team := ""
				if u.Team != nil {
					team = u.Team.Name
				}
				operator := "no"
				if operators[u.ID] {
					operator = "yes"
				}
				row(u.ID, u.Name, u.Email, team, cmp.Or(states[u.ID], "active"), operator)
			}
		})
	})
}

type userOperatorCommand struct {
	config.Database
	Email  string `arg:"" help:"E-mail address of the user."`
	Remove bool   `help:"The user is no operator any more. Tokens and sign-ins stay."`
}

func (c *userOperatorCommand) Run(ctx context.Context) error {
	return act(ctx, "user operator", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		return a.SetOperator(ctx, c.Email, !c.Remove)
	})
}

type userDisableCommand struct {
	config.Database
	asking
	Email string `required:"" help:"E-mail address of the user."`
}

func (c *userDisableCommand) Run(ctx context.Context, e *cli.Environment) error {
	if err := c.confirm(ctx, e, "The tokens of "+c.Email+" are refused, and senders to the user's sources get 503. Disable the user?"); err != nil {
		return err
	}
	return act(ctx, "user disable", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		if err := a.WithUser(ctx, c.Email, a.DB.Users.DisableUser); err != nil {
			return err
		}
		_, err := fmt.Fprintf(e.Out, "Disabled: within a minute tokens get 403, and the user's sources answer 503. Take it back: platen user enable --email %s\n", c.Email)
		return err
	})
}

type userEnableCommand struct {
	config.Database
	Email string `required:"" help:"E-mail address of the user."`
}

func (c *userEnableCommand) Run(ctx context.Context) error {
	return act(ctx, "user enable", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		return a.WithUser(ctx, c.Email, a.DB.Users.EnableUser)
	})
}

type userMoveCommand struct {
	config.Database
	Email         string `required:"" help:"E-mail address of the user."`
	Team          string `help:"Id of the team, or its name where one team has it. Empty: no team."`
	WithWorkflows bool   `help:"Share the user's workflows, and what they made, with the new team in place of the old one. Without, they stay with the team that they are shared with."`
}

func (c *userMoveCommand) Run(ctx context.Context) error {
	return act(ctx, "user move", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		return a.WithUser(ctx, c.Email, func(ctx context.Context, id string) error { return a.MoveUser(ctx, id, c.Team, c.WithWorkflows) })
	})
}

type userDeleteCommand struct {
	config.Database
	asking
	Email string `required:"" help:"E-mail address of the user."`
}

func (c *userDeleteCommand) Run(ctx context.Context, e *cli.Environment) error {
	if err := c.confirm(ctx, e, "Nobody can take back that "+c.Email+" is deleted. Delete the user?"); err != nil {
		return err
	}
	return act(ctx, "user delete", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		return a.WithUser(ctx, c.Email, a.DB.Users.DeleteUser)
	})
}

type teamCommand struct {
	Create teamCreateCommand `cmd:"" help:"Make a team. Prints the id alone."`
	List   teamListCommand   `cmd:"" help:"List teams."`
}

type teamCreateCommand struct {
	config.Database
	Name string `required:"" help:"Name of the team; no other team may have it."`
}

func (c *teamCreateCommand) Run(ctx context.Context) error {
	return act(ctx, "team create", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		id, err := a.CreateTeam(ctx, c.Name)
		if err != nil {
			return err
		}
		_, err = fmt.Println(id)
		return err
	})
}

type teamListCommand struct{ config.Database }

func (c *teamListCommand) Run(ctx context.Context) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		teams, err := a.DB.Users.Teams(ctx)
		if err != nil {
			return err
		}
		return table("ID\tNAME", func(row func(...string)) {
			for _, t := range teams {
				row(t.ID, t.Name)
			}
		})
	})
}

type tokenCommand struct {
	Create tokenCreateCommand `cmd:"" help:"Make an access token. Prints it alone; it is shown once."`
	List   tokenListCommand   `cmd:"" help:"List tokens, without their text."`
	Revoke tokenRevokeCommand `cmd:"" help:"Revoke a token at once."`
}

type tokenCreateCommand struct {
	config.Database
	User    string `required:"" help:"E-mail address of the user."`
	Name    string `default:"command line" help:"What the token is for."`
	Expires string `default:"90d" help:"How long it is good for, such as 30d or 12h; never: without an end. The last two weeks, the answers to it say so in the header Platen-Token-Expires, and serve warns in its log once a day."`
	Scopes  string `placeholder:"read|write|workflow:wkf_…[,…]" help:"What it may do: read, write (which has read in it), and workflow:wkf_… for that workflow alone; several are separated by commas. Default: everything that its user may do."`
}

func (c *tokenCreateCommand) Run(ctx context.Context) error {
	scopes, err := platen.ParseScopes(c.Scopes)
	if err != nil {
		return fmt.Errorf("--scopes: %w", err)
	}
	expires, err := life(c.Expires)
	if err != nil {
		return fmt.Errorf("--expires: %w", err)
	}
	return act(ctx, "token create", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		text, err := a.CreateToken(ctx, c.User, c.Name, expires, scopes...)
		if err != nil {
			return err
		}
		_, err = fmt.Println(text)
		return err
	})
}

// life reads how long something is good for: hours and less as Go writes them, or
// days; 0: for ever.
func life(text string) (time.Duration, error) {
	if text == "never" {
		return 0, nil
	}
	d, ok := cli.Span(text)
	if !ok {
		return 0, fmt.Errorf("%q is no time from now on; give one such as 30d or 12h, or never", text)
	}
	return d, nil
}

// ago is how long ago something was, at most.
type ago = cli.Ago

type tokenListCommand struct{ config.Database }

func (c *tokenListCommand) Run(ctx context.Context) error {
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		tokens, err := a.DB.Tokens.All(ctx)
		if err != nil {
			return err
		}
		return table("ID\tUSER\tNAME\tSCOPES\tCREATED\tEXPIRES\tREVOKED\tLAST USED", func(row func(...string)) {
			for _, t := range tokens {
				row(t.ID, t.UserEmail, t.Name, t.Scopes.String(), moment(&t.CreatedAt), moment(t.ExpiresAt), moment(t.RevokedAt), moment(t.LastUsedAt))
			}
		})
	})
}

func moment(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

type tokenRevokeCommand struct {
	config.Database
	ID string `arg:"" help:"Id of the token (tok_…), as 'platen token list' shows it."`
}

func (c *tokenRevokeCommand) Run(ctx context.Context) error {
	return act(ctx, "token revoke", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		return a.DB.Tokens.RevokeToken(ctx, c.ID)
	})
}

type workflowCommand struct {
	Restore workflowRestoreCommand `cmd:"" help:"Bring an archived workflow back. Prints its status."`
}

type workflowRestoreCommand struct {
	config.Database
	ID string `arg:"" help:"Id of the workflow (wkf_…)."`
}

func (c *workflowRestoreCommand) Run(ctx context.Context) error {
	return act(ctx, "workflow restore", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		status, err := a.DB.Workflows.RestoreWorkflow(ctx, c.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Println(status)
		return err
	})
}

type sourceCommand struct {
	Rotate sourceRotateCommand `cmd:"" help:"Give a source another address, because somebody knows it who should not. The one before is unknown at once, or after --overlap."`
}

type sourceRotateCommand struct {
	config.Database
	config.Secrets
	ID      string        `arg:"" help:"Id of the source (src_…)."`
	Overlap time.Duration `help:"How long the address before takes events along, such as 24h; 168h at most."`
}

// Run prints no address: it is a credential, and the API shows it to those
// whose it is.
func (c *sourceRotateCommand) Run(ctx context.Context) error {
	return act(ctx, "source rotate", c.Database, c.Secrets, func(ctx context.Context, a *admin.Admin) error {
		if c.Overlap < 0 || c.Overlap > 168*time.Hour {
			return fmt.Errorf("--overlap %s: give a time from 0s to 168h", c.Overlap)
		}
		if err := a.DB.Sources.RotateSource(ctx, c.ID, c.Overlap); err != nil {
			return err
		}
		_, err := fmt.Printf("%s has another address; the workflow shows it as source.webhookUrl.\n", c.ID)
		return err
	})
}
