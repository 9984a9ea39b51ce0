package manifest

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/client"
)

// A Plan is what makes an installation equal to files.
type Plan struct {
	Steps []Step
	// Senders are those of the files. They come first: workflows name them.
	Senders []SenderStep
	// Unlisted are workflows of the caller's own that no file names.
	Unlisted []client.Workflow
}

// A Step makes one workflow as its file says.
type Step struct {
	Entry Entry
	// ID is the workflow's; empty: it is to be made.
	ID string
	// Owner is the name of who has it; empty: the caller.
	Owner string
	// Changes are what differs; of a workflow that is to be made, all that it has.
	Changes []Change
	// Extra are what the workflow has and the file does not: removed with Prune alone.
	Extra []string

	caller string // the user's id
	base   observed
	diff   changes
}

// Changes tells how many workflows are to be made and changed.
func (p Plan) Changes() (made, changed int) {
	for _, s := range p.Steps {
		switch {
		case s.ID == "":
			made++
		case len(s.Changes) > 0:
			changed++
		}
	}
	return made, changed
}

// Extra tells whether there is anything that no file names.
func (p Plan) Extra() bool {
	for _, s := range p.Steps {
		if len(s.Extra) > 0 {
			return true
		}
	}
	return len(p.Unlisted) > 0
}

// inUse are the statuses of workflows that are not archived.
var inUse = []string{"COMPLETE", "INCOMPLETE"}

// Make compares files with what the service has.
func Make(ctx context.Context, api *client.Client, files Files) (Plan, error) {
	var p Plan
	var err error
	if p.Senders, err = makeSenders(ctx, api, files.Senders); err != nil {
		return p, err
	}
	me, err := api.Me(ctx)
	if err != nil {
		return p, err
	}
	listed := map[string]bool{}
	for _, e := range files.Workflows {
		listed[e.Name] = true
	}
	byName := map[string][]client.Workflow{}
	for w, err := range api.Workflows(ctx, client.WorkflowQuery{Statuses: inUse}) {
		if err != nil {
			return p, err
		}
		byName[w.Name] = append(byName[w.Name], w)
		if !listed[w.Name] && w.Owner.ID == me.User.ID {
			p.Unlisted = append(p.Unlisted, w)
		}
	}
	for _, e := range files.Workflows {
		step, err := makeStep(ctx, api, e, me.User.ID, byName[e.Name])
		if err != nil {
			return p, err
		}
		if owner := step.base.Owner; step.ID != "" && owner.ID != me.User.ID {
			step.Owner = owner.Name
		}
		p.Steps = append(p.Steps, step)
	}
	return p, nil
}

func makeStep(ctx context.Context, api *client.Client, e Entry, caller string, found []client.Workflow) (Step, error) {
	s := Step{Entry: e, caller: caller}
	switch len(found) {
	case 0:
		w := e.withoutTemplates()
		w.Receivers, w.Targets, w.Schedules = nil, nil, nil
		parts, _, err := compareParts(e, observed{})
		s.Changes = append(e.between("", nil, flat(w)), changes{parts: parts}.all()...)
		return s, err
	case 1:
	default:
		return s, fmt.Errorf("%s: %d workflows have the name %q, %s and %s among them: give all but one another name, as with 'platen workflows update %s --name …'",
			e.at(""), len(found), e.Name, found[0].ID, found[1].ID, found[1].ID)
	}
	base, err := observe(ctx, api, caller, found[0].ID)
	if err != nil {
		return s, fmt.Errorf("%s (%s): %w", e.Name, found[0].ID, err)
	}
	return s.from(base)
}

// from is the step from what is there to what the file says.
func (s Step) from(base observed) (Step, error) {
	diff, err := compare(s.Entry, base)
	s.ID, s.base, s.diff, s.Changes = base.ID, base, diff, diff.all()
	for _, i := range diff.extra {
		s.Extra = append(s.Extra, fmt.Sprintf("document %s (%s)", base.Documents[i].ID, base.Documents[i].OutputName))
	}
	if diff.extraWebhook {
		s.Extra = append(s.Extra, "outgoingWebhook")
	}
	for _, x := range diff.extraParts {
		s.Extra = append(s.Extra, x.String())
	}
	return s, err
}

func (e Entry) withoutTemplates() Workflow {
	w := e.Workflow
	w.Documents = nil
	for i, d := range e.Documents {
		d.Template = e.template(i)
		w.Documents = append(w.Documents, d)
	}
	return w
}
