package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

func platenID(kind, id string) bool { return platen.IsID(ids[kind], id) }

// isNotFound tells whether /v0 has no such thing for the caller.
func isNotFound(err error) bool {
	return strings.HasSuffix(client.CodeOf(err), "_not_found")
}

type runsPage struct {
	Workflow client.Workflow
	Rows     []runRow
	State    string
	Mail     string // FAILED: runs with a mail that failed; empty: all
	Target   string // FAILED: runs with an output that a target did not get; empty: all
	Test     string // true: tests; empty: everything else
	chosenDays
	Newest  bool
	Next    string
	Problem saying // what is wrong with the days
}

// Chosen is the query for another state, of tests or of everything else, of the same days.
func (p runsPage) Chosen(state, test string) string {
	p.State, p.Test, p.Mail, p.Target = state, test, "", ""
	return "?" + query(p.kept()...)
}

// Unsent is the query for runs of these days with a mail that failed.
func (p runsPage) Unsent() string {
	p.State, p.Test, p.Mail, p.Target = "", "", "FAILED", ""
	return "?" + query(p.kept()...)
}

// Of is the query of other days.
func (p runsPage) Of(from, to string) string {
	p.From, p.To = from, to
	return "?" + query(p.kept()...)
}

// Hidden are the fields of a form that keep what was chosen.
func (p runsPage) Hidden() [][2]string { return fieldsOf(p.kept()) }

func (p runsPage) kept() []string {
	return []string{"state", p.State, "mail", p.Mail, "target", p.Target, "test", p.Test, "from", p.From, "to", p.To}
}

// runs lists the automations of a workflow, the newest first.
func (s *site) runs(ctx context.Context, r request) (view, error) {
	asked := r.URL.Query()
	p := runsPage{State: asked.Get("state"), Mail: asked.Get("mail"), Target: placedAsked(asked), Test: testTab(asked), chosenDays: daysOf(asked, s.Now()), Newest: asked.Get("cursor") == ""}
	var live string
	if p.Newest {
		live = r.watched(ctx, liveRuns(p.Test)+r.PathValue("workflow"))
	}
	var err error
	if p.Workflow, err = r.api.Workflow(ctx, r.workflowID()); err != nil {
		return view{}, err
	}
	since, until, why := days(p.From, p.To)
	if why != "" {
		p.Problem = own(r.Text(why))
	}
	page := client.Page{Limit: onPage, Cursor: asked.Get("cursor")}
	found, err := client.Collect(r.api.Automations(client.WithPage(ctx, &page), r.workflowID(), client.AutomationQuery{Newest: true, Since: since, Until: until, States: some(p.State), Mails: mailsAsked(p.Mail), Placed: some(p.Target), Test: p.Test != ""}))
	if err != nil {
		return view{}, err
	}
	p.Next, p.Rows = nextPage(page, p.kept()...), rowsOf(r.Printer, found, p.Workflow)
	return view{Title: r.Text("Runs of %s", p.Workflow.Name), Page: p, Live: live}, nil
}

// testTab is true where a page is to show tests; else empty.
func testTab(asked url.Values) string {
	if asked.Get("test") == "true" {
		return "true"
	}
	return ""
}

// liveRuns is what a page of runs, or of their outputs, watches of a workflow.
func liveRuns(test string) string {
	if test != "" {
		return "tests:"
	}
	return "runs:"
}

// A moment is an entry of a run's timeline.
type moment struct {
	At   time.Time
	Took string // empty: it took no time
	Text saying
	Bad  bool
}

type runPage struct {
	client.AutomationDetail
	Workflow client.Workflow
	Why      saying
	Rows     []outputRow
	Made     []shownOutput // the same, with their pages
	Unsent   []unsentMail  // those that somebody did not get who should
	Events   []event
	Timeline []moment
	Lanes    []lane // the same, as far as it took time
	// SentAgain are the newest runs of its data, as it was changed; SentOf is the run that
	// this one was made of, empty: of none.
	SentAgain []runRow
	SentOf    string
	Data      []dataPart   // source data, once it was asked for
	Wrong     []wrongValue // of the data
	Shown     bool
	// MaySend says that its data can be sent again; Again is the data as it was changed
	// in the form, and AgainProblem why it was not sent. Once tells a form that was sent
	// twice from two that are alike.
	MaySend      bool
	Again, Once  string
	AgainProblem saying
	Ended        bool
	// AgainOpen says that somebody is to send its data again.
	AgainOpen bool
	// Erased says since when there is no data any more, and what stays; empty: there is
	// data.
	Erased saying
}

// An unsentMail is one about an output that somebody did not get who should.
type unsentMail struct {
	client.Mail
	Output    outputRow
	Addresses []client.Recipient // who did not get it; empty: nobody knows, or nobody did
}

// mostUnsent is of how many mails a page shows the addresses: each costs a request.
const mostUnsent = 5

// IsUnsent tells whether the run made its documents, and somebody did not get the mail about one.
func (p runPage) IsUnsent() bool { return isUnsent(p.Automation) }

// readUnsent finds the mails that somebody did not get, and who that is.
func (r request) readUnsent(ctx context.Context, p *runPage) error {
	for _, row := range p.Rows {
		if !row.Mail.IsUndelivered() || len(p.Unsent) == mostUnsent {
			continue
		}
		one := unsentMail{Mail: *row.Mail, Output: row}
		sent, err := r.api.Mails(ctx, r.workflowID(), row.ID)
		if err != nil && !isNotFound(err) {
			return err
		}
		for _, m := range sent {
			if m.Number == one.Number {
				one.Addresses = slices.DeleteFunc(m.Addresses, func(a client.Recipient) bool { return a.State == "ACCEPTED" })
			}
		}
		p.Unsent = append(p.Unsent, one)
	}
	return nil
}

// ofData are the errors that the same data bring about again, unless what their
// addresses lead to has changed.
var ofData = []string{
	"data_unusable", "fields_missing", "output_folder_field_missing", "output_folder_empty", "pdf_password_field_missing", "pdf_password_empty",
	"number_too_large", "code_unusable", "code_too_long", "alt_too_long", "link_unusable", "list_too_long", "chart_too_large", "markdown_too_large", "html_too_large", "include_too_many",
	"address_unusable", "picture_unusable", "picture_too_large", "pictures_too_large", "too_many_pictures",
	"no_slides", "too_many_slides", "document_too_large", "template_too_costly", "pdf_password_unprintable",
}

// InForm is the form of a template that fails, else of the first, filled with the run's
// data; empty: nobody can send that again here.
func (p runPage) InForm() string {
	if !p.MaySend || p.Erased != "" || len(p.Workflow.Documents) == 0 {
		return ""
	}
	of := p.Workflow.Documents[0]
	for _, o := range p.Outputs {
		i := slices.IndexFunc(p.Workflow.Documents, func(d client.Document) bool { return d.ID == o.DocumentID })
		if o.Error != nil && i >= 0 {
			of = p.Workflow.Documents[i]
			break
		}
	}
	return of.PreviewURL + "&of=" + p.ID
}

// RetryFails tells whether every document failed by the data, which a retry takes again.
func (p runPage) RetryFails() bool {
	if p.Error == nil || !slices.Contains(ofData, p.Error.Code) {
		return false
	}
	return !slices.ContainsFunc(p.Outputs, func(o client.Output) bool {
		return o.State == "FAILED" && (o.Error == nil || !slices.Contains(ofData, o.Error.Code))
	})
}

// Said tells whether the page says at its top why an output failed.
func (p runPage) Said(why *client.Failure) bool {
	return p.Error != nil && why != nil && *p.Error == *why
}

// Title is what the run is called; empty: nothing but its id is known.
func (p runPage) Title() string { return runTitle(p.Automation, p.Workflow) }

// messages are why it and its documents failed.
func (p runPage) messages() (all []string) {
	for _, o := range p.Outputs {
		if o.Error != nil && !slices.Contains(all, o.Error.Message) {
			all = append(all, o.Error.Message)
		}
	}
	if p.Error != nil && !slices.Contains(all, p.Error.Message) {
		all = append(all, p.Error.Message)
	}
	return all
}

// mostEvents is how many events a page shows with their attempts.
const mostEvents = 30

// run shows what became of an automation, step by step.
func (s *site) run(ctx context.Context, r request) (view, error) {
	p := runPage{AgainOpen: r.URL.Query().Get("form") == "again", Shown: r.URL.Query().Get("data") == "shown", MaySend: s.Hooks != nil && r.me.Token.Write, Once: rand.Text()}
	live := r.watched(ctx, "run:"+r.PathValue("workflow")+"/"+r.PathValue("automation"))
	var err error
	if p.Workflow, err = r.api.Workflow(ctx, r.workflowID()); err != nil {
		return view{}, err
	}
	if p.AutomationDetail, err = r.api.Automation(ctx, r.workflowID(), r.runID()); err != nil {
		return view{}, err
	}
	if p.Rows, err = r.withEvents(ctx, p.Workflow, p.Outputs); err != nil {
		return view{}, err
	}
	for _, row := range p.Rows {
		for _, of := range row.events() {
			if len(p.Events) == mostEvents {
				break
			}
			e, err := r.api.Event(ctx, r.workflowID(), of)
			if err != nil {
				return view{}, err
			}
			p.Events = append(p.Events, event{EventDetail: e})
		}
	}
	if err := r.nameReceivers(ctx, pointers(p.Events)...); err != nil {
		return view{}, err
	}
	if err := r.explainWaits(ctx, p.Workflow, s.Now(), pointers(p.Events)...); err != nil {
		return view{}, err
	}
	if err := r.readSentAgain(ctx, &p); err != nil {
		return view{}, err
	}
	if err := r.readUnsent(ctx, &p); err != nil {
		return view{}, err
	}
	p.Lanes = lanesOf(r.Printer, p, s.Now())
	p.Why, p.Ended, p.Timeline = why(r.Printer, p.Automation), p.FinishedAt != nil, timeline(r.Printer, p)
	p.Erased = erasedInWords(r.Printer, p.Automation)
	p.Made = s.shownOutputs(r.Printer, p)
	if err := r.readCorrections(ctx, &p); err != nil {
		return view{}, err
	}
	if p.Shown && p.Erased == "" {
		var indented strings.Builder
		p.Again = indent(&indented, p.SourceData)
		p.Data, p.Wrong = markValues(p.Again, p.messages())
	}
	return view{Title: cmp.Or(p.Title(), r.Text("Run %s", p.ID)), Page: p, Live: live}, nil
}

// readSentAgain finds the runs that were made of this one, and the one that this was made of.
func (r request) readSentAgain(ctx context.Context, p *runPage) error {
	if of := sentAgain.FindStringSubmatch(p.RequestID); of != nil {
		p.SentOf = of[1]
	}
	found, err := r.newestRuns(ctx, r.workflowID(), 5, client.AutomationQuery{RequestID: sentAgainAs(p.ID), Test: p.Test})
	p.SentAgain = rowsOf(r.Printer, found, p.Workflow)
	return err
}

func pointers(events []event) []*event {
	all := make([]*event, len(events))
	for i := range events {
		all[i] = &events[i]
	}
	return all
}

func indent(into *strings.Builder, data json.RawMessage) string {
	encoder := json.NewEncoder(into)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(data) != nil {
		return string(data)
	}
	return into.String()
}

// timeline is everything that the database knows of a run, in the order of time.
func timeline(in catalog.Printer, p runPage) []moment {
	all := []moment{{At: p.AcceptedAt, Text: own(in.Text("The event was received and stored"))}}
	if p.StartedAt != nil {
		text := in.Text("Started")
		if p.Attempt > 1 {
			text = in.Text("Attempt %d started", p.Attempt)
		}
		all = append(all, moment{At: *p.StartedAt, Took: took(in, p.AcceptedAt, *p.StartedAt), Text: own(text)})
	}
	for _, o := range p.Rows {
		name := cmp.Or(o.Template, o.DocumentID)
		switch o.State {
		case "DONE":
			all = append(all, moment{At: o.UpdatedAt, Took: took(in, o.CreatedAt, o.UpdatedAt), Text: own(in.Text("Made from %s", name))})
		case "FAILED":
			all = append(all, moment{At: o.UpdatedAt, Took: took(in, o.CreatedAt, o.UpdatedAt), Text: own(in.Text("Could not be made from %s", name)), Bad: true})
		}
	}
	for _, e := range p.Events {
		for _, d := range e.Deliveries {
			m := moment{At: d.At, Took: seconds(in, time.Duration(d.DurationMS)*time.Millisecond)}
			switch {
			case d.Delivered:
				m.Text = own(in.Text("Delivered at attempt %d", d.Attempt))
			case d.Failure != nil:
				m.Text, m.Bad = sentences(own(in.Text("Attempt %d to deliver failed:", d.Attempt)), theirs(in, "", *d.Failure)), true
			}
			all = append(all, m)
		}
	}
	if p.CancelRequestedAt != nil {
		all = append(all, moment{At: *p.CancelRequestedAt, Text: own(in.Text("Somebody asked to cancel it"))})
	}
	if p.FinishedAt != nil {
		all = append(all, moment{At: *p.FinishedAt, Took: took(in, p.AcceptedAt, *p.FinishedAt), Text: own(in.Text("Ended: %s", stateInWords(in, p.State))), Bad: p.State == "FAILED"})
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.At.Compare(b.At) })
	return all
}

func (r request) runPage() string {
	return "/console" + r.workflowPath() + "/runs/" + r.PathValue("automation") + "/"
}

// changeRun retries, cancels or erases an automation, or says that it is done with.
func (s *site) changeRun(ctx context.Context, r request) (string, error) {
	var err error
	switch r.PathValue("verb") {
	case "done":
		_, err = r.api.MarkFailuresDone(ctx, r.workflowID(), r.runID())
		return "/?" + query("done", r.workflowID()+"/"+r.runID()) + "#done", err
	case "reopen":
		_, err = r.api.ReopenFailures(ctx, r.workflowID(), r.runID())
		return "/#failed", err
	case "retry":
		_, err = r.api.RetryAutomation(ctx, r.workflowID(), r.runID())
	case "cancel":
		_, err = r.api.CancelAutomation(ctx, r.workflowID(), r.runID())
	case "erase":
		if _, err = r.api.Automation(ctx, r.workflowID(), r.runID()); err == nil {
			err = r.certain()
		}
		if err == nil {
			_, err = r.api.EraseAutomation(ctx, r.workflowID(), r.runID())
		}
	default:
		err = errNoPage
	}
	return r.runPage(), unlessErased(err)
}

// unlessErased leads back to the run's page, which says that there is no data for what
// was asked for.
func unlessErased(err error) error {
	if client.CodeOf(err) == platen.CodeDataErased {
		return nil
	}
	return err
}

// redelivered delivers an event again, and leads to it on the page of its run.
func (r request) redelivered(ctx context.Context, e client.Event) (string, error) {
	page := "/console" + r.workflowPath() + "/runs/" + e.AutomationID + "/"
	if _, err := r.api.RedeliverEvent(ctx, r.workflowID(), e.ID); err != nil {
		return page, unlessErased(err)
	}
	return page + "#" + e.ID, nil
}

// revokeLinks ends the links of the mails about an output of this run.
func (s *site) revokeLinks(ctx context.Context, r request) (string, error) {
	output := r.PathValue("output")
	if _, err := r.api.RevokeMailLinks(ctx, r.workflowID(), output); err != nil {
		return "", err
	}
	return r.runPage() + "#mail-" + output, nil
}

// mailAgain sends an output of this run by mail again, to whom the form names.
func (s *site) mailAgain(ctx context.Context, r request) (string, error) {
	output := r.PathValue("output")
	if _, err := r.api.MailOutput(client.WithIdempotencyKey(ctx, r.typed("once")), r.workflowID(), output, client.MailRequest{To: r.typed("to")}); err != nil {
		return r.runPage(), unlessErased(err)
	}
	return r.runPage() + "#mail-" + output, nil
}

// storeAgain has an output of this run stored at a target again.
func (s *site) storeAgain(ctx context.Context, r request) (string, error) {
	output := r.PathValue("output")
	if _, err := r.api.StoreOutput(ctx, r.workflowID(), output, r.PathValue("target")); err != nil {
		return r.runPage(), unlessErased(err)
	}
	return r.runPage() + "#targets-" + output, nil
}

// redeliver is of an event of this run alone.
func (s *site) redeliver(ctx context.Context, r request) (string, error) {
	e, err := r.api.Event(ctx, r.workflowID(), r.PathValue("event"))
	if err != nil {
		return "", err
	}
	if e.AutomationID != r.PathValue("automation") {
		return "", errNoPage
	}
	return r.redelivered(ctx, e.Event)
}
