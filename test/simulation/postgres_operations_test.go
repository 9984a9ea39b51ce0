package simulation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	runs "github.com/platenhq/platen/internal/postgres/run"
)

// TestTheSimulatedStoreIsLikePostgres makes random operations on both, and
// compares what they return and what is stored then.
func TestTheSimulatedStoreIsLikePostgres(t *testing.T) {
	seeds, steps := number("PLATEN_SIMULATION_STORES", 12), 120
	for seed := uint64(1); seed <= seeds; seed++ {
		p := newPair(t, seed)
		for n := range steps {
			p.setClock(p.now().Add(time.Duration(1+p.random.below(3)*p.random.below(1_700)) * tick))
			p.step(fmt.Sprintf("step %d of seed %d", n+1, seed))
		}
	}
}

// An operation asks one of the stores for something, and returns what it says.
type operation struct {
	name      string
	postgres  func(ctx context.Context, db *runs.DB) (any, error)
	simulated func(ctx context.Context, db database) (any, error)
}

// step makes one operation on both.
func (p *pair) step(where string) {
	p.t.Helper()
	o := p.operation()
	i := p.random.below(2)
	p.operations = append(p.operations, fmt.Sprintf("w%d: %s", i+1, o.name))
	where = where + ":\n" + strings.Join(p.operations, "\n")
	want, wantErr := o.postgres(p.t.Context(), p.postgres[i])
	got, err := o.simulated(p.t.Context(), p.simulated[i])
	if fmt.Sprint(platen.KindOf(err), codeOf(err), err == nil) != fmt.Sprint(platen.KindOf(wantErr), codeOf(wantErr), wantErr == nil) {
		p.t.Fatalf("%s: got error %v, want %v", where, err, wantErr)
	}
	byID := cmpopts.SortSlices(func(a, b platen.OutboxCommand) bool { return a.ID < b.ID })
	overdue := cmpopts.SortSlices(func(a, b platen.OverdueEvent) bool { return a.ID < b.ID })
	unswept := cmpopts.SortSlices(func(a, b platen.EndedOutput) bool { return a.OutputID < b.OutputID })
	left := cmpopts.IgnoreFields(platen.Automation{}, "SourceID", "RequestID", "FinishedAt")
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), byID, overdue, unswept, left); diff != "" && err == nil {
		p.t.Fatalf("%s (-Postgres +simulated):\n%s", where, diff)
	}
	p.compareRows(where)
}

func codeOf(err error) string {
	if e, ok := errors.AsType[*platen.Error](err); ok {
		return e.Code
	}
	return ""
}

// one of the automations that were accepted.
func (p *pair) automation() platen.Automation { return p.accepted[p.random.below(len(p.accepted))] }

// latest is an automation's attempt, or the one before.
func (p *pair) attempt(id string) int {
	return max(1, p.harness.store.automations[id].Attempt-p.random.below(4)/3)
}

// output is one of those that are planned; empty: none is.
func (p *pair) output() string {
	if ids := sorted(p.harness.store.outputs); len(ids) > 0 {
		return ids[p.random.below(len(ids))]
	}
	return ""
}

func (p *pair) worker() string { return fmt.Sprint("wrk_", p.random.below(3)) }

func (p *pair) event() string {
	if ids := sorted(p.harness.store.events); len(ids) > 0 {
		return ids[p.random.below(len(ids))]
	}
	return ""
}

func (p *pair) operation() operation {
	if len(p.accepted) == 0 || len(p.accepted) < 8 && p.random.below(6) == 0 {
		return p.accept()
	}
	kinds := []func() operation{p.ofQueue, p.ofQueue, p.ofOrder, p.ofRuns, p.ofRuns, p.ofParking, p.ofEnds, p.ofCommands, p.ofPauses}
	if p.output() != "" {
		kinds = append(kinds, p.ofOutputs, p.ofOutputs, p.ofOutputs, p.ofSweeps, p.ofReviews, p.ofReviews)
	}
	if p.event() != "" {
		kinds = append(kinds, p.ofEvents, p.ofEvents, p.ofEvents, p.ofEndpoints, p.ofEndpoints, p.ofEndpoints)
	}
	return kinds[p.random.below(len(kinds))]()
}

func (p *pair) accept() operation {
	w := p.workflows[p.random.below(len(p.workflows))]
	a := platen.Automation{ID: fmt.Sprintf("aut_%014d", len(p.accepted)+1), WorkflowID: w.ID, OwnerID: w.Owner.ID}
	p.accepted = append(p.accepted, a)
	body := fmt.Appendf(nil, `{"a":1,"Key":%d}`, len(p.accepted)%2)
	return operation{"accept " + a.ID, func(ctx context.Context, _ *runs.DB) (any, error) {
		return nil, p.batcher.Accept(ctx, platen.SourceEvent{AutomationID: a.ID, SourceKey: w.Source.Key, Body: body, ReceivedAt: p.now(), RequestID: "req_1"})
	}, func(context.Context, database) (any, error) {
		p.harness.store.accept(a.ID, w.ID, body)
		return nil, nil
	}}
}

// A claimed pair is what Claim returns.
type claimed struct {
	Automations []platen.Automation
	Seen        platen.Occupancy
}

func (p *pair) ofQueue() operation {
	a := p.automation()
	a.Attempt = p.attempt(a.ID)
	lease := time.Duration(1+p.random.below(20)) * time.Second
	switch p.random.below(8) {
	case 6:
		id, carries := p.worker(), p.random.below(6)
		return operation{"register " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Queue.Register(ctx, id, carries)
		}, func(ctx context.Context, db database) (any, error) { return nil, db.Register(ctx, id, carries) }}
	case 7:
		id := p.worker()
		return operation{"unregister " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Queue.Unregister(ctx, id)
		}, func(ctx context.Context, db database) (any, error) { return nil, db.Unregister(ctx, id) }}
	case 0, 1, 2:
		limit := p.random.below(4)
		by := platen.Claimer{Worker: p.worker(), Carries: 1 + p.random.below(4), Crowded: p.random.below(5) == 0, Most: platen.Places{
			Open: p.random.below(2) * (1 + p.random.below(5)), OwnerOpen: 1 + p.random.below(4), Parked: 1 + p.random.below(4), OwnerParked: 1 + p.random.below(3),
		}}
		return operation{fmt.Sprintf("claim %d by %+v", limit, by), func(ctx context.Context, db *runs.DB) (any, error) {
			found, seen, err := db.Queue.Claim(ctx, limit, by, lease)
			return claimed{found, seen}, err
		}, func(context.Context, database) (any, error) {
			found, seen := p.harness.store.claim(limit, by, lease)
			return claimed{found, seen}, nil
		}}
	case 3, 4:
		return operation{fmt.Sprintf("mark %s started in %d", a.ID, a.Attempt), func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Queue.MarkStarted(ctx, []platen.Automation{a})
		}, func(ctx context.Context, db database) (any, error) {
			return nil, db.MarkStarted(ctx, []platen.Automation{a})
		}}
	}
	return operation{"release " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
		return nil, db.Queue.Release(ctx, []string{a.ID}, lease)
	}, func(ctx context.Context, db database) (any, error) {
		return nil, db.Release(ctx, []string{a.ID}, lease)
	}}
}

func (p *pair) ofOrder() operation {
	return operation{"arrange", func(ctx context.Context, db *runs.DB) (any, error) {
		_, err := db.Order.Arrange(ctx)
		return nil, err
	}, func(ctx context.Context, db database) (any, error) {
		_, err := db.Arrange(ctx)
		return nil, err
	}}
}

func (p *pair) ofRuns() operation {
	a := p.automation()
	attempt := p.attempt(a.ID)
	switch p.random.below(4) {
	case 0:
		age := time.Duration(p.random.below(60)) * time.Second
		return operation{"list overdue automations", func(ctx context.Context, db *runs.DB) (any, error) {
			return db.Queue.OverdueAutomations(ctx, age, platen.Automation{})
		}, func(ctx context.Context, db database) (any, error) {
			return db.OverdueAutomations(ctx, age, platen.Automation{})
		}}
	case 1:
		return operation{"requeue " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Queue.Requeue(ctx, a.ID, attempt)
		}, func(ctx context.Context, db database) (any, error) { return nil, db.Requeue(ctx, a.ID, attempt) }}
	}
	outputs := func(plan platen.Plan, err error) (any, error) {
		ids := []string{fmt.Sprint(plan.Cancelled, plan.Attempt, plan.Numbers)}
		for _, d := range plan.Documents {
			ids = append(ids, d.OutputID)
		}
		return ids, err
	}
	return operation{"plan " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
		return outputs(db.Plans.Plan(ctx, a.ID))
	}, func(ctx context.Context, db database) (any, error) { return outputs(db.Plan(ctx, a.ID)) }}
}

func (p *pair) ofParking() operation {
	a := p.automation()
	subject := "out_" + fmt.Sprint(p.random.below(2))
	if p.random.below(3) == 0 {
		return operation{"unpark " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Parking.Unpark(ctx, a.ID, subject)
		}, func(ctx context.Context, db database) (any, error) { return nil, db.Unpark(ctx, a.ID, subject) }}
	}
	attempt := p.attempt(a.ID) * (p.random.below(4) + 3) / 4 // 0 at times: it is not known
	wait := platen.Wait{Subject: subject, Step: "CopyTemplate", Code: []string{platen.CodeStepSlow, "drive_unavailable", "drive_fault"}[p.random.below(3)], Message: "It waits."}
	return operation{"park " + a.ID + " " + wait.Code, func(ctx context.Context, db *runs.DB) (any, error) {
		return db.Parking.Park(ctx, a.ID, attempt, wait)
	}, func(ctx context.Context, db database) (any, error) { return db.Park(ctx, a.ID, attempt, wait) }}
}

func (p *pair) newEvent(a platen.Automation, o platen.Output) (platen.Event, error) {
	o.RequestID = "req_1" // the simulated store keeps none
	return delivery.NewEvent(a.WorkflowID, o, p.now())
}

func (p *pair) ofEnds() operation {
	a := p.automation()
	attempt := p.attempt(a.ID) * p.random.below(2)
	user := p.users[0]
	if a.OwnerID != user.ID {
		user = p.users[1]
	}
	switch p.random.below(6) {
	case 0:
		return operation{"end " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
			return db.Automations.EndAutomation(ctx, a.ID, attempt)
		}, func(ctx context.Context, db database) (any, error) { return db.EndAutomation(ctx, a.ID, attempt) }}
	case 1:
		return operation{"fail " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
			return db.Automations.FailAutomation(ctx, a.ID, attempt, "some_code", "why")
		}, func(ctx context.Context, db database) (any, error) {
			return db.FailAutomation(ctx, a.ID, attempt, "some_code", "why")
		}}
	case 2:
		return operation{"end the abandoned " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
			return db.Automations.EndAbandonedAutomation(ctx, a.ID, attempt, p.newEvent)
		}, func(ctx context.Context, db database) (any, error) {
			return db.EndAbandonedAutomation(ctx, a.ID, attempt, p.newEvent)
		}}
	case 3:
		return operation{"cancel " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
			_, err := db.Automations.CancelAutomation(ctx, user, a.WorkflowID, a.ID)
			return nil, err
		}, func(context.Context, database) (any, error) { return nil, p.harness.store.cancel(a.ID) }}
	}
	return operation{"retry " + a.ID, func(ctx context.Context, db *runs.DB) (any, error) {
		_, err := db.Automations.RetryAutomation(ctx, user, a.WorkflowID, a.ID)
		return nil, err
	}, func(context.Context, database) (any, error) { return nil, p.harness.store.retry(a.ID) }}
}
