package console

import (
	"regexp"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// A cause is why runs of a workflow failed.
type cause struct {
	Code, Message string // of the newest
	Runs          []runRow
	// OfData says that their data is at fault: the same data fails again.
	OfData bool
}

// Shown are the runs that a page names; More is how many it does not.
func (c cause) Shown() []runRow { return c.Runs[:min(len(c.Runs), 3)] }
func (c cause) More() int       { return len(c.Runs) - len(c.Shown()) }

// First is the newest of the runs.
func (c cause) First() runRow { return c.Runs[0] }

// variable is what the messages of one cause differ in.
var variable = regexp.MustCompile(`"[^"]*"|“[^”]*”|\d+`)

// causesOf groups runs that failed alike, the newest first.
func causesOf(failed []runRow) (all []cause) {
	at := map[string]int{}
	for _, row := range failed {
		c := cause{Message: row.Why}
		if row.Error != nil {
			c.Code, c.OfData = row.Error.Code, slices.Contains(ofData, row.Error.Code)
		}
		key := strings.Join([]string{row.WorkflowID, c.Code, variable.ReplaceAllString(c.Message, "…")}, "\n")
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, c)
		}
		all[i].Runs = append(all[i].Runs, row)
	}
	return all
}

// sentAgain are the request ids of events that the console sends again.
var sentAgain = regexp.MustCompile(`^again-[0-9a-f]{24}$`)

// nameOf is what a run is called: the name of what it made, else what its sender called the
// event; empty: neither is known. Request ids that we make are no names.
func nameOf(a client.Automation) string {
	for _, o := range a.Outputs {
		if len(o.Files) > 0 {
			return strings.TrimSuffix(o.Files[0].Name, ".pdf")
		}
	}
	if a.Reference != nil {
		return *a.Reference
	}
	if strings.HasPrefix(a.RequestID, platen.PrefixRequest) || sentAgain.MatchString(a.RequestID) {
		return ""
	}
	return a.RequestID
}
