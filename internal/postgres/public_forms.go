package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// PublicForms is the store of workflows' public forms.
type PublicForms struct{ db *DB }

const publicFormKey = "public_forms.key"

const selectPublicForm = `
	SELECT f.id, f.workflow_id, f.key, f.enabled, f.title, f.text, f.shows_pages, f.per_day, f.per_address
	FROM public_forms f`

type publicFormRow struct {
	ID         string `db:"id"`
	WorkflowID string `db:"workflow_id"`
	Key        []byte `db:"key"`
	Enabled    bool   `db:"enabled"`
	Title      string `db:"title"`
	Text       string `db:"text"`
	ShowsPages bool   `db:"shows_pages"`
	PerDay     int    `db:"per_day"`
	PerAddress int    `db:"per_address"`
}

func (r publicFormRow) form(v Vault) (platen.PublicForm, error) {
	key, err := v.OpenText(r.Key, publicFormKey, r.ID)
	return platen.PublicForm{ID: r.ID, Key: key, Enabled: r.Enabled, Title: r.Title, Text: r.Text, ShowsPages: r.ShowsPages, PerDay: r.PerDay, PerAddress: r.PerAddress}, err
}

func loadPublicForm(ctx context.Context, q Querier, v Vault, workflowID string) (f platen.PublicForm, ok bool, err error) {
	r, ok, err := CollectOne[publicFormRow](ctx, q, selectPublicForm+`
	WHERE f.workflow_id = @workflow_id`, pgx.NamedArgs{"workflow_id": workflowID})
	if err == nil && ok {
		f, err = r.form(v)
	}
	return f, ok, err
}

// PublicForm answers KindNotFound with code "public_form_not_found" when the workflow has
// none.
func (s *PublicForms) PublicForm(ctx context.Context, caller platen.User, workflowID string) (f platen.PublicForm, err error) {
	if err = authorize(ctx, s.db.pool, caller, workflowID); err == nil {
		var ok bool
		if f, ok, err = loadPublicForm(ctx, s.db.pool, s.db.vault, workflowID); err == nil && !ok {
			err = platen.ErrPublicFormNotFound()
		}
	}
	if err != nil {
		return platen.PublicForm{}, fmt.Errorf("read public form of workflow %s: %w", workflowID, err)
	}
	return f, nil
}

// SetPublicForm stores what change makes of the workflow's public form, or of fresh where
// there is none. id and key stay. The error of change prevents it.
func (s *PublicForms) SetPublicForm(ctx context.Context, caller platen.User, workflowID string, fresh platen.PublicForm, change func(f *platen.PublicForm, created bool) error) (f platen.PublicForm, created bool, err error) {
	err = s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		stored, ok, err := loadPublicForm(ctx, tx, s.db.vault, workflowID)
		if err != nil {
			return err
		}
		if created = !ok; created {
			stored = fresh
		}
		f = stored
		if err := change(&f, created); err != nil {
			return err
		}
		f.ID, f.Key = stored.ID, stored.Key
		return s.store(ctx, tx, workflowID, f)
	})
	if err != nil {
		return platen.PublicForm{}, false, fmt.Errorf("set public form of workflow %s: %w", workflowID, err)
	}
	return f, created, nil
}

func (s *PublicForms) store(ctx context.Context, tx pgx.Tx, workflowID string, f platen.PublicForm) error {
	sealed, err := s.db.vault.SealText(f.Key, publicFormKey, f.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO public_forms (id, workflow_id, key, key_hash, enabled, title, text, shows_pages, per_day, per_address)
		VALUES (@id, @workflow_id, @key, @key_hash, @enabled, @title, @text, @shows_pages, @per_day, @per_address)
		ON CONFLICT (id) DO UPDATE
		SET key = excluded.key, key_hash = excluded.key_hash, enabled = excluded.enabled, title = excluded.title, text = excluded.text,
			shows_pages = excluded.shows_pages, per_day = excluded.per_day, per_address = excluded.per_address`,
		pgx.NamedArgs{
			"id": f.ID, "workflow_id": workflowID, "key": sealed, "key_hash": HashKey(f.Key), "enabled": f.Enabled, "title": f.Title, "text": f.Text,
			"shows_pages": f.ShowsPages, "per_day": f.PerDay, "per_address": f.PerAddress,
		})
	if err == nil {
		_, err = touchWorkflow(ctx, tx, workflowID)
	}
	return err
}

// RotatePublicForm gives the form another key: the link of before leads nowhere, and so do
// the pages that show what it made.
func (s *PublicForms) RotatePublicForm(ctx context.Context, caller platen.User, workflowID, key string) (f platen.PublicForm, err error) {
	err = s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		var ok bool
		if f, ok, err = loadPublicForm(ctx, tx, s.db.vault, workflowID); err != nil || !ok {
			return orNotFound(err, platen.ErrPublicFormNotFound)
		}
		f.Key = key
		return s.store(ctx, tx, workflowID, f)
	})
	if err != nil {
		return platen.PublicForm{}, fmt.Errorf("rotate public form of workflow %s: %w", workflowID, err)
	}
	return f, nil
}

// DeletePublicForm removes the form. The error of allowed, which sees it while the
// workflow's row is held, prevents that.
func (s *PublicForms) DeletePublicForm(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.PublicForm) error) error {
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		f, ok, err := loadPublicForm(ctx, tx, s.db.vault, workflowID)
		if err != nil || !ok {
			return orNotFound(err, platen.ErrPublicFormNotFound)
		}
		if err := allowed(f); err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			DELETE FROM public_forms
			WHERE id = @id`, pgx.NamedArgs{"id": f.ID})
		if err == nil {
			_, err = touchWorkflow(ctx, tx, workflowID)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete public form of workflow %s: %w", workflowID, err)
	}
	return nil
}

// orNotFound is err, or without one that something is not there.
func orNotFound(err error, notFound func() error) error {
	if err != nil {
		return err
	}
	return notFound()
}

// PublicFormByKey returns a form and its workflow, without a caller: the key stands for the
// owner's permission. KindNotFound with code "public_form_not_found" for any other key, for
// one of an archived workflow, and while the owner is disabled.
func (s *PublicForms) PublicFormByKey(ctx context.Context, key string) (f platen.PublicForm, w platen.Workflow, err error) {
	r, ok, err := CollectOne[publicFormRow](ctx, s.db.pool, selectPublicForm+`
	JOIN workflows w ON w.id = f.workflow_id
	JOIN users u ON u.id = w.owner_id
	WHERE f.key_hash = @key_hash AND w.status <> 'ARCHIVED' AND u.disabled_at IS NULL`, pgx.NamedArgs{"key_hash": HashKey(key)})
	switch {
	case err != nil:
	case !ok:
		err = platen.ErrPublicFormNotFound()
	default:
		if f, err = r.form(s.db.vault); err == nil {
			w, err = loadWorkflow(ctx, s.db.pool, s.db.vault, selectWorkflow+`
		WHERE w.id = @id`, pgx.NamedArgs{"id": r.WorkflowID})
		}
	}
	if err != nil {
		return platen.PublicForm{}, platen.Workflow{}, fmt.Errorf("find a public form: %w", err)
	}
	return f, w, nil
}

// CountPublicForm counts an event that a form is about to send, of an address whose hash is
// of this day: KindRateLimited with code "public_form_day" or "public_form_address" where it
// sent as many on this day as it may. SweepExpired of Idempotency deletes the counts of days
// before yesterday.
func (s *PublicForms) CountPublicForm(ctx context.Context, f platen.PublicForm, address []byte, now time.Time) error {
	count := func(tx pgx.Tx, of []byte, most int, code string) error {
		n, err := Execute(ctx, tx, `
			INSERT INTO public_form_uses (form_id, day, address, used)
			VALUES (@form_id, @day, @address, 1)
			ON CONFLICT (form_id, day, address) DO UPDATE
			SET used = public_form_uses.used + 1
			WHERE public_form_uses.used < @most`,
			pgx.NamedArgs{"form_id": f.ID, "day": now.UTC(), "address": of, "most": most})
		if err == nil && n == 0 {
			err = platen.Errorf(platen.KindRateLimited, code, "The form has made as many documents today as it may.")
		}
		return err
	}
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		// The address first: one that has sent too much takes no lock of the form's own count.
		if err := count(tx, address, f.PerAddress, "public_form_address"); err != nil {
			return err
		}
		return count(tx, []byte{}, f.PerDay, "public_form_day")
	})
	if err != nil {
		return fmt.Errorf("count an event of public form %s: %w", f.ID, err)
	}
	return nil
}
