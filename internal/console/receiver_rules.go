package console

import (
	"context"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// The forms of a receiver by rules: of one to be added, and with an id of one that is there.
const (
	formRule       = "rule"
	formRuleRemove = "remove-rule"
)

// A ruleRow is a receiver by rules on the page of a workflow.
type ruleRow struct {
	client.Receiver
	Tag    string // what it was when its form was made
	State  *client.EndpointState
	Tested *client.TestDelivery
	Secret *client.SigningSecret
	// Fault is why no test or no check could be made.
	Fault saying
	// Checked is what the last events say of it; nil: nobody asked.
	Checked *client.ReceiverCheck
}

// Changes is the name of its form.
func (t ruleRow) Changes() string { return formRule + "-" + t.ID }

// Removes is the name of the form that removes it.
func (t ruleRow) Removes() string { return formRuleRemove + "-" + t.ID }

// ruleForm is a form of a receiver, with the page that it stands on.
type ruleForm struct {
	ruleRow
	Page workflowPage
	At   string // where it is sent
	Name string // of the form
}

// RuleForm is the form that changes a receiver, or adds one.
func (p workflowPage) RuleForm(t ruleRow, at string) ruleForm {
	if t.ID == "" {
		return ruleForm{t, p, at + "receivers/", formRule}
	}
	return ruleForm{t, p, at + "receivers/" + t.ID + "/change", t.Changes()}
}

// NewRule is what the form of one to be added shows.
func (p workflowPage) NewRule() (t ruleRow) {
	for _, one := range platen.EventTypes() {
		t.Events = append(t.Events, client.EventType(one))
	}
	return t
}

// Types are those of events that a receiver may get.
func (f ruleForm) Types() []string { return platen.EventTypes() }

// Gets tells whether the box of a type is ticked.
func (f ruleForm) Gets(name string) bool {
	return f.Page.Ticked(f.Name, name, slices.Contains(f.Events, client.EventType(name)))
}

// MayAddRule tells whether there is room for another.
func (p workflowPage) MayAddRule() bool { return len(p.Rules) < platen.MaxReceivers }

// readRules reads receivers with how events are taken there, and the one whose form is open as
// it is to be changed.
func (r request) readRules(ctx context.Context, p *workflowPage) error {
	all, err := r.api.Receivers(ctx, r.workflowID())
	if err != nil {
		return err
	}
	open := strings.TrimPrefix(r.URL.Query().Get("form"), formRule+"-")
	for _, t := range all {
		row := ruleRow{Receiver: t}
		if t.ID == open || t.ID == r.PathValue("receiver") {
			if row.Receiver, err = r.api.Receiver(client.WithETag(ctx, &row.Tag), r.workflowID(), t.ID); err != nil {
				return err
			}
		}
		state, err := r.api.ReceiverState(ctx, r.workflowID(), t.ID)
		if err != nil && !isNotFound(err) { // else it was taken away meanwhile
			return err
		}
		if err == nil {
			row.State = &state
		}
		p.Rules = append(p.Rules, row)
	}
	return nil
}

// setRule adds a receiver, or changes the one of the path.
func (s *site) setRule(ctx context.Context, r request) error {
	name, address, when := r.typed("name"), r.typed("webhookUrl"), r.typed("when")
	change := client.ReceiverChange{Name: &name, URL: &address, When: &when}
	for _, one := range platen.EventTypes() {
		if r.PostForm.Has(one) {
			change.Events = append(change.Events, client.EventType(one))
		}
	}
	if len(change.Events) == 0 {
		return refusedField("events", r.Text("Tick at least one kind of event."))
	}
	if id := r.PathValue("receiver"); id != "" {
		_, err := r.api.UpdateReceiver(ctx, r.workflowID(), id, change)
		return err
	}
	_, err := r.api.CreateReceiver(ctx, r.workflowID(), change)
	return err
}

func (s *site) removeRule(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	return r.api.DeleteReceiver(ctx, r.workflowID(), r.PathValue("receiver"))
}

func (s *site) rotateRule(ctx context.Context, r request) error {
	_, err := r.api.RotateReceiverSecret(ctx, r.workflowID(), r.PathValue("receiver"))
	return err
}

// testRule is workflow with how a test event went at a receiver.
func (s *site) testRule(ctx context.Context, r request) (view, error) {
	tested, failed := r.api.TryReceiver(ctx, r.workflowID(), r.PathValue("receiver"))
	fault, err := r.explained(failed)
	if err != nil {
		return view{}, err
	}
	return s.withRules(ctx, r, func(row *ruleRow) {
		if row.ID == r.PathValue("receiver") {
			if row.Fault = fault; failed == nil {
				row.Tested = &tested
			}
		}
	})
}

// showRuleSecret is workflow with the secret of a receiver.
func (s *site) showRuleSecret(ctx context.Context, r request) (view, error) {
	found, err := r.api.ReceiverSecret(ctx, r.workflowID(), r.PathValue("receiver"))
	if err != nil {
		return view{}, err
	}
	return s.withRules(ctx, r, func(row *ruleRow) {
		if row.ID == r.PathValue("receiver") {
			row.Secret = &found
		}
	})
}

// checkRules is workflow with how many of the last events each receiver would have got.
func (s *site) checkRules(ctx context.Context, r request) (view, error) {
	found, failed := r.api.CheckReceivers(ctx, r.workflowID(), nil)
	fault, err := r.explained(failed)
	if err != nil {
		return view{}, err
	}
	return s.withRules(ctx, r, func(row *ruleRow) {
		row.Fault = fault
		for i := range found.Receivers {
			if found.Receivers[i].ID == row.ID {
				row.Checked = &found.Receivers[i]
			}
		}
	})
}

// withRules is workflow with more about its receivers.
func (s *site) withRules(ctx context.Context, r request, more func(*ruleRow)) (view, error) {
	p, err := s.workflowPage(ctx, r, tabDelivery)
	for i := range p.Rules {
		more(&p.Rules[i])
	}
	return view{Title: p.Name, Page: p}, err
}
