package console

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// A cause is why runs of a workflow failed.
type cause struct {
	Code    string // of the newest
	Message saying // likewise
	Runs    []runRow
	Open    int // how many runs there are: Runs are the newest
	// OfData says that their data is at fault: the same data fails again.
	OfData bool
}

// More is how many runs a page does not name.
func (c cause) More() int { return c.Open - len(c.Runs) }

// First is the newest of the runs.
func (c cause) First() runRow { return c.Runs[0] }

// readCauses reads why runs failed, and how many were made since.
func (r request) readCauses(ctx context.Context, p *homePage, since time.Time, workflows []client.Workflow) error {
	found, err := r.api.Failures(ctx, since)
	if err != nil {
		return err
	}
	p.CausesCut = len(found) == platen.MaxFailureCauses
	for _, f := range found {
		p.Failed, p.Cured = p.Failed+f.Open, p.Cured+f.Cured
		c := cause{Runs: rowsOf(r.Printer, f.Newest, workflows...), Open: f.Open}
		if len(c.Runs) == 0 {
			continue
		}
		c.Message = c.First().Why
		if e := c.First().Error; e != nil {
			c.Code, c.OfData = e.Code, slices.Contains(ofData, e.Code)
		}
		p.Causes = append(p.Causes, c)
	}
	return nil
}

// Request ids of events that the console sends: of data that a form was filled with, or of
// the data of a run.
var (
	madeInForm = regexp.MustCompile(`^made-[0-9a-f]{24}$`)
	sentAgain  = regexp.MustCompile(`^` + platen.AgainPrefix + `(aut_[0-9A-Za-z]+)$`)
)

// sentAgainAs is the request id of all events that are made of the data of a run.
func sentAgainAs(run string) string { return platen.AgainPrefix + run }

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
