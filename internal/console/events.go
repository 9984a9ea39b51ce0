package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/platenhq/platen/client"
)

// onEventsPage is how many events a page has: each is read with its attempts.
const onEventsPage = 25

// An event is one with its attempts.
type event struct {
	client.EventDetail
	To string // the name of its receiver; empty: it is the outgoing webhook's, or a test's
	// Wait is why it was not delivered yet; nil: it has ended, or was just sent.
	Wait *eventWait
}

type eventRow struct {
	event
	Output string // the name of its first file; empty: it has none
}

// A recovery is how far the events are that somebody has asked to deliver again.
type recovery struct {
	Of, Delivered, Waiting, Failed int
	Since                          string
}

type eventsPage struct {
	Workflow client.Workflow
	Rows     []eventRow
	State    string
	Receiver string // events for this one alone; empty: all
	chosenDays
	Newest    bool
	Next, Why string // address of the next page; why nothing is chosen
	Progress  *recovery
	Problem   saying // why nothing was delivered again
	MayWrite  bool
}

// Chosen is the query that keeps the days beside another state.
func (p eventsPage) Chosen(state string) string {
	p.State = state
	return "?" + query(p.kept()...)
}

// Of is the query of other days.
func (p eventsPage) Of(from, to string) string {
	p.From, p.To = from, to
	return "?" + query(p.kept()...)
}

// Hidden are the fields of a form that keep what was chosen.
func (p eventsPage) Hidden() [][2]string { return fieldsOf(p.kept()) }

func (p eventsPage) kept() []string {
	return []string{"state", p.State, "receiver", p.Receiver, "from", p.From, "to", p.To}
}

// events lists the events of a workflow with their attempts, the newest first.
func (s *site) events(ctx context.Context, r request) (view, error) {
	asked := r.URL.Query()
	p := eventsPage{State: asked.Get("state"), Receiver: asked.Get("receiver"), chosenDays: daysOf(asked, s.Now()), Newest: asked.Get("cursor") == ""}
	if err := r.readEvents(ctx, &p, asked.Get("cursor"), s.Now()); err != nil {
		return view{}, err
	}
	if of, err := strconv.Atoi(asked.Get("recovered")); err == nil && of >= 0 {
		if p.Progress, err = r.progress(ctx, of, asked.Get("since"), p.Receiver); err != nil {
			return view{}, err
		}
	}
	v := view{Title: r.Text("Events of %s", p.Workflow.Name), Page: p}
	if p.Newest {
		v.Live = "events:" + p.Workflow.ID
	}
	return v, nil
}

func (r request) readEvents(ctx context.Context, p *eventsPage, cursor string, now time.Time) error {
	var err error
	if p.Workflow, err = r.api.Workflow(ctx, r.workflowID()); err != nil {
		return err
	}
	p.MayWrite = r.me.Token.Write && (p.Workflow.OutgoingWebhook != nil || p.Receiver != "")
	since, until, why := days(p.From, p.To)
	if why != "" {
		p.Why = r.Text(why)
	}
	page := client.Page{Limit: onEventsPage, Cursor: cursor}
	found, err := client.Collect(r.api.Events(client.WithPage(ctx, &page), r.workflowID(), client.EventQuery{Newest: true, States: some(p.State), Receivers: some(p.Receiver), Since: since, Until: until}))
	if err != nil {
		return err
	}
	p.Next = nextPage(page, p.kept()...)
	names, err := r.namesOf(ctx, found)
	for _, e := range found {
		row := eventRow{Output: names[e.OutputID]}
		if err == nil {
			row.EventDetail, err = r.api.Event(ctx, r.workflowID(), e.ID)
		}
		p.Rows = append(p.Rows, row)
	}
	if err != nil {
		return err
	}
	waiting := make([]*event, len(p.Rows))
	for i := range p.Rows {
		waiting[i] = &p.Rows[i].event
		p.MayWrite = p.MayWrite || r.me.Token.Write && p.Rows[i].ReceiverID != ""
	}
	if err := r.nameReceivers(ctx, waiting...); err != nil {
		return err
	}
	return r.explainWaits(ctx, p.Workflow, now, waiting...)
}

// nameReceivers says to whom events go. It asks for receivers where one of the events has one;
// one that was deleted has its id.
func (r request) nameReceivers(ctx context.Context, events ...*event) error {
	if !slices.ContainsFunc(events, func(e *event) bool { return e.ReceiverID != "" }) {
		return nil
	}
	all, err := r.api.Receivers(ctx, r.workflowID())
	for _, e := range events {
		e.To = e.ReceiverID
		for _, one := range all {
			if one.ID == e.ReceiverID {
				e.To = one.Name
			}
		}
	}
	return err
}

// namesOf are the names of the first files of the outputs that events are about.
func (r request) namesOf(ctx context.Context, found []client.Event) (map[string]string, error) {
	var ids []string
	for _, e := range found {
		if e.OutputID != "" {
			ids = append(ids, e.OutputID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	outputs, err := client.Collect(r.api.Outputs(ctx, r.workflowID(), client.OutputQuery{IDs: ids}))
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, o := range outputs {
		if len(o.Files) > 0 {
			names[o.ID] = o.Files[0].Name
		}
	}
	return names, nil
}

// progress tells how far a recovery is, of a receiver or of all. What was recovered waits until
// it is delivered, or has failed again.
func (r request) progress(ctx context.Context, of int, since, receiverID string) (*recovery, error) {
	from, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return nil, nil
	}
	left, err := r.undelivered(ctx, from, receiverID)
	if err != nil {
		return nil, err
	}
	p := &recovery{Of: of, Waiting: left.Pending, Failed: left.Failed + left.Held, Since: since}
	p.Delivered = max(0, of-p.Waiting-p.Failed)
	return p, nil
}

// undelivered counts events since a time that are not delivered: of a receiver, or of all.
func (r request) undelivered(ctx context.Context, since time.Time, receiverID string) (n client.EventCounts, err error) {
	if receiverID == "" {
		return r.api.CountEvents(ctx, r.workflowID(), since)
	}
	for e, err := range r.api.Events(ctx, r.workflowID(), client.EventQuery{States: []string{"PENDING", "FAILED", "HELD"}, Receivers: some(receiverID), Since: since, Page: 1000}) {
		switch {
		case err != nil:
			return n, err
		case e.State == "PENDING":
			n.Pending++
		default:
			n.Failed++
		}
	}
	return n, nil
}

// mostRecoveries is how often one form asks for the next 10,000 events.
const mostRecoveries = 10

// recoverFailed delivers again what failed and was held since a day, and leads to the page
// that shows how far that is.
func (s *site) recoverFailed(ctx context.Context, r request) (view, error) {
	v, failed := r.recovered(ctx)
	if failed == nil {
		return v, nil
	}
	beside, above, err := r.explainForm(failed)
	if err != nil {
		return view{}, err
	}
	p := eventsPage{Newest: true, Receiver: r.typed("receiver"), Problem: above + beside["since"]}
	err = r.readEvents(ctx, &p, "", s.Now())
	return view{Title: r.Text("Events of %s", p.Workflow.Name), Page: p, status: http.StatusBadRequest}, err
}

// recovered delivers again what failed and was held since the day that was typed in, which
// begins at midnight UTC.
func (r request) recovered(ctx context.Context) (view, error) {
	since, err := time.Parse(time.DateOnly, r.typed("since"))
	if err != nil {
		return view{}, refusedField("since", r.Text("Choose a day."))
	}
	total := 0
	for range mostRecoveries {
		n, failed := r.api.RecoverEvents(ctx, r.workflowID(), client.RecoveryRequest{Since: since, ReceiverID: r.typed("receiver")})
		if failed != nil {
			return view{}, failed
		}
		total += n.Recovered
		if !n.More {
			break
		}
	}
	return view{to: r.eventsPath() + "?" + query("receiver", r.typed("receiver"), "recovered", strconv.Itoa(total), "since", since.Format(time.RFC3339))}, nil
}

func (r request) eventsPath() string { return "/console" + r.workflowPath() + "/events/" }

// redeliverOne is of any event of the workflow.
func (s *site) redeliverOne(ctx context.Context, r request) (string, error) {
	e, err := r.api.Event(ctx, r.workflowID(), r.PathValue("event"))
	if err != nil {
		return "", err
	}
	return r.redelivered(ctx, e.Event)
}
