package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
	runs "github.com/platenhq/platen/internal/postgres/run"
)

var errRefused = platen.Errorf(platen.KindConflict, platen.CodeStepSuperseded, "Somebody else is ahead.")

// change is one of the changes that steps make.
func (p *pair) change() (string, func(*platen.Output) error) {
	n := p.random.below(100)
	file := &platen.File{ID: fmt.Sprint("file-", n), Name: "Output", Properties: map[string]string{platen.PropertyKey: "key"}}
	changes := []struct {
		name string
		do   func(*platen.Output) error
	}{
		{"nothing", func(*platen.Output) error { return nil }},
		{"a refusal", func(*platen.Output) error { return errRefused }},
		{"a copy begins", func(o *platen.Output) error { o.CopyBegun = true; return nil }},
		{"a copy", func(o *platen.Output) error { o.Copy = file; return nil }},
		{"a fill begins", func(o *platen.Output) error { o.FillBegun = true; return nil }},
		{"a fill ends", func(o *platen.Output) error { o.FillEnded = true; return nil }},
		{"a new generation", func(o *platen.Output) error {
			o.Generation++
			o.ThrownAway = append(o.ThrownAway, file.ID)
			o.Repeated, o.CopyBegun, o.Copy, o.FillBegun = true, false, nil, false
			return nil
		}},
		{"a hash", func(o *platen.Output) error {
			o.PDFID, o.PDFHashes = file.ID, append(o.PDFHashes, fmt.Sprint(n))
			return nil
		}},
		{"a PDF", func(o *platen.Output) error { o.PDF = file; return nil }},
		{"an appendix begins", func(o *platen.Output) error { o.AppendixBegun = true; return nil }},
		{"an appendix", func(o *platen.Output) error {
			o.Appendices = append(o.Appendices, platen.Appendix{FileID: "sheet", Name: "Sheet", Size: 7, CopyID: file.ID, Missing: []string{"Rate"}, Notes: []platen.Finding{{Code: platen.CodeNoField, Message: "None."}}})
			o.AppendixBegun = false
			return nil
		}},
		{"a removal", func(o *platen.Output) error { o.Removed = true; return nil }},
	}
	c := changes[p.random.below(len(changes))]
	return c.name, c.do
}

// shown is an output without what only one of the stores has an opinion of.
func shown(o platen.Output, err error) (any, error) { return o, err }

func (p *pair) ofOutputs() operation {
	id := p.output()
	name, change := p.change()
	switch p.random.below(7) {
	case 0:
		return operation{"read " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return shown(db.Outputs.Output(ctx, id))
		}, func(ctx context.Context, db database) (any, error) { return shown(db.Output(ctx, id)) }}
	case 1:
		return operation{"remember " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return shown(db.Outputs.RememberedOutput(ctx, id))
		}, func(ctx context.Context, db database) (any, error) { return shown(db.RememberedOutput(ctx, id)) }}
	case 2:
		return operation{"note of " + id + " " + name, func(ctx context.Context, db *runs.DB) (any, error) {
			return shown(db.Outputs.NoteOutput(ctx, id, change))
		}, func(ctx context.Context, db database) (any, error) { return shown(db.NoteOutput(ctx, id, change)) }}
	case 3:
		return p.record(id)
	}
	return operation{"update " + id + " with " + name, func(ctx context.Context, db *runs.DB) (any, error) {
		o, err := db.Outputs.UpdateOutput(ctx, id, change)
		o.UpdatedAt = time.Time{} // as it was before: nobody reads it
		return shown(o, err)
	}, func(ctx context.Context, db database) (any, error) {
		o, err := db.UpdateOutput(ctx, id, change)
		o.UpdatedAt = time.Time{}
		return shown(o, err)
	}}
}

func (p *pair) record(id string) operation {
	automation := p.harness.store.automations[p.harness.store.outputs[id].AutomationID]
	state := []platen.OutputState{platen.OutputDone, platen.OutputDone, platen.OutputFailed, platen.OutputPending}[p.random.below(4)]
	end := func(o *platen.Output) error {
		o.State = state
		if state == platen.OutputFailed {
			o.FailureCode, o.Failure = "some_code", "why"
		}
		return nil
	}
	event := func(o platen.Output) (platen.Event, error) { return p.newEvent(automation.Automation, o) }
	recorded := func(_ platen.Output, eventID string, err error) (any, error) { return eventID, err }
	return operation{fmt.Sprintf("record %s as %s", id, state), func(ctx context.Context, db *runs.DB) (any, error) {
		return recorded(db.Outputs.RecordOutput(ctx, id, end, event))
	}, func(ctx context.Context, db database) (any, error) {
		return recorded(db.RecordOutput(ctx, id, end, event))
	}}
}

func (p *pair) ofSweeps() operation {
	age := time.Duration(p.random.below(60)) * time.Second
	id := p.output()
	if p.random.below(2) == 0 || p.harness.store.outputs[id].State == platen.OutputPending {
		return operation{"list unswept outputs", func(ctx context.Context, db *runs.DB) (any, error) {
			return db.Outputs.UnsweptOutputs(ctx, age, platen.EndedOutput{})
		}, func(ctx context.Context, db database) (any, error) {
			return db.UnsweptOutputs(ctx, age, platen.EndedOutput{})
		}}
	}
	o := platen.EndedOutput{OutputID: id, EndedAt: p.harness.store.outputs[id].UpdatedAt}
	return operation{"mark as swept " + id, func(ctx context.Context, db *runs.DB) (any, error) {
		return nil, db.Outputs.MarkOutputSwept(ctx, o)
	}, func(ctx context.Context, db database) (any, error) { return nil, db.MarkOutputSwept(ctx, o) }}
}

func (p *pair) ofCommands() operation {
	lease := time.Duration(1+p.random.below(20)) * time.Second
	switch p.random.below(4) {
	case 0:
		key := platen.EndpointKey{OwnerID: p.users[p.random.below(2)].ID, URL: "https://example.org/in"}
		return operation{"put off deliveries", func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Outbox.PutOffDeliveries(ctx, key, lease)
		}, func(ctx context.Context, db database) (any, error) { return nil, db.PutOffDeliveries(ctx, key, lease) }}
	case 1:
		var asked platen.OutboxCommand
		for key, c := range p.harness.store.commands {
			asked = platen.OutboxCommand{Kind: key.kind, ID: key.id, Version: c.version - p.random.below(3)/2}
			break
		}
		return operation{"acknowledge " + asked.ID, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Outbox.AcknowledgeCommand(ctx, asked)
		}, func(ctx context.Context, db database) (any, error) { return nil, db.AcknowledgeCommand(ctx, asked) }}
	}
	return operation{"claim commands", func(ctx context.Context, db *runs.DB) (any, error) {
		return db.Outbox.ClaimCommands(ctx, 100, lease)
	}, func(ctx context.Context, db database) (any, error) { return db.ClaimCommands(ctx, 100, lease) }}
}

func (p *pair) ofEvents() operation {
	id := p.event()
	e := p.harness.store.events[id]
	owner := p.users[0]
	if p.harness.store.workflows[e.WorkflowID].ownerID != owner.ID {
		owner = p.users[1]
	}
	attempt := 1 + p.random.below(4)
	lease := time.Duration(1+p.random.below(20)) * time.Second
	switch p.random.below(9) {
	case 8:
		return p.readEvent(id)
	case 0:
		return operation{"hold " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Deliveries.HoldEvent(ctx, id, attempt, platen.CodeEndpointBusy)
		}, func(ctx context.Context, db database) (any, error) {
			return nil, db.HoldEvent(ctx, id, attempt, platen.CodeEndpointBusy)
		}}
	case 1:
		return operation{"claim overdue events", func(ctx context.Context, db *runs.DB) (any, error) {
			return db.Deliveries.ClaimOverdueEvents(ctx, 2*lease, lease, 100)
		}, func(ctx context.Context, db database) (any, error) {
			return db.ClaimOverdueEvents(ctx, 2*lease, lease, 100)
		}}
	case 2:
		return operation{"mark as under way " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Deliveries.MarkEventsUnderWay(ctx, []string{id})
		}, func(ctx context.Context, db database) (any, error) {
			return nil, db.MarkEventsUnderWay(ctx, []string{id})
		}}
	case 3:
		return operation{"deliver the overdue " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Deliveries.DeliverOverdue(ctx, []string{id})
		}, func(ctx context.Context, db database) (any, error) { return nil, db.DeliverOverdue(ctx, []string{id}) }}
	case 4:
		return operation{"redeliver " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Events.RedeliverEvent(ctx, owner, e.WorkflowID, id)
		}, func(context.Context, database) (any, error) { return nil, p.harness.store.redeliverEvent(id) }}
	case 5:
		return operation{"recover the events of " + e.WorkflowID, func(ctx context.Context, db *runs.DB) (any, error) {
			_, err := db.Events.RecoverEvents(ctx, owner, e.WorkflowID, time.Time{}, 100)
			return nil, err
		}, func(context.Context, database) (any, error) {
			return nil, p.harness.store.recoverEvents(e.WorkflowID)
		}}
	}
	return p.attemptOf(id, attempt, lease)
}

// attemptOf records an attempt to deliver an event.
func (p *pair) attemptOf(id string, attempt int, next time.Duration) operation {
	made := platen.Delivery{EventID: id, Attempt: attempt, At: p.now(), Status: 200}
	state := []platen.EventState{platen.EventDelivered, platen.EventPending, platen.EventFailed}[p.random.below(3)]
	if state != platen.EventDelivered {
		made.Status, made.Failure = 500, "The receiver answered 500."
	}
	return operation{fmt.Sprintf("record attempt %d of %s, %s", attempt, id, state), func(ctx context.Context, db *runs.DB) (any, error) {
		return nil, db.Deliveries.RecordDelivery(ctx, made, state, next)
	}, func(ctx context.Context, db database) (any, error) {
		return nil, db.RecordDelivery(ctx, made, state, next)
	}}
}
