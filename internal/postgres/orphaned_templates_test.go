package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestOutputsThatMayHaveLeftFilesAreListedUntilTheyWereLookedThrough(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Planned(w)
	id := p.Documents[0].OutputID
	_, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.CopyBegun, o.Repeated = true, true; return nil })
	f.Must(err)
	unswept := func(age time.Duration, after platen.EndedOutput) []platen.EndedOutput {
		t.Helper()
		found, err := f.Outputs.UnsweptOutputs(t.Context(), age, after)
		f.Must(err)
		return found
	}
	if found := unswept(0, platen.EndedOutput{}); len(found) != 0 {
		t.Errorf("under way: got %v, want none", found)
	}
	_, _, err = f.Outputs.RecordOutput(t.Context(), id, func(o *platen.Output) error { o.State = platen.OutputFailed; return nil }, storetest.EventFor)
	f.Must(err)
	if found := unswept(time.Hour, platen.EndedOutput{}); len(found) != 0 {
		t.Errorf("just ended: got %v, want none", found)
	}
	found := unswept(0, platen.EndedOutput{})
	if len(found) != 1 || found[0].OutputID != id || found[0].Automation.OwnerID != p.OwnerID {
		t.Fatalf("ended: got %v, want %s", found, id)
	}
	if more := unswept(0, found[0]); len(more) != 0 {
		t.Errorf("after the last one: got %v, want none", more)
	}
	f.Must(f.Outputs.MarkOutputSwept(t.Context(), found[0]))
	if again := unswept(0, platen.EndedOutput{}); len(again) != 0 {
		t.Errorf("looked through: got %v, want none", again)
	}
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.Must(err)
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.Must(err)
	_, _, err = f.Outputs.RecordOutput(t.Context(), id, storetest.Done, storetest.EventFor)
	f.Must(err)
	if again := unswept(0, platen.EndedOutput{}); len(again) != 1 {
		t.Errorf("retried and ended again: got %v, want it once more", again)
	}
}

func TestAnOrphanIsFoundUntilItIsRemovedAndCannotBeCompleted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	old, young := storetest.NewDocument(w.ID, storetest.Now().Add(-2*time.Hour)), storetest.NewDocument(w.ID, storetest.Now())
	for _, d := range []platen.Document{old, young} {
		f.Must(f.Documents.ReserveDocument(t.Context(), w.Owner, d))
	}
	for range 2 {
		orphans, err := f.OrphanedTemplates.DiscardOrphans(t.Context(), time.Hour, platen.OrphanedTemplate{})
		f.Must(err)
		if len(orphans) != 1 || orphans[0].DocumentID != old.ID || orphans[0].OwnerID != w.Owner.ID {
			t.Fatalf("got %+v, want the old one", orphans)
		}
	}
	_, err := f.Documents.CompleteDocument(t.Context(), w.Owner, old)
	storetest.WantKind(t, "completing an orphan", err, platen.KindNotFound, "document_not_found")
	f.Must(f.OrphanedTemplates.ForgetOrphan(t.Context(), old.ID))
	f.Must(f.OrphanedTemplates.ForgetOrphan(t.Context(), young.ID)) // is none
	if orphans, err := f.OrphanedTemplates.DiscardOrphans(t.Context(), time.Hour, platen.OrphanedTemplate{}); err != nil || len(orphans) != 0 {
		t.Errorf("got %+v, %v after removal", orphans, err)
	}
	_, err = f.Documents.CompleteDocument(t.Context(), w.Owner, young)
	f.Must(err)
}

func TestOrphansAndRemovedTemplatesHaveTheirTurnBehindThoseThatStay(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	const n = 101
	f.Exec(`
		INSERT INTO documents
		SELECT (jsonb_populate_record(d, jsonb_build_object('id', 'doc_' || s || n, 'state', s, 'created_at', now() - interval '2 hours'))).*
		FROM documents d, generate_series(1, $2) n, unnest(ARRAY['PENDING', 'REMOVED']) s
		WHERE d.id = $1`, w.Documents[0].ID, n)
	for name, next := range map[string]func(after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error){
		"orphans": func(after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
			return f.OrphanedTemplates.DiscardOrphans(t.Context(), time.Hour, after)
		},
		"removed templates": func(after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
			return f.OrphanedTemplates.RemovedTemplates(t.Context(), after)
		},
	} {
		seen, last := map[string]bool{}, platen.OrphanedTemplate{}
		for {
			found, err := next(last)
			f.Must(err)
			if len(found) == 0 {
				break
			}
			for _, s := range found {
				seen[s.DocumentID] = true
			}
			last = found[len(found)-1]
		}
		if len(seen) != n {
			t.Errorf("%s: found %d, want all %d", name, len(seen), n)
		}
	}
}
