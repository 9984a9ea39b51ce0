package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAWorkflowIsReadAsItWasCreated(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(f.Team("Sales"))
	for name, w := range map[string]platen.Workflow{
		"complete": f.Workflow(owner),
		"smallest": f.Workflow(owner, storetest.Incomplete, func(w *platen.Workflow) { w.OutgoingWebhook, w.Team = nil, nil }),
	} {
		got, err := f.Workflows.Workflow(t.Context(), owner, w.ID)
		f.Must(err)
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("%s (-created +read):\n%s", name, diff)
		}
	}
}

func TestOnlyOwnerAndTeamSeeAndChangeAWorkflow(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	sales, other := f.Team("Sales"), f.Team("Other")
	owner, colleague := f.User(sales), f.User(sales)
	strangers := []platen.User{f.User(other), f.User(nil)}
	shared := f.Workflow(owner)
	private := f.Workflow(owner, func(w *platen.Workflow) { w.Team = nil })
	alone := f.Workflow(strangers[1])

	for caller, want := range map[string][]string{owner.ID: {shared.ID, private.ID}, colleague.ID: {shared.ID}, strangers[0].ID: nil, strangers[1].ID: {alone.ID}} {
		var user platen.User
		for _, u := range append(strangers, owner, colleague) {
			if u.ID == caller {
				user = u
			}
		}
		found, err := f.DB.DB.Workflows.Workflows(t.Context(), user, platen.WorkflowQuery{})
		f.Must(err)
		var got []string
		for _, w := range found {
			got = append(got, w.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("list of %s (-want +got):\n%s", user.Email, diff)
		}
	}
	if _, err := f.Workflows.UpdateWorkflow(t.Context(), colleague, shared.ID, storetest.Rename); err != nil {
		t.Errorf("a colleague changes a shared workflow: %v", err)
	}
	denied := map[string]platen.User{shared.ID: strangers[0], private.ID: colleague, alone.ID: owner}
	document := shared.Documents[0].ID
	for id, caller := range denied {
		d := storetest.NewDocument(id, storetest.Now())
		for what, call := range map[string]func() error{
			"read": func() error { _, err := f.Workflows.Workflow(t.Context(), caller, id); return err },
			"update": func() error {
				_, err := f.Workflows.UpdateWorkflow(t.Context(), caller, id, storetest.Rename)
				return err
			},
			"archive":   func() error { return f.Workflows.ArchiveWorkflow(t.Context(), caller, id, nil) },
			"documents": func() error { _, err := f.Documents.Documents(t.Context(), caller, id, platen.Page{}); return err },
			"reserve":   func() error { return f.Documents.ReserveDocument(t.Context(), caller, d) },
			"complete":  func() error { _, err := f.Documents.CompleteDocument(t.Context(), caller, d); return err },
			"webhook":   func() error { _, err := f.Webhooks.OutgoingWebhook(t.Context(), caller, id); return err },
			"create webhook": func() error {
				return f.Webhooks.CreateOutgoingWebhook(t.Context(), caller, id, *shared.OutgoingWebhook)
			},
			"update webhook": func() error {
				_, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), caller, id, func(*platen.OutgoingWebhook) error { return nil })
				return err
			},
			"update document": func() error {
				_, err := f.Documents.UpdateDocument(t.Context(), caller, id, document, func(*platen.Document) error { return nil })
				return err
			},
		} {
			storetest.WantKind(t, fmt.Sprintf("%s by %s", what, caller.Email), call(), platen.KindNotFound, "workflow_not_found")
		}
	}
	_, err := f.Documents.UpdateDocument(t.Context(), owner, private.ID, document, func(*platen.Document) error { return nil })
	if storetest.CodeOf(err) != "document_not_found" {
		t.Errorf("a document of another workflow: got %v, want document_not_found", err)
	}
}

func TestAnUpdateTouchesNameColourIconAndLocaleOnly(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	got, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, func(w *platen.Workflow) error {
		w.Name, w.Color, w.Icon, w.Locale = "N", "#123456", "Star", "de-AT"
		w.Status, w.AutoCreate, w.Documents = platen.StatusArchived, false, nil
		return nil
	})
	f.Must(err)
	want := w
	want.Name, want.Color, want.Icon, want.Locale, want.UpdatedAt = "N", "#123456", "Star", "de-AT", got.UpdatedAt
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	stored, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
	f.Must(err)
	if diff := cmp.Diff(got, stored); diff != "" {
		t.Errorf("answer and row differ (-answer +row):\n%s", diff)
	}
	refused := errors.New("refused")
	if _, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, func(*platen.Workflow) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("got %v, want the error of the change", err)
	}
}

func TestEveryChangeOfConfigurationMovesUpdatedAt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	// Its clock is ahead of the database's.
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) { w.UpdatedAt = storetest.Now().Add(time.Minute); w.OutgoingWebhook = nil })
	d := storetest.NewDocument(w.ID, storetest.Now())
	last := w.UpdatedAt
	for _, step := range []struct {
		what string
		call func() error
	}{
		{"workflow", func() error {
			_, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, storetest.Rename)
			return err
		}},
		{"new document", func() error {
			f.Must(f.Documents.ReserveDocument(t.Context(), w.Owner, d))
			_, err := f.Documents.CompleteDocument(t.Context(), w.Owner, d)
			return err
		}},
		{"document", func() error {
			_, err := f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, d.ID, func(d *platen.Document) error { d.OutputName = "x"; return nil })
			return err
		}},
		{"new webhook", func() error {
			return f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, *storetest.NewWorkflow(w.Owner).OutgoingWebhook)
		}},
		{"webhook", func() error {
			_, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error { o.URL = "https://x"; return nil })
			return err
		}},
		{"archive", func() error { return f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil) }},
		{"restore", func() error { _, err := f.Workflows.RestoreWorkflow(t.Context(), w.ID); return err }},
	} {
		f.Must(step.call())
		stored, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
		f.Must(err)
		if !stored.UpdatedAt.After(last) {
			t.Errorf("%s left updatedAt at %v, before it was %v", step.what, stored.UpdatedAt, last)
		}
		last = stored.UpdatedAt
	}
}

func TestAnArchivedWorkflowIsReadAndNotChangedUntilRestored(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	empty := f.Workflow(w.Owner, storetest.Incomplete)
	for _, id := range []string{w.ID, w.ID, empty.ID} {
		f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, id, nil))
	}
	all, err := f.DB.DB.Workflows.Workflows(t.Context(), w.Owner, platen.WorkflowQuery{})
	f.Must(err)
	if len(all) != 2 || all[0].Status != platen.StatusArchived {
		t.Errorf("got %d workflows, first %s; want both, ARCHIVED", len(all), all[0].Status)
	}
	d := storetest.NewDocument(w.ID, storetest.Now())
	for what, call := range map[string]func() error{
		"update": func() error {
			_, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, storetest.Rename)
			return err
		},
		"reserve": func() error { return f.Documents.ReserveDocument(t.Context(), w.Owner, d) },
		"update document": func() error {
			_, err := f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, func(*platen.Document) error { return nil })
			return err
		},
		"webhook": func() error { return f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, *w.OutgoingWebhook) },
	} {
		storetest.WantKind(t, what, call(), platen.KindInvalid, "workflow_archived")
	}
	for id, want := range map[string]platen.Status{w.ID: platen.StatusComplete, empty.ID: platen.StatusIncomplete} {
		got, err := f.Workflows.RestoreWorkflow(t.Context(), id)
		if err != nil || got != want {
			t.Errorf("restore: got %s, %v; want %s", got, err, want)
		}
	}
	_, err = f.Workflows.RestoreWorkflow(t.Context(), "wkf_none")
	storetest.WantKind(t, "restore of nothing", err, platen.KindNotFound, "workflow_not_found")
}

func TestSecretsAreNotInTheDatabase(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Must(f.Connections.SaveDriveConnection(t.Context(), w.Owner.ID, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "1//refresh-me"}))
	_, text, err := f.Tokens.CreateToken(t.Context(), w.Owner.ID, "laptop", time.Time{})
	f.Must(err)
	_, err = f.Plans.Plan(t.Context(), f.Accept(w, 1)[0])
	f.Must(err)
	for _, secret := range []string{w.Source.Key, string(w.OutgoingWebhook.Secret), w.Documents[0].PDFPassword, "1//refresh-me", text} {
		for _, table := range []string{"sources", "outgoing_webhooks", "documents", "drive_connections", "tokens", "plans"} {
			// A row as text shows bytea in hex.
			n := f.Count(fmt.Sprintf(`SELECT count(*) FROM %s r WHERE r::text LIKE '%%' || $1 || '%%' OR r::text LIKE '%%' || encode(convert_to($1, 'UTF8'), 'hex') || '%%'`, table), secret)
			if n != 0 {
				t.Errorf("table %s holds the secret %q in the clear", table, secret)
			}
		}
	}
}

func TestAListHasCreationOrderAndEachWorkflowItsDocuments(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for i := range 3 {
		f.Workflow(owner, func(w *platen.Workflow) { w.Name = fmt.Sprint(i) })
	}
	found, err := f.DB.DB.Workflows.Workflows(t.Context(), owner, platen.WorkflowQuery{})
	f.Must(err)
	for i, w := range found {
		if w.Name != fmt.Sprint(i) || len(w.Documents) != 1 || w.Documents[0].WorkflowID != w.ID {
			t.Errorf("workflow %d: %+v; want creation order, each with its own document", i, w)
		}
	}
}
