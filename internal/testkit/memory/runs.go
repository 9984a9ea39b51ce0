package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Runs are what the workflows of a Store have made, and what was asked of it.
type Runs struct {
	Automations []platen.Automation
	Events      []platen.Event
	Deliveries  map[string][]platen.Delivery // by event
	Data        []byte                       // what they were started with; nil: something odd
	Redelivered []string                     // events
	Mailed      []string                     // outputs, with whom they were sent to
	Endpoint    platen.EndpointState
	Enabled     []string           // addresses
	Since       time.Time          // of the last recovery of events
	Needed      bool               // templates of removed documents are still needed
	Trashed     []string           // documents whose template is noted as trashed
	Done        map[[2]string]bool // causes of failures, by workflow and code
}

// What AddRun adds.
const (
	AutomationID = "aut_0000000000000001"
	DoneID       = "out_0000000000000001" // of its output that is DONE
	FailedID     = "out_0000000000000002" // of the one that is FAILED
	EventID      = "evt_0000000000000001"
)

// AddRun gives a workflow one automation in this state, with two outputs, and one event that
// FAILED, about the first of them. What was there before goes.
func (m *Store) AddRun(workflowID string, state platen.AutomationState) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := platen.Automation{ID: AutomationID, WorkflowID: workflowID, State: state, Attempt: 1, AcceptedAt: at, StartedAt: &at, RequestID: "req_1"}
	if state != platen.AutomationRunning && state != platen.AutomationAccepted {
		a.FinishedAt = &at
	}
	file := &platen.File{ID: "f1", Name: "A.pdf", URL: "https://drive.test/f1", MIMEType: platen.MIMEPDF}
	a.Outputs = []platen.Output{
		{ID: DoneID, AutomationID: AutomationID, DocumentID: "doc_1", State: platen.OutputDone, Copy: file, FillEnded: true, PDF: file, Removed: true, MissingFields: []string{"City", "Zip"}, Findings: []platen.Finding{{Code: "missing_glyph", Message: "no 日"}}, CreatedAt: at, UpdatedAt: at},
		{ID: FailedID, AutomationID: AutomationID, DocumentID: "doc_2", State: platen.OutputFailed, Copy: file, FailureCode: "drive_quota", Failure: "The drive is full.", MissingFields: []string{"Zip"}, CreatedAt: at, UpdatedAt: at},
	}
	m.Runs.Automations = []platen.Automation{a}
	m.Runs.Events = []platen.Event{{ID: EventID, AutomationID: AutomationID, OutputID: DoneID, Type: platen.EventDocumentsCreated, State: platen.EventFailed, Payload: []byte(`{"a":1}`), CreatedAt: at}}
	m.Runs.Deliveries = map[string][]platen.Delivery{EventID: {
		{EventID: EventID, Attempt: 1, At: at, Duration: 1500 * time.Millisecond, Status: 500, Failure: "the receiver answered 500", Answer: "oops"},
		{EventID: EventID, Attempt: 2, At: at, Status: 200},
	}}
}

// AddOutputs gives the run of AddRun outputs with these files in a drive, in place of its own:
// a stored PDF for names that end in .pdf, else an original. It returns their ids.
func (m *Store) AddOutputs(d *Drive, names ...string) (ids []string) {
	a := &m.Runs.Automations[0]
	a.Outputs = nil
	for i, name := range names {
		o := platen.Output{ID: fmt.Sprintf("out_%014d", i), AutomationID: a.ID, DocumentID: "doc_1", State: platen.OutputDone, CreatedAt: a.AcceptedAt, UpdatedAt: a.AcceptedAt}
		file := platen.File{ID: "file" + o.ID, Name: name, MIMEType: platen.MIMEDocs, SHA256: strings.Repeat("0", 64)}
		if d.Files[file.ID] = file; strings.HasSuffix(name, ".pdf") {
			o.PDF, o.Removed = &file, true
		} else {
			o.Copy = &file
		}
		a.Outputs, ids = append(a.Outputs, o), append(ids, o.ID)
	}
	return ids
}

// AddMail has a mail about the first output of the run of AddRun in this state.
func (m *Store) AddMail(state platen.MailState) {
	m.Output(0).Mail = &platen.Mail{State: state, Recipients: 1, Attempts: 1, Code: platen.CodeEmailAddressRefused, Message: "The mail server refuses an address."}
}

// Output is the i-th one of the run of AddRun.
func (m *Store) Output(i int) *platen.Output { return &m.Runs.Automations[0].Outputs[i] }

func (m *Store) automation(u platen.User, wfID, id string) (*platen.Automation, error) {
	if _, err := m.find(u, wfID); err != nil {
		return nil, err
	}
	for i, a := range m.Runs.Automations {
		if a.ID == id && a.WorkflowID == wfID {
			return &m.Runs.Automations[i], nil
		}
	}
	return nil, platen.ErrAutomationNotFound()
}

func (m *Store) WorkflowAutomations(_ context.Context, u platen.User, wfID string, q platen.AutomationQuery) ([]platen.Automation, error) {
	_, err := m.find(u, wfID)
	all := slices.DeleteFunc(slices.Clone(m.Runs.Automations), func(a platen.Automation) bool {
		return a.WorkflowID != wfID || !isAsked(a, q)
	})
	return paged(all, q.Page, func(a platen.Automation) platen.Position { return platen.Position{CreatedAt: a.AcceptedAt, ID: a.ID} }), err
}

func isAsked(a platen.Automation, q platen.AutomationQuery) bool {
	return a.Test == q.Test && (q.RequestID == "" || a.RequestID == q.RequestID) && (q.Reference == "" || a.Reference == q.Reference) && q.EventKey == "" &&
		(len(q.States) == 0 || slices.Contains(q.States, a.State)) && !a.AcceptedAt.Before(q.Since) && (q.Until.IsZero() || a.AcceptedAt.Before(q.Until)) &&
		(len(q.Mails) == 0 || slices.ContainsFunc(a.Outputs, func(o platen.Output) bool { return hasMail(o, q.Mails) })) &&
		(len(q.Placements) == 0 || slices.ContainsFunc(a.Outputs, func(o platen.Output) bool { return isPlaced(o, q.Placements) }))
}

func (m *Store) CallersAutomations(_ context.Context, u platen.User, q platen.AutomationQuery) ([]platen.Automation, error) {
	all := slices.DeleteFunc(slices.Clone(m.Runs.Automations), func(a platen.Automation) bool {
		_, err := m.find(u, a.WorkflowID)
		return err != nil || !isAsked(a, q)
	})
	return paged(all, q.Page, func(a platen.Automation) platen.Position { return platen.Position{CreatedAt: a.AcceptedAt, ID: a.ID} }), nil
}

func (m *Store) CountAutomations(_ context.Context, u platen.User, wfID string, spans platen.Spans) ([]platen.AutomationCount, error) {
	if wfID != "" {
		if _, err := m.find(u, wfID); err != nil {
			return nil, err
		}
	}
	counted := make([]platen.AutomationCount, spans.Number)
	for i := range counted {
		counted[i].From = spans.From.Add(time.Duration(i) * spans.Each)
	}
	for _, a := range m.Runs.Automations {
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

// Failures are those whose causes have the same code.
func (m *Store) Failures(_ context.Context, u platen.User, since time.Time) (causes []platen.FailureCause, err error) {
	at := map[[2]string]int{}
	for _, a := range slices.Backward(m.Runs.Automations) {
		of := [2]string{a.WorkflowID, a.FailureCode}
		if _, err := m.find(u, a.WorkflowID); err != nil || a.State != platen.AutomationFailed || a.Test || a.AcceptedAt.Before(since) || m.Runs.Done[of] {
			continue
		}
		i, known := at[of]
		if !known {
			i = len(causes)
			at[of], causes = i, append(causes, platen.FailureCause{WorkflowID: a.WorkflowID})
		}
		if causes[i].Open++; len(causes[i].Newest) < platen.MaxFailureExamples {
			causes[i].Newest = append(causes[i].Newest, a)
		}
	}
	return causes, nil
}

func (m *Store) MarkDone(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	return m.noteDone(u, wfID, id, true)
}

func (m *Store) MarkOpen(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	return m.noteDone(u, wfID, id, false)
}

func (m *Store) noteDone(u platen.User, wfID, id string, done bool) (platen.Automation, error) {
	a, err := m.automation(u, wfID, id)
	switch {
	case err != nil:
		return platen.Automation{}, err
	case a.State != platen.AutomationFailed:
		return platen.Automation{}, platen.Errorf(platen.KindInvalid, "automation_not_failed", "not failed")
	}
	if m.Runs.Done == nil {
		m.Runs.Done = map[[2]string]bool{}
	}
	m.Runs.Done[[2]string{a.WorkflowID, a.FailureCode}] = done
	return *a, nil
}

func (m *Store) WorkflowAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	a, err := m.automation(u, wfID, id)
	if err != nil {
		return platen.Automation{}, err
	}
	return *a, nil
}

func (m *Store) OutputData(ctx context.Context, automationID, _ string, _ int) ([]byte, error) {
	return m.SourceData(ctx, automationID)
}

func (m *Store) SourceData(context.Context, string) ([]byte, error) {
	if m.Runs.Data != nil {
		return m.Runs.Data, nil
	}
	return []byte("\ufeff{\"Name\": \"A\xffda\", \"N\": 12345678901234567890}"), nil
}

func (m *Store) LatestEvents(context.Context, string, int, int) ([]platen.PastEvent, error) {
	return []platen.PastEvent{{Body: []byte(`{"Total": 5}`)}, {Body: []byte(`{"Total": 2000}`)}}, nil
}

func (m *Store) RetryAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
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

func (m *Store) CancelAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
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

func (m *Store) EraseAutomation(_ context.Context, u platen.User, wfID, id string) (platen.Automation, error) {
	a, err := m.automation(u, wfID, id)
	if err != nil {
		return platen.Automation{}, err
	}
	if at := a.AcceptedAt.Add(2 * time.Second); a.EraseRequestedAt == nil {
		a.EraseRequestedAt, a.EraseRequestedBy = &at, u.ID
	}
	return *a, nil
}

func (m *Store) WorkflowOutputs(_ context.Context, u platen.User, wfID string, q platen.OutputQuery) ([]platen.Output, error) {
	_, err := m.find(u, wfID)
	return m.outputs(func(id string) bool { return id == wfID }, q), err
}

func (m *Store) CallersOutputs(_ context.Context, u platen.User, q platen.OutputQuery) ([]platen.Output, error) {
	return m.outputs(func(id string) bool { _, err := m.find(u, id); return err == nil }, q), nil
}

// outputs are those of the workflows that are seen.
func (m *Store) outputs(sees func(workflowID string) bool, q platen.OutputQuery) []platen.Output {
	var all []platen.Output
	for _, a := range m.Runs.Automations {
		for _, o := range a.Outputs {
			if o.WorkflowID = a.WorkflowID; sees(a.WorkflowID) {
				all = append(all, o)
			}
		}
	}
	all = slices.DeleteFunc(all, func(o platen.Output) bool {
		return o.Test != q.Test && len(q.IDs) == 0 || !hasMail(o, q.Mails) || !isPlaced(o, q.Placements) || o.CreatedAt.Before(q.Since) || !q.Until.IsZero() && !o.CreatedAt.Before(q.Until) || q.Name != "" && !strings.Contains(o.Name, q.Name) && (o.PDF == nil || !strings.Contains(o.PDF.Name, q.Name))
	})
	return paged(all, q.Page, func(o platen.Output) platen.Position { return platen.Position{CreatedAt: o.CreatedAt, ID: o.ID} })
}

func (m *Store) MailOutput(_ context.Context, u platen.User, wfID, id, to string) error {
	if _, err := m.find(u, wfID); err != nil {
		return err
	}
	m.Runs.Mailed = append(m.Runs.Mailed, id+" "+to)
	for i := range m.Runs.Automations {
		for j := range m.Runs.Automations[i].Outputs {
			if o := &m.Runs.Automations[i].Outputs[j]; o.ID == id {
				key := platen.MailKey{AutomationID: o.AutomationID, OutputID: id, Number: 2}
				o.Mail = &platen.Mail{MailKey: key, State: platen.MailPending}
			}
		}
	}
	return nil
}

func (m *Store) OutputMails(_ context.Context, u platen.User, wfID, id string) ([]platen.Mail, error) {
	if _, err := m.find(u, wfID); err != nil {
		return nil, err
	}
	for _, a := range m.Runs.Automations {
		for _, o := range a.Outputs {
			if o.ID == id && o.Mail != nil {
				return []platen.Mail{*o.Mail}, nil
			}
		}
	}
	return nil, nil
}

func (m *Store) LinkedOutput(_ context.Context, wfID, id string) (string, error) {
	for _, a := range m.Runs.Automations {
		for _, o := range a.Outputs {
			if a.WorkflowID == wfID && o.Mail != nil && o.Mail.ID() == id && o.Mail.LinkUntil != nil && o.Mail.LinkUntil.After(time.Now()) {
				return o.ID, nil
			}
		}
	}
	return "", platen.ErrOutputNotFound()
}

func (m *Store) WorkflowOfOutput(_ context.Context, id string) (string, error) {
	for _, a := range m.Runs.Automations {
		if slices.ContainsFunc(a.Outputs, func(o platen.Output) bool { return o.ID == id }) {
			return a.WorkflowID, nil
		}
	}
	return "", platen.ErrOutputNotFound()
}

func (m *Store) BounceMail(_ context.Context, id string, number int, failed []platen.FailedRecipient) (bool, error) {
	for i := range m.Runs.Automations {
		for j := range m.Runs.Automations[i].Outputs {
			switch o := &m.Runs.Automations[i].Outputs[j]; {
			case o.ID != id || o.Mail == nil || max(o.Mail.Number, 1) != number:
			case o.Mail.State == platen.MailPending:
				return false, platen.Errorf(platen.KindUnavailable, "mail_under_way", "An attempt to send this mail is under way.")
			default:
				return o.Mail.Bounce(number, failed), nil
			}
		}
	}
	return false, platen.ErrOutputNotFound()
}

func (m *Store) RevokeMailLinks(_ context.Context, u platen.User, wfID, id string) error {
	if _, err := m.find(u, wfID); err != nil {
		return err
	}
	for i := range m.Runs.Automations {
		for j := range m.Runs.Automations[i].Outputs {
			if o := &m.Runs.Automations[i].Outputs[j]; o.ID == id && o.Mail != nil && o.Mail.LinkUntil != nil {
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

func isPlaced(o platen.Output, states []platen.PlacementState) bool {
	return len(states) == 0 || slices.ContainsFunc(o.Placements, func(p platen.Placement) bool { return slices.Contains(states, p.State) })
}

func (m *Store) WorkflowEvents(_ context.Context, u platen.User, wfID string, q platen.EventQuery) ([]platen.Event, error) {
	_, err := m.find(u, wfID)
	kept := slices.DeleteFunc(slices.Clone(m.Runs.Events), func(e platen.Event) bool {
		return e.Test != q.Test && len(q.OutputIDs) == 0 || len(q.Receivers) > 0 && !slices.Contains(q.Receivers, e.ReceiverID) || e.CreatedAt.Before(q.Since) || !q.Until.IsZero() && !e.CreatedAt.Before(q.Until) || len(q.States) > 0 && !slices.Contains(q.States, e.State)
	})
	return paged(kept, q.Page, func(e platen.Event) platen.Position { return platen.Position{CreatedAt: e.CreatedAt, ID: e.ID} }), err
}

func (m *Store) WorkflowEvent(_ context.Context, u platen.User, wfID, id string) (platen.Event, []platen.Delivery, error) {
	if _, err := m.find(u, wfID); err != nil {
		return platen.Event{}, nil, err
	}
	for _, e := range m.Runs.Events {
		if e.ID == id {
			return e, m.Runs.Deliveries[id], nil
		}
	}
	return platen.Event{}, nil, platen.ErrEventNotFound()
}

func (m *Store) CountEvents(_ context.Context, u platen.User, wfID string, since time.Time) (n platen.EventCounts, err error) {
	_, err = m.find(u, wfID)
	for _, e := range m.Runs.Events {
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

func (m *Store) RedeliverEvent(ctx context.Context, u platen.User, wfID, id string) error {
	_, _, err := m.WorkflowEvent(ctx, u, wfID, id)
	if err == nil {
		m.Runs.Redelivered = append(m.Runs.Redelivered, id)
	}
	return err
}

func (m *Store) RecoverEvents(_ context.Context, u platen.User, wfID string, since time.Time, limit int) (platen.Recovery, error) {
	_, err := m.find(u, wfID)
	m.Runs.Since = since
	return platen.Recovery{Events: limit, Held: 2}, err
}

func (m *Store) RecoverReceiverEvents(ctx context.Context, u platen.User, wfID, id string, since time.Time, limit int) (platen.Recovery, error) {
	if _, err := m.Receiver(ctx, u, wfID, id); err != nil {
		return platen.Recovery{}, err
	}
	m.Runs.Since = since
	return platen.Recovery{Events: min(limit, 4)}, nil
}

func (m *Store) RecoverTestEvents(_ context.Context, u platen.User, wfID string, since time.Time, _ int) (platen.Recovery, error) {
	_, err := m.find(u, wfID)
	m.Runs.Since = since
	return platen.Recovery{Events: 1}, err
}

func (m *Store) EndpointState(_ context.Context, u platen.User, wfID string) (platen.EndpointState, int, error) {
	_, err := m.find(u, wfID)
	return m.Runs.Endpoint, 3, err
}

func (m *Store) EnableEndpoint(_ context.Context, u platen.User, wfID, url string) error {
	_, err := m.find(u, wfID)
	m.Runs.Enabled = append(m.Runs.Enabled, url)
	return err
}

func (m *Store) RemoveDocument(_ context.Context, u platen.User, wfID, id string, allowed func(platen.Document) error) (bool, error) {
	w, i, err := m.document(u, wfID, id)
	if err != nil {
		return false, err
	}
	if err := allowed(w.Documents[i]); err != nil {
		return false, err
	}
	w.Documents = slices.Delete(slices.Clone(w.Documents), i, i+1)
	w.Status = w.ReadyStatus()
	return m.Runs.Needed, nil
}

func (m *Store) MarkTemplateTrashed(_ context.Context, id string) error {
	m.Runs.Trashed = append(m.Runs.Trashed, id)
	return nil
}

func (m *Store) DeleteOutgoingWebhook(_ context.Context, u platen.User, wfID string, allowed func(platen.OutgoingWebhook) error) error {
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
