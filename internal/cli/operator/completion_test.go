package operator

import (
	"bytes"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"
)

func TestAShellCompletesCommandsAndFlags(t *testing.T) {
	for line, want := range map[string]string{
		"platen autom":                 "automation",
		"platen automation ":           "cancel",
		"platen automation list --sin": "--since",
		"platen completion ":           "fish",
	} {
		var out bytes.Buffer
		parser, err := kong.New(&commands{}, kong.Writers(&out, &out))
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("COMP_LINE", line)
		t.Setenv("COMP_POINT", strconv.Itoa(len(line)))
		ended := false
		completeLine(parser, kongplete.WithExitFunc(func(code int) { ended = code == 0 }))
		if got := strings.Fields(out.String()); !ended || !slices.Contains(got, want) {
			t.Errorf("%q: got %q, want %s among them and the end of the program", line, got, want)
		}
	}
}

func TestShellsTakeWhatCompletionPrints(t *testing.T) {
	t.Parallel()
	for shell := range completions {
		var script bytes.Buffer
		if err := (&completionCommand{shell}).print(&script); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		if out, err := exec.CommandContext(t.Context(), shell, "-c", script.String()).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v %s", shell, err, out)
		}
	}
}
