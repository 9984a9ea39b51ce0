package console

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// onPage is how many entries a page of outputs or runs has.
const onPage = 50

type outputRow struct {
	client.Output
	Template string            // the file's name
	Event    *event            // the last one about it for the outgoing webhook; nil: there is none
	further  map[string]string // ids of the last ones for receivers by rules, by receiver
}

// events are the ids of the last events about it, one for each receiver.
func (o outputRow) events() (ids []string) {
	if o.Event != nil {
		ids = append(ids, o.Event.ID)
	}
	for _, receiver := range slices.Sorted(maps.Keys(o.further)) {
		ids = append(ids, o.further[receiver])
	}
	return ids
}

// HasPDF tells whether /v0 answers with a PDF of it.
func (o outputRow) HasPDF() bool { return o.State == "DONE" && len(o.Files) > 0 }

// AwaitsUser tells whether it waits for the answer of a user.
func (o outputRow) AwaitsUser(address string) bool { return waitsFor(o.Output, address) }

// Title is what it is called: else as its sender called the event, else as its template.
func (o outputRow) Title() string {
	if name := nameOfOutput(o.Output); name != "" {
		return name
	}
	if o.Reference != nil {
		return *o.Reference
	}
	return cmp.Or(o.Template, o.ID)
}

// HasFile tells whether there is something to send by mail: nobody gets a mail about what
// a test made.
func (o outputRow) HasFile() bool { return o.HasPDF() && !o.Test }

// HasPicture tells whether its first page can be drawn: a stored PDF that has no password.
// An export of each original on a page would cost the drive too much.
func (o outputRow) HasPicture() bool {
	return o.HasPDF() && o.Files[0].Kind == "pdf" && !o.IsLocked()
}

// IsLocked tells whether its stored PDF opens with a password alone.
func (o outputRow) IsLocked() bool {
	return o.HasPDF() && o.Files[0].Kind == "pdf" && o.Files[0].Protection != nil && *o.Files[0].Protection == "password"
}

type outputsPage struct {
	Workflow      client.Workflow
	Rows          []outputRow
	Test          string // true: what tests made; empty: everything else
	State, Search string // Search: words of a name, or an id
	Mail          string // FAILED: those whose mail did not go out; empty: all
	Target        string // FAILED: those that a target did not get; empty: all
	chosenDays
	Run            string // of the source event that was named as the search is; empty: none
	Newest         bool   // it is the first page
	Problem        saying // why no zip was made
	Next, NotFound string // address of the next page; why a search found nothing
}

// Of is the query of other days.
func (p outputsPage) Of(from, to string) string {
	p.From, p.To = from, to
	return "?" + query(p.kept(p.State)...)
}

// outputs is the page of what a workflow made (specification, section 6), the newest
// first.
func (s *site) outputs(ctx context.Context, r request) (view, error) {
	asked := r.URL.Query()
	p := outputsPage{Test: testTab(asked), State: asked.Get("state"), Mail: asked.Get("mail"), Target: placedAsked(asked), chosenDays: daysOf(asked, s.Now()), Search: strings.TrimSpace(asked.Get("q")), Newest: asked.Get("cursor") == ""}
	var err error
	if p.Workflow, err = r.api.Workflow(ctx, r.workflowID()); err != nil {
		return view{}, err
	}
	name := p.Search
	if isSought(p.Search) {
		name = ""
		run, why, err := r.search(ctx, r.workflowID(), p.Search)
		if err != nil {
			return view{}, err
		}
		if run != "" {
			return view{to: "/console" + r.workflowPath() + "/runs/" + run + "/"}, nil
		}
		p.NotFound = why
	} else if p.Search != "" {
		named, err := r.scopeOf(r.workflowID()).named(ctx, p.Search, 1, time.Time{}, time.Time{})
		if err != nil {
			return view{}, err
		}
		if len(named) > 0 {
			p.Run = named[0].ID
		}
	}
	since, until, why := days(p.From, p.To)
	if why != "" {
		p.NotFound = r.Text(why)
	}
	if len(name) > maxSearch {
		p.NotFound, name = r.Text("A search may be at most %d bytes long.", maxSearch), ""
	}
	var live string
	if p.Newest {
		live = r.watched(ctx, liveRuns(p.Test)+r.PathValue("workflow"))
	}
	page := client.Page{Limit: onPage, Cursor: asked.Get("cursor")}
	found, err := client.Collect(r.api.Outputs(client.WithPage(ctx, &page), r.workflowID(), client.OutputQuery{
		Newest: true, States: some(p.State), Mails: mailsAsked(p.Mail), Placed: some(p.Target), Since: since, Until: until, Name: name, Test: p.Test != "",
	}))
	if err != nil {
		return view{}, err
	}
	p.Next = nextPage(page, p.kept(p.State)...)
	if p.Rows, err = r.withEvents(ctx, p.Workflow, found); err != nil {
		return view{}, err
	}
	var events []*event
	for _, row := range p.Rows {
		if row.Event != nil {
			events = append(events, row.Event)
		}
	}
	err = r.explainWaits(ctx, p.Workflow, s.Now(), events...)
	return view{Title: r.Text("Outputs of %s", p.Workflow.Name), Page: p, Live: live}, err
}

// Hidden are the fields of a form that keep the search, the days and the state.
func (p outputsPage) Hidden() [][2]string { return fieldsOf(p.kept(p.State)) }

// Chosen is the query that keeps the search and the days beside another state.
func (p outputsPage) Chosen(state string) string {
	p.Mail, p.Target = "", ""
	return "?" + query(p.kept(state)...)
}

// Unsent is the query that keeps them for outputs whose mail did not go out.
func (p outputsPage) Unsent() string {
	p.Mail, p.Target = "FAILED", ""
	return "?" + query(p.kept("")...)
}

// Tests is the query of the outputs of tests, or of all others.
func (p outputsPage) Tests(test string) string { return "?" + query("test", test) }

func (p outputsPage) kept(state string) []string {
	return []string{"test", p.Test, "state", state, "mail", p.Mail, "target", p.Target, "from", p.From, "to", p.To, "q", p.Search}
}

// maxSearch is how many bytes a search for a name may have, as /v0 says.
const maxSearch = 200

// isSought tells an id from words of a name.
func isSought(text string) bool {
	for _, prefix := range []string{platen.PrefixAutomation, platen.PrefixEvent, platen.PrefixOutput} {
		if strings.HasPrefix(text, prefix) && !strings.Contains(text, " ") {
			return true
		}
	}
	return false
}

// withEvents finds what became of the events about outputs.
func (r request) withEvents(ctx context.Context, w client.Workflow, found []client.Output) ([]outputRow, error) {
	rows, at := make([]outputRow, len(found)), map[string]int{}
	for i, o := range found {
		rows[i] = outputRow{Output: o, Template: templateOf(w, o.DocumentID), further: map[string]string{}}
		at[o.ID] = i
	}
	if len(found) == 0 {
		return rows, nil
	}
	for e, err := range r.api.Events(ctx, r.workflowID(), client.EventQuery{OutputIDs: idsOf(found)}) {
		if err != nil {
			return nil, err
		}
		row, ok := at[e.OutputID]
		switch {
		case !ok:
		case e.ReceiverID != "":
			rows[row].further[e.ReceiverID] = e.ID
		default: // the newest is at the end
			rows[row].Event = &event{EventDetail: client.EventDetail{Event: e}}
		}
	}
	return rows, nil
}

// templateOf is the name of a document's file; empty: the document was removed.
func templateOf(w client.Workflow, document string) string {
	for _, d := range w.Documents {
		if d.ID == document {
			return d.File.Name
		}
	}
	return ""
}

func idsOf(outputs []client.Output) (ids []string) {
	for _, o := range outputs {
		ids = append(ids, o.ID)
	}
	return ids
}

// search finds the run of a workflow that an id belongs to, or says why there is none.
func (r request) search(ctx context.Context, workflow, id string) (run, why string, err error) {
	switch {
	case platen.IsID(platen.PrefixAutomation, id):
		var a client.AutomationDetail
		a, err = r.api.Automation(ctx, workflow, id)
		run = a.ID
	case platen.IsID(platen.PrefixEvent, id):
		var e client.EventDetail
		e, err = r.api.Event(ctx, workflow, id)
		run = e.AutomationID
	case platen.IsID(platen.PrefixOutput, id):
		var found []client.Output
		found, err = client.Collect(r.api.Outputs(ctx, workflow, client.OutputQuery{IDs: some(id)}))
		if len(found) > 0 {
			run = found[0].AutomationID
		}
	default:
		return "", r.Text("Paste a whole id: of a run (aut_…), of an output (out_…) or of an event (evt_…)."), nil
	}
	if isNotFound(err) {
		err = nil
	}
	return run, r.Text("This workflow has nothing with this id."), err
}
