package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes a line for each finding, and what to do below it.
func (r Report) Print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Status, f.Area, f.Subject, f.Message)
		if f.Cure != "" {
			fmt.Fprintf(w, "\t\t\t→ %s\n", f.Cure)
		}
	}
	if r.Interrupted {
		fmt.Fprintln(w, "Interrupted: not everything was looked at.")
	}
	return w.Flush()
}

// PrintJSON writes the report for programs, with each setting.
func (r Report) PrintJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}
