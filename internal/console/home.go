package console

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// A runRow is an automation in a list.
type runRow struct {
	client.Automation
	Title string // what it is called; empty: nothing but its id is known
	Name  string // the workflow's
	// Why it failed, waits or was skipped, in words.
	Why saying
	// Odd is how many things are odd about its documents, in words.
	Odd string
}

// IsUnsent tells whether it made its documents, and somebody did not get the mail about one.
func (r runRow) IsUnsent() bool { return isUnsent(r.Automation) }

func isUnsent(a client.Automation) bool {
	return a.State == "COMPLETED" && slices.ContainsFunc(a.Outputs, func(o client.Output) bool { return o.Mail.IsUndelivered() })
}

type homePage struct {
	Recent, Waiting []runRow
	Reviews         []runRow // wait for people who approve them
	// Unsent are the runs with a mail that failed, and Mails the number of these mails, in
	// words; empty: none.
	Unsent      []runRow
	UnsentMails int
	Mails       string
	// Unstored are the runs with an output that a target did not get, and Elsewhere their
	// number, in words; empty: none.
	Unstored  []runRow
	Elsewhere string
	// Unstarted are the schedules whose last moment started nothing.
	Unstarted []unstarted
	// Senders are the mail senders of the caller whose server fails.
	Senders []client.MailSender
	// Lacking are the runs with an output that was made although its event lacked a field,
	// and Empty the number of these outputs, in words; empty: none.
	Lacking []runRow
	Empty   string
	// Reused are the runs whose event reused the key of another, and Keys their number,
	// in words; empty: none.
	Reused []runRow
	Keys   string
	Waits  string // how many wait for something outside
	Chart  chart
	Causes []cause // why runs failed
	Failed int     // how many runs failed, and were not made since
	// Cured is how many failed runs were sent again, and their documents made.
	Cured int
	// CausesCut says that there are more causes than are shown; CausesMissing, that they
	// could not be read.
	CausesCut, CausesMissing bool
	// Done and DoneOf are the run whose failures somebody has just done with, and its
	// workflow; empty: none.
	Done, DoneOf string
	Newest       []pictured
	// Receivers are those in trouble; Unseen is how many were not looked at.
	Receivers []troubledReceiver
	Unseen    int
	// First are the first steps, until a document was delivered.
	First *firstSteps
}

// A pictured output is one with a PDF, with its run.
type pictured struct {
	Output outputRow
	Run    runRow
	PDF    string // its address, below the base
}

// An unstarted schedule started nothing the last time.
type unstarted struct {
	client.Schedule
	Workflow string // its name
}

type firstSteps struct {
	Workflow *client.Workflow // nil: there is none that can run
	Curl     string
	NoDrive  bool // no drive is connected for who looks
}

const (
	// counts is how far the first page counts.
	counts = 100
	onHome = 20 // automations of a list of the first page
	// soonStarted is how long an event waits for its turn until the first page says so.
	soonStarted = time.Minute
	// tried is in how many workflows the first page looks for a delivery.
	tried = 20
)

// home shows what ran, what failed since yesterday and what waits.
func (s *site) home(ctx context.Context, r request) (view, error) {
	if r.me.Token.WorkflowIDs != nil {
		return view{to: consolePath + "workflows/"}, nil
	}
	live := r.watched(ctx, "all:")
	all, err := client.Collect(r.api.Workflows(client.WithPage(ctx, &client.Page{Limit: 1000}), client.WorkflowQuery{}))
	if err != nil {
		return view{}, err
	}
	yesterday := s.Now().Add(-24 * time.Hour)
	p, err := r.readToday(ctx, yesterday, all)
	if err != nil {
		return view{}, err
	}
	// The page says what waits, also where counting takes too long.
	if err := r.readCauses(ctx, &p, yesterday, all); err != nil {
		p.CausesMissing = true
		s.Log.LogAttrs(ctx, slog.LevelWarn, "failures were not counted for a page", slog.String("error", err.Error()))
	}
	if of, run, ok := strings.Cut(r.URL.Query().Get("done"), "/"); ok && isWorkflow(of) && isAutomation(run) {
		p.DoneOf, p.Done = of, run
	}
	daily := r.URL.Query().Get("span") == "days"
	if accepted, err := r.api.CountAutomations(ctx, daily); err == nil {
		p.Chart = chartOf(r.Printer, daily, accepted)
	} else {
		p.Chart = chart{Daily: daily, Missing: true}
		s.Log.LogAttrs(ctx, slog.LevelWarn, "automations were not counted for a page", slog.String("error", err.Error()))
	}
	for _, list := range []*[]runRow{&p.Recent, &p.Unsent, &p.Unstored, &p.Lacking, &p.Reused, &p.Waiting, &p.Reviews} {
		*list = (*list)[:min(len(*list), onHome)]
	}
	if p.Receivers, p.Unseen, err = r.receivers(ctx, all, p.Recent); err != nil {
		return view{}, err
	}
	if p.First, err = r.firstSteps(ctx, all); err == nil && p.First != nil && p.First.Workflow == nil {
		p.First.NoDrive, err = s.lacksDrive(ctx, r)
	}
	return view{Title: r.Text("Today"), Page: p, Live: live, workflows: all}, err
}

// readToday reads the lists of the first page, and counts what is in them.
func (r request) readToday(ctx context.Context, yesterday time.Time, all []client.Workflow) (p homePage, err error) {
	for _, list := range []struct {
		into  *[]runRow
		query client.AutomationQuery
	}{
		{&p.Recent, client.AutomationQuery{}},
		{&p.Unsent, client.AutomationQuery{Mails: client.Undelivered(), Since: yesterday.Add(-trying)}},
		{&p.Unstored, client.AutomationQuery{Placed: some("FAILED"), Since: yesterday.Add(-trying)}},
		{&p.Reused, client.AutomationQuery{States: some("SKIPPED"), Since: yesterday}},
		{&p.Waiting, client.AutomationQuery{States: []string{"RUNNING", "ACCEPTED"}}},
		{&p.Reviews, client.AutomationQuery{States: some("REVIEW")}},
	} {
		list.query.Newest = true
		found, err := client.Collect(r.api.AllAutomations(client.WithPage(ctx, &client.Page{Limit: counts}), list.query))
		if err != nil {
			return p, err
		}
		*list.into = rowsOf(r.Printer, found, all...)
	}
	schedules, err := client.Collect(r.api.AllSchedules(client.WithPage(ctx, &client.Page{Limit: onHome}), client.ScheduleQuery{States: some("FAILED")}))
	if err != nil {
		return p, err
	}
	for _, one := range schedules {
		of := slices.IndexFunc(all, func(w client.Workflow) bool { return w.ID == one.WorkflowID })
		if of >= 0 {
			p.Unstarted = append(p.Unstarted, unstarted{one, all[of].Name})
		}
	}
	senders, err := r.api.MailSenders(ctx)
	if err != nil {
		return p, err
	}
	p.Senders = slices.DeleteFunc(senders, func(one client.MailSender) bool { return one.Error == nil })
	running := len(p.Waiting)
	late := yesterday.Add(24*time.Hour - soonStarted)
	p.Waiting = slices.DeleteFunc(p.Waiting, func(row runRow) bool {
		return len(row.WaitingFor) == 0 && (row.State != "ACCEPTED" || row.AcceptedAt.After(late))
	})
	p.Waits = strconv.Itoa(len(p.Waiting))
	if running == counts {
		p.Waits = r.Text("%d or more", len(p.Waiting))
	}
	received := slices.IndexFunc(p.Recent, func(row runRow) bool { return row.AcceptedAt.Before(yesterday) })
	if received < 0 {
		received = len(p.Recent)
	}
	p.Lacking, p.Empty = madeEmpty(r.Printer, p.Recent[:received])
	most := len(p.Unsent) == counts
	p.Unsent = slices.DeleteFunc(p.Unsent, func(row runRow) bool { return !unsentSince(row.Automation, yesterday) })
	p.UnsentMails, p.Mails = unsentMails(r.Printer, p.Unsent, most)
	p.Reused = slices.DeleteFunc(p.Reused, func(row runRow) bool { return row.Reason == nil || *row.Reason != platen.ReasonKeyReused })
	most = len(p.Unstored) == counts
	p.Unstored = slices.DeleteFunc(p.Unstored, func(row runRow) bool { return !unstoredSince(row.Automation, yesterday) })
	switch n := len(p.Unstored); {
	case most && n > 0:
		p.Elsewhere = r.Text("%d or more runs were not stored elsewhere", n)
	case n > 0:
		p.Elsewhere = r.Text("%d runs were not stored elsewhere", n)
	}
	if len(p.Reused) > 0 {
		p.Keys = r.Text("%d events had the key of another event", len(p.Reused))
	}
	p.Newest = newestPictures(p.Recent)
	return p, nil
}

// trying is how long a target or a mail server is tried before it is given up: what a run
// that began so much earlier has for them may have failed since yesterday.
const trying = 24 * time.Hour

// unstoredSince tells whether a target that did not get an output of a run was tried since then.
func unstoredSince(a client.Automation, then time.Time) bool {
	return slices.ContainsFunc(a.Outputs, func(o client.Output) bool {
		return slices.ContainsFunc(o.Targets, func(t client.Placement) bool {
			return t.State == "FAILED" && (t.TriedAt == nil || !t.TriedAt.Before(then))
		})
	})
}

// unsentSince tells whether a mail of a run that somebody did not get was tried since then.
func unsentSince(a client.Automation, then time.Time) bool {
	return slices.ContainsFunc(a.Outputs, func(o client.Output) bool {
		if !o.Mail.IsUndelivered() {
			return false
		}
		return o.Mail.TriedAt == nil && !a.AcceptedAt.Before(then) || o.Mail.TriedAt != nil && !o.Mail.TriedAt.Before(then)
	})
}

// onShelf is how many pictures of documents the first page has.
const onShelf = 6

// newestPictures are the newest outputs with a PDF: a page draws those without a password.
func newestPictures(recent []runRow) (found []pictured) {
	for _, row := range recent {
		for _, o := range row.Outputs {
			if one := (outputRow{Output: o}); (one.HasPicture() || one.IsLocked()) && len(found) < onShelf {
				found = append(found, pictured{one, row, "/console/workflows/" + row.WorkflowID + "/outputs/" + o.ID + "/pdf"})
			}
		}
	}
	return found
}

// mailsAsked are the states of mails that a list is asked for. FAILED stands for all that
// somebody did not get.
func mailsAsked(state string) []string {
	if state == "FAILED" {
		return client.Undelivered()
	}
	return some(state)
}

// unsentMails tells how many mails of runs did not go out, also in words; empty: each did.
// There may be more runs than these.
func unsentMails(in catalog.Printer, rows []runRow, more bool) (n int, inWords string) {
	for _, row := range rows {
		for _, o := range row.Outputs {
			if o.Mail.IsUndelivered() {
				n++
			}
		}
	}
	switch {
	case n == 0:
		return 0, ""
	case more:
		return n, in.Text("%d or more mails did not go out", n)
	}
	return n, in.Text("%d mails did not go out", n)
}

// madeEmpty returns the rows with outputs that were made with empty fields, and the
// number of these outputs in words; empty: none.
func madeEmpty(in catalog.Printer, rows []runRow) (lacking []runRow, outputs string) {
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
		return lacking, in.Text("%d or more outputs made with empty fields", n)
	}
	return lacking, in.Text("%d outputs made with empty fields", n)
}

// firstSteps returns nil once a document was delivered, or made in a workflow without
// an outgoing webhook.
func (r request) firstSteps(ctx context.Context, all []client.Workflow) (*firstSteps, error) {
	var first firstSteps
	for i, w := range all[:min(len(all), tried)] {
		isMade, err := r.hasMade(ctx, w)
		if err != nil || isMade {
			return nil, err
		}
		if first.Workflow == nil && w.Status == "COMPLETE" {
			// Its own page says why there is no schema.
			first = firstSteps{Workflow: &all[i], Curl: curl(w, exampleOf(r.keptCheckOf(ctx, w).all...))}
		}
	}
	return &first, nil
}

// lacksDrive tells whether no drive is connected for who asks: no template can be kept then.
func (s *site) lacksDrive(ctx context.Context, r request) (bool, error) {
	if s.HasDrive == nil {
		return false, nil
	}
	has, err := s.HasDrive(ctx, r.me.User.ID)
	return !has, err
}

// hasMade tells whether a document of the workflow was delivered or, without a receiver,
// made.
func (r request) hasMade(ctx context.Context, w client.Workflow) (bool, error) {
	ctx = client.WithPage(ctx, &client.Page{Limit: 1})
	if w.OutgoingWebhook == nil {
		found, err := client.Collect(r.api.Outputs(ctx, w.ID, client.OutputQuery{States: some("DONE")}))
		return len(found) > 0, err
	}
	found, err := client.Collect(r.api.Events(ctx, w.ID, client.EventQuery{States: some("DELIVERED")}))
	return len(found) > 0, err
}

func oddOf(in catalog.Printer, a client.Automation) string {
	var findings []client.PDFFinding
	for _, o := range a.Outputs {
		findings = append(findings, o.Findings...)
	}
	return oddInWords(in, len(a.MissingFields), findings)
}

// rowsOf are the rows of runs of these workflows.
func rowsOf(in catalog.Printer, found []client.Automation, of ...client.Workflow) []runRow {
	workflows := make(map[string]client.Workflow, len(of))
	for _, w := range of {
		workflows[w.ID] = w
	}
	rows := make([]runRow, len(found))
	for i, a := range found {
		w := workflows[a.WorkflowID]
		rows[i] = runRow{Automation: a, Title: runTitle(a, w), Name: cmp.Or(w.Name, a.WorkflowID), Why: why(in, a), Odd: oddOf(in, a)}
	}
	return rows
}

type workflowRow struct {
	client.Workflow
	Last   *runRow
	Failed int // since yesterday
	More   bool
}

type workflowsPage struct {
	Rows    []workflowRow
	Next    string // address of the next page
	NoDrive bool   // there is none, and no template can be kept
}

// onList is how many workflows a page lists: each costs two requests to /v0.
const onList = 20

// workflows lists them with their last run, and how many failed since yesterday.
func (s *site) workflows(ctx context.Context, r request) (view, error) {
	var p workflowsPage
	var found []client.Workflow
	if only := r.me.Token.WorkflowIDs; only != nil {
		for _, id := range only {
			w, err := r.api.Workflow(ctx, id)
			if err != nil {
				return view{}, err
			}
			found = append(found, w)
		}
	} else {
		page := client.Page{Limit: onList, Cursor: r.URL.Query().Get("cursor")}
		var err error
		if found, err = client.Collect(r.api.Workflows(client.WithPage(ctx, &page), client.WorkflowQuery{})); err != nil {
			return view{}, err
		}
		p.Next = nextPage(page)
	}
	const most = 10
	yesterday := s.Now().Add(-24 * time.Hour)
	for _, w := range found {
		row := workflowRow{Workflow: w}
		last, err := r.newestRuns(ctx, w.ID, 1, client.AutomationQuery{})
		if err != nil {
			return view{}, err
		}
		var failed []client.Automation
		if len(last) > 0 {
			row.Last = &rowsOf(r.Printer, last, w)[0]
			if failed, err = r.newestRuns(ctx, w.ID, most, client.AutomationQuery{States: some("FAILED"), Since: yesterday}); err != nil {
				return view{}, err
			}
		}
		row.Failed, row.More = len(failed), len(failed) == most
		p.Rows = append(p.Rows, row)
	}
	var err error
	if len(p.Rows) == 0 {
		p.NoDrive, err = s.lacksDrive(ctx, r)
	}
	return view{Title: r.Text("Workflows"), Page: p}, err
}

// newestRuns are so many of a workflow, the newest first.
func (r request) newestRuns(ctx context.Context, workflowID string, most int, q client.AutomationQuery) ([]client.Automation, error) {
	q.Newest = true
	return client.Collect(r.api.Automations(client.WithPage(ctx, &client.Page{Limit: most}), workflowID, q))
}

// nextPage is the query of a page's next one; empty: there is none.
func nextPage(page client.Page, pairs ...string) string {
	if page.Next == "" {
		return ""
	}
	return "?" + query(append(pairs, "cursor", page.Next)...)
}

// some are the values of a filter, where one is chosen; an empty one is none.
func some(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// curl is a command that sends an event to a workflow; without one, an event with the
// workflow's source fields.
func curl(w client.Workflow, event string) string {
	if event == "" {
		event = exampleEvent(w.Source.Fields)
	}
	return curlTo(w.Source.URL, event)
}

func curlTo(address, event string) string {
	return "curl -H 'Content-Type: application/json' -d " + shellWord(event) + " " + shellWord(address)
}

// shellWord quotes a word for a POSIX shell.
func shellWord(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
