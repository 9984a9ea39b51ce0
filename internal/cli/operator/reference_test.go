package operator

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/cli"
)

// The page of commands is written of what the program itself knows:
// go test ./internal/cli/operator -run CommandsPage -args -write
var writeReference = flag.Bool("write", false, "write docs/commands.md")

const referencePage = "../../../docs/commands.md"

func TestTheCommandsPageIsWhatTheProgramKnows(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, kong.Name("platen"), groups, kong.Bind(cli.System()))
	if err != nil {
		t.Fatal(err)
	}
	want := reference(parser.Model)
	if *writeReference {
		if err := os.WriteFile(referencePage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referencePage)
	if err != nil || string(got) != want {
		t.Errorf("docs/commands.md does not say what the program knows (%v): go test ./internal/cli/operator -run CommandsPage -args -write", err)
	}
}

func reference(of *kong.Application) string {
	var b strings.Builder
	b.WriteString(`# Commands

What ` + "`platen`" + ` takes, as ` + "`platen COMMAND --help`" + ` says it. [Develop](develop.md) shows the commands of integrators at work, [production](production.md) those of operators. [Settings](settings.md) explains each variable of the environment.
`)
	for _, group := range []struct{ key, title string }{{cli.Group, "Commands of integrators"}, {operators, "Commands of operators"}, {"", "Others"}} {
		var commands []*kong.Node
		for _, command := range of.Children {
			if key := ""; !command.Hidden {
				if command.Group != nil {
					key = command.Group.Key
				}
				if key == group.key {
					commands = append(commands, command)
				}
			}
		}
		common := commonFlags(commands)
		fmt.Fprintf(&b, "\n## %s\n", group.title)
		if rows := common.rows; rows != nil {
			fmt.Fprintf(&b, "\nMany of them take these flags, which their tables leave out:\n\n| flag | means |\n|---|---|\n%s", strings.Join(rows, ""))
		}
		for _, command := range commands {
			common.write(&b, command)
		}
	}
	return b.String()
}

// A common set of flags stands once for all commands of a group.
type common struct {
	rows []string
	has  map[string]bool
}

// commonFlags are the rows of those that many commands have.
func commonFlags(commands []*kong.Node) common {
	const many = 8
	c, count := common{has: map[string]bool{}}, map[string]int{}
	eachLeaf(commands, func(command *kong.Node) {
		for _, row := range flagRows(command) {
			if count[row]++; count[row] == many {
				c.rows, c.has[row] = append(c.rows, row), true
			}
		}
	})
	return c
}

func eachLeaf(commands []*kong.Node, do func(*kong.Node)) {
	for _, command := range commands {
		if command.Leaf() && !command.Hidden {
			do(command)
		}
		eachLeaf(command.Children, do)
	}
}

func (c common) write(b *strings.Builder, of *kong.Node) {
	eachLeaf([]*kong.Node{of}, func(command *kong.Node) {
		fmt.Fprintf(b, "\n### %s\n\n%s\n", command.FullPath(), sentence(command.Help))
		if command.Detail != "" {
			fmt.Fprintf(b, "\n%s\n", command.Detail)
		}
		fmt.Fprintf(b, "\n```\n%s\n```\n", usageOf(command))
		var rows []string
		for _, argument := range command.Positional {
			rows = append(rows, row(strings.Trim(argument.Summary(), "[]<>"), argument, ""))
		}
		for _, row := range flagRows(command) {
			if !c.has[row] {
				rows = append(rows, row)
			}
		}
		if rows != nil {
			fmt.Fprintf(b, "\n| argument or flag | means |\n|---|---|\n%s", strings.Join(rows, ""))
		}
	})
}

// flagRows are the flags of a command and of those above it.
func flagRows(command *kong.Node) (rows []string) {
	for node := command; node != nil && node.Type == kong.CommandNode; node = node.Parent {
		for _, flag := range node.Flags {
			if !flag.Hidden && flag.Name != "help" {
				name := "--" + flag.Name
				if !flag.IsBool() {
					name += "=" + flag.FormatPlaceHolder()
				}
				rows = append(rows, row(name, flag.Value, strings.Join(flag.Envs, ", ")))
			}
		}
	}
	return rows
}

// usageOf is the command with its arguments.
func usageOf(command *kong.Node) string {
	words := []string{command.FullPath()}
	for _, argument := range command.Positional {
		words = append(words, argument.Summary())
	}
	return strings.Join(append(words, "[flags]"), " ")
}

func row(name string, v *kong.Value, env string) string {
	about := sentence(v.Help)
	if env != "" {
		about += " `" + strings.ReplaceAll(env, ", ", "`, `") + "`."
	}
	if v.HasDefault && v.Default != "" && !strings.Contains(about, "efault") {
		about += " Default: `" + v.Default + "`."
	}
	return fmt.Sprintf("| `%s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), strings.ReplaceAll(about, "|", "\\|"))
}

func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
