package console

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// findPath is the page that looks in all workflows.
const findPath = consolePath + "find"

const (
	// searched is in how many workflows a search looks for the id of a run or an event,
	// or with a token for single workflows: each costs a request or more.
	searched = 25
	// mostFound is how many outputs and runs a search shows.
	mostFound = 50
)

type findPage struct {
	Search string
	Why    string // why nothing can be found
	Found  []foundOutput
	chosenDays
	// More says that there are older outputs with such a name.
	More bool
	// Runs are those whose sender named the event so.
	Runs []runRow
	// Unsearched are the workflows in which the search did not look.
	Unsearched int
	// CutOff says that requests were limited before the search had ended.
	CutOff bool
}

// Of is the query of other days.
func (p findPage) Of(from, to string) string {
	return "?" + query("q", p.Search, "from", from, "to", to)
}

// Hidden are the fields of a form that keep what was looked for.
func (p findPage) Hidden() [][2]string {
	return fieldsOf([]string{"q", p.Search, "from", p.From, "to", p.To})
}

// A foundOutput has the workflow that made it.
type foundOutput struct {
	outputRow
	Workflow client.Workflow
}

// find looks for documents in all workflows: by an id, by the name that a sender gave its
// event, and by words of names.
func (s *site) find(ctx context.Context, r request) (view, error) {
	p := findPage{Search: strings.TrimSpace(r.URL.Query().Get("q")), chosenDays: daysOf(r.URL.Query(), s.Now())}
	v := view{Title: r.Text("Find a document")}
	var err error
	switch {
	case p.Search == "":
	case len(p.Search) > 4*maxSearch: // a name of 200 characters
		p.Why = r.Text("A search may be at most %d bytes long.", 4*maxSearch)
	case platen.IsID(platen.PrefixWorkflow, p.Search):
		v.to = consolePath + "workflows/" + p.Search + "/"
	case isSought(p.Search):
		v.to, err = r.findID(ctx, &p)
	default:
		err = r.findNamed(ctx, &p)
	}
	if refusal := refusalIn(err); refusal != nil && refusal.Status == http.StatusTooManyRequests {
		p.CutOff, err = true, nil
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

// findID returns the page of the run that an id belongs to, or notes that there is none.
func (r request) findID(ctx context.Context, p *findPage) (to string, err error) {
	all, err := r.searchable(ctx)
	if err != nil {
		return "", err
	}
	looked := all[:min(len(all), searched)]
	if platen.IsID(platen.PrefixOutput, p.Search) && r.me.Token.WorkflowIDs == nil {
		found, err := client.Collect(r.api.AllOutputs(ctx, client.OutputQuery{IDs: some(p.Search)}))
		if err != nil {
			return "", err
		}
		for _, o := range found {
			return consolePath + "workflows/" + o.WorkflowID + "/runs/" + o.AutomationID + "/", nil
		}
		p.Why = r.Text("No workflow has anything with this id.")
		return "", nil
	}
	p.Unsearched = len(all) - len(looked)
	for _, w := range looked {
		run, missing, err := r.search(ctx, w.ID, p.Search)
		if err != nil {
			return "", err
		}
		if run != "" {
			return consolePath + "workflows/" + w.ID + "/runs/" + run + "/", nil
		}
		if p.Why = missing; platen.IsID(platen.PrefixAutomation, p.Search) || platen.IsID(platen.PrefixEvent, p.Search) || platen.IsID(platen.PrefixOutput, p.Search) {
			p.Why = r.Text("No workflow that was searched has anything with this id.")
		}
	}
	return "", nil
}

// findNamed finds outputs by words of their names, and runs by what their senders call
// them: over all workflows at once, or in each that a token names.
func (r request) findNamed(ctx context.Context, p *findPage) error {
	since, until, why := days(p.From, p.To)
	if why != "" {
		p.Why = r.Text(why)
		return nil
	}
	all, err := r.searchable(ctx)
	if err != nil {
		return err
	}
	of := map[string]client.Workflow{}
	for _, w := range all {
		of[w.ID] = w
	}
	scopes := []searchScope{{r.api.AllOutputs, r.api.AllAutomations}}
	if r.me.Token.WorkflowIDs != nil {
		scopes = nil
		p.Unsearched = max(0, len(all)-searched)
		for _, w := range all[:len(all)-p.Unsearched] {
			scopes = append(scopes, r.scopeOf(w.ID))
		}
	}
	for _, in := range scopes {
		if len(p.Search) <= maxSearch {
			page := client.Page{Limit: mostFound}
			found, err := client.Collect(in.outputs(client.WithPage(ctx, &page), client.OutputQuery{Newest: true, Name: p.Search, Since: since, Until: until}))
			if err != nil {
				return err
			}
			waiting, err := in.waiting(ctx, p.Search, since, until)
			if err != nil {
				return err
			}
			for _, o := range append(waiting, found...) {
				p.Found = append(p.Found, foundOutput{outputRow{Output: o, Template: templateOf(of[o.WorkflowID], o.DocumentID)}, of[o.WorkflowID]})
			}
			p.More = p.More || page.Next != ""
		}
		runs, err := in.named(ctx, p.Search, mostFound, since, until)
		p.Runs = append(p.Runs, rowsOf(r.Printer, runs, all...)...)
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.Found, func(a, b foundOutput) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return nil
}

// A searchScope has the lists that a search reads: of one workflow, or of all.
type searchScope struct {
	outputs     func(context.Context, client.OutputQuery) iter.Seq2[client.Output, error]
	automations func(context.Context, client.AutomationQuery) iter.Seq2[client.Automation, error]
}

func (r request) scopeOf(workflow string) searchScope {
	return searchScope{
		func(ctx context.Context, q client.OutputQuery) iter.Seq2[client.Output, error] {
			return r.api.Outputs(ctx, workflow, q)
		},
		func(ctx context.Context, q client.AutomationQuery) iter.Seq2[client.Automation, error] {
			return r.api.Automations(ctx, workflow, q)
		},
	}
}

// waiting are the newest outputs that wait for approval and have these words in their names:
// the search of /v0 finds those that ended.
func (in searchScope) waiting(ctx context.Context, words string, since, until time.Time) ([]client.Output, error) {
	page := client.Page{Limit: onPage}
	found, err := client.Collect(in.outputs(client.WithPage(ctx, &page), client.OutputQuery{Newest: true, States: some("REVIEW"), Since: since, Until: until}))
	return slices.DeleteFunc(found, func(o client.Output) bool {
		name := strings.FieldsFunc(strings.ToLower(nameOfOutput(o)), isBetweenWords)
		return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(words), isBetweenWords), func(word string) bool { return !slices.Contains(name, word) })
	}), err
}

func isBetweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// named are the newest runs of source events that their sender named so, by Platen-Reference,
// X-Request-Id or Idempotency-Key: so many of each. With an error they are those found before.
func (in searchScope) named(ctx context.Context, name string, most int, since, until time.Time) (runs []client.Automation, err error) {
	for _, by := range []client.AutomationQuery{{Reference: name}, {RequestID: name}, {IdempotencyKey: name}} {
		by.Newest, by.Since, by.Until = true, since, until
		found, err := client.Collect(in.automations(client.WithPage(ctx, &client.Page{Limit: most}), by))
		if client.CodeOf(err) == "invalid_parameter" { // no such name can be
			continue
		}
		if err != nil {
			return runs, err
		}
		for _, a := range found {
			if !slices.ContainsFunc(runs, func(b client.Automation) bool { return a.ID == b.ID }) {
				runs = append(runs, a)
			}
		}
	}
	return runs, nil
}
