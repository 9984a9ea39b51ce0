package chaos

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	driveapi "google.golang.org/api/drive/v3"
)

// An outputRow is what the service recorded of one output.
type outputRow struct {
	ID, WorkflowID, DocumentID, Chaos string
	Copy, PDF                         *string // file ids
	Removed                           bool
}

func (w *witness) outputs(ctx context.Context) []outputRow {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `
		SELECT o.id, a.workflow_id, o.document_id, convert_from(a.body, 'UTF8')::jsonb->>'Chaos Id', o.copy->>'id', o.pdf->>'id', o.removed
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id`)
	if err != nil {
		w.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[outputRow])
	if err != nil {
		w.t.Fatal(err)
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

// checkDrive holds every file in the drive against what was recorded: nothing
// more and nothing less. It returns the files by their ids.
func (w *witness) checkDrive(ctx context.Context) map[string]*driveapi.File {
	w.t.Helper()
	files := map[string]*driveapi.File{}
	err := w.integrator.files.Files.List().PageSize(1000).Fields("nextPageToken", "files(id,name,trashed,appProperties)").
		Pages(ctx, func(page *driveapi.FileList) error {
			for _, f := range page.Files {
				files[f.Id] = f
			}
			return nil
		})
	if err != nil {
		w.t.Fatalf("list the drive: %v", err)
	}
	wanted := map[string]string{}
	for _, id := range w.integrator.templates {
		wanted[id] = "the integrator's template"
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
	for _, o := range w.outputs(ctx) {
		w.want(wanted, o)
	}
	for id, f := range files {
		if wanted[id] == "" {
			w.fault("stray", "%s %q is in the drive (key %q, trashed %v)", id, f.Name, f.AppProperties["platenKey"], f.Trashed)
		}
	}
	for id, what := range wanted {
		if f := files[id]; f == nil || f.Trashed {
			w.fault("lost", "%s (%s) is not in the drive", what, id)
		}
	}
	return files
}

// want adds the files that an output must have by its document's options.
func (w *witness) want(wanted map[string]string, o outputRow) {
	w.t.Helper()
	d, ok := w.document(o.DocumentID)
	if !ok {
		w.fault("stray", "output %s is of an unknown document", o.ID)
		return
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

// papersRead is how many PDFs are opened: each takes two programs.
const papersRead = 40

// checkPapers reads PDFs with other people's programs: they say what was sent,
// once, with the password that was sent.
func (w *witness) checkPapers(ctx context.Context, files map[string]*driveapi.File) {
	w.t.Helper()
	dir := w.t.TempDir()
	for _, o := range w.outputs(ctx) {
		d, _ := w.document(o.DocumentID)
		if o.PDF == nil || files[*o.PDF] == nil || w.counts["papers"] == papersRead {
			continue
		}
		answer, err := w.integrator.files.Files.Get(*o.PDF).Context(ctx).Download()
		if err != nil {
			w.fault("lost", "PDF of %s: %v", o.Chaos, err)
			continue
		}
		name := filepath.Join(dir, *o.PDF+".pdf")
		file, err := os.Create(name)
		if err == nil {
			_, err = file.ReadFrom(answer.Body)
			_ = file.Close()
		}
		_ = answer.Body.Close()
		if err != nil {
			w.t.Fatal(err)
		}
		if d.password && exec.CommandContext(ctx, "pdftotext", name, "-").Run() == nil {
			w.fault("output", "the PDF of %s opens without its password", o.Chaos)
		}
		said, err := exec.CommandContext(ctx, "pdftotext", "-raw", "-upw", w.load.canaries.password, name, "-").Output()
		if err != nil {
			w.fault("output", "PDF of %s: pdftotext: %v", o.Chaos, err)
			continue
		}
		text := strings.Join(strings.Fields(string(said)), " ")
		if want := "Event " + o.Chaos + " of Ada: " + w.load.canaries.tag + " not filled: {{Name}}"; text != want {
			w.fault("output", "PDF of %s: got %q, want %q", o.Chaos, text, want)
		}
		w.counts["papers"]++
	}
}

// A told event is what the service recorded to tell.
type eventRow struct {
	ID, WorkflowID, OutputID, State, Payload string
}

// checkDeliveries: one event for each output; at least one delivery of each;
// every attempt under the event's id, with the same bytes, and signed.
func (w *witness) checkDeliveries(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `SELECT id, workflow_id, output_id, state, convert_from(payload, 'UTF8') FROM events`)
	if err != nil {
		w.t.Fatal(err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[eventRow])
	if err != nil {
		w.t.Fatal(err)
	}
	taken := w.checkAttempts(events)
	about := map[string]int{}
	for _, e := range events {
		about[e.OutputID]++
		one := w.workflow(e.WorkflowID)
		if e.State != "DELIVERED" {
			w.fault("event", "%s of workflow %s is %s, want DELIVERED", e.ID, one.name, e.State)
		}
		if taken[e.ID] == 0 {
			w.fault("lost", "event %s of workflow %s never arrived", e.ID, one.name)
		}
		w.counts["repeats"] += max(0, taken[e.ID]-1)
	}
	for _, o := range w.outputs(ctx) {
		switch n := about[o.ID]; {
		case n == 0:
			w.fault("lost", "nobody is told of output %s of %s", o.ID, o.Chaos)
		case n > 1:
			w.fault("duplicated", "output %s of %s has %d events", o.ID, o.Chaos, n)
		}
	}
	if n := w.receiver.followed.Load(); n > 0 {
		w.fault("redirect", "%d redirects were followed", n)
	}
	w.counts["events"] = len(events)
}

// recoverEvents: what a receiver refused for good, and what was due after that,
// is held, and delivered when its owner says that it takes events again.
func (w *witness) recoverEvents(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `SELECT id, workflow_id, output_id, state, '' FROM events WHERE state <> 'DELIVERED'`)
	if err != nil {
		w.t.Fatal(err)
	}
	refused, err := pgx.CollectRows(rows, pgx.RowToStructByPos[eventRow])
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range refused {
		one := w.workflow(e.WorkflowID)
		if !one.gone || e.State != "FAILED" && e.State != "HELD" {
			w.fault("event", "%s of workflow %s is %s before its receiver moves", e.ID, one.name, e.State)
		}
		w.counts[strings.ToLower(e.State)]++
	}
	w.receiver.moved.Store(true)
	for _, one := range w.integrator.workflows {
		if !one.gone {
			continue
		}
		w.integrator.call(w.t, http.MethodPatch, "/workflows/"+one.id+"/outgoing-webhooks/", object{"webhookUrl": w.receiver.url + "/" + one.name}, nil)
		w.integrator.call(w.t, http.MethodPost, "/workflows/"+one.id+"/events/recover/", object{"since": "2020-01-01T00:00:00Z"}, nil)
	}
}

// checkAttempts returns how often each event was taken.
func (w *witness) checkAttempts(events []eventRow) map[string]int {
	w.t.Helper()
	known := map[string]eventRow{}
	for _, e := range events {
		known[e.ID] = e
	}
	taken := map[string]int{}
	for _, a := range w.receiver.all() {
		w.counts["attempts"]++
		var said struct {
			ID string `json:"event_id"`
		}
		if err := json.Unmarshal([]byte(a.body), &said); err != nil {
			w.fault("attempt", "not JSON: %v", err)
			continue
		}
		e, ok := known[said.ID]
		id := a.header.Get("webhook-id")
		switch {
		case !ok:
			w.fault("stray", "event %s was sent and is not recorded", said.ID)
			continue
		case id != said.ID:
			w.fault("duplicated", "event %s was sent under webhook-id %s", said.ID, id)
		case a.body != e.Payload:
			w.fault("attempt", "event %s: an attempt had other bytes than what is recorded", id)
		}
		one := w.workflow(e.WorkflowID)
		if err := one.verifier.VerifyIgnoringTimestamp([]byte(a.body), a.header); err != nil {
			w.fault("attempt", "event %s: %v", id, err)
		}
		if a.place != one.name {
			w.fault("attempt", "event %s of workflow %s came to %s", id, one.name, a.place)
		}
		if a.status/100 == 2 {
			taken[said.ID]++
			w.counts["taken"]++
		}
	}
	return taken
}

func (w *witness) workflow(id string) *workflow {
	for _, one := range w.integrator.workflows {
		if one.id == id {
			return one
		}
	}
	return &workflow{name: "unknown " + id}
}
