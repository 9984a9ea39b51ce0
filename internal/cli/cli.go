// Package cli is the integrators' part of the command line: commands that ask the API
// with an access token, as 'platen login' keeps it. All that they do goes through package
// client, so they can do what any other program can do, and nothing more.
//
// Commands of operators, which open the database, belong to package operator. It shares the
// environment, the exit codes and the spans of time of this package.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// Group is the key under which help lists the commands; package operator gives it its title.
const Group = "api"

// Commands are those of integrators, for a parser of kong to which an *Environment and a
// context.Context are bound.
type Commands struct {
	Login  loginCommand  `cmd:"" group:"api" help:"Keep an access token for the commands of this group. Asks for the token, or reads it from standard input, and checks it."`
	Logout logoutCommand `cmd:"" group:"api" help:"Forget the access token. It stays good: the operator revokes it."`

	Workflows   workflowsCommand   `cmd:"" group:"api" help:"Your workflows."`
	Documents   documentsCommand   `cmd:"" group:"api" help:"Documents (templates) of a workflow."`
	Schedules   schedulesCommand   `cmd:"" group:"api" help:"Schedules: runs that start by the clock."`
	Receivers   receiversCommand   `cmd:"" group:"api" help:"Receivers: who gets events by rules, beside the outgoing webhook."`
	Senders     sendersCommand     `cmd:"" group:"api" help:"Mail senders: mail servers of your own, by which mails leave that name one."`
	Targets     targetsCommand     `cmd:"" group:"api" help:"Targets: where outputs are stored as well, such as a bucket."`
	Forms       formsCommand       `cmd:"" group:"api" help:"Public forms: everybody who has the link makes a document."`
	Webhooks    webhooksCommand    `cmd:"" group:"api" help:"Outgoing webhooks: where the events of a workflow go."`
	Automations automationsCommand `cmd:"" group:"api" help:"Automations: what became of the events that sources took."`
	Outputs     outputsCommand     `cmd:"" group:"api" help:"Outputs: what automations made, and their PDFs."`
	Events      eventsCommand      `cmd:"" group:"api" help:"Events for outgoing webhooks, and their delivery."`
	Series      seriesCommand      `cmd:"" group:"api" help:"Series of numbers without gaps, and what became of each number."`

	Apply  applyCommand  `cmd:"" group:"api" help:"Make workflows as a file says: shows what is to be made and changed, and asks. It deletes nothing without --prune."`
	Export exportCommand `cmd:"" group:"api" help:"Write workflows and their templates to a folder, as 'platen apply' reads them. No secret is written."`

	Trigger triggerCommand `cmd:"" group:"api" help:"Send an event to a workflow's source, as a sender would. Prints the automation's id."`
	Batch   batchCommand   `cmd:"" group:"api" help:"Send a file whose rows are events of a workflow. It is stored whole or not at all. Prints the batch's id."`
	Preview previewCommand `cmd:"" group:"api" help:"Fill a template with data and write its PDF, marked as a sample. No automation starts, and no event is sent."`
	Tail    tailCommand    `cmd:"" group:"api" help:"Follow automations and their events: a line for each change of state."`
	MCP     mcpCommand     `cmd:"" name:"mcp" group:"api" help:"Serve tools for AI agents over standard input and output (Model Context Protocol). An agent's program starts it."`
	Listen  listenCommand  `cmd:"" group:"api" help:"Hand the events of your workflows on to a receiver on this machine, which needs no public address."`
}

// An Environment is what commands have around them.
type Environment struct {
	In       io.Reader
	Out, Err io.Writer
	// Version is the program's; empty: not known.
	Version string
	// Config is the user's directory of configuration; empty: there is none.
	Config string
	// Ask asks the user at the terminal; hidden: the answer is not shown. nil: there is
	// no terminal.
	Ask func(ctx context.Context, question string, hidden bool) (string, error)
	// Colors says that Out shows colours.
	Colors bool
	// Columns is how wide the terminal is that Out is, 0 if it does not say. nil: Out is none.
	Columns func() int
	// Watched says that Out and Err are a terminal: no script reads them.
	Watched bool
	// Lively says that a line on Err can be written over.
	Lively bool
	// Browse opens an address or a file for the user to look at.
	Browse func(what string) error
	// Getenv looks up a variable of the environment that a file refers to.
	Getenv func(name string) (string, bool)
	// CheckTemplate says why a file can be no template; nil: only the service knows.
	CheckTemplate func(content []byte) error
}

// System is the environment of this process. NO_COLOR (https://no-color.org) turns
// colours off.
func System() *Environment {
	e := &Environment{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.LookupEnv, Browse: browse}
	if base, err := os.UserConfigDir(); err == nil {
		e.Config = filepath.Join(base, "platen")
	}
	e.Watched = term.IsTerminal(int(os.Stdout.Fd())) && term.IsTerminal(int(os.Stderr.Fd()))
	e.Lively = lively(term.IsTerminal(int(os.Stderr.Fd())), os.Getenv)
	e.Colors = colorful(term.IsTerminal(int(os.Stdout.Fd())), os.Getenv)
	if out := int(os.Stdout.Fd()); term.IsTerminal(out) {
		e.Columns = func() int {
			columns, _, _ := term.GetSize(out)
			return columns
		}
	}
	if in := int(os.Stdin.Fd()); term.IsTerminal(in) {
		e.Ask = func(ctx context.Context, question string, hidden bool) (string, error) {
			return ask(ctx, in, question, hidden)
		}
	}
	return e
}

// lively terminals can write over a line.
func lively(terminal bool, getenv func(string) string) bool {
	return terminal && getenv("TERM") != "dumb"
}

func colorful(terminal bool, getenv func(string) string) bool {
	return lively(terminal, getenv) && getenv("NO_COLOR") == ""
}

// ask gives the terminal back as it was, also when the user interrupts.
func ask(ctx context.Context, in int, question string, hidden bool) (string, error) {
	if _, err := io.WriteString(os.Stderr, question); err != nil {
		return "", err
	}
	if !hidden {
		return interruptible(ctx, func() (string, error) { return readLine(os.Stdin) })
	}
	before, err := term.GetState(in)
	if err != nil {
		return "", err
	}
	typed, err := interruptible(ctx, func() ([]byte, error) { return term.ReadPassword(in) })
	_, errBreak := io.WriteString(os.Stderr, "\n")
	return strings.TrimSpace(string(typed)), errors.Join(err, errBreak, term.Restore(in, before))
}

// Confirm asks whether to go on, unless yes says so. Without a terminal the command line is
// wrong: a script says --yes. done is what nothing was, such as "erased".
func (e *Environment) Confirm(ctx context.Context, yes bool, question, done string) error {
	switch {
	case yes:
		return nil
	case e.Ask == nil:
		return Usage(fmt.Errorf("nothing was %s, because there is no terminal to ask at; give --yes to answer %q", done, question))
	}
	answer, err := e.Ask(ctx, question+" Type yes: ", false)
	if err == nil && !strings.EqualFold(strings.TrimSpace(answer), "yes") {
		err = errors.New("nothing was " + done)
	}
	return err
}

// interruptible reads what may never come, until it has come or the user interrupts.
func interruptible[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type came struct {
		what T
		err  error
	}
	reading := make(chan came, 1)
	go func() {
		what, err := read()
		reading <- came{what, err}
	}()
	select {
	case c := <-reading:
		return c.what, c.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func browse(what string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", what).Start()
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", what).Start()
	}
	return exec.Command("xdg-open", what).Start()
}

// Exit codes of platen.
const (
	ExitFailed       = 1   // something failed; standard error says what
	ExitUsage        = 2   // the command line is wrong; nothing was done
	ExitNotCompleted = 3   // the automation ended in another state than COMPLETED
	ExitNoAccess     = 4   // no access token, or one that is not good
	ExitTimeout      = 5   // --timeout is over; what was waited for goes on
	ExitChanges      = 6   // apply --dry-run found something to change
	ExitTemporary    = 75  // bounce: the mail server tries again (EX_TEMPFAIL of sysexits.h)
	ExitInterrupted  = 130 // Ctrl-C
)

// exit is an error that ends the program with a code of its own.
type exit struct {
	error
	code int
}

func (e *exit) Unwrap() error { return e.error }

// Usage is an error of the command line.
func Usage(err error) error { return &exit{err, ExitUsage} }

// Temporary is an error of a command that a mail server runs, and runs again.
func Temporary(err error) error { return &exit{err, ExitTemporary} }

// ExitCode is that of a program which ends with err.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if own, ok := errors.AsType[*exit](err); ok {
		return own.code
	}
	switch {
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case refused(err):
		return ExitNoAccess
	}
	return ExitFailed
}

// Message is what an error says, as a terminal may see it.
func Message(err error) string {
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Shown(line)
	}
	return strings.Join(lines, "\n")
}
