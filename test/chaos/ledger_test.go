package chaos

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	driveapi "google.golang.org/api/drive/v3"
)

// An outputRow is what the service recorded of one output.
type outputRow struct {
	ID, AutomationID, WorkflowID string
	DocumentID, Chaos            string
	Copy, PDF                    *string // file ids
	Removed                      bool
	State                        string
	// Repeated: a step of it ran more than once; Generation counts copies that
	// were thrown away because nobody knew whether they were filled.
	Repeated   bool
	Generation int
	Attempt    int // of its automation
	// KeepsFiles: Postgres went back before it was made, and what lay in the
	// drive under its keys stays: an event may have named it.
	KeepsFiles bool
	Number     int64 // of its automation
	Rejected   bool  // by people
}

func (w *witness) outputs(ctx context.Context) []outputRow {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `
		SELECT o.id, a.id, a.workflow_id, o.document_id, '', o.copy->>'id', o.pdf->>'id', o.removed,
			o.state, o.repeated, o.generation, a.attempt, o.keeps_files, coalesce(n.number, 0), o.verdict = 'REJECTED'
		FROM outputs o
		LEFT JOIN numbers n ON n.automation_id = o.automation_id
		JOIN automations a ON a.id = o.automation_id`)
	if err != nil {
		w.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[outputRow])
	if err != nil {
		w.t.Fatal(err)
	}
	for i, o := range all {
		all[i].Chaos = w.chaosID(ctx, o.AutomationID)
	}
	return all
}

func (w *witness) document(id string) (document, bool) {
	for _, one := range w.integrator.workflows {
		for _, d := range one.documents {
			if d.id == id {
				return d, true
			}
		}
	}
	return document{}, false
}

// checkDrive holds every file in the drives against what was recorded: nothing
// more, but for the trash and for what a restore leaves alone, and nothing less.
// It returns the files by their ids.
func (w *witness) checkDrive(ctx context.Context) map[string]*driveapi.File {
	w.t.Helper()
	files, wanted := map[string]*driveapi.File{}, map[string]string{}
	for _, o := range w.service.owners {
		err := o.files.Files.List().PageSize(1000).Fields("nextPageToken", "files(id,name,trashed,appProperties,sha256Checksum)").
			Pages(ctx, func(page *driveapi.FileList) error {
				for _, f := range page.Files {
					files[f.Id] = f
				}
				return nil
			})
		if err != nil {
			w.t.Fatalf("list the drive of %s: %v", o.name, err)
		}
		for _, id := range o.templates {
			wanted[id] = "a template of the integrator's"
		}
	}
	rows, err := w.db.Query(ctx, `SELECT file_id FROM documents WHERE file_id <> ''`)
	if err != nil {
		w.t.Fatal(err)
	}
	templates, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	for _, id := range templates {
		wanted[id] = "a template"
	}
	keeping := map[string]bool{}
	for _, o := range w.outputs(ctx) {
		w.want(wanted, o)
		keeping[o.ID] = o.KeepsFiles
	}
	w.checkNames(ctx, files)
	for id, f := range files {
		made, _, _ := strings.Cut(f.AppProperties["platenKey"], ".")
		switch {
		case wanted[id] != "" || f.Trashed:
		case keeping[made] && w.timeline.wentBack():
			w.counts["kept"]++
		default:
			w.fault("stray", "%s %q is in the drive (key %q)", id, f.Name, f.AppProperties["platenKey"])
		}
	}
	for id, what := range wanted {
		if f := files[id]; f == nil || f.Trashed {
			w.fault("lost", "%s (%s) is not in the drive", what, id)
		}
	}
	return files
}

// checkNames: every file is called by a name that its document had.
func (w *witness) checkNames(ctx context.Context, files map[string]*driveapi.File) {
	w.t.Helper()
	for _, o := range w.outputs(ctx) {
		for _, id := range []*string{o.Copy, o.PDF} {
			if id == nil || files[*id] == nil {
				continue
			}
			if name := files[*id].Name; !w.interventions.mayBeCalled(o.DocumentID, name, o.Chaos) {
				w.fault("output", "a file of %s of %s is called %q, which nobody asked for", o.ID, o.Chaos, name)
			}
		}
	}
}

// want adds the files that an output must have by its document's options.
func (w *witness) want(wanted map[string]string, o outputRow) {
	w.t.Helper()
	d, ok := w.document(o.DocumentID)
	if !ok {
		w.fault("stray", "output %s is of an unknown document", o.ID)
		return
	}
	if o.State == "FAILED" && (o.Rejected || w.interventions.endOf(o.AutomationID) != "") {
		return // nothing of it is to be there
	}
	add := func(id *string, is bool, what string) {
		switch {
		case id != nil && is:
			wanted[*id] = what + " of " + o.ID
		case is:
			w.fault("lost", "output %s of %s has no %s", o.ID, o.Chaos, what)
		}
	}
	add(o.PDF, d.pdf, "PDF")
	add(o.Copy, d.original, "original")
	if d.pdf {
		w.counts["PDFs"]++
	}
	if !d.pdf && o.PDF != nil {
		w.fault("duplicated", "output %s of %s has a PDF that nobody asked for", o.ID, o.Chaos)
	}
	if o.Removed == d.original {
		w.fault("output", "output %s of %s: original removed: got %v, want %v", o.ID, o.Chaos, o.Removed, !d.original)
	}
}
