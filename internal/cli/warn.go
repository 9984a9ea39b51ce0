package cli

import (
	"fmt"
	"strings"

	"github.com/platenhq/platen/client"
)

// warn tells on standard error what is wrong with what was made or changed, or why that is
// not known. It was made all the same.
func warn(e *Environment, findings []client.TemplateFinding, unchecked *client.Failure) {
	warning := "warning"
	if e.Colors {
		warning = "\x1b[" + yellow + "m" + warning + "\x1b[0m"
	}
	for _, f := range findings {
		severity := warning
		if f.Severity == client.SeverityNote {
			severity = "note"
		}
		line := f.Message
		if f.Tag != "" && !strings.Contains(line, f.Tag) {
			line = f.Tag + ": " + line
		}
		if f.Where != "" {
			line = f.Where + ": " + line
		}
		if len(f.Nearest) > 0 {
			line += " Did you mean " + f.Nearest[0] + "?"
		}
		fmt.Fprintf(e.Err, "%s: %s\n", severity, Shown(line))
	}
	if unchecked != nil {
		fmt.Fprintf(e.Err, "%s: %s\n", warning, Shown(unchecked.Message))
	}
}

// noted begins what is printed of a finding that is no mistake.
func noted(s client.Severity) string {
	if s == client.SeverityNote {
		return "note: "
	}
	return ""
}
