package manifest

import (
	"cmp"
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
	for _, s := range p.Senders {
		if err := r.sender(ctx, s); err != nil {
			return fmt.Errorf("mail sender %s: %w\nNothing is undone: 'platen apply' goes on with the rest", s.Sender.Name, err)
		}
	}
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
		made, err := r.create(ctx, s)
		if err != nil {
			return err
		}
		s = made
		r.Say(s.Entry.Name + " (" + s.ID + ") is made")
	}
	if err := r.workflow(ctx, s); err != nil {
		return err
	}
	if err := r.noneAdded(ctx, s); err != nil {
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
	for _, p := range s.diff.parts { // schedules last: they start what is there by then
		if err := r.part(ctx, s, p); err != nil {
			return err
		}
	}
	if len(s.Changes) > 0 {
		r.Say(s.Entry.Name + " (" + s.ID + ") is as its file says")
	}
	if r.Prune {
		return r.prune(ctx, s)
	}
	return nil
}

// create makes a workflow with its documents, at once or not at all. Of two who make one of
// the same name at the same moment, who sees the other's gives way.
func (r Runner) create(ctx context.Context, s Step) (Step, error) {
	e := s.Entry
	other, err := r.other(ctx, e.Name, "")
	if err != nil {
		return Step{}, err
	}
	if other != "" {
		return Step{}, fmt.Errorf("somebody made %s meanwhile: run 'platen apply' again to see what differs", other)
	}
	id, err := r.importOnce(ctx, e)
	if err != nil {
		return Step{}, err
	}
	if other, err = r.other(ctx, e.Name, id); err == nil && other != "" {
		if err = r.API.ArchiveWorkflow(ctx, id); err == nil {
			err = fmt.Errorf("somebody made %s at the same moment, so that %s is archived: run 'platen apply' again to see what differs", other, id)
		}
	}
	if err != nil {
		return Step{}, err
	}
	base, err := observe(ctx, r.API, s.caller, id)
	if err != nil {
		return Step{}, err
	}
	return s.from(base)
}

// other is the id of a workflow with this name beside the one with the id; empty: there is
// none.
func (r Runner) other(ctx context.Context, name, id string) (string, error) {
	for w, err := range r.API.Workflows(ctx, client.WorkflowQuery{Statuses: inUse}) {
		if err != nil || w.Name == name && w.ID != id {
			return w.ID, err
		}
	}
	return "", nil
}

// maxKeys is how often a file makes a workflow within the 24 hours that keys are kept.
const maxKeys = 100

// importOnce makes the workflow under a key that another process finds again: one that goes
// on for an apply that died makes no second workflow. An answer that is kept may be out of
// date, since what was refused may be cured, and what was made may be archived or have
// another name. Then the next key counts.
func (r Runner) importOnce(ctx context.Context, e Entry) (id string, err error) {
	file, err := pack(e)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(file)
	for n := range maxKeys {
		made, err := r.API.ImportWorkflow(client.WithIdempotencyKey(ctx, fmt.Sprintf("apply-%x-%d", sum, n)), file)
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.Replayed {
			continue
		}
		if err != nil {
			return "", e.placed(err, "")
		}
		now, err := r.API.Workflow(ctx, made.ID)
		if err != nil && client.CodeOf(err) != "workflow_not_found" {
			return "", err
		}
		if err == nil && now.Name == e.Name && slices.Contains(inUse, now.Status) {
			return now.ID, nil
		}
	}
	return "", fmt.Errorf("%d workflows were made of this file today: change it, or wait a day", maxKeys)
}

func (r Runner) workflow(ctx context.Context, s Step) error {
	if len(s.diff.workflow) == 0 {
		return nil
	}
	change := s.Entry.Settings.change()
	return r.unchanged(ctx, s, "", s.base.tags.workflow, func(ctx context.Context) error {
		_, err := r.API.UpdateWorkflow(ctx, s.ID, change)
		return err
	})
}

// noneAdded says of a document that the plan did not see that somebody was quicker: no entity
// tag keeps two from adding the same one.
func (r Runner) noneAdded(ctx context.Context, s Step) error {
	if !slices.ContainsFunc(s.diff.documents, func(d documentChanges) bool { return d.current < 0 }) {
		return nil
	}
	now, err := r.API.Workflow(ctx, s.ID)
	if err != nil {
		return err
	}
	for _, d := range now.Documents {
		if !slices.ContainsFunc(s.base.Documents, func(o client.Document) bool { return o.ID == d.ID }) {
			return conflict("/documents")
		}
	}
	return nil
}

func (r Runner) document(ctx context.Context, s Step, i int) error {
	of, pointer := s.diff.documents[i], fmt.Sprintf("/documents/%d", i)
	settings := s.Entry.Documents[i].changed(members(of.settings, i))
	told := func(d client.Document, err error) error {
		if r.Warn(d.Findings, d.Unchecked); err == nil {
			r.sayKept(s.Entry, pointer, flat(documentOf(s.Entry.Name, d)), flat(withoutTemplate(s.Entry.Documents[i])))
		}
		return err
	}
	if of.current < 0 {
		return s.Entry.placed(told(r.API.UploadDocumentWith(ctx, s.ID, s.Entry.Templates[i], settings)), pointer)
	}
	id, etag := s.base.Documents[of.current].ID, s.base.tags.documents[of.current]
	if of.template != nil {
		was, after := s.base.tags.templates[of.current], ""
		err := r.unchanged(ctx, s, pointer+"/template", was, func(ctx context.Context) error {
			d, err := r.API.ReplaceTemplate(client.WithETag(ctx, &after), s.ID, id, s.Entry.Templates[i])
			r.Warn(d.Findings, d.Unchecked)
			return err
		})
		if err != nil {
			return err
		}
		if was == gone && after != "" { // the document has another file
			etag = after
		}
	}
	if len(of.settings) == 0 {
		return nil
	}
	return r.unchanged(ctx, s, pointer, etag, func(ctx context.Context) error {
		return told(r.API.UpdateDocument(ctx, s.ID, id, settings))
	})
}

// sayKept tells what the service writes in another way than the file, below a pointer: each
// apply would find it changed.
func (r Runner) sayKept(e Entry, pointer string, kept, said map[string]string) {
	for _, c := range e.between(pointer, kept, said) {
		r.Say(fmt.Sprintf("%s: the service keeps %s as %s: write that, or each apply changes it again", e.Name, c.Path, cmp.Or(c.Before, "none")))
	}
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

// maxTags is how many entity tags a change tries, of a part that changes all the while.
const maxTags = 5

// unchanged makes a change of what still is as the plan saw it. An entity tag changes also
// with what no file says, such as the fields of the last event and the moments of a schedule:
// then what files say decides.
func (r Runner) unchanged(ctx context.Context, s Step, pointer, etag string, change func(context.Context) error) error {
	for range maxTags {
		err := change(client.WithIfMatch(ctx, etag))
		if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Code != "precondition_failed" {
			return s.Entry.placed(err, pointer)
		}
		now, err := observe(ctx, r.API, s.caller, s.ID)
		if err != nil {
			return err
		}
		if isAsSaid(s.Entry, now, pointer) {
			return nil // the answer to the change was lost, or somebody applied the same file
		}
		var same bool
		if etag, same = s.base.tagNow(now, pointer, s.diff.parts); !same {
			break
		}
	}
	return conflict(pointer)
}

// isAsSaid tells whether the part at a pointer is as its file says.
func isAsSaid(e Entry, now observed, pointer string) bool {
	diff, err := compare(e, now)
	switch {
	case err != nil:
		return false
	case pointer == "":
		return len(diff.workflow) == 0
	case pointer == "/outgoingWebhook":
		return len(diff.webhook) == 0
	}
	for i, d := range diff.documents {
		switch pointer {
		case fmt.Sprintf("/documents/%d", i):
			return d.current >= 0 && len(d.settings) == 0
		case fmt.Sprintf("/documents/%d/template", i):
			return d.current >= 0 && len(d.template) == 0
		}
	}
	return slices.ContainsFunc(diff.parts, func(p partChanges) bool { return p.pointer() == pointer && p.current >= 0 && len(p.settings) == 0 })
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
func (o observed) tagNow(now observed, pointer string, parts []partChanges) (etag string, same bool) {
	switch {
	case pointer == "":
		return now.tags.workflow, reflect.DeepEqual(flat(o.said.own()), flat(now.said.own()))
	case pointer == "/outgoingWebhook":
		return now.tags.webhook, reflect.DeepEqual(o.said.OutgoingWebhook, now.said.OutgoingWebhook)
	}
	for _, p := range parts {
		if p.pointer() == pointer {
			return o.partNow(now, p.kind, p.current)
		}
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
	for _, x := range s.diff.extraParts {
		if err := r.removePart(ctx, s, x); err != nil {
			return err
		}
	}
	return nil
}

// placed says of the service's refusal where in the file each fault is. Pointer is what the
// body stood for.
func (o origin) placed(err error, pointer string) error {
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	if len(refused.Faults) == 0 {
		return fmt.Errorf("%s: %s: %w", o.at(pointer), strings.TrimSuffix(o.under+"."+dotted(pointer), "."), err)
	}
	text := "the service refuses it"
	for _, f := range refused.Faults {
		at := pointer + strings.NewReplacer("/workflow/", "/", "/settings/", "/").Replace(f.Pointer)
		at = strings.Replace(at, "/enablePdfPreventCopy", "/pdfPasswordPreventCopy", 1)
		text += fmt.Sprintf("\n  %s: %s %s", o.at(at), dotted(at), f.Detail)
	}
	return fmt.Errorf("%s (%s)", text, refused.Code)
}
