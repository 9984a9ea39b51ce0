package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Erasures is where the store knows of automations that are to be erased. What is
// claimed and neither finished nor put off is due again after its lease.
type Erasures interface {
	ClaimErasures(ctx context.Context, limit int, lease time.Duration) ([]platen.Erasure, error)
	// EraseData erases source data, payloads and answers of one that has ended.
	EraseData(ctx context.Context, automationID string) error
	// ErasedOutputs are those whose files are to be deleted.
	ErasedOutputs(ctx context.Context, automationID string) ([]platen.Output, error)
	PutOffErasure(ctx context.Context, automationID string, wait time.Duration) error
	// FinishErasure forgets the files, and notes that nothing is left.
	FinishErasure(ctx context.Context, e platen.Erasure) error
	// EraseAgain asks for erasures that the database has forgotten, and returns how
	// many these are.
	EraseAgain(ctx context.Context, stones []platen.Tombstone) (int, error)
}

// ErasingDrive is the drive of a user, as far as files are deleted there.
type ErasingDrive interface {
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
	// Delete removes a file for good; where the drive does not let the account do that,
	// it goes into the trash. A file that is not there is no error, and
	// platen.IsFileKept tells of one that has to stay.
	Delete(ctx context.Context, fileID string) error
}

// Tombstones keeps what was erased outside the database.
type Tombstones interface {
	Keep(stone platen.Tombstone) error
	// Each calls do with the stones that are kept, in batches.
	Each(do func(stones []platen.Tombstone) error) error
}

const (
	erasuresAtOnce = 10
	// erasureLease is longer than the drive calls of one batch may take.
	erasureLease = erasuresAtOnce*driveTimeout + time.Minute
	// erasureAgain is when an erasure is tried again whose run is open, or whose drive
	// did not answer.
	erasureAgain = time.Minute
	// erasureUnconnected is the same where the owner has connected no drive.
	erasureUnconnected = time.Hour
)

// Erase carries out erasures: first the data in the database, then the files in the
// drive, then what the database knows of them. An open run ends first. Files that the
// drive's list may not show yet are looked for again, so long after the output ended;
// 0: an hour. stones may be nil: nothing is kept outside the database then.
//
// Its first pass compares the tombstones with the database, which may have been
// restored from a backup.
func Erase(store Erasures, drives func(ctx context.Context, ownerID string) (ErasingDrive, error), stones Tombstones, after time.Duration) Job {
	e := &erasing{store: store, drives: drives, stones: stones, after: cmp.Or(after, lag), now: time.Now}
	return Job{Name: "erasure", Every: 10 * time.Second, Do: func(ctx context.Context, log *slog.Logger) error {
		compared := e.compare(ctx, log)
		p := newPass(driveTimeout)
		return errors.Join(compared, e.carryOut(ctx, p, log), p.failure())
	}}
}

type erasing struct {
	store    Erasures
	drives   func(ctx context.Context, ownerID string) (ErasingDrive, error)
	stones   Tombstones
	after    time.Duration
	now      func() time.Time
	compared bool
}

func (e *erasing) compare(ctx context.Context, log *slog.Logger) error {
	if e.compared || e.stones == nil {
		return nil
	}
	again := 0
	err := e.stones.Each(func(stones []platen.Tombstone) error {
		n, err := e.store.EraseAgain(ctx, stones)
		again += n
		return err
	})
	if again > 0 {
		log.Warn("the database was put back to an earlier moment: automations that were erased since then are erased again", "automations", again)
	}
	if err != nil {
		return fmt.Errorf("compare the erasures that are kept with the database: %w", err)
	}
	e.compared = true
	return nil
}

func (e *erasing) carryOut(ctx context.Context, p *pass, log *slog.Logger) error {
	erased, kept := 0, 0
	defer func() {
		if erased > 0 {
			log.Info("automations were erased", "automations", erased)
		}
		if kept > 0 {
			log.Warn("files of erased automations stay in their owners' drives, which let nobody delete or trash them, or are connected no more", "files", kept)
		}
	}()
	seen := map[string]bool{} // what was put off and is due again waits for the next pass
	for ctx.Err() == nil {
		due, err := e.store.ClaimErasures(ctx, erasuresAtOnce, erasureLease)
		if err != nil || len(due) == 0 {
			return err
		}
		for i, one := range due {
			if seen[one.AutomationID] {
				return e.handBack(ctx, due[i:])
			}
			seen[one.AutomationID] = true
			wait, stay := e.one(ctx, p, one)
			kept += stay
			switch {
			case ctx.Err() != nil:
				err = ctx.Err()
			case wait > 0:
				err = e.store.PutOffErasure(ctx, one.AutomationID, wait)
			default:
				if err = e.store.FinishErasure(ctx, one); err == nil {
					erased++
				}
			}
			switch {
			case err != nil && ctx.Err() != nil:
				return errors.Join(err, e.handBack(ctx, due[i:]))
			case err != nil: // others come before it in the next pass
				return errors.Join(err, e.store.PutOffErasure(ctx, one.AutomationID, erasureAgain), e.handBack(ctx, due[i+1:]))
			}
		}
	}
	return ctx.Err()
}

// handBack makes erasures due that were claimed and not carried out: nobody need wait for
// the end of their lease.
func (e *erasing) handBack(ctx context.Context, claimed []platen.Erasure) error {
	const patience = 5 * time.Second // a database that does not answer must not hold up the stop
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer done()
	var failed []error
	for _, one := range claimed {
		failed = append(failed, e.store.PutOffErasure(ctx, one.AutomationID, 0))
	}
	return errors.Join(failed...)
}

// one erases data and files of an automation, and reports failures to p. It is due
// again after wait; 0: never. Data need no drive: they are erased even if the owner's
// does not answer.
func (e *erasing) one(ctx context.Context, p *pass, of platen.Erasure) (wait time.Duration, kept int) {
	if err := e.data(ctx, of); err != nil {
		p.fail(fmt.Errorf("erase %s: %w", of.AutomationID, err))
		return erasureAgain, 0
	}
	if !of.Ended {
		return erasureAgain, 0
	}
	wait = erasureAgain // unless the drive answers
	p.try(ctx, of.OwnerID, func(ctx context.Context) (err error) {
		rest, stay, err := e.files(ctx, of)
		kept += stay
		if err != nil {
			return fmt.Errorf("erase %s: %w", of.AutomationID, err)
		}
		wait = rest
		return nil
	})
	return wait, kept
}

// data keeps the tombstone of an automation, and erases its data once it has ended.
func (e *erasing) data(ctx context.Context, of platen.Erasure) error {
	if e.stones != nil && of.By != platen.ErasedByRetention {
		stone := platen.Tombstone{AutomationID: of.AutomationID, WorkflowID: of.WorkflowID, RequestedAt: of.RequestedAt, By: of.By}
		if err := e.stones.Keep(stone); err != nil {
			return fmt.Errorf("keep the tombstone outside the database: %w", err)
		}
	}
	if !of.Ended {
		return nil
	}
	return e.store.EraseData(ctx, of.AutomationID)
}

// files deletes the files of an automation. A deleted user cannot connect a drive any
// more: files that are left there stay.
func (e *erasing) files(ctx context.Context, of platen.Erasure) (wait time.Duration, kept int, err error) {
	outputs, err := e.store.ErasedOutputs(ctx, of.AutomationID)
	if err != nil || len(outputs) == 0 {
		return 0, 0, err
	}
	drive, err := e.drives(ctx, of.OwnerID)
	if fault, ok := errors.AsType[*platen.Error](err); ok && fault.Code == "drive_not_connected" {
		if !of.OwnerDeleted {
			return erasureUnconnected, 0, nil
		}
		for _, o := range outputs {
			kept += len(knownFiles(o))
		}
		return 0, kept, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("open the drive of %s: %w", of.OwnerID, err)
	}
	for _, o := range outputs {
		files, err := filesOf(ctx, drive, o)
		if err != nil {
			return 0, kept, err
		}
		for _, id := range files {
			switch err := drive.Delete(ctx, id); {
			case platen.IsFileKept(err):
				kept++
			case err != nil:
				return 0, kept, fmt.Errorf("delete a file: %w", err)
			}
		}
		if o.Repeated || o.State == platen.OutputFailed && o.CopyBegun {
			wait = max(wait, e.after-e.now().Sub(o.UpdatedAt))
		}
	}
	return max(wait, 0), kept, nil
}

// filesOf returns the ids of all files that an output has or may have had.
func filesOf(ctx context.Context, drive ErasingDrive, o platen.Output) ([]string, error) {
	files := knownFiles(o)
	for generation := 0; generation <= o.Generation; generation++ {
		found, err := drive.FindByKey(ctx, platen.Output{ID: o.ID, Generation: generation}.CopyKey())
		if err != nil {
			return nil, fmt.Errorf("look for files: %w", err)
		}
		for _, f := range found {
			files = append(files, f.ID)
		}
	}
	if o.Repeated || o.AppendixBegun || len(o.Appendices) > 0 || o.State == platen.OutputFailed {
		found, err := drive.FindByKey(ctx, o.AppendixKey())
		if err != nil {
			return nil, fmt.Errorf("look for copies of appended templates: %w", err)
		}
		for _, f := range found {
			files = append(files, f.ID)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// knownFiles are those that the database knows of.
func knownFiles(o platen.Output) []string {
	files := append(slices.Concat(o.ThrownAway, o.AppendixCopies()), o.PDFID, idOf(o.Copy), idOf(o.PDF))
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(id string) bool { return id == "" })
}
