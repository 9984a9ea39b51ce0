package maintenance

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// Outputs reads outputs.
type Outputs interface {
	Output(ctx context.Context, outputID string) (platen.Output, error)
}

// EndedOutputs is where the store knows which outputs may have orphans.
type EndedOutputs interface {
	Outputs
	// UnsweptOutputs returns those that ended longer than age ago and failed or were
	// made by steps that ran more than once, until MarkOutputSwept notes that they
	// were looked through; oldest first, in pages; after is the last one of the
	// page before.
	UnsweptOutputs(ctx context.Context, age time.Duration, after platen.EndedOutput) ([]platen.EndedOutput, error)
	MarkOutputSwept(ctx context.Context, o platen.EndedOutput) error
}

// OutputDrive is the drive of a user, as far as orphans of outputs are removed
// there.
type OutputDrive interface {
	// FindByKey returns what the drive lists, which may lag behind.
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
	// Trash puts a file into the drive's trash, from where its owner can take it back;
	// a file that is not there is no error, and platen.IsFileKept tells of one that has
	// to stay.
	Trash(ctx context.Context, fileID string) error
	fill.Drive
}

// Plans reads what automations are pinned to.
type Plans interface {
	PinnedPlan(ctx context.Context, automationID string) (platen.Plan, error)
}

// Runs is what Temporal knows of automations.
type Runs interface {
	// MaySweep tells whether the end of an automation is the last that Temporal knows
	// of it. A restored database takes files that a receiver knows for orphans.
	MaySweep(ctx context.Context, a platen.Automation) (bool, error)
}

// A Removal counts the orphans that were trashed, and those that have to stay
// because the drive lets nobody remove them.
type Removal struct {
	Files int
	Kept  int
}

// lag is far beyond what the list of a drive lags behind.
const lag = time.Hour

// SweepOutputs trashes orphans that runs left: copies whose making was never
// answered and which the drive's list did not show when the run looked, and those
// of runs that were ended from outside. An output is looked through once, so long
// after it has ended; 0: an hour. One that runs speak against waits for a later pass.
func SweepOutputs(store EndedOutputs, plans Plans, drives func(ctx context.Context, ownerID string) (OutputDrive, error), runs Runs, after time.Duration) Job {
	after = cmp.Or(after, lag)
	return sweepJob("output sweep", min(after, sweepEvery), outputSweep{store, plans, drives, runs, after}.sweep)
}

type outputSweep struct {
	store  EndedOutputs
	plans  Plans
	drives func(ctx context.Context, ownerID string) (OutputDrive, error)
	runs   Runs
	after  time.Duration
}

func (s outputSweep) sweep(ctx context.Context, p *pass, log *slog.Logger) error {
	due := func(ctx context.Context, after platen.EndedOutput) ([]platen.EndedOutput, error) {
		return s.store.UnsweptOutputs(ctx, s.after, after)
	}
	ownerOf := func(o platen.EndedOutput) string { return o.Automation.OwnerID }
	var all Removal
	err := each(ctx, p, due, ownerOf, func(ctx context.Context, o platen.EndedOutput) error {
		removed, err := s.remove(ctx, o)
		all.Files, all.Kept = all.Files+removed.Files, all.Kept+removed.Kept
		if err != nil {
			return fmt.Errorf("orphans of %s: %w", o.OutputID, err)
		}
		return nil
	})
	if all.Files > 0 {
		log.Info("orphans of outputs were trashed", "files", all.Files)
	}
	if all.Kept > 0 {
		log.Warn("orphans of outputs stay in their owners' drives, which let the accounts neither delete nor trash them", "files", all.Kept)
	}
	return err
}

func (s outputSweep) remove(ctx context.Context, o platen.EndedOutput) (Removal, error) {
	may, err := s.runs.MaySweep(ctx, o.Automation)
	if err != nil || !may {
		return Removal{}, err
	}
	drive, err := s.drives(ctx, o.Automation.OwnerID)
	if err != nil {
		return Removal{}, fmt.Errorf("open the drive of %s: %w", o.Automation.OwnerID, err)
	}
	plan, err := s.plans.PinnedPlan(ctx, o.Automation.ID)
	if err != nil {
		return Removal{}, fmt.Errorf("read the plan of %s: %w", o.Automation.ID, err)
	}
	planned, ok := plan.Output(o.OutputID)
	if !ok {
		return Removal{}, platen.ErrForgotten("output " + o.OutputID)
	}
	removed, err := RemoveOrphans(ctx, s.store, drive, planned)
	if err != nil {
		return removed, err
	}
	return removed, s.store.MarkOutputSwept(ctx, o)
}

// RemoveOrphans trashes the files of an ended output that no event names: those that
// were noted as thrown away, second copies that nothing was filled into, and everything
// of an output that failed. A filled copy or a PDF that is not noted stays: the
// database was restored from a backup, and a receiver may know the file. Files that are
// not there any more are no error, and those that the drive does not let go are
// counted, so it may run any number of times; it leaves alone what a retry has begun
// again.
//
// It finds what the drive lists. A file that the list does not show yet waits for
// the output sweep, which looks again when the list has long caught up.
func RemoveOrphans(ctx context.Context, outputs Outputs, drive OutputDrive, planned platen.PlannedDocument) (Removal, error) {
	outputID := planned.OutputID
	o, err := outputs.Output(ctx, outputID)
	if err != nil {
		return Removal{}, fmt.Errorf("read output %s: %w", outputID, err)
	}
	if o.State == platen.OutputPending {
		return Removal{}, nil
	}
	orphans, err := findOrphans(ctx, drive, planned.Document, o)
	if err != nil || len(orphans) == 0 {
		return Removal{}, err
	}
	// A retry that has begun since then may use the same key; what was found
	// while the output was still ended is none of its files.
	now, err := outputs.Output(ctx, outputID)
	if err != nil {
		return Removal{}, fmt.Errorf("read output %s again: %w", outputID, err)
	}
	if now.State != o.State || now.Generation != o.Generation {
		return Removal{}, nil
	}
	var removed Removal
	for _, id := range orphans {
		err := drive.Trash(ctx, id)
		switch {
		case platen.IsFileKept(err):
			removed.Kept++
		case err != nil:
			return removed, fmt.Errorf("trash an orphan: %w", err)
		default:
			removed.Files++
		}
	}
	return removed, nil
}

// findOrphans returns the ids of files of an ended output that are not its own.
// Those that were noted may be gone already.
func findOrphans(ctx context.Context, drive OutputDrive, of platen.Document, o platen.Output) ([]string, error) {
	orphans := slices.Concat(o.ThrownAway, o.AppendixCopies()) // the drive's list may lag behind
	if len(of.Appended()) > 0 {                                // no event names copies of appended templates
		found, err := drive.FindByKey(ctx, o.AppendixKey())
		if err != nil {
			return nil, fmt.Errorf("look for copies of appended templates: %w", err)
		}
		for _, f := range found {
			orphans = append(orphans, f.ID)
		}
	}
	if o.State == platen.OutputFailed {
		for _, id := range []string{o.PDFID, idOf(o.Copy)} {
			if id != "" {
				orphans = append(orphans, id)
			}
		}
	}
	if o.KeepsFiles { // what else there is may be what a receiver was told of
		return withoutOwn(orphans, o), nil
	}
	var listed []string
	files := make(map[string]platen.File)
	for generation := 0; generation <= o.Generation; generation++ {
		found, err := drive.FindByKey(ctx, platen.Output{ID: o.ID, Generation: generation}.CopyKey())
		if err != nil {
			return nil, fmt.Errorf("look for orphans: %w", err)
		}
		for _, f := range found {
			files[f.ID] = f
			if !slices.Contains(orphans, f.ID) {
				listed = append(listed, f.ID)
			}
		}
	}
	for _, id := range withoutOwn(listed, o) {
		found, err := fill.Compare(ctx, drive, of.File, files[id], nil)
		if err != nil && !fill.IsUnreadable(err) {
			return nil, fmt.Errorf("look into a copy that was found: %w", err)
		}
		if found.Untouched {
			orphans = append(orphans, id)
		}
	}
	return withoutOwn(orphans, o), nil
}

// withoutOwn leaves out what an output records, and doubles.
func withoutOwn(orphans []string, o platen.Output) []string {
	if o.State != platen.OutputFailed {
		orphans = slices.DeleteFunc(orphans, func(id string) bool {
			return slices.ContainsFunc(o.Files(), func(f platen.OutputFile) bool { return f.ID == id })
		})
	}
	slices.Sort(orphans)
	return slices.Compact(orphans)
}

func idOf(f *platen.File) string {
	if f == nil {
		return ""
	}
	return f.ID
}
