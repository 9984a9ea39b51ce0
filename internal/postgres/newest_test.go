package postgres_test

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestListsGoBackInTimeFromTheirNewestEntry(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	var automations, outputs, events []string
	for range 5 {
		p := f.Planned(w)
		o, event, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
		f.Must(err)
		automations, outputs, events = append(automations, p.AutomationID), append(outputs, o.ID), append(events, event)
	}
	slices.Reverse(automations)
	slices.Reverse(outputs)
	slices.Reverse(events)
	page := platen.Page{Limit: 2, Newest: true}
	var gotAutomations, gotOutputs, gotEvents, gotAll []string
	for after := (platen.AutomationQuery{Page: page}); ; {
		found, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, after)
		f.Must(err)
		all, err := f.Automations.CallersAutomations(t.Context(), w.Owner, after)
		f.Must(err)
		gotAll = append(gotAll, storetest.IDs(all)...)
		if len(found) == 0 {
			break
		}
		gotAutomations = append(gotAutomations, storetest.IDs(found)...)
		last := found[len(found)-1]
		after.After = platen.Position{CreatedAt: last.AcceptedAt, ID: last.ID}
	}
	for after := (platen.OutputQuery{Page: page}); ; {
		found, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, after)
		if f.Must(err); len(found) == 0 {
			break
		}
		for _, o := range found {
			gotOutputs, after.After = append(gotOutputs, o.ID), platen.Position{CreatedAt: o.CreatedAt, ID: o.ID}
		}
	}
	for after := (platen.EventQuery{Page: page}); ; {
		found, err := f.Events.WorkflowEvents(t.Context(), w.Owner, w.ID, after)
		if f.Must(err); len(found) == 0 {
			break
		}
		for _, e := range found {
			gotEvents, after.After = append(gotEvents, e.ID), platen.Position{CreatedAt: e.CreatedAt, ID: e.ID}
		}
	}
	for what, c := range map[string][2][]string{"automations": {gotAutomations, automations}, "automations of all": {gotAll, automations}, "outputs": {gotOutputs, outputs}, "events": {gotEvents, events}} {
		if !slices.Equal(c[0], c[1]) {
			t.Errorf("%s: got %v, want %v", what, c[0], c[1])
		}
	}
}

func TestOutputsAreFoundByIDAndEventsByTheirOutput(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	record := func(w platen.Workflow) (string, string) {
		o, event, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
		f.Must(err)
		return o.ID, event
	}
	output, event := record(w)
	record(w)
	elsewhere, _ := record(f.Workflow(w.Owner))
	both := []string{output, elsewhere}
	outputs, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{IDs: both})
	f.Must(err)
	events, err := f.Events.WorkflowEvents(t.Context(), w.Owner, w.ID, platen.EventQuery{OutputIDs: both})
	f.Must(err)
	if len(outputs) != 1 || outputs[0].ID != output || len(events) != 1 || events[0].ID != event {
		t.Errorf("got %+v and %+v, want those of this workflow", outputs, events)
	}
}

func TestAutomationsOfAllWorkflowsAreTheCallersAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	team := f.Team("Sales")
	me, colleague := f.User(team), f.User(team)
	mine, theirs := f.Workflow(me), f.Workflow(colleague, func(w *platen.Workflow) { w.Team = team })
	f.Accept(f.Workflow(f.User(f.Team("Other"))), 2)
	want := append(f.Accept(mine, 2), f.Accept(theirs, 1)...)
	found, err := f.Automations.CallersAutomations(t.Context(), me, platen.AutomationQuery{})
	f.Must(err)
	got := storetest.IDs(found)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	late := platen.AutomationQuery{Since: found[len(found)-1].AcceptedAt}
	if found, err = f.Automations.CallersAutomations(t.Context(), me, late); err != nil || len(found) == 3 || len(found) == 0 {
		t.Errorf("since the last: got %d, %v", len(found), err)
	}
}
