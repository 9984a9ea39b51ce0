package operator

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

type deploymentCommand struct {
	Status  deploymentStatusCommand  `cmd:"" default:"withargs" help:"List builds, the latest first (the default)."`
	Promote deploymentPromoteCommand `cmd:"" help:"Give new runs to a build. The same command with the build before it rolls back."`
	Retire  deploymentRetireCommand  `cmd:"" help:"Restart the open runs of a build on the current one. For builds whose workers are gone for good."`
}

// A deployment is how its commands find it.
type deployment struct {
	config.Temporal
	Queue string `env:"PLATEN_QUEUE" default:"platen" help:"Temporal task queue of the workers."`
}

type deploymentStatusCommand struct{ deployment }

func (c *deploymentStatusCommand) Run(ctx context.Context) error {
	d, closed, err := app.OpenDeployment(ctx, c.Temporal, c.Queue)
	if err != nil {
		return err
	}
	defer closed()
	builds, err := d.Builds(ctx)
	if err != nil {
		return err
	}
	return table("BUILD\tSTATE\tFIRST SEEN\tWORKERS SEEN\tPINNED RUNS", func(row func(...string)) {
		for _, b := range builds {
			seen := "not lately"
			if !b.LastSeen.IsZero() {
				seen = time.Since(b.LastSeen).Truncate(time.Second).String() + " ago"
			}
			row(b.ID, string(b.State), b.FirstSeen.UTC().Format(time.RFC3339), seen, strconv.FormatInt(b.OpenRuns, 10))
		}
	})
}

type deploymentPromoteCommand struct {
	deployment
	Build string `arg:"" help:"Build, as 'platen deployment' lists it."`
}

// promotion is how long a busy Temporal may take to make a build current.
const promotion = 2 * time.Minute

func (c *deploymentPromoteCommand) Run(ctx context.Context) error {
	d, closed, err := app.OpenDeployment(ctx, c.Temporal, c.Queue)
	if err != nil {
		return err
	}
	defer closed()
	if err := d.PromoteWithin(ctx, c.Build, promotion); err != nil {
		return err
	}
	_, err = fmt.Println("New runs go to build", c.Build+".")
	return err
}

type deploymentRetireCommand struct {
	deployment
	Build string `arg:"" help:"Build, as 'platen deployment' lists it."`
}

func (c *deploymentRetireCommand) Run(ctx context.Context) error {
	d, closed, err := app.OpenDeployment(ctx, c.Temporal, c.Queue)
	if err != nil {
		return err
	}
	defer closed()
	n, err := d.Retire(ctx, c.Build)
	if err != nil {
		return err
	}
	_, err = fmt.Println("Runs that start again on the current build:", n)
	return err
}
