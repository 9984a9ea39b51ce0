package simulation

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// recoveredApart is how far apart many events come due that are redelivered.
const recoveredApart = 50 * time.Millisecond

func compare(a, b string) int { return strings.Compare(a, b) }

// eventAndEndpoint is an event, and where it goes; nil: nowhere.
func (s *store) eventAndEndpoint(id string) (platen.Event, *platen.Endpoint, error) {
	e, err := s.event(id)
	if err != nil {
		return platen.Event{}, nil, err
	}
	key := s.endpointOf(e.WorkflowID, e.ReceiverID)
	if key == (platen.EndpointKey{}) {
		return e.Event, nil, nil
	}
	return e.Event, &platen.Endpoint{WebhookID: "owc_" + e.WorkflowID, OwnerID: key.OwnerID, URL: key.URL, Secrets: []platen.Secret{"whsec_c2VjcmV0"}}, nil
}

func (s *store) recordDelivery(d platen.Delivery, state platen.EventState, next time.Duration) error {
	e, err := s.event(d.EventID)
	if err != nil {
		return err
	}
	if e.attemptsBefore < d.Attempt {
		if e.State == platen.EventHeld {
			e.Reason = ""
		}
		if e.State != platen.EventDelivered {
			e.State = state
		}
		e.nextAt = time.Time{}
		if state == platen.EventPending {
			e.nextAt = s.now().Add(next)
		}
	}
	s.events[e.ID] = e
	key := deliveryKey{d.EventID, d.Attempt}
	if before, known := s.deliveries[key]; !known || before.Failure != "" && d.Failure == "" {
		s.deliveries[key] = d
	}
	return nil
}

func (s *store) holdEvent(id string, attempt int, reason string) {
	if e, ok := s.events[id]; ok && e.State == platen.EventPending && e.attemptsBefore < attempt {
		e.State, e.Reason = platen.EventHeld, reason
		s.events[id] = e
	}
}

// due is when the next attempt of an event was due.
func (e eventRow) due() time.Time {
	if e.nextAt.IsZero() {
		return e.CreatedAt
	}
	return e.nextAt
}

func (s *store) claimOverdueEvents(age, lease time.Duration, limit int) []platen.OverdueEvent {
	now := s.now()
	var due []eventRow
	for _, e := range s.events {
		if _, asked := s.commands[commandKey{platen.CommandDeliver, e.ID}]; e.State == platen.EventPending && e.due().Before(now.Add(-age)) && !asked {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(a, b eventRow) int { return cmp.Or(a.due().Compare(b.due()), cmp.Compare(a.ID, b.ID)) })
	found := make([]platen.OverdueEvent, 0, len(due))
	for _, e := range due[:min(len(due), limit)] {
		e.nextAt = now.Add(-age + lease)
		s.events[e.ID] = e
		found = append(found, platen.OverdueEvent{
			ID: e.ID, Attempt: 1 + max(e.attemptsBefore, s.attempts(e.ID)), RunEnded: s.automations[e.AutomationID].FinishedAt != nil,
		})
	}
	return found
}

func (s *store) markEventsUnderWay(ids []string) { s.postpone(ids) }

// postpone has overdue events of these be due now, and returns which.
func (s *store) postpone(ids []string) []string {
	now := s.now()
	var late []string
	for _, id := range ids {
		if e, ok := s.events[id]; ok && e.State == platen.EventPending && !e.nextAt.IsZero() && e.nextAt.Before(now) {
			e.nextAt = now
			s.events[id] = e
			late = append(late, id)
		}
	}
	return late
}

func (s *store) deliverOverdue(ids []string) {
	s.enqueue(platen.CommandDeliver, s.postpone(ids), recoveredApart)
}

// ask is redeliver for somebody who asks.
func (s *store) ask(chosen ...eventRow) {
	for _, e := range chosen {
		s.asked[e.ID] = true
	}
	s.redeliver(chosen)
}

// redeliver begins to deliver these again.
func (s *store) redeliver(chosen []eventRow) {
	slices.SortFunc(chosen, func(a, b eventRow) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	ids := make([]string, len(chosen))
	for i, e := range chosen {
		e.attemptsBefore = max(e.attemptsBefore, s.attempts(e.ID))
		if e.State == platen.EventPending {
			e.attemptsBefore++
		}
		e.State, e.Reason, e.nextAt = platen.EventPending, "", s.now()
		s.events[e.ID] = e
		ids[i] = e.ID
	}
	s.enqueue(platen.CommandDeliver, ids, recoveredApart)
}

// redeliverEvent is what an integrator asks for.
func (s *store) redeliverEvent(id string) error {
	e, err := s.event(id)
	if err == nil {
		err = s.refuseDisabled(e.WorkflowID, e.ReceiverID)
	}
	if err != nil {
		return err
	}
	s.ask(e)
	return nil
}

// refuseDisabled is the error of a call that sends events to a disabled endpoint.
func (s *store) refuseDisabled(workflowID, receiverID string) error {
	if s.endpoints[s.endpointOf(workflowID, receiverID)].Disabled != "" {
		return platen.Errorf(platen.KindInvalid, "endpoint_disabled", "nothing is sent to the outgoing webhook's address")
	}
	return nil
}

// recoverEvents redelivers the FAILED and HELD events of a workflow that are not for a disabled
// endpoint. Where none is ready, the error says why.
func (s *store) recoverEvents(workflowID string) error {
	refused := s.refuseDisabled(workflowID, "")
	for _, r := range s.workflows[workflowID].receivers {
		if s.refuseDisabled(workflowID, r.ID) == nil {
			refused = nil
		}
	}
	if refused != nil {
		return refused
	}
	var chosen []eventRow
	for _, e := range s.events {
		if e.WorkflowID == workflowID && (e.State == platen.EventFailed || e.State == platen.EventHeld) && s.refuseDisabled(workflowID, e.ReceiverID) == nil {
			chosen = append(chosen, e)
		}
	}
	s.ask(chosen...)
	return nil
}

// enqueue asks for something that Temporal has to be told.
func (s *store) enqueue(kind platen.CommandKind, ids []string, apart time.Duration) {
	for i, id := range ids {
		key := commandKey{kind, id}
		c, known := s.commands[key]
		if known {
			c.version++
		} else {
			c.version = 1
		}
		c.requestedAt, c.leasedUntil = s.now().Add(time.Duration(i)*apart), time.Time{}
		s.commands[key] = c
	}
}

func (s *store) claimCommands(limit int, lease time.Duration) []platen.OutboxCommand {
	now := s.now()
	var due []commandKey
	for key, c := range s.commands {
		if !c.leasedUntil.After(now) && !c.requestedAt.After(now) {
			due = append(due, key)
		}
	}
	slices.SortFunc(due, func(a, b commandKey) int {
		return cmp.Or(s.commands[a].requestedAt.Compare(s.commands[b].requestedAt), cmp.Compare(a.id, b.id), cmp.Compare(a.kind, b.kind))
	})
	var claimed []platen.OutboxCommand
	for _, key := range due[:min(len(due), limit)] {
		c := s.commands[key]
		c.leasedUntil = now.Add(lease)
		s.commands[key] = c
		one := platen.OutboxCommand{Kind: key.kind, ID: key.id, Version: c.version}
		automationID := key.id
		if e, ok := s.events[key.id]; ok && key.kind == platen.CommandDeliver {
			automationID = e.AutomationID
			one.Before, one.Attempt, one.Endpoint = e.attemptsBefore, 1+max(e.attemptsBefore, s.attempts(e.ID)), s.endpointOf(e.WorkflowID, e.ReceiverID)
		}
		if o, ok := s.outputs[key.id]; ok && key.kind == platen.CommandReview {
			automationID, one.AutomationID = o.AutomationID, o.AutomationID
		}
		a, ok := s.automations[automationID]
		if !ok {
			continue // nothing joins it
		}
		one.WorkflowID, one.OwnerID = a.WorkflowID, a.OwnerID
		claimed = append(claimed, one)
	}
	return claimed
}

func (s *store) acknowledge(e platen.OutboxCommand) {
	key := commandKey{e.Kind, e.ID}
	if c, ok := s.commands[key]; ok && c.version == e.Version {
		delete(s.commands, key)
	}
}

func (s *store) putOffDeliveries(endpoint platen.EndpointKey, wait time.Duration) {
	now := s.now()
	var due []commandKey
	for key, c := range s.commands {
		e, ok := s.events[key.id]
		if ok && key.kind == platen.CommandDeliver && !c.requestedAt.After(now.Add(wait)) && s.endpointOf(e.WorkflowID, e.ReceiverID) == endpoint {
			due = append(due, key)
		}
	}
	slices.SortFunc(due, func(a, b commandKey) int {
		return cmp.Or(s.commands[a].requestedAt.Compare(s.commands[b].requestedAt), cmp.Compare(a.id, b.id))
	})
	for i, key := range due {
		c := s.commands[key]
		c.requestedAt, c.leasedUntil = now.Add(wait+time.Duration(i)*recoveredApart), time.Time{}
		s.commands[key] = c
	}
}

func (s *store) updateEndpoint(key platen.EndpointKey, change func(*platen.EndpointState, time.Time)) {
	state := s.endpoints[key]
	state.InFlight = slices.Clone(state.InFlight)
	change(&state, s.now())
	s.endpoints[key] = state
}

func (s *store) endpointNow(key platen.EndpointKey) (platen.EndpointState, time.Time) {
	state, ok := s.endpoints[key]
	if !ok {
		return state, time.Time{}
	}
	state.InFlight = slices.Clone(state.InFlight)
	return state, s.now()
}

// enable forgets the failures of an endpoint. It keeps the places of attempts under
// way, and how quickly the endpoint answers.
func (s *store) enable(key platen.EndpointKey) {
	if state, ok := s.endpoints[key]; ok {
		s.endpoints[key] = platen.EndpointState{InFlight: state.InFlight, Places: state.Places, Took: state.Took}
	}
}
