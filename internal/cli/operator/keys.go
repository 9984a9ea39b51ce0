package operator

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

type keyCommand struct {
	New    keyNewCommand    `cmd:"" default:"1" help:"Print a new key for --secret-keys."`
	List   keyListCommand   `cmd:"" help:"Count what each key encrypts. A key that encrypts nothing can be taken away."`
	Rotate keyRotateCommand `cmd:"" help:"Encrypt with the first key what another one encrypts. Can be cut off and run again at any time, beside programs that run."`
}

type keyNewCommand struct{}

func (keyNewCommand) Run() error {
	_, err := fmt.Println(app.NewSecretKey())
	return err
}

type keyListCommand struct {
	config.Database
	config.Secrets
}

func (c *keyListCommand) Run(ctx context.Context) error {
	return operate(ctx, c.Database, c.Secrets, func(a *admin.Admin) error {
		box, err := c.Box()
		if err != nil {
			return err
		}
		keys, err := a.KeyUses(ctx, box)
		if err != nil {
			return err
		}
		return table("KEY\tENCRYPTS\tVALUES", func(row func(...string)) {
			for _, k := range keys {
				row(k.Key, k.What, strconv.Itoa(k.Count))
			}
		})
	})
}

type keyRotateCommand struct {
	config.Database
	config.Secrets
}

// Run writes progress to standard error, and what was done to standard output.
func (c *keyRotateCommand) Run(ctx context.Context) error {
	return act(ctx, "key rotate", c.Database, c.Secrets, func(ctx context.Context, a *admin.Admin) error {
		box, err := c.Box()
		if err != nil {
			return err
		}
		done, err := a.RotateKeys(ctx, box, func(what string, sealed int) { fmt.Fprintf(os.Stderr, "%s: %d\n", what, sealed) })
		if err != nil {
			return fmt.Errorf("%w; what was done is kept: run it again", err)
		}
		closed := 0
		err = table("ENCRYPTED AGAIN\tVALUES\tWITHOUT A KEY", func(row func(...string)) {
			for _, d := range done {
				row(d.What, strconv.Itoa(d.Sealed), strconv.Itoa(d.Closed))
				closed += d.Closed
			}
		})
		if err == nil && closed > 0 {
			err = fmt.Errorf("%d value(s) open with none of the keys: add the key that encrypted them behind the others (--secret-keys, PLATEN_SECRET_KEYS), and run it again", closed)
		}
		return err
	})
}
