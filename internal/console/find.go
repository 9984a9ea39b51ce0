package console

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// findPath is the page that looks in all workflows.
const findPath = consolePath + "find"

const (
	// searched is in how many workflows a search looks: each costs four requests of those
	// that the caller may make in a second.
	searched = 25
	// foundEach is how many outputs of one workflow it shows.
	foundEach = 10
)

type findPage struct {
	Search string
	Why    string // why nothing can be found
	Found  []foundOutput
	// Runs are those whose sender named the event so.
	Runs []runRow
	// Unsearched are the workflows in which the search did not look.
	Unsearched int
}

// A foundOutput has the workflow that made it.
type foundOutput struct {
	outputRow
	Workflow client.Workflow
}

// find looks for documents in all workflows: by an id, by the name that a sender gave its
// event, and by words of names.
func (s *site) find(ctx context.Context, r request) (view, error) {
	p := findPage{Search: strings.TrimSpace(r.URL.Query().Get("q"))}
	v := view{Title: "Find a document"}
	workflows, err := r.searchable(ctx)
	if err != nil {
		return view{}, err
	}
	p.Unsearched = max(0, len(workflows)-searched)
	looked := workflows[:min(len(workflows), searched)]
	switch {
	case p.Search == "":
	case len(p.Search) > 4*maxSearch: // a name of 200 characters
		p.Why = "A search may be at most " + strconv.Itoa(4*maxSearch) + " bytes long."
	case platen.IsID(platen.PrefixWorkflow, p.Search):
		v.to = consolePath + "workflows/" + p.Search + "/"
	case isSought(p.Search):
		v.to, p.Why, err = r.findID(ctx, looked, p.Search)
	default:
		err = r.findNamed(ctx, &p, looked)
	}
	v.Page = p
	return v, err
}

// searchable are the workflows that the caller sees, those that run first.
func (r request) searchable(ctx context.Context) ([]client.Workflow, error) {
	var all []client.Workflow
	for _, id := range r.me.Token.WorkflowIDs {
		w, err := r.api.Workflow(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	if r.me.Token.WorkflowIDs == nil {
		var err error
		if all, err = client.Collect(r.api.Workflows(client.WithPage(ctx, &client.Page{Limit: 1000}), client.WorkflowQuery{})); err != nil {
			return nil, err
		}
	}
	order := []string{"COMPLETE", "INCOMPLETE", "ARCHIVED"}
	slices.SortStableFunc(all, func(a, b client.Workflow) int {
		return cmp.Compare(slices.Index(order, a.Status), slices.Index(order, b.Status))
	})
	return all, nil
}

// findID returns the page of the run that an id belongs to, or why there is none.
func (r request) findID(ctx context.Context, in []client.Workflow, id string) (to, why string, err error) {
	for _, w := range in {
		run, missing, err := r.search(ctx, w.ID, id)
		if err != nil {
			return "", "", err
		}
		if run != "" {
			return consolePath + "workflows/" + w.ID + "/runs/" + run + "/", "", nil
		}
		why = missing
	}
	return "", strings.Replace(why, "This workflow has nothing", "No workflow that was searched has anything", 1), nil
}

// findNamed finds outputs by words of their names, and runs by what their senders call them.
func (r request) findNamed(ctx context.Context, p *findPage, in []client.Workflow) error {
	names := map[string]string{}
	for _, w := range in {
		names[w.ID] = w.Name
		var found []client.Output
		if len(p.Search) <= maxSearch {
			var err error
			if found, err = client.Collect(r.api.Outputs(client.WithPage(ctx, &client.Page{Limit: foundEach}), w.ID, client.OutputQuery{Newest: true, Name: p.Search})); err != nil {
				return err
			}
		}
		for _, o := range found {
			p.Found = append(p.Found, foundOutput{outputRow{Output: o}, w})
		}
		runs, err := r.runsNamed(ctx, w.ID, p.Search)
		if err != nil {
			return err
		}
		p.Runs = append(p.Runs, rowsOf(runs, names)...)
	}
	slices.SortStableFunc(p.Found, func(a, b foundOutput) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return nil
}
