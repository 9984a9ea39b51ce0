package postgres_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
)

func TestAPlanIsPinnedAgainstLaterChanges(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(f.team("Sales")), func(w *platen.Workflow) { w.Locale = "de-AT" })
	p := f.planned(w)
	want := platen.Plan{
		Attempt: 1, AutomationID: p.AutomationID, WorkflowID: w.ID, WorkflowName: w.Name, Locale: "de-AT", OwnerID: w.Owner.ID, TeamID: w.Team.ID, AcceptedAt: p.AcceptedAt,
		Documents: []platen.PlannedDocument{{OutputID: p.Documents[0].OutputID, Document: w.Documents[0]}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, func(w *platen.Workflow) error {
		w.Locale = "fr"
		return rename(w)
	})
	f.must(err)
	_, err = f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, func(d *platen.Document) error {
		d.OutputName, d.PDFPassword, d.CreatePDFCopy = "changed", "changed", false
		return nil
	})
	f.must(err)
	d := newDocument(w.ID, now())
	f.must(f.Documents.ReserveDocument(t.Context(), w.Owner, d))
	_, err = f.Documents.CompleteDocument(t.Context(), w.Owner, d)
	f.must(err)
	f.must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	f.must(err)
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the plan changed (-first +later):\n%s", diff)
	}
	o, err := f.Outputs.Output(t.Context(), p.Documents[0].OutputID)
	f.must(err)
	pending := platen.Output{ID: o.ID, AutomationID: p.AutomationID, DocumentID: w.Documents[0].ID, State: platen.OutputPending, Attempt: 1, ThrownAway: []string{}, MissingFields: []string{}, PDFHashes: []string{}}
	if diff := cmp.Diff(pending, o, untimed()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	_, err = f.Plans.Plan(t.Context(), "aut_none")
	wantKind(t, "plan of nothing", err, platen.KindNotFound, "automation_not_found")
}

func TestConcurrentFirstCallsPinOnePlan(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, newDocument(w.ID, now()), newDocument(w.ID, now()))
	})
	id := f.accept(w, 1)[0]
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
	if n := f.count(`SELECT count(*) FROM outputs`); n != 3 {
		t.Errorf("%d outputs for 3 documents", n)
	}
}

func TestAPlanSaysTheLatestAttempt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.retried(f.workflow(f.user(nil)))
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	if err != nil || p.Attempt != 1 || again.Attempt != 2 {
		t.Errorf("got attempt %d, then %d, %v; want 1, then 2", p.Attempt, again.Attempt, err)
	}
}

// Files in drives carry the ids of outputs.
func TestAPlanThatWasForgottenIsPinnedWithTheSameOutputs(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) { w.Documents = append(w.Documents, newDocument(w.ID, now())) })
	p := f.planned(w)
	for _, sql := range []string{`DELETE FROM outputs WHERE automation_id = $1`, `DELETE FROM plans WHERE automation_id = $1`} {
		_, err := f.pool.Exec(t.Context(), sql, p.AutomationID)
		f.must(err)
	}
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	f.must(err)
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
}
