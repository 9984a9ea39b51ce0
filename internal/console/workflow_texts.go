package console

import (
	"context"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// A workflowText is a text that a workflow may have, with its form on the page. An empty one
// is none.
type workflowText struct {
	Form, Field          string // as addresses and /v0 name them
	ID                   string // of its element on the page
	Summary, Label, Like string
	ByIt                 bool // the workflow runs by it
	Most                 int
	subject, saved       string

	of     func(client.Workflow) string
	change func(text *string) client.WorkflowChange
}

// workflowTexts are those whose forms stand one below the other. Their routes, messages and
// places follow from here.
var workflowTexts = []workflowText{
	{
		Form: "locale", Field: "locale", ID: "locale",
		Summary: say("Set its locale"), Like: say("de-AT"), Most: platen.MaxLocale,
		Label:   say("Locale of numbers, dates and words where a formula names none, such as de-AT; empty: English"),
		subject: say("The locale"), saved: say("The locale is saved."),
		of:     func(w client.Workflow) string { return w.Locale },
		change: func(text *string) client.WorkflowChange { return client.WorkflowChange{Locale: text} },
	},
	{
		Form: "order", Field: "orderedBy", ID: "ordered-by",
		Summary: say("Run its events one after the other"), Like: say("Customer.Number"), ByIt: true, Most: platen.MaxTextTemplate,
		Label:   say("Formula for the key: events of one key run one after the other, and keys do not wait for each other. Empty: all run side by side"),
		subject: say("The formula"), saved: say("The order is saved. It counts for events that come from now on."),
		of:     func(w client.Workflow) string { return w.OrderedBy },
		change: func(text *string) client.WorkflowChange { return client.WorkflowChange{OrderedBy: text} },
	},
}

// save sets the text of the workflow to what was typed in.
func (t workflowText) save(ctx context.Context, r request) error {
	text := r.typed(t.Field)
	_, err := r.api.UpdateWorkflow(ctx, r.workflowID(), t.change(&text))
	return err
}

// Texts are the forms of the workflow's texts.
func (p workflowPage) Texts() []workflowText { return workflowTexts }

// Text is what the workflow has of one.
func (p workflowPage) Text(t workflowText) string { return t.of(p.Workflow) }

// textForm is the text with a form; nil: the form is another.
func textForm(form string) *workflowText {
	for i := range workflowTexts {
		if workflowTexts[i].Form == form {
			return &workflowTexts[i]
		}
	}
	return nil
}

// subjectOf is what forms call a field; empty: none has it.
func subjectOf(field string) string {
	for _, t := range workflowTexts {
		if t.Field == field {
			return t.subject
		}
	}
	return subjects[field]
}
