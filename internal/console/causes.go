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
	Code    string // of the newest
	Message saying // likewise
	Runs    []runRow
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
		c, message := cause{Message: row.Why}, string(row.Why)
		if row.Error != nil {
			message = row.Error.Message
			c.Code, c.OfData = row.Error.Code, slices.Contains(ofData, row.Error.Code)
		}
		key := strings.Join([]string{row.WorkflowID, c.Code, variable.ReplaceAllString(message, "…")}, "\n")
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, c)
		}
		all[i].Runs = append(all[i].Runs, row)
	}
	return all
}

// openFailures leaves out the failed runs whose data was sent again and made, as the newest
// runs tell, and says how many they are.
func openFailures(failed, newest []runRow) (open []runRow, cured int) {
	made := map[string]bool{}
	for _, row := range newest {
		if of := sentAgain.FindStringSubmatch(row.RequestID); of != nil && row.State == "COMPLETED" {
			made[of[1]] = true
		}
	}
	for _, row := range failed {
		if !made[row.ID] {
			open = append(open, row)
		}
	}
	return open, len(failed) - len(open)
}

// Request ids of events that the console sends: of data that a form was filled with, or of
// the data of a run.
var (
	madeInForm = regexp.MustCompile(`^made-[0-9a-f]{24}$`)
	sentAgain  = regexp.MustCompile(`^again-(aut_[0-9A-Za-z]+)$`)
)

// sentAgainAs is the request id of all events that are made of the data of a run.
func sentAgainAs(run string) string { return "again-" + run }

// nameOf is what a run is called: the name of its first output, else what its sender called
// the event; empty: neither is known. Request ids that we make are no names.
func nameOf(a client.Automation) string {
	for _, o := range a.Outputs {
		if name := nameOfOutput(o); name != "" {
			return name
		}
	}
	if a.Reference != nil {
		return *a.Reference
	}
	if strings.HasPrefix(a.RequestID, platen.PrefixRequest) || madeInForm.MatchString(a.RequestID) || sentAgain.MatchString(a.RequestID) {
		return ""
	}
	return a.RequestID
}

// runTitle is nameOf, else the name of the template of its first output.
func runTitle(a client.Automation, w client.Workflow) string {
	name := nameOf(a)
	for i := 0; name == "" && i < len(a.Outputs); i++ {
		name = templateOf(w, a.Outputs[i].DocumentID)
	}
	return name
}

// nameOfOutput is what an output is called; empty: that is not known.
func nameOfOutput(o client.Output) string {
	switch {
	case o.Name != nil:
		return *o.Name
	case len(o.Files) > 0:
		return strings.TrimSuffix(o.Files[0].Name, ".pdf")
	}
	return ""
}
