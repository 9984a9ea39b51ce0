package postgres_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// A folder that was watched for years has many files, and each read of its schedule counts them:
// the plan reads so many of each state at most.
func TestFilesOfAFolderAreCountedUpToABound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s, err := f.Schedules.CreateSchedule(t.Context(), w.Owner, platen.Schedule{ID: platen.NewID(platen.PrefixSchedule), WorkflowID: w.ID, Name: "Inbox", Cron: "* * * * *", TimeZone: "UTC", Folder: "folder"})
	f.Must(err)
	f.Exec(`
		INSERT INTO schedule_files (schedule_id, file_id, name, mime_type, size, made_at, changed_at, state, noted_at, ended_at)
		SELECT $1, 'file-' || n, 'orders.csv', 'text/csv', 1, now(), now(), CASE WHEN n <= 7 THEN 'FAILED' ELSE 'TAKEN' END, now(), now()
		FROM generate_series(1, 20000) n`, s.ID)
	f.Exec(`ANALYZE schedule_files`)
	got, err := f.Schedules.Schedule(t.Context(), w.Owner, w.ID, s.ID)
	f.Must(err)
	if got.Files[platen.FileFailed] != 7 || got.Files[platen.FileTaken] != platen.MaxFilesCounted || got.Files[platen.FilePending] != 0 {
		t.Errorf("got %v, want 7 that failed and %d that were taken", got.Files, platen.MaxFilesCounted)
	}
	plan, err := postgres.ExplainFileCounts(t.Context(), f.DB.DB, s.ID)
	f.Must(err)
	for _, rows := range regexp.MustCompile(`"Actual Rows": ([0-9.]+)`).FindAllStringSubmatch(string(plan), -1) {
		if n, err := strconv.ParseFloat(rows[1], 64); err != nil || n > platen.MaxFilesCounted || strings.Contains(string(plan), "Seq Scan") {
			t.Fatalf("a step reads %s rows: %s", rows[1], plan)
		}
	}
}
