package postgres_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestARetryRedoesOnlyWhatFailed(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()))
	})
	p := f.Planned(w)
	good, bad := p.Documents[0].OutputID, p.Documents[1].OutputID
	_, kept, err := f.Outputs.RecordOutput(t.Context(), good, storetest.Done, storetest.EventFor)
	f.Must(err)
	_, err = f.Outputs.UpdateOutput(t.Context(), bad, func(o *platen.Output) error {
		o.CopyBegun, o.Copy, o.PDFID = true, &platen.File{ID: "trashed"}, "p"
		return nil
	})
	f.Must(err)
	_, first, err := f.Outputs.RecordOutput(t.Context(), bad, storetest.Failed, storetest.EventFor)
	f.Must(err)
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	storetest.WantKind(t, "retry of an open one", err, platen.KindInvalid, "automation_not_failed")
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.Must(err)

	a, err := f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	if err != nil || a.State != platen.AutomationAccepted || a.Attempt != 2 || a.FinishedAt != nil {
		t.Errorf("got %+v, %v; want ACCEPTED with attempt 2", a, err)
	}
	o, err := f.Outputs.Output(t.Context(), bad)
	f.Must(err)
	fresh := platen.Output{ID: bad, AutomationID: p.AutomationID, DocumentID: o.DocumentID, State: platen.OutputPending, Attempt: 2, Generation: 1, Repeated: true, ThrownAway: []string{"trashed", "p"}, MissingFields: []string{}, PDFHashes: []string{}}
	if diff := cmp.Diff(fresh, o, storetest.Untimed()); diff != "" {
		t.Errorf("failed output (-want +got):\n%s", diff)
	}
	if _, again, err := f.Outputs.RecordOutput(t.Context(), good, storetest.Done, storetest.EventFor); err != nil || again != kept {
		t.Errorf("the output that was done: event %q, %v; want %q", again, err, kept)
	}
	_, second, err := f.Outputs.RecordOutput(t.Context(), bad, storetest.Done, storetest.EventFor)
	if err != nil || second == "" || second == first {
		t.Errorf("the retried output: event %q, %v; want a new one", second, err)
	}
	if got, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 2); err != nil || got != platen.AutomationCompleted {
		t.Errorf("after the retry: %s, %v; want COMPLETED", got, err)
	}
}
