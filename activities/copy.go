package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// Copier makes the copies that are filled. Each carries a key
// (platen.PropertyKey), by which it is found again.
type Copier interface {
	Copy(ctx context.Context, fileID, name, key string) (platen.File, error)
	// CopyProtected is Copy for a copy that is platen.ProtectionCredentials from
	// its first moment.
	CopyProtected(ctx context.Context, fileID, name, key string) (platen.File, error)
	// CopyInto is Copy, or CopyProtected, into another folder than that of fileID.
	CopyInto(ctx context.Context, folderID, fileID, name, key string, p platen.Protection) (platen.File, error)
	// CopyAs is CopyInto for a copy of another MIME type, such as a Docs file of an office
	// file; with an empty folder it is in that of fileID.
	CopyAs(ctx context.Context, mimeType, folderID, fileID, name, key string, p platen.Protection) (platen.File, error)
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
}

// CopyResult says which generation of the copy is in use.
type CopyResult struct {
	Generation int
}

// CopyTemplate copies the template under the output's name, filled from its name
// template.
//
// Run twice: the intent is stored before the copy is made, and the copy carries its
// key; an execution that finds the intent looks for the key first and takes over what
// it finds. Two executions at the same time may make two copies; the one noted first
// counts, and the other execution removes its own. If it dies before that,
// TrashLeftovers removes the copy, because the output is marked.
func (d *Documents) CopyTemplate(ctx context.Context, in Step) (CopyResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return CopyResult{}, err
	}
	o, err := d.ensureCopy(ctx, j)
	return CopyResult{Generation: o.Generation}, err
}

// ensureCopy returns the output with its copy. Nothing is copied that could not be
// filled then: what that takes of the drive's quotas is kept for it.
func (d *Documents) ensureCopy(ctx context.Context, j job) (o platen.Output, err error) {
	ctx, done, err := d.reserve(ctx, j, j.quotaOfCopy(), d.quotaOfFill(j))
	if err != nil {
		return platen.Output{}, err
	}
	defer func() { done(err == nil) }()
	filling, err := d.filling(ctx, j)
	if err != nil {
		return platen.Output{}, err
	}
	if _, _, refusal := filling.Invoice(); refusal != nil { // before anything is made
		return platen.Output{}, refusal.Err(nil)
	}
	name := filling.Name()
	if j.plan.Test {
		name = platen.TestName(name)
	}
	again, began := false, d.now()
	o, err = d.Outputs.UpdateOutput(ctx, j.planned.OutputID, func(current *platen.Output) (err error) {
		again, err = current.BeginCopy(j.step.Attempt, name)
		return err
	})
	if err != nil {
		return o, fmt.Errorf("note that the copy begins: %w", err)
	}
	if o.Phase() >= platen.PhaseCopied {
		return o, nil
	}
	copied, err := d.findOrCopy(ctx, j, o, filling, again)
	if err != nil {
		return o, err
	}
	return d.noteCopy(ctx, j, o.Generation, copied, began)
}

// noteCopy notes which copy is in use.
func (d *Documents) noteCopy(ctx context.Context, j job, generation int, copied platen.File, began time.Time) (platen.Output, error) {
	late := func(now platen.Output) bool { return !now.HasCopy(generation, copied.ID) }
	o, err := d.decide(ctx, began, j.planned.OutputID, late, func(current *platen.Output) error {
		current.TakeCopy(generation, copied)
		return nil
	})
	if err != nil {
		return o, fmt.Errorf("record the copy: %w", err)
	}
	if late(o) {
		if err := d.discardCopy(ctx, j, o, copied.ID); err != nil {
			return o, err
		}
	}
	if o.Generation != generation {
		return o, platen.ErrStepSuperseded(o)
	}
	return o, nil
}

// discardCopy removes a copy that came too late, even after the output has ended:
// it is known to nobody else.
func (d *Documents) discardCopy(ctx context.Context, j job, o platen.Output, copyID string) error {
	if !o.HasEnded() { // what was noted of it outlives this process
		if err := d.Outputs.WriteNotes(ctx, o.ID); err != nil {
			return fmt.Errorf("record a copy that came too late: %w", err)
		}
	}
	if err := discard(ctx, j.drive, copyID); err != nil {
		return fmt.Errorf("remove a copy that came too late: %w", err)
	}
	return nil
}

func (d *Documents) findOrCopy(ctx context.Context, j job, o platen.Output, filling *fill.Filling, look bool) (platen.File, error) {
	if look {
		found, err := j.drive.FindByKey(ctx, o.CopyKey())
		if err != nil {
			return platen.File{}, fmt.Errorf("look for the copy: %w", err)
		}
		if len(found) > 0 {
			chosen, _, err := d.chooseCopy(ctx, j, o, filling, found) // FillTags asks whether it is filled
			return chosen, err
		}
	}
	folder, err := d.outputFolder(ctx, j, filling)
	if isFileNotFound(err) {
		err = d.templateNotFound(ctx, j, err)
	}
	if err != nil {
		return platen.File{}, err
	}
	copied, err := j.copyTemplate(ctx, folder, o.Name, o.CopyKey())
	if isFileNotFound(err) {
		err = d.templateNotFound(ctx, j, err)
	}
	if err != nil {
		return platen.File{}, fmt.Errorf("copy the template: %w", err)
	}
	d.untouched.add(copied.ID, d.now())
	return copied, nil
}

// copyTemplate copies into a folder; empty: into that of the template.
func (j job) copyTemplate(ctx context.Context, folderID, name, key string) (platen.File, error) {
	of := j.planned.Document
	switch {
	case folderID != "" && of.Encrypts():
		return j.drive.CopyInto(ctx, folderID, of.File.ID, name, key, platen.ProtectionCredentials)
	case folderID != "":
		return j.drive.CopyInto(ctx, folderID, of.File.ID, name, key, platen.ProtectionNone)
	case of.Encrypts():
		return j.drive.CopyProtected(ctx, of.File.ID, name, key)
	}
	return j.drive.Copy(ctx, of.File.ID, name, key)
}

// templateNotFound says of a template that is gone how it comes back; notFound is the
// drive's, which may be about the folder. A plan that this process remembers may have been
// given another file by a retry: then the step begins again, with that one.
func (d *Documents) templateNotFound(ctx context.Context, j job, notFound error) error {
	if _, err := j.drive.File(ctx, j.planned.Document.File.ID); !isFileNotFound(err) {
		return notFound
	}
	stored, err := d.Plans.Plan(ctx, j.plan.AutomationID)
	if err != nil {
		return fmt.Errorf("read the plan of %s: %w", j.plan.AutomationID, err)
	}
	if planned, ok := stored.Output(j.planned.OutputID); ok && planned.Document.File.ID != j.planned.Document.File.ID {
		return &platen.Error{Kind: platen.KindConflict, Code: "step_superseded", Err: notFound, Message: "The template has another file meanwhile: trying again copies that one."}
	}
	return &platen.Error{Kind: platen.KindNotFound, Code: platen.CodeFileNotFound, Err: notFound,
		Message: "The template is not in the drive of the workflow's owner any more. Restore it there, or replace the template of the document. Then retry the run."}
}

// chooseCopy returns which of the copies that were found is to be used, and whether it
// counts as filled. Where something was filled into one of them, all are left alone: a
// fill is stored before it begins, so the database was restored from a backup.
//
// Without a template no other copy can be made: then the first that may be filled is
// used as it is, because a receiver may know it.
func (d *Documents) chooseCopy(ctx context.Context, j job, o platen.Output, filling *fill.Filling, found []platen.File) (_ platen.File, filled bool, _ error) {
	for _, copied := range found {
		is, err := fill.Compare(ctx, j.drive, j.planned.Document.File, copied, filling)
		switch {
		case isFileNotFound(err):
			return copied, false, errShownNotFound(err)
		case err != nil:
			return copied, false, fmt.Errorf("look into the copy that was found: %w", err)
		case is.Untouched:
		case is.NoTemplate:
			return copied, true, nil
		default:
			return copied, true, d.leaveCopy(ctx, j, o)
		}
	}
	d.untouched.add(found[0].ID, d.now())
	return found[0], false, nil
}

// leaveCopy begins the next generation and leaves the files under the keys of this one
// alone, because a receiver may know them. The step is then repeated.
func (d *Documents) leaveCopy(ctx context.Context, j job, o platen.Output) error {
	now, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error { return current.LeaveCopy(j.step.Attempt, o) })
	if err != nil {
		return fmt.Errorf("note that a copy is left alone: %w", err)
	}
	return platen.ErrStepSuperseded(now)
}
