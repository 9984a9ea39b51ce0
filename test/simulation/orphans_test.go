package simulation

import (
	"context"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// checkOrphans sees that every file belongs to somebody. After a restore of Postgres, a
// file that it has forgotten may stay.
func (w *harness) checkOrphans() {
	known := w.knownFiles()
	for _, id := range sorted(w.drives.files) {
		switch {
		case !w.drives.exists(id) || known[id]:
		case !w.putBack:
			w.violate("%s is an orphan", id)
		case w.sweepFinds(w.drives.files[id]):
			w.violate("%s is an orphan that Postgres knows of", id)
		}
	}
}

// knownFiles are the templates, and what DONE outputs record.
func (w *harness) knownFiles() map[string]bool {
	known := map[string]bool{}
	for _, row := range w.store.workflows {
		for _, d := range row.documents {
			known[d.File.ID] = true
			for _, id := range d.Appendices {
				known[id] = true
			}
		}
	}
	for _, o := range w.store.outputs {
		if o.State == platen.OutputDone {
			for _, f := range o.Files() {
				known[f.ID] = true
			}
		}
	}
	return known
}

// sweepFinds tells whether the rows lead to a file that belongs to nobody: one of
// them names it, or has its key and says that there may be orphans. Under a key only a
// copy without values is an orphan for sure, and no file of an output that keeps what
// receivers may have been told of.
func (w *harness) sweepFinds(f *driveFile) bool {
	for _, o := range w.store.outputs {
		failed := o.State == platen.OutputFailed
		switch {
		case slices.Contains(o.ThrownAway, f.ID), (failed || o.Repeated) && f.Properties[platen.PropertyKey] == o.AppendixKey(), failed && (f.ID == o.PDFID || o.Copy != nil && f.ID == o.Copy.ID):
			return true
		case !failed && !o.Repeated, o.KeepsFiles, f.fills > 0 || f.content != nil:
			continue
		}
		for generation := range o.Generation + 1 {
			if f.Properties[platen.PropertyKey] == (platen.Output{ID: o.ID, Generation: generation}).CopyKey() {
				return true
			}
		}
	}
	return false
}

// blindSweep has every copy that is found be one that nothing was filled into, and no
// output be one of a restored database.
type blindSweep struct{ database }

func (s blindSweep) Output(ctx context.Context, id string) (platen.Output, error) {
	o, err := s.database.Output(ctx, id)
	o.KeepsFiles = false
	return o, err
}

// idleSweep has every output keep what the drive holds under its keys.
type idleSweep struct{ database }

func (s idleSweep) Output(ctx context.Context, id string) (platen.Output, error) {
	o, err := s.database.Output(ctx, id)
	o.KeepsFiles = true
	return o, err
}
