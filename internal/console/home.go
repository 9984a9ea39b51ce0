package console

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A runRow is an automation in a list.
type runRow struct {
	automation
	// Name is the workflow's, empty where the list is of one workflow.
	Name string
	// Why it failed, waits or was skipped, in words.
	Why string
	// Odd is how many things are odd about its documents, in words.
	Odd string
}

type homePage struct {
	Recent, Failed, Waiting []runRow
	// Unsent are the runs with a mail that failed, and Mails the number of these mails, in
	// words; empty: none.
	Unsent []runRow
	Mails  string
	// Lacking are the runs with an output that was made although its event lacked a field,
	// and Empty the number of these outputs, in words; empty: none.
	Lacking []runRow
	Empty   string
	// Reused are the runs whose event reused the key of another, and Keys their number,
	// in words; empty: none.
	Reused []runRow
	Keys   string
	// How many of the last 24 hours were received and failed, and how many wait.
	Received, Failures, Waits string
	// Receivers are those in trouble; Unseen is how many were not looked at.
	Receivers []troubledReceiver
	Unseen    int
	// First are the first steps, until a document was delivered.
	First *firstSteps
}

type firstSteps struct {
	Workflow *workflow // nil: there is none that can run
	Curl     string
}

const (
	// counts is how far the first page counts.
	counts = 100
	onHome = 20 // automations of a list of the first page
	// tried is in how many workflows the first page looks for a delivery.
	tried = 20
)

// home shows what ran, what failed since yesterday and what waits.
func (s *site) home(ctx context.Context, r request) (view, error) {
	if r.me.Token.WorkflowIDs != nil {
		return view{to: consolePath + "workflows/"}, nil
	}
	live := r.watched(ctx, "all:")
	var all []workflow
	if _, err := r.get(ctx, "/workflows/?limit=1000", &all); err != nil {
		return view{}, err
	}
	names := map[string]string{}
	for _, w := range all {
		names[w.ID] = w.Name
	}
	var p homePage
	yesterday := s.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)
	for _, list := range []struct {
		into  *[]runRow
		query string
	}{
		{&p.Recent, query("order", "newest", "limit", "100")},
		{&p.Failed, query("order", "newest", "limit", "100", "state", "FAILED", "since", yesterday)},
		{&p.Unsent, query("order", "newest", "limit", "100", "mail", "FAILED", "since", yesterday)},
		{&p.Reused, query("order", "newest", "limit", "100", "state", "SKIPPED", "since", yesterday)},
		{&p.Waiting, query("order", "newest", "limit", "100", "state", "RUNNING")},
	} {
		var found []automation
		if _, err := r.get(ctx, "/automations/?"+list.query, &found); err != nil {
			return view{}, err
		}
		*list.into = rowsOf(found, names)
	}
	running := len(p.Waiting)
	p.Waiting = slices.DeleteFunc(p.Waiting, func(row runRow) bool { return len(row.WaitingFor) == 0 })
	p.Waits = fmt.Sprint(len(p.Waiting))
	if running == counts {
		p.Waits += " or more"
	}
	received := slices.IndexFunc(p.Recent, func(row runRow) bool { return timeOf(row.AcceptedAt).Before(s.Now().Add(-24 * time.Hour)) })
	if received < 0 {
		received = len(p.Recent)
	}
	p.Received, p.Failures = counted(received, counts), counted(len(p.Failed), counts)
	p.Lacking, p.Empty = madeEmpty(p.Recent[:received])
	p.Mails = unsentMails(p.Unsent)
	p.Reused = slices.DeleteFunc(p.Reused, func(row runRow) bool { return row.Reason == nil || *row.Reason != platen.ReasonKeyReused })
	if len(p.Reused) > 0 {
		p.Keys = many(len(p.Reused), "event", "events")
	}
	for _, list := range []*[]runRow{&p.Recent, &p.Failed, &p.Unsent, &p.Lacking, &p.Reused, &p.Waiting} {
		*list = (*list)[:min(len(*list), onHome)]
	}
	var err error
	if p.Receivers, p.Unseen, err = r.receivers(ctx, all, p.Recent); err != nil {
		return view{}, err
	}
	p.First, err = r.firstSteps(ctx, all)
	return view{Title: "Today", Page: p, Live: live}, err
}

// unsentMails says how many mails of runs did not go out; empty: each did.
func unsentMails(rows []runRow) string {
	n := 0
	for _, row := range rows {
		for _, o := range row.Outputs {
			if o.Mail != nil && o.Mail.State == "FAILED" {
				n++
			}
		}
	}
	switch {
	case n == 0:
		return ""
	case len(rows) == counts:
		return fmt.Sprintf("%d or more mails", n)
	}
	return many(n, "mail", "mails")
}

// madeEmpty returns the rows with outputs that were made with empty fields, and the
// number of these outputs in words; empty: none.
func madeEmpty(rows []runRow) (lacking []runRow, outputs string) {
	n := 0
	for _, row := range rows {
		before := n
		for _, o := range row.Outputs {
			if o.State == "DONE" && len(o.MissingFields) > 0 {
				n++
			}
		}
		if n > before {
			lacking = append(lacking, row)
		}
	}
	switch {
	case n == 0:
		return nil, ""
	case len(rows) == counts:
		return lacking, fmt.Sprintf("%d or more outputs", n)
	}
	return lacking, many(n, "output", "outputs")
}

// firstSteps returns nil once a document was delivered, or made in a workflow without
// an outgoing webhook.
func (r request) firstSteps(ctx context.Context, all []workflow) (*firstSteps, error) {
	var first firstSteps
	for i, w := range all[:min(len(all), tried)] {
		arrived := "/events/?limit=1&state=DELIVERED"
		if w.OutgoingWebhook == nil { // its documents are delivered to nobody
			arrived = "/outputs/?limit=1&state=DONE"
		}
		var found []struct{ ID string }
		if _, err := r.get(ctx, "/workflows/"+w.ID+arrived, &found); err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return nil, nil
		}
		if first.Workflow == nil && w.Status == "COMPLETE" {
			schemas, _ := r.schemasOf(ctx, w) // its own page says why there is none
			first = firstSteps{Workflow: &all[i], Curl: curl(w, exampleOf(schemas...))}
		}
	}
	return &first, nil
}

func (a automation) odd() string {
	var findings []failure
	for _, o := range a.Outputs {
		findings = append(findings, o.Findings...)
	}
	return oddInWords(len(a.MissingFields), findings)
}

func rowsOf(found []automation, names map[string]string) []runRow {
	rows := make([]runRow, len(found))
	for i, a := range found {
		rows[i] = runRow{automation: a, Why: why(a), Odd: a.odd()}
		if names != nil {
			rows[i].Name = names[a.WorkflowID]
			if rows[i].Name == "" {
				rows[i].Name = a.WorkflowID
			}
		}
	}
	return rows
}

type workflowRow struct {
	workflow
	Last   *runRow
	Failed int // since yesterday
	More   bool
}

type workflowsPage struct {
	Rows []workflowRow
	Next string // address of the next page
}

// onList is how many workflows a page lists: each costs two requests to /v0.
const onList = "20"

// workflows lists them with their last run, and how many failed since yesterday.
func (s *site) workflows(ctx context.Context, r request) (view, error) {
	var p workflowsPage
	var found []workflow
	if only := r.me.Token.WorkflowIDs; only != nil {
		for _, id := range only {
			var w workflow
			if _, err := r.get(ctx, "/workflows/"+id+"/", &w); err != nil {
				return view{}, err
			}
			found = append(found, w)
		}
	} else {
		next, err := r.get(ctx, "/workflows/?"+query("limit", onList, "cursor", r.URL.Query().Get("cursor")), &found)
		if err != nil {
			return view{}, err
		}
		p.Next = nextPage(next)
	}
	const most = 10
	yesterday := s.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)
	for _, w := range found {
		row := workflowRow{workflow: w}
		var last, failed []automation
		at := "/workflows/" + w.ID + "/automations/?"
		if _, err := r.get(ctx, at+"order=newest&limit=1", &last); err != nil {
			return view{}, err
		}
		if len(last) > 0 {
			row.Last = &rowsOf(last, nil)[0]
			if _, err := r.get(ctx, at+query("order", "newest", "limit", "10", "state", "FAILED", "since", yesterday), &failed); err != nil {
				return view{}, err
			}
		}
		row.Failed, row.More = len(failed), len(failed) == most
		p.Rows = append(p.Rows, row)
	}
	return view{Title: "Workflows", Page: p}, nil
}

// nextPage is the query of a page's next one, made of what /v0 said of its own.
func nextPage(next string, pairs ...string) string {
	values, err := url.ParseQuery(next)
	if err != nil || values.Get("cursor") == "" {
		return ""
	}
	return "?" + query(append(pairs, "cursor", values.Get("cursor"))...)
}

// curl is a command that sends an event to a workflow; without one, an event with the
// workflow's source fields.
func curl(w workflow, event string) string {
	if event == "" {
		event = exampleEvent(w.Source.SourceFields)
	}
	return curlTo(w.Source.WebhookURL, event)
}

func curlTo(address, event string) string {
	return "curl -H 'Content-Type: application/json' -d " + shellWord(event) + " " + shellWord(address)
}

// shellWord quotes a word for a POSIX shell.
func shellWord(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
