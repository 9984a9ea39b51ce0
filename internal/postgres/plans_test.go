package postgres_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAPlanIsPinnedAgainstLaterChanges(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(f.Team("Sales")), func(w *platen.Workflow) { w.Locale = "de-AT" })
	p := f.Planned(w)
	want := platen.Plan{
		Attempt: 1, AutomationID: p.AutomationID, WorkflowID: w.ID, WorkflowName: w.Name, Locale: "de-AT", OwnerID: w.Owner.ID, TeamID: w.Team.ID, AcceptedAt: p.AcceptedAt,
		Documents: []platen.PlannedDocument{{OutputID: p.Documents[0].OutputID, Document: w.Documents[0]}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, func(w *platen.Workflow) error {
		w.Locale = "fr"
		return storetest.Rename(w)
	})
	f.Must(err)
	_, err = f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, func(d *platen.Document) error {
		d.OutputName, d.PDFPassword, d.CreatePDFCopy = "changed", "changed", false
		return nil
	})
	f.Must(err)
	d := storetest.NewDocument(w.ID, storetest.Now())
	f.Must(f.Documents.ReserveDocument(t.Context(), w.Owner, d))
	_, err = f.Documents.CompleteDocument(t.Context(), w.Owner, d)
	f.Must(err)
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	f.Must(err)
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the plan changed (-first +later):\n%s", diff)
	}
	o, err := f.Outputs.Output(t.Context(), p.Documents[0].OutputID)
	f.Must(err)
	pending := platen.Output{ID: o.ID, AutomationID: p.AutomationID, DocumentID: w.Documents[0].ID, State: platen.OutputPending, Attempt: 1, ThrownAway: []string{}, MissingFields: []string{}, PDFHashes: []string{}}
	if diff := cmp.Diff(pending, o, storetest.Untimed()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	_, err = f.Plans.Plan(t.Context(), "aut_none")
	storetest.WantKind(t, "plan of nothing", err, platen.KindNotFound, "automation_not_found")
}

func TestConcurrentFirstCallsPinOnePlan(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()), storetest.NewDocument(w.ID, storetest.Now()))
	})
	id := f.Accept(w, 1)[0]
	plans := make([]platen.Plan, 8)
	var calling sync.WaitGroup
	for i := range plans {
		calling.Go(func() {
			var err error
			if plans[i], err = f.Plans.Plan(t.Context(), id); err != nil {
				t.Errorf("Plan: %v", err)
			}
		})
	}
	calling.Wait()
	for _, p := range plans[1:] {
		if diff := cmp.Diff(plans[0], p); diff != "" {
			t.Errorf("two plans:\n%s", diff)
		}
	}
	if n := f.Count(`SELECT count(*) FROM outputs`); n != 3 {
		t.Errorf("%d outputs for 3 documents", n)
	}
}

func TestAPlanSaysTheLatestAttempt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.Retried(f.Workflow(f.User(nil)))
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	if err != nil || p.Attempt != 1 || again.Attempt != 2 {
		t.Errorf("got attempt %d, then %d, %v; want 1, then 2", p.Attempt, again.Attempt, err)
	}
}

// Files in drives carry the ids of outputs.
func TestAPlanThatWasForgottenIsPinnedWithTheSameOutputs(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()))
	})
	p := f.Planned(w)
	for _, sql := range []string{`DELETE FROM outputs WHERE automation_id = $1`, `DELETE FROM plans WHERE automation_id = $1`} {
		_, err := f.Owner.Exec(t.Context(), sql, p.AutomationID)
		f.Must(err)
	}
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	f.Must(err)
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
}
