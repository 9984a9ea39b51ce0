// Package operator is the commands of operators, who run the parts or open the database. It
// is also the whole of the command line, with the commands of integrators (package cli), help
// and completion. A command reads flags and prints; what it does is in package admin or app.
package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/office/opc"
)

type commands struct {
	cli.Commands
	Check checkCommand `cmd:"" group:"api" help:"Find the mistakes of a template in a file, without a service."`

	Einvoice einvoiceCommand `cmd:"" group:"api" help:"Show what an e-invoice of any sender says, and hold it to the rules of EN 16931, XRechnung and Peppol, without a service."`

	Serve         serveCommand         `cmd:"" group:"operators" help:"Answer the API and accept source events."`
	Worker        workerCommand        `cmd:"" group:"operators" help:"Run automations and deliver events."`
	Drive         driveCommand         `cmd:"" group:"operators" help:"Be the cloud drive: Google's Drive, Docs and Slides protocols over files in Postgres."`
	Migrate       migrateCommand       `cmd:"" group:"operators" help:"Bring the database up to this release. Safe to run at any time."`
	Roles         rolesCommand         `cmd:"" group:"operators" help:"Give each part of the programs a role of its own in the database, and turn row-level security on. Safe to run at any time."`
	User          userCommand          `cmd:"" group:"operators" help:"Users of the API."`
	Team          teamCommand          `cmd:"" group:"operators" help:"Teams, which share workflows among their members."`
	Token         tokenCommand         `cmd:"" group:"operators" help:"Access tokens of the API."`
	Workflow      workflowCommand      `cmd:"" group:"operators" help:"What an operator may do to workflows."`
	Source        sourceCommand        `cmd:"" group:"operators" help:"What an operator may do to source addresses."`
	Audit         auditCommand         `cmd:"" group:"operators" help:"Who did what."`
	Deployment    deploymentCommand    `cmd:"" group:"operators" help:"Builds of the worker: which one gets new runs, and which may go."`
	Doctor        doctorCommand        `cmd:"" group:"operators" help:"Look at settings, database, Temporal, network, clock and the drives of users, and say what to do. Changes nothing."`
	Compare       compareCommand       `cmd:"" group:"operators" help:"Before an upgrade: make the last outputs of each document once more with this release, in memory, and say which pages look different from the PDFs that are stored. Ends with 1 if some do. Changes nothing."`
	Status        statusCommand        `cmd:"" group:"operators" help:"Say how the installation stands: workers, backlog, runs that wait and why, events, endpoints."`
	Automation    automationCommand    `cmd:"" group:"operators" help:"Automations of all users: what failed, why, and another attempt."`
	Event         eventCommand         `cmd:"" group:"operators" help:"Events of all users: what was not delivered, and sending it again."`
	Bounce        bounceCommand        `cmd:"" group:"operators" help:"Hand on the message at standard input, about a mail that came back. A mail server runs it; it ends with 75 while it is to try again."`
	Usage         usageCommand         `cmd:"" group:"operators" help:"What owners used in each month, for bills."`
	Pause         pauseCommand         `cmd:"" group:"operators" help:"Start no automation of a workflow, a user, a team, or of all, until 'platen resume'. Events are accepted and wait."`
	Resume        resumeCommand        `cmd:"" group:"operators" help:"Let start what 'platen pause' holds."`
	SupportBundle supportBundleCommand `cmd:"" group:"operators" help:"Write a file for those who help: versions, how settings stand, the doctor's report, status, failures by code, metrics. No secret, no data, no name."`
	Health        healthCommand        `cmd:"" group:"operators" help:"Ask a program on this machine whether it lives. For health checks of containers."`
	Key           keyCommand           `cmd:"" group:"operators" help:"Keys for --secret-keys: print a new one, count what each encrypts, rotate."`
	Completion    completionCommand    `cmd:"" help:"Print what completes commands and flags in a shell: source <(platen completion bash)."`
	Version       versionCommand       `cmd:"" help:"Print the version."`

	PrintVersion versionFlag `name:"version" help:"Print the version."`
}

// groups are the two kinds of commands, as help tells them apart.
var groups = kong.ExplicitGroups([]kong.Group{{
	Key:         cli.Group,
	Title:       "Commands of integrators:",
	Description: "They ask the API with an access token ('platen login', or PLATEN_API_URL and PLATEN_TOKEN), and see what its user sees.",
}, {
	Key:         operators,
	Title:       "Commands of operators:",
	Description: "They run the parts, or open the database (PLATEN_DATABASE_URL), and see what all users have. 'automation' is such a command; 'automations' asks the API.",
}})

// operators is the group of every command that has no other.
const operators = "operators"

// integratorsEnvironment is that of the integrators' commands, with the reader of templates that
// package cli may not import. It refuses only what the API refuses: whether a file is
// sound the drive decides, and Google's opens some that ours does not.
func integratorsEnvironment() *cli.Environment {
	e := cli.System()
	e.Version = app.Version()
	e.CheckTemplate = func(content []byte) error {
		if opc.KindOf(content) != opc.OtherKind {
			return nil
		}
		return fmt.Errorf("it is no .docx or .pptx file: %s", cmp.Or(opc.WhyOther(content), "save the template as one"))
	}
	return e
}

// Run carries out one command line, without the name of the program.
func Run(ctx context.Context, args []string) error {
	err := run(ctx, args)
	if err != nil && len(args) > 0 && args[0] == bounceName && cli.ExitCode(err) == cli.ExitUsage {
		return cli.Temporary(err) // a wrong line in its configuration: the mail server keeps the message
	}
	return err
}

func run(ctx context.Context, args []string) error {
	var c commands
	var files config.SecretFiles
	parser, err := kong.New(&c,
		kong.Name("platen"),
		kong.Description("Platen turns webhook data into documents, durably. Every setting has a twin in the environment, shown beside it; flags win. A secret may be in a file that its twin with _FILE at the end names."),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(integratorsEnvironment()),
		groups,
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true}),
		files.Option(),
	)
	if err != nil {
		return err
	}
	completeLine(parser)
	parsed, err := parser.Parse(asFlag(args))
	if err != nil {
		return cli.Usage(fmt.Errorf("%s; '%s --help' lists what it takes", negative.ReplaceAllString(err.Error(), "must be 0 or more, not $1"), helped(err)))
	}
	if err := files.Check(checkOf(parsed.Selected())); err != nil {
		if selected := parsed.Selected(); selected != nil && selected.Name == bounceName {
			return cli.Temporary(err) // as bounceCommand.run does where a setting is missing
		}
		return err
	}
	return parsed.Run()
}

// negative is what kong says of a number below 0, with a hint that does not help: no command
// takes one.
var negative = regexp.MustCompile(`expected int value but got "(-[0-9]+)" \(short flag\); perhaps try \S+\?`)

// asFlag has 'help' in front of a command be its flag, as in other programs.
func asFlag(args []string) []string {
	if len(args) > 0 && args[0] == "help" {
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// checkOf is what finds the faults of a command's settings; nil: it has none to check.
func checkOf(command *kong.Node) func() error {
	if command == nil || !command.Target.CanAddr() {
		return nil
	}
	if c, ok := command.Target.Addr().Interface().(interface{ Check() error }); ok {
		return c.Check
	}
	return nil
}

// helped is the command whose help says how it is used: the one that was named, as
// far as it was understood.
func helped(err error) string {
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok && wrong.Context != nil {
		if node := wrong.Context.Selected(); node != nil {
			return node.FullPath()
		}
		for _, step := range slices.Backward(wrong.Context.Path) {
			if node := step.Node(); node != nil {
				return node.FullPath()
			}
		}
	}
	return "platen"
}

// A versionFlag is what programs are commonly asked for their version with.
type versionFlag bool

// BeforeReset prints the version and ignores all other arguments.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	_, err := fmt.Fprintln(k.Stdout, "platen", app.Version())
	k.Exit(0)
	return err
}

type versionCommand struct{}

func (versionCommand) Run() error {
	_, err := fmt.Println("platen", app.Version())
	return err
}
