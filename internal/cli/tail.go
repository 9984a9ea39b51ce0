package cli

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/platenhq/platen/client"
)

type tailCommand struct {
	Access
	Workflow WorkflowName `arg:"" optional:"" help:"Id of the workflow (wkf_…), or its name. Default: all that you see."`
	Since    Ago          `placeholder:"1h" help:"Begin with what was accepted so long ago at most, such as 1h or 7d, or since a time such as 2026-01-02T03:04:05Z. Default: what is accepted from now on."`
	JSON     bool         `name:"json" help:"Print one JSON object for each line."`
}

// Run goes on until it is interrupted, which is its good end.
func (c *tailCommand) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	query := client.AutomationQuery{Newest: true}
	list := func(ctx context.Context, page int) iter.Seq2[client.Automation, error] {
		query.Page = page
		return api.AllAutomations(ctx, query)
	}
	if c.Workflow != "" {
		id, err := c.Workflow.id(ctx, api)
		if err != nil {
			return err
		}
		list = func(ctx context.Context, page int) iter.Seq2[client.Automation, error] {
			query.Page = page
			return api.Automations(ctx, id, query)
		}
	}
	t := &tail{e: e, api: api, json: c.JSON, followed: map[string]*followed{}, new: recent[client.Automation]{
		list: list, since: c.Since.time(),
		key: func(a client.Automation) (string, time.Time) { return a.ID, a.AcceptedAt },
	}}
	return t.run(ctx)
}

// A tail follows automations, and the events of those that have ended.
type tail struct {
	e        *Environment
	api      *client.Client
	json     bool
	new      recent[client.Automation]
	followed map[string]*followed // by automation
}

// A followed automation is one that something may still become of.
type followed struct {
	client.Automation
	told   string            // its state
	events map[string]string // the state of each
	until  time.Time         // when it is let go; zero: it goes on
}

const (
	// mostFollowed bounds what is asked for each time; of more, only the newest are followed.
	mostFollowed = 30
	// settling is how long events of an automation that has ended may take to be made.
	settling = 10 * time.Second
)

func (t *tail) run(ctx context.Context) error {
	for first := true; ; first = false {
		err := t.look(ctx)
		pause := askPause
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (first || refused(err)):
			return err
		case err != nil:
			pause = downPause
			fmt.Fprintf(t.e.Err, "%s\nAsking again in %s.\n", Message(err), pause)
		case first:
			fmt.Fprintln(t.e.Err, "Following automations and their events. Ctrl-C ends.")
		}
		if wait(ctx, pause) != nil {
			return nil
		}
	}
}

// look prints what has changed.
func (t *tail) look(ctx context.Context) error {
	fresh, beginning, err := t.new.next(ctx)
	if err != nil {
		return err
	}
	for _, a := range fresh {
		t.follow(a)
	}
	read := map[string]bool{}
	for _, a := range beginning {
		if f := t.followed[a.ID]; f != nil {
			f.Automation, read[a.ID] = a, true
		}
	}
	byAge := func(a, b *followed) int { return a.AcceptedAt.Compare(b.AcceptedAt) }
	for _, f := range slices.SortedFunc(maps.Values(t.followed), byAge) {
		if !read[f.ID] && !f.Ended() {
			d, err := t.api.Automation(ctx, f.WorkflowID, f.ID)
			if err != nil {
				return err
			}
			f.Automation = d.Automation
		}
		if err := t.tell(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// follow lets the one go that was accepted first, if there are too many.
func (t *tail) follow(a client.Automation) {
	t.followed[a.ID] = &followed{Automation: a, events: map[string]string{}}
	if len(t.followed) <= mostFollowed {
		return
	}
	oldest := t.followed[a.ID]
	for _, f := range t.followed {
		if f.AcceptedAt.Before(oldest.AcceptedAt) {
			oldest = f
		}
	}
	delete(t.followed, oldest.ID)
}

func (t *tail) tell(ctx context.Context, f *followed) error {
	if f.State != f.told {
		f.told = f.State
		if err := t.print(line{What: "automation", ID: f.ID, State: f.State, WorkflowID: f.WorkflowID, AutomationID: f.ID, Why: why(f.Automation)}); err != nil {
			return err
		}
	}
	if len(f.Outputs) > 0 {
		if err := t.tellEvents(ctx, f); err != nil {
			return err
		}
	}
	if !f.Ended() || f.undelivered() {
		return nil
	}
	if f.until.IsZero() {
		f.until = time.Now().Add(settling)
	}
	if len(f.Outputs) == 0 || len(f.events) == len(f.Outputs) || time.Now().After(f.until) {
		delete(t.followed, f.ID)
	}
	return nil
}

func (f *followed) undelivered() bool {
	for _, state := range f.events {
		if state == "PENDING" {
			return true
		}
	}
	return false
}

func (t *tail) tellEvents(ctx context.Context, f *followed) error {
	var outputs []string
	for _, o := range f.Outputs {
		outputs = append(outputs, o.ID)
	}
	for event, err := range t.api.Events(ctx, f.WorkflowID, client.EventQuery{OutputIDs: outputs}) {
		if err != nil {
			return err
		}
		if f.events[event.ID] == event.State {
			continue
		}
		f.events[event.ID] = event.State
		l := line{What: "event", ID: event.ID, State: event.State, WorkflowID: f.WorkflowID, AutomationID: f.ID, Why: string(event.Type)}
		if event.Held != nil {
			l.Why += ": " + failure(event.Held)
		}
		if err := t.print(l); err != nil {
			return err
		}
	}
	return nil
}

// A line is one change.
type line struct {
	What         string `json:"what"` // automation, event
	ID           string `json:"id"`
	State        string `json:"state"`
	WorkflowID   string `json:"workflowId"`
	AutomationID string `json:"automationId"`
	Why          string `json:"why"`
}

func (t *tail) print(l line) error {
	if t.json {
		return printJSON(t.e.Out, l)
	}
	of := l.WorkflowID
	if l.What == "event" {
		of = l.AutomationID
	}
	state, why := Shown(l.State), Shown(l.Why)
	before := clock() + "  " + Shown(l.ID) + "  "
	behind := fmt.Sprintf("%*s  %s  ", max(0, 9-len(state)), "", Shown(of))
	if columns := t.e.columns(); columns > 0 {
		why = cut(why, max(columns-columnsIn(before+state+behind), narrowest))
	}
	_, err := fmt.Fprintln(t.e.Out, before+t.e.colored(state)+behind+why)
	return err
}
