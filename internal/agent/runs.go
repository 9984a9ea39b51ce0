package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

const (
	// patience is how long start_run waits for documents.
	patience = 30 * time.Second
	// usualRuns and mostRuns are how many a list holds.
	usualRuns, mostRuns = 20, 100
)

type newRun struct {
	ofWorkflow
	Data      object `json:"data" jsonschema:"the event: one JSON object as describe_workflow asks for it"`
	Real      bool   `json:"real,omitempty" jsonschema:"true: documents count, mails and events go out, numbers are drawn; false: a test"`
	Reference string `json:"reference,omitempty" jsonschema:"what the caller calls the run, such as an order's number; no name of a person"`
	Key       string `json:"key,omitempty" jsonschema:"the same data under the same key is one run, for four days; give one, so that a repeated call makes nothing twice"`
}

type run struct {
	ID         string      `json:"id"`
	Workflow   string      `json:"workflow" jsonschema:"its id"`
	State      string      `json:"state" jsonschema:"ACCEPTED, RUNNING, REVIEW (a document waits for people who approve it), COMPLETED, FAILED, SKIPPED or CANCELLED"`
	Test       bool        `json:"test"`
	AcceptedAt time.Time   `json:"acceptedAt"`
	Reference  string      `json:"reference,omitempty"`
	Missing    []string    `json:"missingFields,omitempty" jsonschema:"names of tags that the data has no field for"`
	Failure    *failure    `json:"failure,omitempty"`
	WaitsFor   []waiting   `json:"waitsFor,omitempty"`
	Documents  []made      `json:"documents"`
	Withheld   string      `json:"withheld,omitempty" jsonschema:"what the access token does not let agents see"`
	Skipped    []leftAside `json:"skipped,omitempty"`
}

// A failure is an error's code with what the docs say of it.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
	section
}

type waiting struct {
	failure
	Step  string    `json:"step"`
	Since time.Time `json:"since"`
	Tries int       `json:"tries"`
}

type made struct {
	Output   string   `json:"output" jsonschema:"its id"`
	Document string   `json:"document"`
	State    string   `json:"state" jsonschema:"PENDING, REVIEW (it waits for people who approve it), DONE or FAILED"`
	Name     string   `json:"name,omitempty"`
	Links    []string `json:"links,omitempty"`
	Mail     string   `json:"mail,omitempty" jsonschema:"what became of the latest mail about it: PENDING, SENT, PARTLY_SENT, FAILED, BOUNCED, NOT_SENT"`
	Findings []string `json:"findings,omitempty" jsonschema:"what the PDF does not show as its template has it"`
	Failure  *failure `json:"failure,omitempty"`
}

type leftAside struct {
	Document string `json:"document,omitempty"`
	Receiver string `json:"receiver,omitempty"`
	Part     string `json:"part"`
	When     string `json:"when" jsonschema:"the condition that was false"`
}

// withheld is what an answer lacks without the scope.
const withheld = "source data and places in it, names and links of outputs, and messages of errors: the access token lacks the scope personal"

func (s server) failure(f *client.Failure) *failure {
	if f == nil {
		return nil
	}
	out := &failure{Code: f.Code}
	out.section, _ = sectionOf(f.Code)
	if s.token.Personal {
		out.Message = f.Message // which may have a value of the data
	}
	return out
}

func (s server) run(a client.Automation) run {
	out := run{ID: a.ID, Workflow: a.WorkflowID, State: a.State, Test: a.Test, AcceptedAt: a.AcceptedAt, Missing: a.MissingFields, Failure: s.failure(a.Error), Documents: []made{}}
	if a.Reference != nil {
		out.Reference = *a.Reference
	}
	if !s.token.Personal {
		out.Withheld = withheld
	}
	for _, w := range a.WaitingFor {
		out.WaitsFor = append(out.WaitsFor, waiting{failure: *s.failure(&client.Failure{Code: w.Code, Message: w.Message}), Step: w.Step, Since: w.Since, Tries: w.Tries})
	}
	for _, o := range a.Outputs {
		out.Documents = append(out.Documents, s.made(o))
	}
	for _, skipped := range a.Skipped {
		out.Skipped = append(out.Skipped, leftAside{Document: skipped.DocumentID, Receiver: skipped.Receiver, Part: skipped.Part, When: skipped.When})
	}
	return out
}

func (s server) made(o client.Output) made {
	out := made{Output: o.ID, Document: o.DocumentID, State: o.State, Failure: s.failure(o.Error)}
	for _, f := range o.Findings {
		out.Findings = append(out.Findings, f.Message)
	}
	if o.Mail != nil {
		out.Mail = o.Mail.State
	}
	if s.token.Personal {
		if o.Name != nil {
			out.Name = *o.Name
		}
		for _, f := range o.Files {
			out.Links = append(out.Links, f.URL)
		}
	}
	return out
}

func (s server) startRun(ctx context.Context, in newRun) (run, error) {
	w, err := s.workflow(ctx, in.Workflow)
	if err != nil {
		return run{}, err
	}
	if in.Data.RawMessage == nil {
		return run{}, errors.New("data is needed: the event, one JSON object; describe_workflow shows its schema")
	}
	address := w.Source.TestURL
	if in.Real {
		// The address of a source is enough to send to it, and a token that may only read
		// shows it.
		if !s.token.Write {
			return run{}, &client.Error{Code: "scope_missing", Detail: "A real run needs an access token with the scope write; this one may make tests."}
		}
		address = w.Source.URL
	}
	ctx = client.WithRequestID(ctx, "agent-"+strings.ToLower(rand.Text()))
	if in.Reference != "" {
		ctx = client.WithReference(ctx, in.Reference)
	}
	if in.Key != "" {
		ctx = client.WithIdempotencyKey(ctx, in.Key)
	}
	a, err := s.api.SendWaiting(ctx, address, []byte(in.Data.RawMessage), patience)
	if err != nil {
		return run{}, err
	}
	if a.ID == "" {
		return run{}, errors.New("the event is accepted, and the service could not say which run it is: find_runs shows it; do not send it again")
	}
	return s.run(a), nil
}

type runsWanted struct {
	Workflow  string    `json:"workflow,omitempty" jsonschema:"id of the workflow (wkf_…), or its name; without it of all workflows"`
	States    []string  `json:"states,omitempty" jsonschema:"any of ACCEPTED, RUNNING, REVIEW, COMPLETED, FAILED, SKIPPED, CANCELLED; empty: any"`
	Reference string    `json:"reference,omitempty" jsonschema:"of the run, whole"`
	Test      bool      `json:"test,omitempty" jsonschema:"tests alone; false: real runs"`
	Since     time.Time `json:"since,omitzero" jsonschema:"accepted then or later (RFC 3339)"`
	Limit     int       `json:"limit,omitempty" jsonschema:"how many at most: 20 unless it says otherwise, 100 at most"`
}

type runs struct {
	Runs []run `json:"runs"`
	More bool  `json:"more" jsonschema:"there are more than these"`
}

func (s server) findRuns(ctx context.Context, in runsWanted) (runs, error) {
	out := runs{Runs: []run{}}
	limit := in.Limit
	if limit == 0 {
		limit = usualRuns
	}
	if limit < 0 || limit > mostRuns {
		return out, fmt.Errorf("limit must be between 1 and %d", mostRuns)
	}
	q := client.AutomationQuery{States: in.States, Reference: in.Reference, Test: in.Test, Since: in.Since, Newest: true, Page: min(limit+1, mostRuns)}
	found := s.api.AllAutomations(ctx, q)
	if in.Workflow != "" {
		w, err := s.workflow(ctx, in.Workflow)
		if err != nil {
			return out, err
		}
		found = s.api.Automations(ctx, w.ID, q)
	}
	for a, err := range found {
		if err != nil {
			return out, err
		}
		if out.More = len(out.Runs) == limit; out.More {
			break
		}
		out.Runs = append(out.Runs, s.run(a))
	}
	return out, nil
}

type oneRun struct {
	ofWorkflow
	Run string `json:"run" jsonschema:"id of the run (aut_…)"`
}

type runDetail struct {
	run
	Data     object  `json:"data,omitzero" jsonschema:"the event that it was started with"`
	Findings []found `json:"findings,omitempty" jsonschema:"what is odd about the data"`
	Events   []event `json:"events" jsonschema:"what the receiver is told"`
}

type found struct {
	failure
	Pointer string `json:"pointer,omitempty" jsonschema:"JSON pointer into the data"`
}

type event struct {
	ID      string     `json:"id"`
	Type    string     `json:"type"`
	State   string     `json:"state" jsonschema:"PENDING, DELIVERED, FAILED or HELD"`
	Next    *time.Time `json:"nextAttemptAt,omitempty"`
	Failure string     `json:"lastFailure,omitempty" jsonschema:"why the last attempt failed"`
}

// mostEvents bounds how many events are listed of one run, which has one for each output.
const mostEvents = 50

func (s server) getRun(ctx context.Context, in oneRun) (runDetail, error) {
	w, err := s.workflow(ctx, in.Workflow)
	if err != nil {
		return runDetail{}, err
	}
	a, err := s.api.Automation(ctx, w.ID, in.Run)
	if err != nil {
		return runDetail{}, err
	}
	out := runDetail{run: s.run(a.Automation), Events: []event{}}
	for _, f := range a.Findings {
		one := found{failure: *s.failure(&client.Failure{Code: f.Code, Message: f.Message})}
		if s.token.Personal {
			one.Pointer = f.Pointer // of names in the data
		}
		out.Findings = append(out.Findings, one)
	}
	if s.token.Personal && string(a.SourceData) != "null" {
		out.Data = object{a.SourceData}
	}
	q := client.EventQuery{Test: a.Test, Page: mostEvents}
	for _, o := range a.Outputs {
		q.OutputIDs = append(q.OutputIDs, o.ID)
	}
	if len(q.OutputIDs) == 0 {
		return out, nil
	}
	for e, err := range s.api.Events(ctx, w.ID, q) {
		if err != nil {
			return out, err
		}
		if len(out.Events) == mostEvents {
			break
		}
		out.Events = append(out.Events, s.event(e))
	}
	return out, nil
}

func (s server) event(e client.Event) event {
	out := event{ID: e.ID, Type: string(e.Type), State: e.State, Next: e.NextAttemptAt}
	if e.LastFailure != nil {
		out.Failure = *e.LastFailure
	}
	return out
}

func (s server) retryRun(ctx context.Context, in oneRun) (run, error) {
	w, err := s.workflow(ctx, in.Workflow)
	if err != nil {
		return run{}, err
	}
	a, err := s.api.RetryAutomation(ctx, w.ID, in.Run)
	return s.run(a), err
}

type oneEvent struct {
	ofWorkflow
	Event string `json:"event" jsonschema:"id of the event (evt_…), as get_run shows it"`
}

func (s server) redeliverEvent(ctx context.Context, in oneEvent) (event, error) {
	w, err := s.workflow(ctx, in.Workflow)
	if err != nil {
		return event{}, err
	}
	e, err := s.api.RedeliverEvent(ctx, w.ID, in.Event)
	return s.event(e.Event), err
}
