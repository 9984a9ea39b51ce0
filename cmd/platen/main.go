// Command platen is the production program of Platen: the API and the webhook
// host, the worker, our own drive, and what integrators and operators need
// beside them. Package operator has its commands.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/cli/operator"
	"github.com/platenhq/platen/internal/drive/soffice/cell"
)

func main() {
	cell.Enter()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the default is back: a second one ends at once.
	context.AfterFunc(ctx, stop)
	if err := operator.Run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "platen: %s\n", cli.Message(err))
		os.Exit(cli.ExitCode(err))
	}
}
