package operator

import (
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// completions set up each shell; %[1]s is the path of the program.
var completions = map[string]string{
	"bash": "complete -o default -C '%[1]s' platen\n",
	"zsh":  "(( $+functions[compdef] )) || { autoload -U compinit && compinit -i }\nautoload -U bashcompinit && bashcompinit\ncomplete -o default -C '%[1]s' platen\n",
	"fish": `function __complete_platen
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    '%[1]s'
end
complete -c platen -a "(__complete_platen)"
`,
}

func (c *completionCommand) Run() error { return c.print(os.Stdout) }

func (c *completionCommand) print(to io.Writer) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's path: %w", err)
	}
	_, err = fmt.Fprintf(to, completions[c.Shell], path)
	return err
}

// completeLine answers a shell that asks how its line (COMP_LINE) may go on, and ends the
// program then.
func completeLine(parser *kong.Kong, options ...kongplete.Option) {
	kongplete.Complete(parser, options...)
}
