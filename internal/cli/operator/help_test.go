package operator

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/cli"
)

func TestAWrongFlagNamesTheHelpOfItsCommand(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"serve --databse-url x":  "'platen serve --help'",
		"user create --name Ada": "'platen user create --help'",
		"user destroy":           "'platen user --help'",
		"sevre":                  "'platen --help'",
		"":                       "'platen --help'",
	} {
		if err := Run(t.Context(), strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("platen %s: got %v, want %s named", args, err, want)
		}
	}
}

func TestHelpIsAWordToo(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{"help": "--help", "help documents update": "documents update --help", "documents help": "documents help", "": ""} {
		if got := strings.Join(asFlag(strings.Fields(args)), " "); got != want {
			t.Errorf("platen %s: got %s, want %s", args, got, want)
		}
	}
}

// 'automation' opens the database and 'automations' asks the API: help tells them apart.
func TestHelpTellsCommandsOfOperatorsAndIntegratorsApart(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	parser, err := kong.New(&commands{}, kong.Writers(&out, &out), kong.Exit(func(int) {}), groups, kong.Bind(cli.System()))
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{}
	for _, command := range parser.Model.Children {
		if command.Group != nil {
			of[command.Name] = command.Group.Title
		}
	}
	for name, want := range map[string]string{
		"automation": "operators", "automations": "integrators", "event": "operators", "events": "integrators", "workflow": "operators", "workflows": "integrators",
		"trigger": "integrators", "check": "integrators", "serve": "operators",
	} {
		if !strings.Contains(of[name], want) {
			t.Errorf("platen %s is among the %q, want those of %s", name, of[name], want)
		}
	}
	for _, command := range parser.Model.Children {
		if of[command.Name] == "" && command.Name != "version" && command.Name != "completion" {
			t.Errorf("platen %s is in no group", command.Name)
		}
	}
	if _, err := parser.Parse([]string{"--help"}); err != nil && out.Len() == 0 {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "'automation' is such a command; 'automations' asks the API.") {
		t.Errorf("help says %s", out.String())
	}
}

func TestTheVersionIsAFlagToo(t *testing.T) {
	t.Parallel()
	type ended struct{ code int }
	var out bytes.Buffer
	parser, err := kong.New(&commands{}, kong.Writers(&out, &out), kong.Exit(func(code int) { panic(ended{code}) }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if got := recover(); got != (ended{0}) || out.String() != "platen "+app.Version()+"\n" {
			t.Errorf("got %v and %q, want status 0 and the version", got, out.String())
		}
	}()
	_, _ = parser.Parse([]string{"--version"})
}
