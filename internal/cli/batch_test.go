package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// batched gives the API a workflow whose batch of two rows is in these states, one after
// the other.
func batched(d *desk, batches ...object) (file string) {
	d.answers["GET /workflows/wkf_1/"] = object{"id": "wkf_1", "name": "Letters"}
	i := 0
	next := func() any {
		b := object{"id": "bat_1", "workflowId": "wkf_1", "rows": 2}
		for name, value := range batches[min(i, len(batches)-1)] {
			b[name] = value
		}
		i++
		return b
	}
	d.answers["POST /workflows/wkf_1/batches/"], d.answers["GET /workflows/wkf_1/batches/bat_1/"] = next, next
	d.answers["GET /workflows/wkf_1/batches/bat_1/results.csv/"] = []byte("row,state\n1,COMPLETED\n2,FAILED\n")
	file = filepath.Join(d.t.TempDir(), "October.json")
	if err := os.WriteFile(file, []byte(`[{"Name": "Ada"}, {}]`), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return file
}

func TestBatchPrintsTheIdOfItsBatch(t *testing.T) {
	t.Parallel()
	d := sit(t)
	file := batched(d, object{"state": "RUNNING"})
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--key", "October")...); err != nil || d.out.String() != "bat_1\n" {
		t.Errorf("got %q, %v; want the id alone", d.out.String(), err)
	}
	const sent = "POST /workflows/wkf_1/batches/"
	if body, key := string(d.bodies[sent]), d.headers[sent].Get("Idempotency-Key"); body != `[{"Name": "Ada"}, {}]` || key != "October" {
		t.Errorf("the API got %q under the key %q, want the bytes as they are", body, key)
	}
	d.answers[sent] = problem{400, object{"code": "batch_rows_invalid", "detail": "1 of 2 rows cannot be taken.", "errors": []object{{"pointer": "", "row": 2, "detail": "is no object"}}}}
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file)...); ExitCode(err) != ExitFailed || !strings.Contains(err.Error(), "row 2 is no object") {
		t.Errorf("got %v, want the row that cannot be taken", err)
	}
}

func TestBatchTriesRowsAndSendsNothing(t *testing.T) {
	t.Parallel()
	d := sit(t)
	file := batched(d, object{"state": "RUNNING"})
	d.answers["POST /workflows/wkf_1/batches/check/"] = object{"rows": 3, "checked": 3, "faulty": 1,
		"findings": []object{{"row": 2, "field": "Price", "message": "1,234 is doubtful.", "severity": "mistake"}, {"row": 3, "message": "Odd.", "severity": "note", "nearest": []string{"Even"}}},
		"unused":   []object{{"field": "Nmae", "nearest": []string{"Name"}}}}
	err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--dry-run", "--test")...)
	want := "row 2, Price: 1,234 is doubtful.\nrow 3: note: Odd. Did you mean Even?\nno template asks for \"Nmae\". Did you mean Name?\n3 rows, 3 checked, 1 with a mistake\n"
	if d.out.String() != want || ExitCode(err) != ExitFailed || err.Error() != "1 of 3 rows would fail" {
		t.Errorf("got %q and %v, want %q and that a row would fail", d.out.String(), err, want)
	}
	if _, sent := d.bodies["POST /workflows/wkf_1/batches/"]; sent {
		t.Error("the batch was sent")
	}
	d.answers["POST /workflows/wkf_1/batches/check/"] = object{"rows": 1, "checked": 1, "faulty": 0}
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--dry-run", "--json")...); err != nil {
		t.Errorf("without a mistake: got %v", err)
	}
}

func TestBatchSaysWhatATableWasReadAs(t *testing.T) {
	t.Parallel()
	for want, table := range map[string]object{
		"read as CSV, windows-1252, cells parted by \";\"; columns [\"Name\" \"No\"]\n": {"kind": "csv", "encoding": "windows-1252", "delimiter": ";", "columns": []string{"Name", "No"}},
		"read as sheet \"Oct\", with 1 row that it does not show; columns [\"Name\"]\n": {"kind": "xlsx", "sheet": "Oct", "hiddenRows": 1, "columns": []string{"Name"}},
	} {
		d := sit(t)
		file := batched(d, object{"state": "RUNNING", "table": table})
		if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file)...); err != nil || d.err.String() != want || d.out.String() != "bat_1\n" {
			t.Errorf("got %q and %q, %v; want %q", d.err.String(), d.out.String(), err, want)
		}
	}
}

func TestBatchDrawsABarOnATerminal(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.Lively = true
	file := batched(d,
		object{"state": "RUNNING", "counts": object{"PENDING": 2}},
		object{"state": "RUNNING", "counts": object{"RUNNING": 1, "SKIPPED": 1}},
		object{"state": "COMPLETED", "counts": object{"COMPLETED": 1, "SKIPPED": 1}, "finishedAt": "2026-01-02T03:04:05.678901+00:00"})
	err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--wait")...)
	want := "\r\x1b[K[                    ] RUNNING, 0 of 2 rows ended\r\x1b[K[##########          ] RUNNING, 1 of 2 rows ended, 1 skipped\r\x1b[K[####################] COMPLETED, 2 of 2 rows ended, 1 skipped\n"
	if got := d.err.String(); got != want || ExitCode(err) != ExitNotCompleted {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}

func TestBatchWaitsAndWritesTheResults(t *testing.T) {
	t.Parallel()
	d := sit(t)
	file := batched(d,
		object{"state": "RUNNING", "counts": object{"PENDING": 2}},
		object{"state": "RUNNING", "counts": object{"RUNNING": 1, "COMPLETED": 1}, "secondsLeft": 61},
		object{"state": "RUNNING", "counts": object{"RUNNING": 1, "COMPLETED": 1}, "inReview": 1},
		object{"state": "COMPLETED", "counts": object{"COMPLETED": 1, "FAILED": 1}, "finishedAt": "2026-01-02T03:04:05.678901+00:00"})
	results := filepath.Join(t.TempDir(), "deep", "results.csv")
	err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--results", results)...)
	if ExitCode(err) != ExitNotCompleted || !strings.Contains(err.Error(), "COMPLETED, 2 of 2 rows ended, 1 failed") {
		t.Errorf("got %v, want that a row failed", err)
	}
	want := "RUNNING, 0 of 2 rows ended\nRUNNING, 1 of 2 rows ended, about 1m1s left\nRUNNING, 1 of 2 rows ended, 1 in review\nCOMPLETED, 2 of 2 rows ended, 1 failed\n"
	if got := d.err.String(); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, err := os.ReadFile(results); err != nil || !strings.HasSuffix(string(got), "2,FAILED\n") {
		t.Errorf("results: got %q, %v", got, err)
	}
	d = sit(t)
	file = batched(d, object{"state": "COMPLETED", "counts": object{"COMPLETED": 2}, "finishedAt": "2026-01-02T03:04:05.678901+00:00"})
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--wait")...); err != nil {
		t.Errorf("a batch whose rows are all made: got %v", err)
	}
	d = sit(t)
	file = batched(d, object{"state": "COMPLETED", "counts": object{"COMPLETED": 2}, "undelivered": 1, "finishedAt": "2026-01-02T03:04:05.678901+00:00"})
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--wait")...); ExitCode(err) != ExitNotCompleted || !strings.Contains(err.Error(), "the mails of 1 row did not reach everybody") {
		t.Errorf("a batch with a mail that failed: got %v", err)
	}
	d = sit(t)
	file = batched(d, object{"state": "RUNNING"})
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--wait", "--timeout", "1ns")...); ExitCode(err) != ExitTimeout {
		t.Errorf("a timeout that is over: got %v", err)
	}
}

func TestBatchWritesOnePDFAndAZipOfItsOutputs(t *testing.T) {
	t.Parallel()
	ended := object{"state": "COMPLETED", "counts": object{"COMPLETED": 2}, "finishedAt": "2026-01-02T03:04:05.678901+00:00"}
	d := sit(t)
	file := batched(d, ended)
	d.answers["GET /workflows/wkf_1/batches/bat_1/outputs.pdf/"], d.answers["GET /workflows/wkf_1/batches/bat_1/outputs.zip/"] = []byte("%PDF of all"), []byte("PK of all")
	dir := t.TempDir()
	pdf, zip := filepath.Join(dir, "deep", "all.pdf"), filepath.Join(dir, "all.zip")
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--pdf", pdf, "--zip", zip)...); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{pdf: "%PDF of all", zip: "PK of all"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	d = sit(t)
	file = batched(d, ended)
	d.answers["GET /workflows/wkf_1/batches/bat_1/outputs.pdf/"] = problem{400, object{"code": "outputs_encrypted", "detail": "Outputs with a password are not put into one PDF."}}
	gone := filepath.Join(t.TempDir(), "all.pdf")
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--pdf", gone)...); ExitCode(err) != ExitFailed || !strings.Contains(err.Error(), "password") {
		t.Errorf("got %v, want what the API says", err)
	}
	if left, err := os.ReadDir(filepath.Dir(gone)); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want no file of a PDF that was refused", left, err)
	}
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--pdf", "-")...); ExitCode(err) != ExitUsage {
		t.Errorf("standard output: got %v", err)
	}
	d = sit(t)
	many := object{"rows": 10_001}
	for name, value := range ended {
		many[name] = value
	}
	file = batched(d, many)
	d.answers["GET /workflows/wkf_1/batches/bat_1/outputs.pdf/"] = []byte("%PDF of some")
	// Rows of a table are numbered by their lines: here some have several.
	next := []object{{"row": 2}, {"row": 12_345}}
	d.answers["GET /workflows/wkf_1/batches/bat_1/rows/"] = func() any {
		page := next[:min(1, len(next))]
		next = next[len(page):]
		return page
	}
	parts := t.TempDir()
	_ = d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--pdf", filepath.Join(parts, "all.pdf"))...)
	for _, name := range []string{"all 2-10001.pdf", "all 12345-22344.pdf"} {
		if _, err := os.Stat(filepath.Join(parts, name)); err != nil {
			t.Errorf("of 10,001 rows: %v", err)
		}
	}
}

func TestBatchCorrectsTheFailedRowsOfAnother(t *testing.T) {
	t.Parallel()
	d := sit(t)
	file := batched(d, object{"state": "RUNNING"})
	const sent = "POST /workflows/wkf_1/batches/bat_1/correct/"
	d.answers[sent] = object{"id": "bat_1", "workflowId": "wkf_1", "rows": 2, "state": "RUNNING"}
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--correct", "bat_1", "--row-field", "Row")...); err != nil || d.out.String() != "bat_1\n" {
		t.Errorf("got %q, %v; want the id of the batch", d.out.String(), err)
	}
	if body := string(d.bodies[sent]); body != `[{"Name": "Ada"}, {}]` {
		t.Errorf("the API got %q, want the bytes as they are", body)
	}
	if err := d.run(t.Context(), d.loggedIn("batch", "wkf_1", file, "--row-field", "Row")...); ExitCode(err) != ExitUsage {
		t.Errorf("a field without a batch: got %v", err)
	}
}
