package schedule_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rows"
	"github.com/platenhq/platen/internal/schedule"
)

// A shelf is a folder of a drive, and the store of its files.
type shelf struct {
	*clockwork
	files    []platen.File // of the folder, the newest first
	contents map[string]string
	faults   map[string]error // of files by id, of the list by ""
	known    map[string]*platen.ScheduleFile
	tryAt    map[string]time.Time
	lists    int
	opens    int   // of the drive
	closed   error // says before a look that nothing is started
	partial  bool  // the list is not whole
	hung     bool  // contents do not come
	refused  error // of the store
	took     []string
	folders  *schedule.Folders
	storing  func(ctx context.Context, file platen.ScheduleFile) error // nil: nothing holds the store up
	erased   map[string]bool                                           // automations
}

// newShelf has a schedule whose folder was set at noon, and is looked into each minute.
func newShelf(t *testing.T) *shelf {
	t.Helper()
	c := newClockwork(t, "* * * * *", "2026-11-30T12:00:00Z")
	since := c.now
	c.of.Data, c.of.Folder, c.of.FolderSince = nil, "inbox", &since
	s := &shelf{clockwork: c, contents: map[string]string{}, faults: map[string]error{}, known: map[string]*platen.ScheduleFile{}, tryAt: map[string]time.Time{}}
	s.folders = schedule.NewFolders(s, func(context.Context, string) (schedule.Drive, error) {
		s.opens++
		return s, nil
	})
	s.folders.Erased = func(id string) (bool, error) { return s.erased[id], nil }
	return s
}

// put puts a file into the folder, made at the time of the clock.
func (s *shelf) put(name, content string) platen.File {
	f := platen.File{ID: fmt.Sprintf("f%d", len(s.contents)), Name: name, Size: int64(len(content)), CreatedAt: s.now, ModifiedAt: s.now}
	s.files, s.contents[f.ID] = append([]platen.File{f}, s.files...), content
	return f
}

func (s *shelf) looks(t *testing.T, times int) {
	t.Helper()
	for range times {
		s.now = s.now.Add(time.Minute)
		s.pass(t.Context(), t)
	}
}

func (s *shelf) pass(ctx context.Context, t *testing.T) {
	t.Helper()
	runner := schedule.Runner{Store: s.clockwork, Now: func() time.Time { return s.now }, Folders: s.folders}
	if err := runner.Pass(ctx, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) wantsTaken(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.took, want) {
		t.Errorf("took %q, want %q", s.took, want)
	}
}

func (s *shelf) wantsLast(t *testing.T, state platen.ScheduleState, code string) {
	t.Helper()
	if l := s.of.Last; l == nil || l.State != state || l.Code != code {
		t.Errorf("got %+v, want %s %s", l, state, code)
	}
}

func (s *shelf) ListFolder(_ context.Context, _ string, most int, page func([]platen.File) error) (bool, error) {
	s.lists++
	if err := s.faults[""]; err != nil {
		return false, err
	}
	listed := s.files[:min(len(s.files), most)]
	for part := range slices.Chunk(slices.Clone(listed), 1000) {
		if err := page(part); err != nil {
			return false, err
		}
	}
	return !s.partial && len(listed) == len(s.files), nil
}

func (s *shelf) Open(ctx context.Context, id string) (io.ReadCloser, error) {
	if err := s.faults[id]; err != nil {
		return nil, err
	}
	if s.hung {
		return io.NopCloser(hangs{ctx}), nil
	}
	return io.NopCloser(strings.NewReader(s.contents[id])), nil
}

func (s *shelf) CheckStarts(context.Context, platen.DueSchedule) error { return s.closed }

func (s *shelf) FailedFiles(context.Context, string) (ids []string, _ error) {
	for id, f := range s.known {
		if f.State == platen.FileFailed {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (s *shelf) NoteFiles(_ context.Context, _ platen.DueSchedule, files []platen.File, skips []string) (bool, error) {
	for i, f := range files {
		had := s.known[f.ID]
		if had != nil && (had.State != platen.FileFailed || had.ModifiedAt.Equal(f.ModifiedAt)) {
			continue
		}
		s.known[f.ID] = &platen.ScheduleFile{File: f, State: platen.FilePending, NotedAt: s.now}
		if skips[i] != "" {
			s.known[f.ID].State, s.known[f.ID].Code = platen.FileSkipped, skips[i]
		}
	}
	return true, nil
}

func (s *shelf) EndListing(_ context.Context, _ platen.DueSchedule, at time.Time, full bool, gone []string, retry bool) error {
	for _, id := range gone {
		delete(s.known, id)
	}
	for _, f := range s.known {
		if retry && (f.State == platen.FileFailed || f.Code == platen.CodeUsageLimit) {
			f.State, f.Attempts = platen.FilePending, 0
			delete(s.tryAt, f.ID)
		}
	}
	if s.of.LookedAt = &at; !full {
		s.of.ListedAt = &at
	}
	return nil
}

func (s *shelf) PendingFiles(_ context.Context, _ string, most int) (found []platen.ScheduleFile, _ error) {
	for _, f := range s.known {
		if f.State == platen.FilePending && !s.tryAt[f.ID].After(s.now) {
			found = append(found, *f)
		}
	}
	slices.SortFunc(found, func(a, b platen.ScheduleFile) int {
		return cmp.Or(cmp.Compare(a.Attempts, b.Attempts), strings.Compare(a.ID, b.ID))
	})
	return found[:min(most, len(found))], nil
}

func (s *shelf) TakeEvent(ctx context.Context, _ platen.DueSchedule, file platen.ScheduleFile, event []byte) error {
	if s.refused != nil {
		return s.refused
	}
	if s.storing != nil {
		if err := s.storing(ctx, file); err != nil {
			return err
		}
	}
	s.took = append(s.took, file.Name+" "+string(event))
	s.known[file.ID].State, s.known[file.ID].EndedAt = platen.FileTaken, &s.now
	return nil
}

func (s *shelf) TakeBatch(ctx context.Context, due platen.DueSchedule, file platen.ScheduleFile, name string, all rows.Rows) error {
	count := 0
	for _, err := range all {
		if err != nil {
			return err
		}
		count++
	}
	return s.TakeEvent(ctx, due, file, fmt.Appendf(nil, "%d rows", count))
}

func (s *shelf) RefuseFile(_ context.Context, _ platen.DueSchedule, file platen.ScheduleFile, why *platen.Error, retry time.Time) error {
	f := s.known[file.ID]
	f.Code, f.Message, f.Attempts = why.Code, why.Message, f.Attempts+1
	if s.tryAt[f.ID] = retry; retry.IsZero() {
		f.State, f.EndedAt = platen.FileFailed, &s.now
	}
	return nil
}

func (s *shelf) ForgetFile(_ context.Context, _, id string) error {
	delete(s.known, id)
	return nil
}

func (s *shelf) FolderStanding(ctx context.Context, id string, at time.Time) (standing platen.FolderStanding, _ error) {
	for _, f := range s.known {
		switch {
		case f.State == platen.FileTaken && !f.EndedAt.Before(at):
			standing.Taken++
		case f.State == platen.FileFailed:
			standing.Failed, standing.Last = standing.Failed+1, f
		case f.State == platen.FilePending && s.tryAt[f.ID].After(s.now):
			standing.Waits, standing.WaitsUntil = f, s.tryAt[f.ID]
		}
	}
	pending, _ := s.PendingFiles(ctx, id, 1<<20)
	standing.Pending = len(pending)
	return standing, nil
}

func TestEachNewFileIsTakenOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.put("before.json", `{"Name":"Old"}`)
	s.looks(t, 1)
	s.put("a.json", "\ufeff {\"Name\":\"Ada\"}")
	s.put("b.json", `[{"Name":"Bob"},{"Name":"Cyd"}]`)
	s.put("c.jsonl", "{\"Name\":\"Dee\"}\n{\"Name\":\"Eve\"}\n{}\n")
	s.put("d.CSV", "Name;No\nFay;1\n")
	s.put("e.xlsx", workbook(t))
	s.put("f.pdf", "%PDF")
	s.put(".hidden.json", "{}")
	s.put("empty.json", "")
	s.looks(t, 3)
	s.wantsTaken(t, `a.json {"Name":"Ada"}`, "b.json 2 rows", "c.jsonl 3 rows", "d.CSV 1 rows", "e.xlsx 1 rows")
	s.wantsLast(t, platen.ScheduleDone, "")
	if before, other := s.known["f0"], s.known["f6"]; before.Code != platen.CodeFileExisting || other.Code != platen.CodeFileKind || len(s.known) != 7 {
		t.Errorf("got %+v, %+v, and %d files", before, other, len(s.known))
	}
}

func TestFilesThatWereThereAreTakenIfAskedFor(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.of.TakeExisting = true
	s.put("before.json", `{}`)
	s.looks(t, 2)
	s.wantsTaken(t, "before.json {}")
}

func TestABadFileHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.looks(t, 1)
	for name, content := range map[string]string{"no.json": "<html>", "two.json": "{}{}", "list.json": "[1]", "cut.json": `[{"a":1}`, "none.csv": "Name\n", "large.json": `{"a":"` + strings.Repeat("x", platen.MaxScheduleData) + `"}`, "book.xlsx": "PK\x03\x04 no"} {
		s.put(name, content)
	}
	s.put("heavy.csv", "Name\nAda\n")
	s.files[0].Size = platen.MaxFolderFile + 1
	s.put("z.json", "{}")
	s.looks(t, 2)
	s.wantsTaken(t, "z.json {}")
	s.wantsLast(t, platen.ScheduleFailed, platen.CodeFilesFailed)
	if !strings.Contains(s.of.Last.Message, "8 files") {
		t.Errorf("got %s", s.of.Last.Message)
	}
	if f := s.known["f7"]; f.Code != platen.CodeFileTooLarge {
		t.Errorf("got %+v, want it to be too large", f)
	}
	for _, f := range s.known {
		if f.State == platen.FileFailed && (f.Attempts != 1 || f.Message == "") {
			t.Errorf("%s: %d attempts, %q", f.Name, f.Attempts, f.Message)
		}
	}
	// Removed, or corrected, they are forgotten.
	s.files = s.files[:2]
	s.files[1].ModifiedAt, s.contents[s.files[1].ID] = s.now, `{}`
	s.files[1].Name, s.files[1].Size = "right.json", 2
	s.looks(t, 1)
	s.wantsTaken(t, "z.json {}", "right.json {}")
	s.wantsLast(t, platen.ScheduleDone, "")
}

func TestADriveThatIsAwayIsLookedIntoAgain(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.looks(t, 1)
	s.put("a.json", "{}")
	s.faults[""] = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "Away.")
	s.looks(t, 1)
	s.wantsLast(t, platen.ScheduleRetry, "drive_unavailable")
	if lists := s.lists; !s.clockwork.tryAt.Equal(s.now.Add(time.Minute)) {
		t.Errorf("%d lists, tried again at %v", lists, s.clockwork.tryAt)
	}
	s.looks(t, 40)
	s.wantsLast(t, platen.ScheduleFailed, "drive_unavailable")
	s.looks(t, 5)
	s.wantsLast(t, platen.ScheduleFailed, "drive_unavailable")
	s.faults = map[string]error{}
	s.looks(t, 1)
	s.wantsTaken(t, "a.json {}")
	s.wantsLast(t, platen.ScheduleDone, "")
}

func TestAFileThatTheDriveDoesNotGiveIsGivenUpAfterADay(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.looks(t, 1)
	s.put("a.json", "{}")
	s.put("b.json", "{}")
	s.put("gone.json", "{}")
	s.faults["f0"] = platen.Errorf(platen.KindUnavailable, "drive_fault", "The drive failed at this.")
	s.faults["f2"] = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "None.")
	s.looks(t, 5)
	s.wantsTaken(t, "b.json {}")
	s.wantsLast(t, platen.ScheduleRetry, "drive_fault")
	s.looks(t, 26*60)
	s.wantsLast(t, platen.ScheduleFailed, platen.CodeFilesFailed)
	delete(s.faults, "f0")
	s.looks(t, 1)
	s.wantsTaken(t, "b.json {}")
	asked := s.now.Add(time.Second)
	s.of.RequestedAt, s.clockwork.tryAt = &asked, asked
	s.looks(t, 1)
	s.wantsTaken(t, "b.json {}", "a.json {}")
}

func TestWhatIsOfTheWorkflowFailsNoFile(t *testing.T) {
	t.Parallel()
	for code, refused := range map[string]error{
		"workflow_incomplete":       platen.Workflow{}.CheckStarts(),
		platen.CodeUsageLimit:       platen.ErrUsageLimit(time.Now(), platen.UsageRoom{}, 1),
		platen.CodeConnectionBroken: nil,
		"schedule_folder_gone":      nil,
		"schedule_folder_full":      nil,
	} {
		s := newShelf(t)
		s.looks(t, 1)
		s.put("a.json", "{}")
		s.refused = refused
		switch code {
		case platen.CodeConnectionBroken:
			s.faults["f0"] = platen.Errorf(platen.KindForbidden, code, "Connect it.")
		case platen.CodeFolderGone:
			s.faults[""] = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "None.")
		case platen.CodeFolderFull:
			s.files = append(s.files, make([]platen.File, platen.MaxFolderFiles)...)
		}
		s.looks(t, 3)
		s.wantsLast(t, platen.ScheduleFailed, code)
		if f := s.known["f0"]; f != nil && f.State == platen.FileFailed {
			t.Errorf("%s: the file failed: %+v", code, f)
		}
		full := code == platen.CodeFolderFull
		if full != (len(s.took) == 1) {
			t.Errorf("%s: took %v", code, s.took)
		}
		s.refused, s.faults, s.files = nil, map[string]error{}, s.files[:1]
		s.looks(t, 60)
		s.wantsTaken(t, "a.json {}")
		s.wantsLast(t, platen.ScheduleDone, "")
	}
}

// While nothing is started, no drive is opened, and where the limit leaves no room a look an hour
// is enough.
func TestAFolderIsLeftAloneWhileNothingIsStarted(t *testing.T) {
	t.Parallel()
	for code, closed := range map[string]error{"workflow_incomplete": platen.Workflow{}.CheckStarts(), platen.CodeUsageLimit: platen.ErrUsageLimit(time.Now(), platen.UsageRoom{}, 1)} {
		s := newShelf(t)
		s.looks(t, 1)
		s.put("a.json", "{}")
		s.closed = closed
		s.looks(t, 1)
		s.wantsLast(t, platen.ScheduleFailed, code)
		if s.opens != 1 {
			t.Errorf("%s: the drive was opened %d times, want once before", code, s.opens)
		}
		wait := time.Minute
		if code == platen.CodeUsageLimit {
			wait = time.Hour
		}
		if in := s.clockwork.tryAt.Sub(s.now); in < wait || in > wait+time.Minute {
			t.Errorf("%s: the next look is in %v, want %v", code, in, wait)
		}
		s.closed = nil
		s.looks(t, 61)
		s.wantsTaken(t, "a.json {}")
		s.wantsLast(t, platen.ScheduleDone, "")
	}
}

// A batch that is larger than the room of the owner waits by itself.
func TestABatchWithoutRoomHoldsUpNoSmallerFile(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.looks(t, 1)
	s.put("large.csv", "Name\nAda\nBob\nCyd\n")
	s.put("small.csv", "Name\nDee\n")
	s.put("one.json", "{}")
	room, tries := 2, 0
	limit := func(makes int) error {
		return platen.ErrUsageLimit(s.now, platen.UsageRoom{Most: 10, Used: 10 - int64(room)}, int64(makes))
	}
	s.storing = func(_ context.Context, f platen.ScheduleFile) error {
		n := max(1, strings.Count(s.contents[f.ID], "\n")-1)
		if f.Name == "large.csv" {
			tries++
		}
		if n > room {
			return limit(n)
		}
		if room -= n; room == 0 {
			s.closed = limit(1)
		}
		return nil
	}
	s.looks(t, 1)
	s.wantsTaken(t, "small.csv 1 rows", "one.json {}")
	s.wantsLast(t, platen.ScheduleFailed, platen.CodeUsageLimit)
	s.closed, room = nil, 1
	s.looks(t, 59)
	s.wantsLast(t, platen.ScheduleFailed, platen.CodeUsageLimit)
	s.put("late.json", "{}")
	s.looks(t, 2)
	s.wantsTaken(t, "small.csv 1 rows", "one.json {}", "late.json {}")
	if f := s.known["f0"]; tries != 2 || f.State != platen.FilePending || f.Code != platen.CodeUsageLimit || !strings.Contains(f.Message, "this makes 3") {
		t.Errorf("tried %d times within an hour, and it is %+v", tries, f)
	}
	s.closed, room = nil, 4
	asked := s.now.Add(time.Second)
	s.of.RequestedAt, s.clockwork.tryAt = &asked, asked
	s.looks(t, 1)
	s.wantsTaken(t, "small.csv 1 rows", "one.json {}", "late.json {}", "large.csv 3 rows")
	s.wantsLast(t, platen.ScheduleDone, "")
}

// A list that is not whole says neither what was there before nor what is gone.
func TestAListThatIsNotWholeEndsNothing(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.partial = true
	s.looks(t, 1)
	if s.wantsLast(t, platen.ScheduleRetry, "drive_unavailable"); s.of.ListedAt != nil {
		t.Error("the folder counts as listed")
	}
	s.partial = false
	s.looks(t, 1)
	s.put("a.json", "no")
	s.looks(t, 1)
	s.files, s.partial = nil, true
	s.looks(t, 1)
	s.wantsLast(t, platen.ScheduleFailed, platen.CodeFilesFailed)
}

// Many files are listed once for a moment, and taken a turn at a time.
func TestManyFilesAreTakenInTurns(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.looks(t, 1)
	for i := range 1000 {
		s.put(fmt.Sprint(i, ".json"), "{}")
	}
	before := s.lists
	s.looks(t, 1)
	if len(s.took) != 1000 || s.lists != before+1 || s.of.Last.Events != 1000 {
		t.Errorf("took %d with %d lists, and says %+v", len(s.took), s.lists-before, s.of.Last)
	}
}

// hangs are contents that do not come before the turn of their reader ends.
type hangs struct{ ctx context.Context }

func (h hangs) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

// A table whose turn ends while others hold the room for tables is as good as before.
func TestATableThatWaitsForRoomFailsNever(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.looks(t, 1)
		s.put("a.csv", "Name\nAda\n")
		deep := 0
		s.storing = func(context.Context, platen.ScheduleFile) error {
			if deep++; deep <= 2 { // another schedule's look, while this one holds its room
				s.clockwork.tryAt, s.lost = s.now, true // one turn each
				s.pass(t.Context(), t)
			}
			return nil
		}
		s.looks(t, 1)
		if f := s.known["f0"]; deep != 2 || f.State != platen.FileTaken || f.Attempts != 0 {
			t.Errorf("%d looks stored it, got %+v", deep, f)
		}
	})
}

func TestTheEndOfAWorkerFailsNoFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.csv", "a.json", "a.jsonl"} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(t)
			s.looks(t, 1)
			s.put(name, "")
			s.files[0].Size = 2
			ctx, stop := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, stop)
			s.hung = true
			s.now = s.now.Add(time.Minute)
			s.pass(ctx, t)
			if f := s.known["f0"]; f.State != platen.FilePending || f.Attempts != 0 {
				t.Errorf("%s: got %+v", name, f)
			}
		})
	}
}

// A file that fills a turn comes behind the others, and somebody learns of it in the end.
func TestAFileThatFillsATurnHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.looks(t, 1)
		s.put("a.csv", "Name\nAda\n")
		s.put("b.json", "{}")
		s.storing = func(ctx context.Context, file platen.ScheduleFile) error {
			if file.Name != "a.csv" {
				return nil
			}
			<-ctx.Done()
			return fmt.Errorf("the database: %w", ctx.Err())
		}
		s.looks(t, 2)
		s.wantsTaken(t, "b.json {}")
		s.wantsLast(t, platen.ScheduleRetry, platen.CodeFileTooLarge)
		s.looks(t, 26*60)
		s.wantsLast(t, platen.ScheduleFailed, platen.CodeFilesFailed)
	})
}

// A folder with too many files is listed once for a moment, too, from the first one on.
func TestAFullFolderIsListedOnceForAMoment(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.files = make([]platen.File, platen.MaxFolderFiles)
	s.now = s.now.Add(time.Second)
	for i := range 150 {
		s.put(fmt.Sprint(i, ".json"), "{}")
	}
	s.contents["f0"] = "no"
	s.looks(t, 1)
	if s.wantsLast(t, platen.ScheduleFailed, platen.CodeFolderFull); s.lists != 1 || len(s.took) != 149 || s.of.ListedAt != nil {
		t.Errorf("took %d with %d lists, and all was listed at %v", len(s.took), s.lists, s.of.ListedAt)
	}
	s.contents["f0"] = "{}"
	asked := s.now.Add(time.Second)
	s.of.RequestedAt, s.clockwork.tryAt = &asked, asked
	if s.looks(t, 1); len(s.took) != 150 {
		t.Error("a run that is asked for does not try again what failed")
	}
}

// workbook is one with a name and a row.
func workbook(t *testing.T) string {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"[Content_Types].xml":        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels":                `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>Ada</t></is></c></row></sheetData></worksheet>`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// Else a sidecar, which is an event by its kind, starts a run, whose sidecar starts another one.
func TestWhatPlatenMadeIsNotTaken(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.looks(t, 1)
	s.put("Letter.pdf.json", `{"output":"out_1"}`)
	s.files[0].Properties = map[string]string{platen.PropertyKey: "out_1.tgt_1"}
	s.put("order.json", `{"Number":1}`)
	s.looks(t, 1)
	if f := s.known["f0"]; len(s.took) != 1 || f.State != platen.FileSkipped || f.Code != platen.CodeFileKind {
		t.Errorf("took %q, and %+v; want the order alone, and the other one skipped", s.took, f)
	}
}

// After a restore the database has forgotten that the file was taken, and that its run was erased.
func TestAFileWhoseRunWasErasedIsNotTakenAgain(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.looks(t, 1)
	ada := s.put("Ada.json", `{"Name":"Ada"}`)
	s.put("Bob.json", `{"Name":"Bob"}`)
	s.erased = map[string]bool{platen.FileAutomation(s.of.ID, ada.ID): true}
	s.looks(t, 1)
	if f := s.known[ada.ID]; len(s.took) != 1 || f.State != platen.FileFailed || f.Code != platen.CodeDataErased {
		t.Errorf("took %q, and %+v; want Bob's alone", s.took, f)
	}
}
