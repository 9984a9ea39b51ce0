package main

import (
	"context"
	"errors"
	"strings"

	"github.com/platenhq/platen/internal/cli"
)

// asking are the settings of a command with a large effect. It asks on a terminal; a
// script is not asked.
type asking struct {
	Yes bool `help:"Do not ask."`
}

// confirm asks unless --yes was given or nobody is there to be asked. effect ends in the
// question.
func (a asking) confirm(ctx context.Context, e *cli.Environment, effect string) error {
	if a.Yes || e.Ask == nil {
		return nil
	}
	answer, err := e.Ask(ctx, effect+" Type yes: ", false)
	if err == nil && !strings.EqualFold(strings.TrimSpace(answer), "yes") {
		err = errors.New("nothing was changed")
	}
	return err
}
