package simulation

import (
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// giveUpAfter is for how long a drive that cannot be opened is tried.
const giveUpAfter = 30 * 24 * time.Hour

// plan returns an automation's plan, and pins it with its outputs, which it
// returns then.
func (s *store) plan(automationID string) (platen.Plan, []outputRow, error) {
	a, err := s.automation(automationID)
	if err != nil {
		return platen.Plan{}, nil, err
	}
	if p, ok := s.plans[automationID]; ok {
		p.Cancelled, p.Attempt = a.CancelRequestedAt != nil, a.Attempt
		return p, nil, nil
	}
	p := platen.Plan{Attempt: a.Attempt, AutomationID: a.ID, WorkflowID: a.WorkflowID, OwnerID: a.OwnerID, AcceptedAt: a.AcceptedAt}
	if a.CancelRequestedAt != nil {
		p.Cancelled = true
		return p, nil, nil
	}
	w := s.workflows[a.WorkflowID]
	if len(w.documents) == 0 {
		return platen.Plan{}, nil, platen.Errorf(platen.KindInvalid, "workflow_incomplete", "the workflow had no template document when the automation was started: add one, then retry")
	}
	for _, d := range w.documents {
		p.Documents = append(p.Documents, platen.PlannedDocument{OutputID: platen.OutputID(automationID, d.ID), Document: d})
	}
	for _, r := range w.receivers {
		p.Receivers = append(p.Receivers, platen.PlannedReceiver{ID: r.ID, Name: r.Name, Events: r.Events, When: r.When})
	}
	if err := fill.Decide(&p, a.body, time.UTC); err != nil {
		return platen.Plan{}, nil, err
	}
	var inserted []outputRow
	for _, planned := range p.Documents {
		d := planned.Document
		id := planned.OutputID
		s.writes++
		r := outputRow{writtenBy: s.writes, Output: platen.Output{
			ID: id, AutomationID: a.ID, DocumentID: d.ID, State: platen.OutputPending, Attempt: a.Attempt, CopyBegun: true, CreatedAt: s.now(), UpdatedAt: s.now(),
		}}
		s.outputs[id] = r
		inserted = append(inserted, r)
	}
	if series := p.Declared(); len(series) > 0 { // one at most, here
		if s.numbers[a.ID] == 0 {
			s.series[a.OwnerID]++
			s.numbers[a.ID] = s.series[a.OwnerID]
		}
		p.Numbers = map[string]int64{series[0]: s.numbers[a.ID]}
	}
	pinned := p
	pinned.Attempt = 0
	s.plans[automationID] = pinned
	return p, inserted, nil
}

func (s *store) updateOutput(id string, change func(*platen.Output) error) (platen.Output, error) {
	r, err := s.output(id)
	if err != nil {
		return platen.Output{}, err
	}
	o, changes, err := r.Change(change)
	if err != nil || !changes {
		return o, err
	}
	return s.write(o), nil
}

// write stores an output that has changed.
func (s *store) write(o platen.Output) platen.Output {
	o.UpdatedAt = s.now()
	s.writes++
	s.outputs[o.ID] = outputRow{Output: o, writtenBy: s.writes}
	return o
}

// writeOver is write for an output that was made of a row, if that is still so.
func (s *store) writeOver(r outputRow, o platen.Output) (outputRow, bool) {
	if stands, ok := s.outputs[r.ID]; !ok || stands.writtenBy != r.writtenBy {
		return outputRow{}, false
	}
	s.write(o)
	return s.outputs[r.ID], true
}

func (s *store) recordOutput(id string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (platen.Output, string, error) {
	r, err := s.output(id)
	if err != nil {
		return platen.Output{}, "", err
	}
	if r.State != platen.OutputPending {
		for _, e := range s.eventsOf(r.AutomationID) {
			if e.OutputID == id && e.attempt == r.Attempt && e.ReceiverID == "" {
				return r.Output, e.ID, nil
			}
		}
		return r.Output, "", nil
	}
	o, _, err := r.Change(change)
	if err != nil {
		return platen.Output{}, "", err
	}
	if o.State == platen.OutputPending {
		return platen.Output{}, "", platen.Errorf(platen.KindInternal, "output_not_ended", "the change that should end output %s left it PENDING", id)
	}
	o = s.write(o)
	eventID, _, err := s.storeEvent(o, event)
	return o, eventID, err
}

// storeEvent stores the events of an output that has ended, if there is
// somewhere to send them. It returns that for the outgoing webhook, and the others to be sent.
func (s *store) storeEvent(o platen.Output, event func(platen.Output) (platen.Event, error)) (eventID string, others []string, err error) {
	workflowID := s.automations[o.AutomationID].WorkflowID
	wanted := s.endpointOf(workflowID, "") != platen.EndpointKey{}
	if !wanted && len(s.plans[o.AutomationID].Receivers) == 0 {
		return "", nil, nil
	}
	e, err := event(o)
	if err != nil || e.Type == "" {
		return "", nil, err
	}
	e.WorkflowID, e.AutomationID, e.OutputID, e.State = workflowID, o.AutomationID, o.ID, platen.EventPending
	if wanted {
		s.events[e.ID] = eventRow{Event: e, attempt: o.Attempt}
		eventID = e.ID
	}
	return eventID, s.storeReceiverEvents(e, o.Attempt), nil
}

func (s *store) unsweptOutputs(age time.Duration, after platen.EndedOutput) []platen.EndedOutput {
	var found []platen.EndedOutput
	now := s.now()
	for _, o := range s.outputs {
		created := o.CreatedAt.Compare(after.CreatedAt)
		if o.State != platen.OutputPending && (o.Repeated || o.State == platen.OutputFailed && o.CopyBegun) && o.sweptAt.IsZero() &&
			!o.UpdatedAt.After(now.Add(-age)) && !o.UpdatedAt.Before(now.Add(-giveUpAfter)) && (created > 0 || created == 0 && o.ID > after.OutputID) {
			ended := platen.EndedOutput{OutputID: o.ID, Automation: s.automations[o.AutomationID].shown(), CreatedAt: o.CreatedAt, EndedAt: o.UpdatedAt}
			ended.Automation.Refused = s.isRefused(s.automations[o.AutomationID])
			found = append(found, ended)
		}
	}
	if len(found) < 2 {
		return found
	}
	slices.SortFunc(found, func(a, b platen.EndedOutput) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return compare(a.OutputID, b.OutputID)
	})
	return found[:min(len(found), 100)]
}

func (s *store) markOutputSwept(o platen.EndedOutput) {
	if r, ok := s.outputs[o.OutputID]; ok && r.UpdatedAt.Equal(o.EndedAt) {
		s.writes++
		r.sweptAt, r.writtenBy = s.now(), s.writes
		s.outputs[o.OutputID] = r
	}
}
