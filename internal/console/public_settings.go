package console

import (
	"context"
	"strconv"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// The forms of a workflow's public form.
const (
	formPublic       = "public-form"
	formPublicRotate = "public-link"
)

// readPublicForm reads the form by which everybody makes documents.
func (r request) readPublicForm(ctx context.Context, p *workflowPage) error {
	found, err := r.api.PublicForm(client.WithETag(ctx, &p.PublicTag), r.workflowID())
	if isNotFound(err) {
		return nil
	}
	p.Public = &found
	return err
}

// PublicForm is what its settings show: those of a new one where there is none.
func (p workflowPage) PublicForm() client.PublicForm {
	if p.Public == nil {
		return client.PublicForm{Title: p.Name, ShowDocument: true, Enabled: true, PerDay: platen.DefaultFormPerDay, PerAddress: platen.DefaultFormPerAddress}
	}
	return *p.Public
}

func (s *site) setPublicForm(ctx context.Context, r request) error {
	title, text := r.typed("title"), r.typed("text")
	enabled, shows := r.PostForm.Has("enabled"), r.PostForm.Has("showDocument")
	change := client.PublicFormChange{Title: &title, Text: &text, Enabled: &enabled, ShowDocument: &shows}
	for field, into := range map[string]**int{"perDay": &change.PerDay, "perAddress": &change.PerAddress} {
		n, err := strconv.Atoi(r.typed(field))
		if err != nil {
			return refusedField(field, r.Text("The number must be a whole number."))
		}
		*into = &n
	}
	_, err := r.api.SetPublicForm(ctx, r.workflowID(), change)
	return err
}

func (s *site) rotatePublicForm(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	_, err := r.api.RotatePublicForm(ctx, r.workflowID())
	return err
}

func (s *site) removePublicForm(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	return r.api.DeletePublicForm(ctx, r.workflowID())
}
