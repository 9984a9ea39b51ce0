package api

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// runs are what the workflows of a memory have made.
type runs struct {
	automations []platen.Automation
	events      []platen.Event
	deliveries  map[string][]platen.Delivery
	data        []byte // what they were started with; nil: something odd
	redelivered []string
	mailed      []string // outputs, with whom they were sent to
	endpoint    platen.EndpointState
	enabled     []string // addresses
	since       time.Time
	needed      bool     // templates of removed documents are still needed
	trashed     []string // documents whose template is noted as trashed
}

func (m *memory) automation(u platen.User, wfID, id string) (*platen.Automation, error) {
	if _, err := m.find(u, wfID); err != nil {
		return nil, err
	}
	for i, a := range m.runs.automations {
		if a.ID == id && a.WorkflowID == wfID {
			return &m.runs.automations[i], nil
		}
	}
	return nil, platen.ErrAutomationNotFound()
}

func (m *memory) WorkflowAutomations(_ context.Context, u platen.User, wfID string, q platen.AutomationQuery) ([]platen.Automation, error) {
	_, err := m.find(u, wfID)
	all := slices.DeleteFunc(slices.Clone(m.runs.automations), func(a platen.Automation) bool {
		return a.WorkflowID != wfID || !isAsked(a, q)
	})
	return paged(all, q.Page, automationPosition), err
}

func isAsked(a platen.Automation, q platen.AutomationQuery) bool {
	return a.Test == q.Test && (q.RequestID == "" || a.RequestID == q.RequestID) && (q.Reference == "" || a.Reference == q.Reference) && q.EventKey == "" &&
		(len(q.States) == 0 || slices.Contains(q.States, a.State)) && !a.AcceptedAt.Before(q.Since) && (q.Until.IsZero() || a.AcceptedAt.Before(q.Until)) &&
		(len(q.Mails) == 0 || slices.ContainsFunc(a.Outputs, func(o platen.Output) bool { return hasMail(o, q.Mails) }))
}

func (m *memory) CallersAutomations(_ context.Context, u platen.User, q platen.AutomationQuery) ([]platen.Automation, error) {
	all := slices.DeleteFunc(slices.Clone(m.runs.automations), func(a platen.Automation) bool {
		_, err := m.find(u, a.WorkflowID)
		return err != nil || !isAsked(a, q)
	})
	return paged(all, q.Page, automationPosition), nil
}

func (m *memory) CountAutomations(_ context.Context, u platen.User, wfID string, spans platen.Spans) ([]platen.AutomationCount, error) {
	if wfID != "" {
		if _, err := m.find(u, wfID); err != nil {
			return nil, err
		}
	}
	counted := make([]platen.AutomationCount, spans.Number)
	for i := range counted {
		counted[i].From = spans.From.Add(time.Duration(i) * spans.Each)
	}
	for _, a := range m.runs.automations {
		i := int(a.AcceptedAt.Sub(spans.From) / spans.Each)
		if _, err := m.find(u, a.WorkflowID); err != nil || wfID != "" && a.WorkflowID != wfID || a.Test || a.AcceptedAt.Before(spans.From) || i >= spans.Number {
			continue
		}
		counted[i].Accepted++
		if a.State == platen.AutomationFailed {
			counted[i].Failed++
		}
	}
	return counted, nil
}

func (m *memory) WorkflowAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	a, err := m.automation(u, wfID, id)
	if err != nil {
		return platen.Automation{}, err
	}
	return *a, nil
}

func (m *memory) SourceData(context.Context, string) ([]byte, error) {
	if m.runs.data != nil {
		return m.runs.data, nil
	}
	return []byte("\ufeff{\"Name\": \"A\xffda\", \"N\": 12345678901234567890}"), nil
}

func (m *memory) LatestEvents(context.Context, string, int, int) ([]platen.PastEvent, error) {
	return []platen.PastEvent{{Body: []byte(`{"Total": 5}`)}, {Body: []byte(`{"Total": 2000}`)}}, nil
}

func (m *memory) RetryAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	a, err := m.automation(u, wfID, id)
	switch {
	case err != nil:
		return platen.Automation{}, err
	case a.State != platen.AutomationFailed:
		return platen.Automation{}, platen.Errorf(platen.KindInvalid, "automation_not_failed", "not failed")
	}
	a.State, a.Attempt, a.FinishedAt = platen.AutomationAccepted, a.Attempt+1, nil
	return *a, nil
}

func (m *memory) CancelAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	a, err := m.automation(u, wfID, id)
	switch {
	case err != nil:
		return platen.Automation{}, err
	case a.Ended():
		return platen.Automation{}, platen.Errorf(platen.KindInvalid, "automation_ended", "ended")
	}
	at := a.AcceptedAt.Add(time.Second)
	a.CancelRequestedAt = &at
	return *a, nil
}

func (m *memory) EraseAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	a, err := m.automation(u, wfID, id)
	if err != nil {
		return platen.Automation{}, err
	}
	if at := a.AcceptedAt.Add(2 * time.Second); a.EraseRequestedAt == nil {
		a.EraseRequestedAt, a.EraseRequestedBy = &at, u.ID
	}
	return *a, nil
}

func (m *memory) WorkflowOutputs(_ context.Context, u platen.User, wfID string, q platen.OutputQuery) ([]platen.Output, error) {
	_, err := m.find(u, wfID)
	return m.outputs(func(id string) bool { return id == wfID }, q), err
}

func (m *memory) CallersOutputs(_ context.Context, u platen.User, q platen.OutputQuery) ([]platen.Output, error) {
	return m.outputs(func(id string) bool { _, err := m.find(u, id); return err == nil }, q), nil
}

// outputs are those of the workflows that are seen.
func (m *memory) outputs(sees func(workflowID string) bool, q platen.OutputQuery) []platen.Output {
	var all []platen.Output
	for _, a := range m.runs.automations {
		for _, o := range a.Outputs {
			if o.WorkflowID = a.WorkflowID; sees(a.WorkflowID) {
				all = append(all, o)
			}
		}
	}
	all = slices.DeleteFunc(all, func(o platen.Output) bool {
		return o.Test != q.Test && len(q.IDs) == 0 || !hasMail(o, q.Mails) || o.CreatedAt.Before(q.Since) || !q.Until.IsZero() && !o.CreatedAt.Before(q.Until) || q.Name != "" && !strings.Contains(o.Name, q.Name) && (o.PDF == nil || !strings.Contains(o.PDF.Name, q.Name))
	})
	return paged(all, q.Page, func(o platen.Output) platen.Position { return platen.Position{CreatedAt: o.CreatedAt, ID: o.ID} })
}

func (m *memory) MailOutput(_ context.Context, u platen.User, wfID, id, to string) error {
	if _, err := m.find(u, wfID); err != nil {
		return err
	}
	m.runs.mailed = append(m.runs.mailed, id+" "+to)
	for i := range m.runs.automations {
		for j := range m.runs.automations[i].Outputs {
			if o := &m.runs.automations[i].Outputs[j]; o.ID == id {
				key := platen.MailKey{AutomationID: o.AutomationID, OutputID: id, Number: 2}
				o.Mail = &platen.Mail{MailKey: key, State: platen.MailPending}
			}
		}
	}
	return nil
}

func (m *memory) OutputMails(_ context.Context, u platen.User, wfID, id string) ([]platen.Mail, error) {
	if _, err := m.find(u, wfID); err != nil {
		return nil, err
	}
	for _, a := range m.runs.automations {
		for _, o := range a.Outputs {
			if o.ID == id && o.Mail != nil {
				return []platen.Mail{*o.Mail}, nil
			}
		}
	}
	return nil, nil
}

func (m *memory) LinkedOutput(_ context.Context, wfID, id string) (string, error) {
	for _, a := range m.runs.automations {
		for _, o := range a.Outputs {
			if a.WorkflowID == wfID && o.Mail != nil && o.Mail.ID() == id && o.Mail.LinkUntil != nil && o.Mail.LinkUntil.After(time.Now()) {
				return o.ID, nil
			}
		}
	}
	return "", platen.ErrOutputNotFound()
}

func (m *memory) RevokeMailLinks(_ context.Context, u platen.User, wfID, id string) error {
	if _, err := m.find(u, wfID); err != nil {
		return err
	}
	for i := range m.runs.automations {
		for j := range m.runs.automations[i].Outputs {
			if o := &m.runs.automations[i].Outputs[j]; o.ID == id && o.Mail != nil && o.Mail.LinkUntil != nil {
				o.Mail.LinkUntil = new(time.Now())
			}
		}
	}
	return nil
}

// hasMail tells whether an output is one of those that a list is narrowed to.
func hasMail(o platen.Output, states []platen.MailState) bool {
	return len(states) == 0 || o.Mail != nil && slices.Contains(states, o.Mail.State)
}

func (m *memory) WorkflowEvents(_ context.Context, u platen.User, wfID string, q platen.EventQuery) ([]platen.Event, error) {
	_, err := m.find(u, wfID)
	kept := slices.DeleteFunc(slices.Clone(m.runs.events), func(e platen.Event) bool {
		return e.Test != q.Test && len(q.OutputIDs) == 0 || e.CreatedAt.Before(q.Since) || !q.Until.IsZero() && !e.CreatedAt.Before(q.Until) || len(q.States) > 0 && !slices.Contains(q.States, e.State)
	})
	return paged(kept, q.Page, func(e platen.Event) platen.Position { return platen.Position{CreatedAt: e.CreatedAt, ID: e.ID} }), err
}

func (m *memory) WorkflowEvent(_ context.Context, u platen.User, wfID, id string) (platen.Event, []platen.Delivery, error) {
	if _, err := m.find(u, wfID); err != nil {
		return platen.Event{}, nil, err
	}
	for _, e := range m.runs.events {
		if e.ID == id {
			return e, m.runs.deliveries[id], nil
		}
	}
	return platen.Event{}, nil, platen.ErrEventNotFound()
}

func (m *memory) CountEvents(_ context.Context, u platen.User, wfID string, since time.Time) (n platen.EventCounts, err error) {
	_, err = m.find(u, wfID)
	for _, e := range m.runs.events {
		switch {
		case e.CreatedAt.Before(since):
		case e.State == platen.EventPending:
			n.Pending++
		case e.State == platen.EventFailed:
			n.Failed++
		case e.State == platen.EventHeld:
			n.Held++
		}
	}
	return n, err
}

func (m *memory) RedeliverEvent(ctx context.Context, u platen.User, wfID, id string) error {
	_, _, err := m.WorkflowEvent(ctx, u, wfID, id)
	if err == nil {
		m.runs.redelivered = append(m.runs.redelivered, id)
	}
	return err
}

func (m *memory) RecoverEvents(_ context.Context, u platen.User, wfID string, since time.Time, limit int) (platen.Recovery, error) {
	_, err := m.find(u, wfID)
	m.runs.since = since
	return platen.Recovery{Events: limit, Held: 2}, err
}

func (m *memory) RecoverTestEvents(_ context.Context, u platen.User, wfID string, since time.Time, _ int) (platen.Recovery, error) {
	_, err := m.find(u, wfID)
	m.runs.since = since
	return platen.Recovery{Events: 1}, err
}

func (m *memory) EndpointState(_ context.Context, u platen.User, wfID string) (platen.EndpointState, int, error) {
	_, err := m.find(u, wfID)
	return m.runs.endpoint, 3, err
}

func (m *memory) EnableEndpoint(_ context.Context, u platen.User, wfID, url string) error {
	_, err := m.find(u, wfID)
	m.runs.enabled = append(m.runs.enabled, url)
	return err
}

func (m *memory) RemoveDocument(_ context.Context, u platen.User, wfID, id string, allowed func(platen.Document) error) (bool, error) {
	w, err := m.change(u, wfID)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(w.Documents, func(d platen.Document) bool { return d.ID == id })
	if err := allowed(w.Documents[i]); err != nil {
		return false, err
	}
	w.Documents = slices.Delete(slices.Clone(w.Documents), i, i+1)
	w.Status = w.ReadyStatus()
	return m.runs.needed, nil
}

func (m *memory) MarkTemplateTrashed(_ context.Context, id string) error {
	m.runs.trashed = append(m.runs.trashed, id)
	return nil
}

func (m *memory) DeleteOutgoingWebhook(_ context.Context, u platen.User, wfID string, allowed func(platen.OutgoingWebhook) error) error {
	w, err := m.change(u, wfID)
	switch {
	case err != nil:
		return err
	case w.OutgoingWebhook == nil:
		return platen.ErrOutgoingWebhookNotFound()
	}
	if err := allowed(*w.OutgoingWebhook); err != nil {
		return err
	}
	w.OutgoingWebhook = nil
	return nil
}

// sender notes what was sent and answers with a failure.
type sender struct {
	event platen.Event
	to    platen.Endpoint
}

func (s *sender) Send(_ context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	s.event, s.to = e, to
	return platen.Delivery{EventID: e.ID, Attempt: attempt, At: e.CreatedAt, Duration: 87 * time.Millisecond, Failure: "the receiver refuses connections"}, nil
}
