package operator

import (
	"context"

	"github.com/platenhq/platen/internal/cli"
)

// asking are the settings of a command with a large effect.
type asking struct {
	Yes bool `help:"Do not ask. Required without a terminal."`
}

// confirm asks unless --yes was given. effect ends in the question.
func (a asking) confirm(ctx context.Context, e *cli.Environment, effect string) error {
	return e.Confirm(ctx, a.Yes, effect, "changed")
}
