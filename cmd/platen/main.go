// Command platen is the production program of Platen: the API and the webhook
// host, the worker, our own drive, and what an operator needs beside them. It
// reads flags and calls package app.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/app"
)

type commands struct {
	Serve      serveCommand      `cmd:"" help:"Answer the API and accept source events."`
	Worker     workerCommand     `cmd:"" help:"Run automations and deliver events."`
	Drive      driveCommand      `cmd:"" help:"Be the cloud drive: Google's Drive, Docs and Slides protocols over files in Postgres."`
	Migrate    migrateCommand    `cmd:"" help:"Bring the database up to this release. Safe to run at any time."`
	User       userCommand       `cmd:"" help:"Users of the API."`
	Team       teamCommand       `cmd:"" help:"Teams, which share workflows among their members."`
	Token      tokenCommand      `cmd:"" help:"Access tokens of the API."`
	Workflow   workflowCommand   `cmd:"" help:"What an operator may do to workflows."`
	Source     sourceCommand     `cmd:"" help:"What an operator may do to source addresses."`
	Deployment deploymentCommand `cmd:"" help:"Builds of the worker: which one gets new runs, and which may go."`
	Check      checkCommand      `cmd:"" help:"Find the mistakes of a template in a file, without a service."`
	Key        keyCommand        `cmd:"" help:"Print a new key for --secret-keys."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the default is back: a second one ends at once.
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "platen: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("platen"),
		kong.Description("Platen turns webhook data into documents, durably. Every setting has a twin in the environment, shown beside it; flags win."),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return parsed.Run()
}

type versionCommand struct{}

func (versionCommand) Run() error {
	_, err := fmt.Println("platen", app.Version())
	return err
}
