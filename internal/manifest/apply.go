package manifest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
)

// A Runner carries plans out.
type Runner struct {
	API *client.Client
	// Say gets a line for each thing that was done.
	Say func(line string)
	// Warn gets what is wrong with what was made or changed.
	Warn func(findings []client.TemplateFinding, unchecked *client.Failure)
	// Prune takes out of use what no file names.
	Prune bool
}

// Run carries out a plan. What it has done when it fails stays: the plan that is made next
// has the rest.
func (r Runner) Run(ctx context.Context, p Plan) error {
	for i, s := range p.Steps {
		if err := r.step(ctx, s); err != nil {
			return fmt.Errorf("%s: %w\n%d of %d workflows are as their files say. Nothing is undone: 'platen apply' goes on with the rest", s.Entry.Name, err, i, len(p.Steps))
		}
	}
	if !r.Prune {
		return nil
	}
	for _, w := range p.Unlisted {
		if err := r.API.ArchiveWorkflow(ctx, w.ID); err != nil {
			return fmt.Errorf("archive %s (%s): %w", w.Name, w.ID, err)
		}
		r.Say(w.Name + " (" + w.ID + ") is ARCHIVED")
	}
	return nil
}

func (r Runner) step(ctx context.Context, s Step) error {
	if s.ID == "" {
		made, err := r.create(ctx, s.Entry)
		if err != nil {
			return err
		}
		s = made
		r.Say(s.Entry.Name + " (" + s.ID + ") is made")
	}
	if err := r.workflow(ctx, s); err != nil {
		return err
	}
	for i := range s.diff.documents {
		if err := r.document(ctx, s, i); err != nil {
			return err
		}
	}
	if err := r.webhook(ctx, s); err != nil {
		return err
	}
	if len(s.Changes) > 0 {
		r.Say(s.Entry.Name + " (" + s.ID + ") is as its file says")
	}
	if r.Prune {
		return r.prune(ctx, s)
	}
	return nil
}

// create makes a workflow with its documents, at once or not at all. Its key is made of the
// name and of the archived workflows that had it: of two who do the same one makes it, and
// the other gets what was made.
func (r Runner) create(ctx context.Context, e Entry) (Step, error) {
	file, err := pack(e)
	if err != nil {
		return Step{}, err
	}
	before := []string{e.Name}
	for w, err := range r.API.Workflows(ctx, client.WorkflowQuery{}) {
		switch {
		case err != nil:
			return Step{}, err
		case w.Name == e.Name && w.Status != "ARCHIVED":
			return Step{}, fmt.Errorf("somebody made %s meanwhile: run 'platen apply' again to see what differs", w.ID)
		case w.Name == e.Name:
			before = append(before, w.ID)
		}
	}
	slices.Sort(before[1:])
	key := fmt.Sprintf("apply-%x", sha256.Sum256([]byte(strings.Join(before, "\n"))))
	w, err := r.API.ImportWorkflow(client.WithIdempotencyKey(ctx, key), file)
	if client.CodeOf(err) == "idempotency_key_reused" {
		return Step{}, errors.New("somebody makes a workflow with this name at this moment, of another file: run 'platen apply' again to see what differs")
	}
	if err != nil {
		return Step{}, e.placed(err, "")
	}
	base, err := observe(ctx, r.API, w.ID)
	if err != nil {
		return Step{}, err
	}
	return stepFrom(e, base)
}

func (r Runner) workflow(ctx context.Context, s Step) error {
	if len(s.diff.workflow) == 0 {
		return nil
	}
	w := s.Entry.Workflow
	change := client.WorkflowChange{Color: w.Color, Icon: w.Icon, Locale: &w.Locale, OrderedBy: &w.OrderedBy}
	return r.unchanged(ctx, s, "", s.base.tags.workflow, func(ctx context.Context) error {
		_, err := r.API.UpdateWorkflow(ctx, s.ID, change)
		return err
	})
}

func (r Runner) document(ctx context.Context, s Step, i int) error {
	of, pointer := s.diff.documents[i], fmt.Sprintf("/documents/%d", i)
	settings := s.Entry.Documents[i].changed(members(of.settings, i))
	if of.current < 0 {
		d, err := r.API.UploadDocumentWith(ctx, s.ID, s.Entry.Templates[i], settings)
		r.Warn(d.Findings, d.Unchecked)
		return s.Entry.placed(err, pointer)
	}
	id := s.base.Documents[of.current].ID
	if of.template != nil {
		err := r.unchanged(ctx, s, pointer+"/template", s.base.tags.templates[of.current], func(ctx context.Context) error {
			d, err := r.API.ReplaceTemplate(ctx, s.ID, id, s.Entry.Templates[i])
			r.Warn(d.Findings, d.Unchecked)
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(of.settings) == 0 {
		return nil
	}
	return r.unchanged(ctx, s, pointer, s.base.tags.documents[of.current], func(ctx context.Context) error {
		d, err := r.API.UpdateDocument(ctx, s.ID, id, settings)
		r.Warn(d.Findings, d.Unchecked)
		return err
	})
}

func (r Runner) webhook(ctx context.Context, s Step) error {
	if len(s.diff.webhook) == 0 {
		return nil
	}
	address, pointer := s.Entry.OutgoingWebhook.URL, "/outgoingWebhook"
	if s.base.OutgoingWebhook == nil {
		w, err := r.API.CreateOutgoingWebhook(ctx, s.ID, address)
		if client.CodeOf(err) == "outgoing_webhook_exists" {
			return conflict(pointer)
		}
		r.Warn(w.Findings, nil)
		return s.Entry.placed(err, pointer)
	}
	return r.unchanged(ctx, s, pointer, s.base.tags.webhook, func(ctx context.Context) error {
		w, err := r.API.UpdateOutgoingWebhook(ctx, s.ID, address)
		r.Warn(w.Findings, nil)
		return err
	})
}

// unchanged makes a change of what still is as the plan saw it. An entity tag changes also
// with what no file says, such as the fields of the last event: then what files say decides.
func (r Runner) unchanged(ctx context.Context, s Step, pointer, etag string, change func(context.Context) error) error {
	err := change(client.WithIfMatch(ctx, etag))
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == "precondition_failed" {
		now, errNow := observe(ctx, r.API, s.ID)
		if errNow != nil {
			return errNow
		}
		if etag, ok = s.base.tagNow(now, pointer); !ok {
			return conflict(pointer)
		}
		if err = change(client.WithIfMatch(ctx, etag)); client.CodeOf(err) == "precondition_failed" {
			return conflict(pointer)
		}
	}
	return s.Entry.placed(err, pointer)
}

// conflict says that somebody else was quicker.
func conflict(pointer string) error {
	what := dotted(pointer)
	if what == "" {
		what = "it"
	}
	return fmt.Errorf("somebody changed %s after the plan was made, and nothing of that was overwritten: run 'platen apply' again to see what differs now", what)
}

// tagNow is the entity tag that the part at a pointer has now; false: what files say of it
// is not what it was.
func (o observed) tagNow(now observed, pointer string) (etag string, same bool) {
	switch {
	case pointer == "":
		before, after := o.said, now.said
		before.Documents, after.Documents, before.OutgoingWebhook, after.OutgoingWebhook = nil, nil, nil, nil
		return now.tags.workflow, reflect.DeepEqual(flat(before), flat(after))
	case pointer == "/outgoingWebhook":
		return now.tags.webhook, reflect.DeepEqual(o.said.OutgoingWebhook, now.said.OutgoingWebhook)
	}
	return "", false // the tags of documents and templates are of what files say alone
}

func (r Runner) prune(ctx context.Context, s Step) error {
	for _, i := range s.diff.extra {
		d := s.base.Documents[i]
		if err := r.API.RemoveDocument(client.WithIfMatch(ctx, s.base.tags.documents[i]), s.ID, d.ID); err != nil {
			return fmt.Errorf("remove document %s: %w", d.ID, err)
		}
		r.Say(s.Entry.Name + ": document " + d.ID + " is removed")
	}
	if s.diff.extraWebhook {
		if err := r.API.DeleteOutgoingWebhook(client.WithIfMatch(ctx, s.base.tags.webhook), s.ID); err != nil {
			return fmt.Errorf("delete the outgoing webhook: %w", err)
		}
		r.Say(s.Entry.Name + ": the outgoing webhook is deleted")
	}
	return nil
}

// placed says of the service's refusal where in the file each fault is. Pointer is what the
// body stood for.
func (e Entry) placed(err error, pointer string) error {
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	if len(refused.Faults) == 0 {
		return fmt.Errorf("%s: %s: %w", e.at(pointer), strings.TrimSuffix("workflows."+e.Name+"."+dotted(pointer), "."), err)
	}
	text := "the service refuses it"
	for _, f := range refused.Faults {
		at := pointer + strings.NewReplacer("/workflow/", "/", "/settings/", "/").Replace(f.Pointer)
		at = strings.Replace(at, "/enablePdfPreventCopy", "/pdfPasswordPreventCopy", 1)
		text += fmt.Sprintf("\n  %s: %s %s", e.at(at), dotted(at), f.Detail)
	}
	return fmt.Errorf("%s (%s)", text, refused.Code)
}
