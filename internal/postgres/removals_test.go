package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func anyDocument(platen.Document) error { return nil }

func TestARemovedDocumentLeavesItsOutputsAndAnIncompleteWorkflow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	d := w.Documents[0]
	p := f.planned(w)
	needed, err := f.Documents.RemoveDocument(t.Context(), w.Owner, w.ID, d.ID, anyDocument)
	if err != nil || !needed {
		t.Fatalf("got %t, %v; want the template still needed", needed, err)
	}
	if got, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID); err != nil || got.Status != platen.StatusIncomplete || !got.UpdatedAt.After(w.UpdatedAt) {
		t.Errorf("workflow: got %+v, %v; want INCOMPLETE and updated", got, err)
	}
	_, err = f.Documents.RemoveDocument(t.Context(), w.Owner, w.ID, d.ID, anyDocument)
	wantKind(t, "second removal", err, platen.KindNotFound, "document_not_found")
	_, err = f.Documents.CompleteDocument(t.Context(), w.Owner, d)
	wantKind(t, "completing it", err, platen.KindNotFound, "document_not_found")
	if found, err := f.Orphans.RemovedTemplates(t.Context(), platen.OrphanedTemplate{}); err != nil || len(found) != 0 {
		t.Errorf("templates to trash: got %v, %v; want none while an output is under way", found, err)
	}
	_, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, done, eventFor)
	f.must(err)
	found, err := f.Orphans.RemovedTemplates(t.Context(), platen.OrphanedTemplate{})
	if err != nil || len(found) != 1 || found[0].DocumentID != d.ID || found[0].OwnerID != w.Owner.ID {
		t.Errorf("templates to trash: got %v, %v; want the removed one's", found, err)
	}
	f.must(f.Orphans.MarkTemplateTrashed(t.Context(), d.ID))
	if found, err := f.Orphans.RemovedTemplates(t.Context(), platen.OrphanedTemplate{}); err != nil || len(found) != 0 {
		t.Errorf("after it was trashed: got %v, %v", found, err)
	}
	if outputs, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{}); err != nil || len(outputs) != 1 || outputs[0].DocumentID != d.ID {
		t.Errorf("outputs: got %+v, %v; want the one that was made from it", outputs, err)
	}
	if orphans, err := f.Orphans.DiscardOrphans(t.Context(), 0, platen.OrphanedTemplate{}); err != nil || len(orphans) != 0 {
		t.Errorf("orphans: got %v, %v; want none", orphans, err)
	}
}

func TestARemovedDocumentThatAnOlderReleaseTookForAnOrphanStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	f.planned(w)
	f.exec(`UPDATE documents SET state = 'DISCARDED' WHERE id = $1`, w.Documents[0].ID)
	f.must(f.Orphans.ForgetOrphan(t.Context(), w.Documents[0].ID))
	if n := f.count(`SELECT count(*) FROM documents WHERE state = 'REMOVED' AND template_removed_at IS NOT NULL`); n != 1 {
		t.Errorf("%d removed documents, want the one with an output", n)
	}
}

func TestTheSecretBeforeSignsAlongForAWhile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	id, err := f.Outputs.RecordOutput(t.Context(), f.planned(w).Documents[0].OutputID, done, eventFor)
	f.must(err)
	rotate := func(until time.Time) {
		t.Helper()
		_, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error {
			o.PreviousSecret, o.PreviousUntil, o.Secret = o.Secret, until, "whsec_bmV3"
			return nil
		})
		f.must(err)
	}
	secrets := func() []string {
		t.Helper()
		_, to, err := f.Deliveries.Event(t.Context(), id)
		f.must(err)
		return to.Secrets
	}
	rotate(now().Add(time.Hour))
	if got, want := secrets(), []string{"whsec_bmV3", w.OutgoingWebhook.Secret}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if o, err := f.Webhooks.OutgoingWebhook(t.Context(), w.Owner, w.ID); err != nil || o.PreviousSecret != w.OutgoingWebhook.Secret {
		t.Errorf("read back: got %+v, %v", o, err)
	}
	if n := f.count(`SELECT count(*) FROM outgoing_webhooks WHERE previous_secret = convert_to($1, 'UTF8')`, w.OutgoingWebhook.Secret); n != 0 {
		t.Error("the secret before is stored in the clear")
	}
	rotate(now().Add(-time.Second))
	if got, want := secrets(), []string{"whsec_bmV3"}; !slices.Equal(got, want) {
		t.Errorf("after its time: got %v, want %v", got, want)
	}
}

// Both would wait for each other if one waited inside Postgres.
func TestManyMigrateAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	name := "migrate_" + fmt.Sprint(time.Now().UnixNano())
	f.exec(`CREATE DATABASE ` + name)
	t.Cleanup(func() {
		pool, err := pgxpool.New(context.Background(), f.pool.Config().ConnString())
		if err != nil {
			t.Error(err)
			return
		}
		defer pool.Close()
		if _, err := pool.Exec(context.Background(), `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	config := f.pool.Config().Copy()
	config.ConnConfig.Database = name
	failed := make(chan error, 4)
	for range cap(failed) {
		go func() {
			pool, err := pgxpool.NewWithConfig(context.Background(), config.Copy())
			if err == nil {
				err = postgres.Migrate(context.Background(), pool)
				pool.Close()
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		f.must(<-failed)
	}
}

func TestOutputsThatMayHaveLeftFilesAreListedUntilTheyWereLookedThrough(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.planned(w)
	id := p.Documents[0].OutputID
	_, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.CopyBegun, o.Repeated = true, true; return nil })
	f.must(err)
	unswept := func(age time.Duration, after platen.EndedOutput) []platen.EndedOutput {
		t.Helper()
		found, err := f.Outputs.UnsweptOutputs(t.Context(), age, after)
		f.must(err)
		return found
	}
	if found := unswept(0, platen.EndedOutput{}); len(found) != 0 {
		t.Errorf("under way: got %v, want none", found)
	}
	_, err = f.Outputs.RecordOutput(t.Context(), id, func(o *platen.Output) error { o.State = platen.OutputFailed; return nil }, eventFor)
	f.must(err)
	if found := unswept(time.Hour, platen.EndedOutput{}); len(found) != 0 {
		t.Errorf("just ended: got %v, want none", found)
	}
	found := unswept(0, platen.EndedOutput{})
	if len(found) != 1 || found[0].OutputID != id || found[0].OwnerID != p.OwnerID {
		t.Fatalf("ended: got %v, want %s", found, id)
	}
	if more := unswept(0, found[0]); len(more) != 0 {
		t.Errorf("after the last one: got %v, want none", more)
	}
	f.must(f.Outputs.MarkOutputSwept(t.Context(), found[0]))
	if again := unswept(0, platen.EndedOutput{}); len(again) != 0 {
		t.Errorf("looked through: got %v, want none", again)
	}
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.must(err)
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.must(err)
	f.exec(`UPDATE outputs SET swept_at = now() WHERE id = $1`, id) // as earlier releases leave it
	_, err = f.Outputs.RecordOutput(t.Context(), id, done, eventFor)
	f.must(err)
	if again := unswept(0, platen.EndedOutput{}); len(again) != 1 {
		t.Errorf("retried and ended again: got %v, want it once more", again)
	}
}
