package postgres_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestPagesOfWorkflowsHoldEachOnceInTheOrderOfTheList(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	team := f.Team("Sales")
	me, colleague, stranger := f.User(team), f.User(team), f.User(f.Team("Other"))
	at := storetest.Now()
	var all []string
	for i := range 11 {
		owner := []platen.User{me, colleague, stranger}[i%3]
		w := f.Workflow(owner, storetest.Incomplete, func(w *platen.Workflow) {
			w.CreatedAt = at.Add(time.Duration(i/4) * time.Second) // some are of the same moment
			if i%4 == 0 {
				w.Status = platen.StatusArchived
			}
		})
		if owner.ID != stranger.ID {
			all = append(all, w.ID)
		}
	}
	whole, err := f.DB.DB.Workflows.Workflows(t.Context(), me, platen.WorkflowQuery{})
	f.Must(err)
	for _, limit := range []int{1, 2, 3, 100} {
		q := platen.WorkflowQuery{Page: platen.Page{Limit: limit}}
		var got []string
		for {
			page, err := f.DB.DB.Workflows.Workflows(t.Context(), me, q)
			f.Must(err)
			if len(page) > limit {
				t.Fatalf("limit %d: got %d", limit, len(page))
			}
			if len(page) == 0 {
				break
			}
			for _, w := range page {
				got = append(got, w.ID)
			}
			last := page[len(page)-1]
			q.After = platen.Position{CreatedAt: last.CreatedAt, ID: last.ID}
		}
		var want []string
		for _, w := range whole {
			want = append(want, w.ID)
		}
		if !slices.Equal(got, want) || len(got) != len(all) {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	for _, c := range []struct {
		statuses []platen.Status
		want     int
	}{
		{[]platen.Status{platen.StatusArchived}, 2},
		{[]platen.Status{platen.StatusIncomplete}, len(all) - 2},
		{[]platen.Status{platen.StatusIncomplete, platen.StatusArchived}, len(all)},
		{[]platen.Status{platen.StatusComplete}, 0},
	} {
		found, err := f.DB.DB.Workflows.Workflows(t.Context(), me, platen.WorkflowQuery{Statuses: c.statuses})
		if err != nil || len(found) != c.want {
			t.Errorf("%v: got %d and %v, want %d", c.statuses, len(found), err, c.want)
		}
	}
}

func TestPagesOfDocuments(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	want := []string{w.Documents[0].ID}
	for range 3 {
		d := storetest.NewDocument(w.ID, storetest.Now())
		f.Must(f.Documents.ReserveDocument(t.Context(), w.Owner, d))
		_, err := f.Documents.CompleteDocument(t.Context(), w.Owner, d)
		f.Must(err)
		want = append(want, d.ID)
	}
	f.Must(f.Documents.ReserveDocument(t.Context(), w.Owner, storetest.NewDocument(w.ID, storetest.Now()))) // pending: not listed
	var got []string
	page := platen.Page{Limit: 3}
	for range 2 {
		found, err := f.Documents.Documents(t.Context(), w.Owner, w.ID, page)
		f.Must(err)
		for _, d := range found {
			got = append(got, d.ID)
			page.After = platen.Position{CreatedAt: d.CreatedAt, ID: d.ID}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, err := f.Documents.Documents(t.Context(), f.User(nil), w.ID, page)
	storetest.WantKind(t, "a stranger's page", err, platen.KindNotFound, "workflow_not_found")
}

func TestAnArchivingThatIsNotAllowedChangesNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	refused := errors.New("refused")
	err := f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, func(got platen.Workflow) error {
		if got.ID != w.ID || len(got.Documents) != 1 {
			t.Errorf("got %+v, want the whole workflow", got)
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("got %v, want the error of the check", err)
	}
	stored, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
	f.Must(err)
	if stored.Status != platen.StatusComplete || !stored.UpdatedAt.Equal(w.UpdatedAt) {
		t.Errorf("got %s, updated at %v", stored.Status, stored.UpdatedAt)
	}
}

func TestListsArePagedInOrderAndTheirWholeIsTheirEnd(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()))
	})
	f.Accept(f.Workflow(w.Owner), 2) // another's
	var want []string
	for range 5 {
		p := f.Planned(w)
		want = append(want, p.AutomationID)
		for _, d := range p.Documents {
			_, _, err := f.Outputs.RecordOutput(t.Context(), d.OutputID, storetest.Done, storetest.EventFor)
			f.Must(err)
		}
	}
	all, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{})
	f.Must(err)
	if got := storetest.IDs(all); !slices.Equal(got, want) {
		t.Errorf("automations: got %v, want %v", got, want)
	}
	if len(all[0].Outputs) != 2 || all[0].Outputs[0].DocumentID != w.Documents[0].ID {
		t.Errorf("outputs of an automation: got %+v, want those of both documents in their order", all[0].Outputs)
	}
	page, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{
		Page: platen.Page{Limit: 2, After: platen.Position{CreatedAt: all[1].AcceptedAt, ID: all[1].ID}}})
	if f.Must(err); !slices.Equal(storetest.IDs(page), want[2:4]) {
		t.Errorf("second page: got %v, want %v", storetest.IDs(page), want[2:4])
	}
	for name, list := range map[string]func(q platen.AutomationQuery) ([]platen.Automation, error){
		"of the workflow": func(q platen.AutomationQuery) ([]platen.Automation, error) {
			return f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, q)
		},
		"of all": func(q platen.AutomationQuery) ([]platen.Automation, error) {
			return f.Automations.CallersAutomations(t.Context(), w.Owner, q)
		},
	} {
		whole, err := list(platen.AutomationQuery{})
		f.Must(err)
		for _, q := range []platen.AutomationQuery{{Since: all[1].AcceptedAt, Until: all[3].AcceptedAt}, {Until: all[3].AcceptedAt}, {Since: all[1].AcceptedAt}} {
			var want []string
			for _, a := range whole {
				if !a.AcceptedAt.Before(q.Since) && (q.Until.IsZero() || a.AcceptedAt.Before(q.Until)) {
					want = append(want, a.ID)
				}
			}
			got, err := list(q)
			if err != nil || !slices.Equal(storetest.IDs(got), want) || len(got) == 0 || len(got) == len(whole) {
				t.Errorf("%s, from %s until %s: got %v, %v; want %v", name, q.Since, q.Until, storetest.IDs(got), err, want)
			}
		}
	}
	none, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{States: []platen.AutomationState{platen.AutomationFailed}})
	if err != nil || len(none) != 0 {
		t.Errorf("FAILED ones: got %v, %v; want none", storetest.IDs(none), err)
	}
	outputs, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{States: []platen.OutputState{platen.OutputDone}})
	if err != nil || len(outputs) != 10 || !slices.IsSortedFunc(outputs, func(a, b platen.Output) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
		t.Errorf("outputs: got %d, %v; want 10 in order", len(outputs), err)
	}
	next, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{
		Page: platen.Page{Limit: 3, After: platen.Position{CreatedAt: outputs[6].CreatedAt, ID: outputs[6].ID}}})
	if err != nil || len(next) != 3 || next[0].ID != outputs[7].ID || next[2].ID != outputs[9].ID {
		t.Errorf("last page of outputs: got %+v, %v", next, err)
	}
	between, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{Since: outputs[2].CreatedAt, Until: outputs[8].CreatedAt})
	f.Must(err)
	for _, o := range between {
		if o.CreatedAt.Before(outputs[2].CreatedAt) || !o.CreatedAt.Before(outputs[8].CreatedAt) {
			t.Errorf("an output of %s is none from %s until %s", o.CreatedAt, outputs[2].CreatedAt, outputs[8].CreatedAt)
		}
	}
	if len(between) == 0 || len(between) == len(outputs) {
		t.Errorf("outputs between: got %d of %d", len(between), len(outputs))
	}
	events, err := f.Events.WorkflowEvents(t.Context(), w.Owner, w.ID, platen.EventQuery{States: []platen.EventState{platen.EventPending}})
	if err != nil || len(events) != 10 || events[0].Payload != nil {
		t.Errorf("events: got %d, %v; want 10 without payload", len(events), err)
	}
}
