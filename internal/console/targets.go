package console

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// The forms of a target: of one to be added, and with an id of one that is there.
const (
	formTarget       = "target"
	formTargetRemove = "remove-target"
)

// A targetRow is a target on the page of a workflow.
type targetRow struct {
	client.Target
	Tag string // what it was when its form was made
	// Tested is what became of a test, and Fault why none could be made.
	Tested *client.TargetTest
	Fault  saying
}

// Changes is the name of its form.
func (t targetRow) Changes() string { return formTarget + "-" + t.ID }

// Removes is the name of the form that removes it.
func (t targetRow) Removes() string { return formTargetRemove + "-" + t.ID }

// Days is how long its objects are locked; empty: not by us.
func (t targetRow) Days() string {
	if t.LockDays == 0 {
		return ""
	}
	return strconv.Itoa(t.LockDays)
}

// targetForm is a form of a target, with the page that it stands on.
type targetForm struct {
	targetRow
	Page workflowPage
	At   string // where it is sent
	Name string // of the form
}

// TargetForm is the form that changes a target, or adds one.
func (p workflowPage) TargetForm(t targetRow, at string) targetForm {
	if t.ID == "" {
		return targetForm{t, p, at + "targets/", formTarget}
	}
	return targetForm{t, p, at + "targets/" + t.ID + "/change", t.Changes()}
}

// NewTarget is what the form of one to be added shows.
func (p workflowPage) NewTarget() (t targetRow) {
	t.Kind = string(platen.TargetS3)
	return t
}

// MayAddTarget tells whether there is room for another.
func (p workflowPage) MayAddTarget() bool { return len(p.Targets) < platen.MaxTargets }

// readTargets reads where outputs are stored as well, and the one whose form is open as it is
// to be changed.
func (r request) readTargets(ctx context.Context, p *workflowPage) error {
	all, err := r.api.Targets(ctx, r.workflowID())
	if err != nil {
		return err
	}
	open := strings.TrimPrefix(r.URL.Query().Get("form"), formTarget+"-")
	for _, t := range all {
		row := targetRow{Target: t}
		if t.ID == open || t.ID == r.PathValue("target") {
			if row.Target, err = r.api.Target(client.WithETag(ctx, &row.Tag), r.workflowID(), t.ID); err != nil {
				return err
			}
		}
		p.Targets = append(p.Targets, row)
	}
	return nil
}

// setTarget adds a target, or changes the one of the path.
func (s *site) setTarget(ctx context.Context, r request) error {
	change, err := r.targetTyped()
	if err != nil {
		return err
	}
	if id := r.PathValue("target"); id != "" {
		_, err = r.api.UpdateTarget(ctx, r.workflowID(), id, change)
		return err
	}
	change.Kind = r.typed("kind")
	_, err = r.api.CreateTarget(ctx, r.workflowID(), change)
	return err
}

// targetTyped is what a form says of a target. A secret that was not typed in stays.
func (r request) targetTyped() (change client.TargetChange, err error) {
	for field, into := range map[string]**string{
		"name": &change.Name, "url": &change.URL, "path": &change.Path, "when": &change.When, "user": &change.User, "hostKey": &change.HostKey,
		"region": &change.Region, "encryption": &change.Encryption, "kmsKey": &change.KMSKey, "lockMode": &change.LockMode,
	} {
		typed := r.typed(field)
		*into = &typed
	}
	if secret := r.PostForm.Get("secret"); secret != "" {
		change.Secret = &secret
	}
	if key := r.typed("privateKey"); key != "" {
		key += "\n" // without which it is none
		change.Secret = &key
	}
	office, sidecar, days := r.PostForm.Has("office"), r.PostForm.Has("sidecar"), 0
	if typed := r.typed("lockDays"); typed != "" {
		if days, err = strconv.Atoi(typed); err != nil {
			return change, refusedField("lockDays", r.Text("The number must be a whole number."))
		}
	}
	change.Office, change.Sidecar, change.LockDays = &office, &sidecar, &days
	return change, nil
}

func (s *site) removeTarget(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	return r.api.DeleteTarget(ctx, r.workflowID(), r.PathValue("target"))
}

// testTarget is workflow with what became of a small file that was stored at a target.
func (s *site) testTarget(ctx context.Context, r request) (view, error) {
	tested, failed := r.api.TestTarget(ctx, r.workflowID(), r.PathValue("target"))
	fault, err := r.explained(failed)
	if err != nil {
		return view{}, err
	}
	p, err := s.workflowPage(ctx, r, tabDelivery)
	if i := slices.IndexFunc(p.Targets, func(t targetRow) bool { return t.ID == r.PathValue("target") }); i >= 0 {
		p.Targets[i].Fault = fault
		if failed == nil {
			p.Targets[i].Tested = &tested
		}
	}
	return view{Title: p.Name, Page: p}, err
}

// formKind is what a form does: one of a document, a receiver, a target or a schedule has its id
// in its name.
func formKind(name string) string {
	for _, of := range []string{platen.PrefixDocument, platen.PrefixReceiver, platen.PrefixTarget, platen.PrefixSchedule} {
		name, _, _ = strings.Cut(name, "-"+of)
	}
	return name
}

// placedAsked are the states at targets that a list is asked for.
func placedAsked(asked url.Values) string {
	if asked.Get("target") == "FAILED" {
		return "FAILED"
	}
	return ""
}
