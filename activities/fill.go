package activities

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// FillResult counts what the filling did.
type FillResult struct {
	Requests int // that changed the document
	Missing  int // tags without data
}

// FillTags replaces every tag of the copy by its value, in one atomic change, unless a
// rule excludes this data.
//
// Run twice: a value may itself contain {{X}}, so a filled copy must never be filled
// again. The row says when filling began and when it ended. If it began and did not
// end, it may or may not have happened: the copy is taken over if it holds the filled
// template; otherwise it is thrown away and a copy of the next generation is filled. A
// drive that rate-limits the call has not filled: the row then says that filling has
// not begun.
func (d *Documents) FillTags(ctx context.Context, in Step) (FillResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return FillResult{}, err
	}
	o, result, err := d.ensureFilled(ctx, j)
	if err == nil {
		err = d.share(ctx, j, o)
	}
	return result, d.keepNotes(ctx, in.OutputID, err)
}

// ensureFilled returns the output with a copy that is filled, or as it ended.
func (d *Documents) ensureFilled(ctx context.Context, j job) (platen.Output, FillResult, error) {
	o, err := d.current(ctx, j)
	if err != nil || o.Phase() >= platen.PhaseFilled {
		return o, FillResult{Missing: len(o.MissingFields)}, err
	}
	ctx, done, err := d.reserve(ctx, j, d.quotaOfFill(j), nothingLater)
	if err != nil {
		return o, FillResult{}, err
	}
	defer done(true)
	if o, err = d.settledCopy(ctx, j, o); err != nil || o.Phase() >= platen.PhaseFilled {
		return o, FillResult{Missing: len(o.MissingFields)}, err
	}
	filling, err := d.filling(ctx, j)
	if err != nil {
		return o, FillResult{}, err
	}
	if d.Pictures != nil {
		filling.Obtain = func(p lang.Picture) (lang.Obtained, error) { return d.Pictures.Obtain(ctx, p, j.drive.Download) }
	}
	if d.Include != nil {
		filling.Include = d.Include(j.plan.OwnerID, j.planned.Document.File.ID)
	}
	begun, began := false, d.now()
	out, err := filling.Fill(ctx, j.drive, *o.Copy, func(out fill.Outcome) error {
		if refusal := filling.RefuseMissing(out.Missing); refusal != nil {
			return d.refuse(ctx, o, refusal)
		}
		if begun { // before other documents were included
			return nil
		}
		now, err := d.beginFill(ctx, j, o)
		if begun = err == nil; begun {
			o = now
		}
		return err
	})
	switch {
	case err == nil:
		o, err = d.noteFilled(ctx, o, out, d.save(began))
		return o, FillResult{Requests: out.Requests, Missing: len(out.Missing)}, err
	case begun:
		return o, FillResult{}, d.fillFailed(ctx, j, o, fmt.Errorf("fill the copy: %w", err))
	case out.Explains(err) && len(out.Missing) > 0:
		if err := d.noteMissing(ctx, o, out.Missing); err != nil {
			return o, FillResult{}, err
		}
	}
	return o, FillResult{}, d.unlessSuperseded(ctx, j, o, err)
}

// current is the output as this process knows it.
func (d *Documents) current(ctx context.Context, j job) (platen.Output, error) {
	o, err := d.recall(ctx, j.planned.OutputID, j.step.Attempt)
	if err == nil {
		err = j.step.checkAttempt(o)
	}
	if err != nil {
		return o, fmt.Errorf("read output %s: %w", j.planned.OutputID, err)
	}
	return o, nil
}

// settledCopy returns the output with a copy that no fill has touched, or further.
func (d *Documents) settledCopy(ctx context.Context, j job, o platen.Output) (_ platen.Output, err error) {
	if o.Copy == nil {
		o, err = d.ensureCopy(ctx, j)
	}
	phase := o.Phase()
	if err != nil || phase >= platen.PhaseFilled || phase == platen.PhaseCopied && d.untouched.take(o.Copy.ID, d.now()) {
		return o, err
	}
	if o, err = d.settle(ctx, j, o); err != nil || o.Phase() >= platen.PhaseCopied {
		return o, err
	}
	return d.ensureCopy(ctx, j)
}

// settle inspects a copy whose row is not marked filled. The row may be stale, because
// a worker died or the database was restored from a backup, and a receiver may know the
// copy.
//
// A filled copy is taken over. A copy whose fill did not end is thrown away, because
// the fill may still happen. An untouched copy is filled. A partly filled copy is left
// alone, or taken over if its template is gone.
func (d *Documents) settle(ctx context.Context, j job, o platen.Output) (platen.Output, error) {
	there, content, out, err := d.examine(ctx, j, *o.Copy)
	switch {
	case err != nil:
		return o, d.unlessSuperseded(ctx, j, o, fmt.Errorf("look into the copy: %w", err))
	case there && content == fill.Filled:
		return d.noteFilled(ctx, o, out, d.Outputs.UpdateOutput)
	case !there || o.FillBegun:
		return d.abandonCopy(ctx, j, o)
	case content == fill.Untouched:
		return o, nil
	}
	filling, err := d.filling(ctx, j)
	if err != nil {
		return o, err
	}
	_, filled, err := d.chooseCopy(ctx, j, o, filling, []platen.File{*o.Copy})
	if err == nil && filled {
		return d.noteFilled(ctx, o, fill.Outcome{}, d.Outputs.UpdateOutput) // what it misses is not known any more
	}
	return o, err
}

// noteFilled notes that the copy is filled, or was found filled.
func (d *Documents) noteFilled(ctx context.Context, o platen.Output, out fill.Outcome, save saving) (platen.Output, error) {
	now, err := save(ctx, o.ID, func(current *platen.Output) error { return current.EndFill(o, out.Missing, out.Notes) })
	if err != nil {
		return now, fmt.Errorf("note that the fill ended: %w", err)
	}
	return now, nil
}

// examine tells whether a copy is there, and what it has in it.
func (d *Documents) examine(ctx context.Context, j job, copied platen.File) (there bool, _ fill.Content, _ fill.Outcome, _ error) {
	found, err := j.drive.File(ctx, copied.ID)
	if err != nil && platen.KindOf(err) == platen.KindNotFound || err == nil && found.Trashed {
		return false, fill.Unclear, fill.Outcome{}, nil
	}
	if err != nil {
		return false, fill.Unclear, fill.Outcome{}, err
	}
	filling, err := d.filling(ctx, j)
	if err != nil {
		return true, fill.Unclear, fill.Outcome{}, err
	}
	content, out, err := filling.Examine(ctx, j.drive, copied)
	return true, content, out, err
}

// unlessSuperseded returns the error of a call for o's copy, or platen.ErrStepSuperseded
// when another execution has thrown that copy away. A copy that was not found says
// nothing about the document: copyNotFound.
func (d *Documents) unlessSuperseded(ctx context.Context, j job, o platen.Output, err error) error {
	if MayPass(err) {
		return err
	}
	if isFileNotFound(err) {
		return d.copyNotFound(ctx, j, o, err)
	}
	if now, unread := d.Outputs.Output(ctx, o.ID); unread == nil && !now.HasCopyOf(o) {
		return platen.ErrStepSuperseded(now)
	}
	return err
}

// copyNotFound returns the error of a step that did not find its copy; notFound is the
// drive's. A copy that is gone, removed by its owner or by a step that the database
// forgot, is thrown away, and the next try makes another: in its own time, for a drive
// that finds nothing would be asked to copy without end.
func (d *Documents) copyNotFound(ctx context.Context, j job, o platen.Output, notFound error) error {
	found, err := j.drive.File(ctx, o.Copy.ID)
	if err == nil && !found.Trashed {
		return errShownNotFound(notFound)
	}
	if err != nil && platen.KindOf(err) != platen.KindNotFound {
		return fmt.Errorf("look for the copy: %w", err)
	}
	if _, err := d.abandonCopy(ctx, j, o); err != nil {
		return err
	}
	return &platen.Error{Kind: platen.KindConflict, Code: "copy_gone", Err: notFound,
		Message: "The copy of the template was removed before the document was made of it. Another one is made."}
}

// abandonCopy throws the copy away, if no other execution is ahead with it, and
// begins the next generation.
func (d *Documents) abandonCopy(ctx context.Context, j job, o platen.Output) (platen.Output, error) {
	now, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error { return current.AbandonCopy(j.step.Attempt, o) })
	if err != nil {
		return now, fmt.Errorf("note that the copy is thrown away: %w", err)
	}
	if err := discard(ctx, j.drive, o.Copy.ID); err != nil {
		return now, fmt.Errorf("remove the copy that is thrown away: %w", err)
	}
	return now, nil
}

// beginFill stores which copy is in use, and that this execution, and no other,
// fills it. It returns the output with that.
func (d *Documents) beginFill(ctx context.Context, j job, o platen.Output) (platen.Output, error) {
	now, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error { return current.BeginFill(o) })
	if err != nil {
		return o, fmt.Errorf("note that the fill begins: %w", err)
	}
	if !now.HasCopyOf(o) {
		if err := d.discardCopy(ctx, j, now, o.Copy.ID); err != nil {
			return o, err
		}
		return o, platen.ErrStepSuperseded(now)
	}
	return now, nil
}

// fillFailed takes the beginning back where the drive refused to begin: the
// copy is as it was, and no other execution has filled it, because one alone
// may begin.
func (d *Documents) fillFailed(ctx context.Context, j job, o platen.Output, err error) error {
	if platen.KindOf(err) != platen.KindRateLimited {
		return d.unlessSuperseded(ctx, j, o, err)
	}
	_, unnoted := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error { return current.RevertFill(o) })
	if unnoted != nil {
		return fmt.Errorf("note that the fill did not begin: %w", unnoted)
	}
	d.untouched.add(o.Copy.ID, d.now())
	return err
}

// refuse fails a step by a rule. What the document misses is noted with the
// output, for no other place may ask for it.
func (d *Documents) refuse(ctx context.Context, o platen.Output, r *fill.Refusal) error {
	if len(r.Missing) > 0 {
		if err := d.noteMissing(ctx, o, r.Missing); err != nil {
			return err
		}
	}
	return r.Err(o.MissingFields)
}

func (d *Documents) noteMissing(ctx context.Context, o platen.Output, missing []string) error {
	_, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error { return current.AddMissing(o, missing) })
	if err != nil {
		return fmt.Errorf("note what is missing: %w", err)
	}
	return nil
}
