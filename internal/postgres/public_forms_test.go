package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func (f *harness) publicForm(w platen.Workflow) platen.PublicForm {
	f.T.Helper()
	fresh := platen.PublicForm{ID: platen.NewID(platen.PrefixForm), Key: platen.NewKey(), Enabled: true, Title: "Order", PerDay: 3, PerAddress: 2}
	made, created, err := f.Forms.SetPublicForm(f.T.Context(), w.Owner, w.ID, fresh, func(*platen.PublicForm, bool) error { return nil })
	if f.Must(err); !created || made != fresh {
		f.T.Fatalf("got %+v, created %t, want %+v", made, created, fresh)
	}
	return made
}

func TestAPublicFormIsFoundByItsKeyAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	made := f.publicForm(w)
	found, of, err := f.Forms.PublicFormByKey(t.Context(), made.Key)
	if f.Must(err); found != made || of.ID != w.ID || of.Source.Key != w.Source.Key {
		t.Errorf("got %+v of %s", found, of.ID)
	}
	changed, created, err := f.Forms.SetPublicForm(t.Context(), w.Owner, w.ID, platen.PublicForm{ID: "frm_other00000000000", Key: "other"}, func(f *platen.PublicForm, created bool) error {
		f.Title, f.ID, f.Key = "Other", "x", "y"
		return nil
	})
	if f.Must(err); created || changed.ID != made.ID || changed.Key != made.Key || changed.Title != "Other" || changed.PerDay != made.PerDay {
		t.Errorf("got %+v, created %t, want the same form with another title", changed, created)
	}
	renewed, err := f.Forms.RotatePublicForm(t.Context(), w.Owner, w.ID, platen.NewKey())
	if f.Must(err); renewed.Key == made.Key || renewed.Title != "Other" {
		t.Errorf("got %+v, want another key", renewed)
	}
	if _, _, err := f.Forms.PublicFormByKey(t.Context(), made.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("the key of before: got %v", err)
	}
	if n := f.Count(`SELECT count(*) FROM public_forms WHERE key_hash = sha256('` + renewed.Key + `'::bytea) AND position('` + renewed.Key + `'::bytea in key) = 0`); n != 1 {
		t.Error("the key is not sealed, or not found by its hash")
	}
}

func TestAPublicFormIsItsTenantsAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, other := f.Workflow(f.User(nil)), f.User(nil)
	made := f.publicForm(w)
	keep := func(*platen.PublicForm, bool) error { return nil }
	_, err := f.Forms.PublicForm(t.Context(), other, w.ID)
	_, _, set := f.Forms.SetPublicForm(t.Context(), other, w.ID, made, keep)
	_, rotated := f.Forms.RotatePublicForm(t.Context(), other, w.ID, "x")
	removed := f.Forms.DeletePublicForm(t.Context(), other, w.ID, func(platen.PublicForm) error { return nil })
	for name, err := range map[string]error{"read": err, "set": set, "rotated": rotated, "removed": removed} {
		if platen.KindOf(err) != platen.KindNotFound {
			t.Errorf("%s by somebody else: got %v", name, err)
		}
	}
	f.Must(f.Forms.DeletePublicForm(t.Context(), w.Owner, w.ID, func(platen.PublicForm) error { return nil }))
	if _, err := f.Forms.PublicForm(t.Context(), w.Owner, w.ID); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("after it was removed: got %v", err)
	}
}

func TestAPublicFormEndsWithItsWorkflowAndRestsWithItsOwner(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	made := f.publicForm(w)
	f.Exec(`UPDATE users SET disabled_at = now()`)
	if _, _, err := f.Forms.PublicFormByKey(t.Context(), made.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("while the owner is disabled: got %v", err)
	}
	f.Exec(`UPDATE users SET disabled_at = NULL`)
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	if _, _, err := f.Forms.PublicFormByKey(t.Context(), made.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("of an archived workflow: got %v", err)
	}
}

func TestAPublicFormSendsAsManyEventsInADayAsItMay(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	made := f.publicForm(f.Workflow(f.User(nil)))
	day := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for i, try := range []struct {
		address string
		at      time.Time
		code    string
	}{
		{"a", day, ""}, {"a", day, ""}, {"a", day, "public_form_address"}, {"b", day, ""}, {"c", day, "public_form_day"}, {"b", day, "public_form_day"},
		{"a", day.Add(24 * time.Hour), ""},
	} {
		err := f.Forms.CountPublicForm(t.Context(), made, []byte(try.address), try.at)
		got := ""
		if e, ok := errors.AsType[*platen.Error](err); ok {
			got = e.Code
		}
		if got != try.code || err != nil && platen.KindOf(err) != platen.KindRateLimited {
			t.Errorf("event %d of %s: got %q (%v), want %q", i+1, try.address, got, err, try.code)
		}
	}
	for _, ago := range []int{0, 1, 2} {
		f.Must(f.Forms.CountPublicForm(t.Context(), made, []byte("a"), time.Now().AddDate(0, 0, -ago)))
	}
	f.Must(f.Idempotency.SweepExpired(t.Context()))
	if n := f.Count(`SELECT count(DISTINCT day) FROM public_form_uses`); n != 2 {
		t.Errorf("counts of %d days are kept, want today's and yesterday's", n)
	}
	f.Exec(`DELETE FROM public_forms`)
	if n := f.Count(`SELECT count(*) FROM public_form_uses`); n != 0 {
		t.Errorf("%d counts of a form that is gone are kept", n)
	}
}
