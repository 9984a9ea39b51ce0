package console

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// A number is how many there are of something.
type number struct {
	Name, Email string // Email: of a user whose id is the name
	N           int
}

// byNumber are numbers by name, the largest first, at most ten.
func byNumber(of map[string]int) []number {
	all := make([]number, 0, len(of))
	for name, n := range of {
		if n > 0 {
			all = append(all, number{Name: name, N: n})
		}
	}
	slices.SortFunc(all, func(a, b number) int { return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name)) })
	return all[:min(len(all), 10)]
}

type pauseRow struct {
	platen.Pause
	Email string // of the user
}

// What says what a pause holds, without its name.
func (p pauseRow) What() string {
	return map[platen.PauseScope]string{platen.PauseAll: "all automations", platen.PauseTeam: "a team", platen.PauseUser: "a user", platen.PauseWorkflow: "a workflow"}[p.Scope]
}

type overviewPage struct {
	Status
	Failed                                   int
	Codes, Owners, Waits, Receivers, Clients []number
	Held                                     []pauseRow
}

func (s *site) operatorOverview(ctx context.Context, _ request) (view, error) {
	found, err := s.Operators.Status(ctx)
	if err != nil {
		return view{}, err
	}
	p := overviewPage{Status: found, Codes: byNumber(found.FailedByCode), Owners: byNumber(found.FailedByOwner), Waits: byNumber(found.Parked), Receivers: byNumber(found.Endpoints), Clients: byNumber(found.Connections)}
	for _, n := range found.FailedByCode {
		p.Failed += n
	}
	users := slices.Collect(maps.Keys(found.FailedByOwner))
	for _, pause := range found.Pauses {
		p.Held = append(p.Held, pauseRow{Pause: pause})
		users = append(users, pause.ID, pause.By)
	}
	emails, err := s.Operators.EmailsOf(ctx, users)
	if err != nil {
		return view{}, err
	}
	for i, o := range p.Owners {
		p.Owners[i].Email = emails[o.Name]
	}
	for i, held := range p.Held {
		p.Held[i].Email, p.Held[i].By = emails[held.ID], cmp.Or(emails[held.By], held.By)
	}
	return view{Title: "Overview", Page: p}, nil
}

// OldestAgeInWords is how long the oldest automation that is not paused has waited.
func (p overviewPage) OldestAgeInWords() string { return seconds(catalog.Printer{}, p.OldestAge) }

func (s *site) askResume(ctx context.Context, r request) (confirmation, error) {
	found, err := s.Operators.Status(ctx)
	if err != nil {
		return confirmation{}, err
	}
	scope, id := platen.PauseScope(r.FormValue("scope")), r.FormValue("id")
	for _, pause := range found.Pauses {
		if pause.Scope == scope && pause.ID == id {
			what := pauseRow{Pause: pause}.What()
			return confirmation{
				Title: "Resume " + what, Of: id, Button: "Resume", Back: operatorPath, Fields: map[string]string{"scope": string(scope), "id": id},
				Lines: []string{"What waits starts in the order in which it came, unless another pause holds it."},
			}, nil
		}
	}
	return confirmation{}, errNoPage
}

func (s *site) resume(ctx context.Context, r request) (string, error) {
	return operatorPath, s.Operators.Resume(ctx, platen.PauseScope(r.typed("scope")), r.typed("id"))
}

func (s *site) operatorKeys(ctx context.Context, _ request) (view, error) {
	found, err := s.Operators.KeyUses(ctx)
	return view{Title: "Keys", Page: found}, err
}

// A retention is what the workers of one setting keep.
type retention struct {
	Data, Outputs string
	Workers       int
}

type retentionPage struct {
	Settings   []retention
	Audit      string
	OldestData *time.Time
	Erasures   int
}

func (s *site) operatorRetention(ctx context.Context, _ request) (view, error) {
	found, err := s.Operators.Status(ctx)
	if err != nil {
		return view{}, err
	}
	p := retentionPage{Audit: kept(found.AuditRetention), OldestData: found.OldestData, Erasures: found.Erasures}
	for _, w := range found.WorkersNow {
		of := retention{Data: kept(w.Settings.RetentionData), Outputs: kept(w.Settings.RetentionOutputs)}
		i := slices.IndexFunc(p.Settings, func(r retention) bool { return r.Data == of.Data && r.Outputs == of.Outputs })
		if i < 0 {
			p.Settings, i = append(p.Settings, of), len(p.Settings)
		}
		p.Settings[i].Workers++
	}
	return view{Title: "Retention", Page: p}, nil
}

// kept says for how long something is kept.
func kept(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == 0:
		return "for ever"
	case d%day == 0:
		return strconv.Itoa(int(d/day)) + " days"
	}
	return strings.TrimSuffix(d.String(), "0m0s")
}

// An entryRow is an audit entry with the e-mail addresses of its users.
type entryRow struct {
	platen.AuditEntry
	ActorEmail, OwnerEmail string
}

type auditPage struct {
	Rows               []entryRow
	User, Workflow     string
	From, To, NotFound string
	Newest             bool
	Next               string
}

func (s *site) operatorAudit(ctx context.Context, r request) (view, error) {
	asked := r.URL.Query()
	p := auditPage{User: strings.TrimSpace(asked.Get("user")), Workflow: strings.TrimSpace(asked.Get("workflow")), From: asked.Get("from"), To: asked.Get("to")}
	v := view{Title: "Audit"}
	q := platen.AuditQuery{Page: platen.Page{Limit: operatorPageSize + 1, Newest: true, After: positionOf(asked.Get("before"))}, UserID: p.User, WorkflowID: p.Workflow}
	p.Newest = q.After == (platen.Position{})
	since, until, why := days(p.From, p.To)
	switch {
	case why != "":
		p.NotFound = why
	case p.Workflow != "" && !platen.IsID(platen.PrefixWorkflow, p.Workflow):
		p.NotFound = "The id of a workflow begins with wkf_. Its page and its address have it."
	}
	if p.NotFound != "" {
		v.Page = p
		return v, nil
	}
	q.Since, q.Until = since, until
	found, err := s.Operators.AuditEntries(ctx, q)
	if said, _, other := refusal(err); err != nil && other == nil {
		p.NotFound = said
		v.Page = p
		return v, nil
	}
	if err != nil {
		return view{}, err
	}
	found, more := pageOf(found)
	var users []string
	for _, e := range found {
		users = append(users, e.Actor.ID, e.OwnerID)
	}
	emails, err := s.Operators.EmailsOf(ctx, users)
	if err != nil {
		return view{}, err
	}
	for _, e := range found {
		row := entryRow{AuditEntry: e, OwnerEmail: emails[e.OwnerID]}
		if e.Actor.Kind == platen.ActorUser {
			row.ActorEmail = emails[e.Actor.ID]
		}
		p.Rows = append(p.Rows, row)
	}
	if more {
		last := found[len(found)-1]
		p.Next = "?" + query("user", p.User, "workflow", p.Workflow, "from", p.From, "to", p.To, "before", last.At.Format(time.RFC3339Nano)+" "+last.ID)
	}
	v.Page = p
	return v, nil
}

// Newer is the query of the first page.
func (p auditPage) Newer() string {
	return "?" + query("user", p.User, "workflow", p.Workflow, "from", p.From, "to", p.To)
}

// positionOf reads where a page of the audit ends; what is none is the beginning.
func positionOf(text string) platen.Position {
	at, id, _ := strings.Cut(text, " ")
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil || !platen.IsID(platen.PrefixAudit, id) {
		return platen.Position{}
	}
	return platen.Position{CreatedAt: when, ID: id}
}
