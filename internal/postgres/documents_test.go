package postgres_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestARemovedDocumentLeavesItsOutputsAndAnIncompleteWorkflow(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	d := w.Documents[0]
	p := f.Planned(w)
	needed, err := f.Documents.RemoveDocument(t.Context(), w.Owner, w.ID, d.ID, storetest.AnyDocument)
	if err != nil || !needed {
		t.Fatalf("got %t, %v; want the template still needed", needed, err)
	}
	if got, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID); err != nil || got.Status != platen.StatusIncomplete || !got.UpdatedAt.After(w.UpdatedAt) {
		t.Errorf("workflow: got %+v, %v; want INCOMPLETE and updated", got, err)
	}
	_, err = f.Documents.RemoveDocument(t.Context(), w.Owner, w.ID, d.ID, storetest.AnyDocument)
	storetest.WantKind(t, "second removal", err, platen.KindNotFound, "document_not_found")
	_, err = f.Documents.CompleteDocument(t.Context(), w.Owner, d)
	storetest.WantKind(t, "completing it", err, platen.KindNotFound, "document_not_found")
	if found, err := f.OrphanedTemplates.RemovedTemplates(t.Context(), platen.OrphanedTemplate{}); err != nil || len(found) != 0 {
		t.Errorf("templates to trash: got %v, %v; want none while an output is under way", found, err)
	}
	_, _, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	found, err := f.OrphanedTemplates.RemovedTemplates(t.Context(), platen.OrphanedTemplate{})
	if err != nil || len(found) != 1 || found[0].DocumentID != d.ID || found[0].OwnerID != w.Owner.ID {
		t.Errorf("templates to trash: got %v, %v; want the removed one's", found, err)
	}
	f.Must(f.OrphanedTemplates.MarkTemplateTrashed(t.Context(), d.ID))
	if found, err := f.OrphanedTemplates.RemovedTemplates(t.Context(), platen.OrphanedTemplate{}); err != nil || len(found) != 0 {
		t.Errorf("after it was trashed: got %v, %v", found, err)
	}
	if outputs, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{}); err != nil || len(outputs) != 1 || outputs[0].DocumentID != d.ID {
		t.Errorf("outputs: got %+v, %v; want the one that was made from it", outputs, err)
	}
	if orphans, err := f.OrphanedTemplates.DiscardOrphans(t.Context(), 0, platen.OrphanedTemplate{}); err != nil || len(orphans) != 0 {
		t.Errorf("orphans: got %v, %v; want none", orphans, err)
	}
}

func TestARemovedDocumentThatAnOlderReleaseTookForAnOrphanStays(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Planned(w)
	f.Exec(`UPDATE documents SET state = 'DISCARDED' WHERE id = $1`, w.Documents[0].ID)
	f.Must(f.OrphanedTemplates.ForgetOrphan(t.Context(), w.Documents[0].ID))
	if n := f.Count(`SELECT count(*) FROM documents WHERE state = 'REMOVED' AND template_removed_at IS NOT NULL`); n != 1 {
		t.Errorf("%d removed documents, want the one with an output", n)
	}
}

func TestADocumentIsPendingUntilItIsCompleted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), storetest.Incomplete)
	d := storetest.NewDocument(w.ID, storetest.Now())
	pending := d
	pending.File = platen.File{}
	f.Must(f.Documents.ReserveDocument(t.Context(), w.Owner, pending))
	f.Must(f.Documents.ReserveDocument(t.Context(), w.Owner, pending))
	if got, err := f.Documents.Documents(t.Context(), w.Owner, w.ID, platen.Page{}); err != nil || len(got) != 0 {
		t.Errorf("a pending document is listed: %v, %v", got, err)
	}
	_, _, err := f.Documents.DocumentByID(t.Context(), d.ID)
	storetest.WantKind(t, "pending by id", err, platen.KindNotFound, "document_not_found")

	done, err := f.Documents.CompleteDocument(t.Context(), w.Owner, d)
	f.Must(err)
	d.UpdatedAt = done.UpdatedAt
	if diff := cmp.Diff(d, done); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again := d
	again.File.ID = "another"
	if second, err := f.Documents.CompleteDocument(t.Context(), w.Owner, again); err != nil || !cmp.Equal(second, done) {
		t.Errorf("completing twice: got %+v, %v; want what is stored", second, err)
	}
	stored, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
	f.Must(err)
	if stored.Status != platen.StatusComplete || !cmp.Equal(stored.Documents, []platen.Document{done}) {
		t.Errorf("workflow is %s with %+v", stored.Status, stored.Documents)
	}
	byID, owner, err := f.Documents.DocumentByID(t.Context(), d.ID)
	if err != nil || !cmp.Equal(byID, done) || owner.ID != w.Owner.ID {
		t.Errorf("by id: %+v, %v, %v", byID, owner, err)
	}
}

func TestThePreviewVersionOfADocumentIsKept(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	raise := func(d *platen.Document) error { d.PreviewVersion++; return nil }
	for want := 1; want <= 2; want++ {
		d, err := f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, raise)
		f.Must(err)
		stored, _, err := f.Documents.DocumentByID(t.Context(), d.ID)
		f.Must(err)
		if d.PreviewVersion != want || stored.PreviewVersion != want {
			t.Errorf("got %d, and %d stored, want %d", d.PreviewVersion, stored.PreviewVersion, want)
		}
	}
}
