package schedule

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rows"
	"github.com/platenhq/platen/internal/table"
)

const (
	// turn bounds how long a look into a folder goes on before other schedules have their turn.
	// It ends before the lease does.
	turn = 75 * time.Second
	// filesOfTurn is how many files a turn takes.
	filesOfTurn = 100
	// tablesAtOnce bounds what workbooks take in memory: each is held whole.
	tablesAtOnce = 2
	// withoutRoom is how long a folder is left alone whose owner has no room, and a file that is
	// larger than the room.
	withoutRoom = time.Hour
)

// A Drive has folders. Its errors are platen.Errors.
type Drive interface {
	// ListFolder calls page with the files of a folder, the newest first, until most were listed.
	// complete: these are all.
	ListFolder(ctx context.Context, folderID string, most int, page func([]platen.File) error) (complete bool, err error)
	Open(ctx context.Context, fileID string) (io.ReadCloser, error)
}

// FolderStore has the files of folders that are known.
type FolderStore interface {
	// CheckStarts says why nothing of a folder would be taken now: its workflow starts nothing
	// (KindInvalid), or the limit of the owner leaves no room (KindRateLimited).
	CheckStarts(ctx context.Context, due platen.DueSchedule) error
	FailedFiles(ctx context.Context, scheduleID string) ([]string, error)
	// NoteFiles notes files that are not known yet. skips says why one is not to be taken. Not
	// held: the schedule was changed.
	NoteFiles(ctx context.Context, due platen.DueSchedule, files []platen.File, skips []string) (held bool, err error)
	// EndListing says that a folder was listed for a moment. full: it has more files. Files that
	// are gone are forgotten, and with retry those that failed, or wait for room, are tried again.
	EndListing(ctx context.Context, due platen.DueSchedule, at time.Time, full bool, gone []string, retry bool) error
	PendingFiles(ctx context.Context, scheduleID string, most int) ([]platen.ScheduleFile, error)
	// TakeEvent and TakeBatch store what a file has, and that it is taken, in one commit.
	TakeEvent(ctx context.Context, due platen.DueSchedule, file platen.ScheduleFile, event []byte) error
	TakeBatch(ctx context.Context, due platen.DueSchedule, file platen.ScheduleFile, name string, rows rows.Rows) error
	// RefuseFile says why a file was not taken. A retry of zero is none. One that the limit leaves
	// no room for had no attempt.
	RefuseFile(ctx context.Context, due platen.DueSchedule, file platen.ScheduleFile, why *platen.Error, retry time.Time) error
	ForgetFile(ctx context.Context, scheduleID, fileID string) error
	FolderStanding(ctx context.Context, scheduleID string, at time.Time) (platen.FolderStanding, error)
}

// Folders looks into the folders of schedules.
type Folders struct {
	store  FolderStore
	open   func(ctx context.Context, ownerID string) (Drive, error)
	tables chan struct{}
	// Erased tells of an automation that was erased and that the database may have forgotten: it
	// was put back to an earlier moment. nil: none was.
	Erased func(automationID string) (bool, error)
}

// NewFolders has files of drives, which open opens, stored.
func NewFolders(store FolderStore, open func(ctx context.Context, ownerID string) (Drive, error)) *Folders {
	return &Folders{store: store, open: open, tables: make(chan struct{}, tablesAtOnce)}
}

// errChanged says that a schedule was changed during a look: its next look is for it.
var errChanged = errors.New("the schedule was changed")

// look carries out a turn of a look into the folder of a schedule.
func (r Runner) look(ctx context.Context, due platen.DueSchedule, at, next time.Time) error {
	within, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	l := &look{Folders: r.Folders, due: due, at: at, now: r.Now}
	err := l.run(within)
	var stop *stopped
	switch {
	case errors.Is(err, errChanged):
		return nil
	case errors.As(err, &stop):
		if l.taken > 0 {
			due.Attempts = 1
		}
		if stop.why.Code == platen.CodeUsageLimit {
			if next, err = due.Next(r.Now().Add(withoutRoom)); err != nil {
				return err
			}
		}
		return r.fail(ctx, due, at, next, stop.why)
	case err != nil:
		return err
	}
	standing, err := r.Folders.store.FolderStanding(ctx, due.ID, at)
	if err != nil {
		return err
	}
	if due.Attempts = 0; standing.Pending > 0 {
		return r.settle(ctx, due, next, r.Now(), nil)
	}
	outcome, retry := l.outcome(standing), time.Time{}
	if outcome.State == platen.ScheduleRetry && (due.Paused || standing.WaitsUntil.Before(next)) {
		retry = standing.WaitsUntil
	}
	return r.settle(ctx, due, next, retry, &outcome)
}

// A stopped error is about the folder, its drive or its workflow: a look goes no further.
type stopped struct{ why *platen.Error }

func (s *stopped) Error() string { return s.why.Error() }

// ofDrive is the error of a drive that ends a look. What is no platen.Error says nothing of it.
func ofDrive(err error) error {
	if why, ok := errors.AsType[*platen.Error](err); ok {
		return &stopped{why}
	}
	return err
}

// ofWorkflow is the error of the store that ends a look: the workflow starts nothing, or the limit
// leaves no room. A database that is away says nothing of it.
func ofWorkflow(err error) error {
	if why, ok := errors.AsType[*platen.Error](err); ok && (why.Kind == platen.KindInvalid || why.Kind == platen.KindRateLimited) {
		return &stopped{why}
	}
	return err
}

// A look is a turn of one.
type look struct {
	*Folders
	due   platen.DueSchedule
	at    time.Time
	now   func() time.Time
	drive Drive
	full  bool // the folder has files that are not looked at
	taken int
}

// run notes what is new in the folder, once for a moment, and takes files.
func (l *look) run(ctx context.Context) error {
	err := ofWorkflow(l.store.CheckStarts(ctx, l.due))
	if err != nil {
		return err
	}
	if l.drive, err = l.open(ctx, l.due.OwnerID); err != nil {
		return ofDrive(err)
	}
	if looked := l.due.LookedAt; looked == nil || !looked.Equal(l.at) {
		if err := l.list(ctx); err != nil {
			return err
		}
	} else {
		l.full = l.due.ListedAt == nil || !l.due.ListedAt.Equal(l.at)
	}
	files, err := l.store.PendingFiles(ctx, l.due.ID, filesOfTurn)
	if err != nil {
		return err
	}
	for i, file := range files {
		if ctx.Err() != nil {
			return nil // the rest has another turn
		}
		if err := l.take(ctx, file, i == 0); err != nil {
			return err
		}
	}
	return nil
}

// list notes what is new in the folder.
func (l *look) list(ctx context.Context) error {
	gone, err := l.store.FailedFiles(ctx, l.due.ID)
	if err != nil {
		return err
	}
	seen, failed := map[string]bool{}, error(nil)
	for _, id := range gone {
		seen[id] = false
	}
	listed := 0
	complete, err := l.drive.ListFolder(ctx, l.due.Folder, platen.MaxFolderFiles, func(files []platen.File) error {
		listed += len(files)
		for _, f := range files {
			if _, ok := seen[f.ID]; ok {
				seen[f.ID] = true
			}
		}
		files = slices.DeleteFunc(files, platen.File.IsUnfinished)
		skips := make([]string, len(files))
		for i, f := range files {
			skips[i] = l.skip(f)
		}
		var held bool
		if held, failed = l.store.NoteFiles(ctx, l.due, files, skips); failed == nil && !held {
			failed = errChanged
		}
		return failed
	})
	l.full = !complete && listed >= platen.MaxFolderFiles
	switch {
	case failed != nil:
		return failed
	case platen.KindOf(err) == platen.KindNotFound && err != nil:
		return &stopped{platen.Errorf(platen.KindInvalid, platen.CodeFolderGone, "The folder is not there, is in the trash, or may not be seen by the account of the workflow's owner. Put it back, share it with the account, or set another one.")}
	case err != nil:
		return ofDrive(err)
	case !complete && !l.full && l.due.ListedAt == nil:
		return &stopped{platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive did not list all files: try again.")}
	}
	gone = slices.DeleteFunc(gone, func(id string) bool { return seen[id] || !complete })
	return l.store.EndListing(ctx, l.due, l.at, l.full, gone, l.due.RequestedAt != nil)
}

// skip is why a file of the folder is not to be taken.
func (l *look) skip(f platen.File) string {
	switch since := l.due.FolderSince; {
	case l.due.ListedAt == nil && !l.due.TakeExisting && since != nil && !f.CreatedAt.After(*since):
		return platen.CodeFileExisting
	case !f.IsOfEvents():
		return platen.CodeFileKind
	}
	return ""
}

// take takes a file, or says why not. first: it has its turn to itself.
func (l *look) take(ctx context.Context, file platen.ScheduleFile, first bool) error {
	err := l.accept(ctx, file)
	if err == nil {
		l.taken++
		return nil
	}
	_, isOfStore := errors.AsType[*storeError](err)
	over := ctx.Err()
	ctx = context.WithoutCancel(ctx)
	switch {
	case first && errors.Is(over, context.DeadlineExceeded) && !errors.Is(err, errNoRoom):
		return l.retry(ctx, file, platen.Errorf(platen.KindUnavailable, platen.CodeFileTooLarge, "The file was not read and stored within %d seconds. Put it in as several files.", turn/time.Second))
	case over != nil: // that says nothing of the file
		return nil
	case !isOfStore:
		return l.refuse(ctx, file, err)
	}
	if why, ok := errors.AsType[*platen.Error](err); ok && why.Code == platen.CodeUsageLimit && l.store.CheckStarts(ctx, l.due) == nil {
		// There is room, and this file is larger: it waits by itself, and smaller ones go on.
		return l.store.RefuseFile(ctx, l.due, file, why, l.now().Add(withoutRoom))
	}
	return ofWorkflow(err)
}

// A storeError is of the store. Others are of a file or its drive.
type storeError struct{ error }

func (e *storeError) Unwrap() error { return e.error }

func ofStore(err error) error {
	if err == nil {
		return nil
	}
	return &storeError{err}
}

// errNoRoom says that a turn ended before there was room for a table.
var errNoRoom = errors.New("other tables have the room")

// accept stores what a file has.
func (l *look) accept(ctx context.Context, file platen.ScheduleFile) error {
	if file.Size > platen.MaxFolderFile {
		return platen.Errorf(platen.KindTooLarge, platen.CodeFileTooLarge, "The file has more than %d MiB. Put it in as several files.", platen.MaxFolderFile>>20)
	}
	if !file.IsJSON() {
		select {
		case l.tables <- struct{}{}:
			defer func() { <-l.tables }()
		case <-ctx.Done():
			return errNoRoom
		}
	}
	body, err := l.drive.Open(ctx, file.ID)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	in := bufio.NewReaderSize(body, 64<<10)
	if file.IsEvent() {
		first, err := rows.First(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if first != '[' {
			return l.acceptEvent(ctx, file, in)
		}
	}
	return l.acceptBatch(ctx, file, in)
}

func (l *look) acceptBatch(ctx context.Context, file platen.ScheduleFile, in io.Reader) error {
	found, err := rows.Reader{Limit: platen.MaxScheduleData}.Read(ctx, in, file.IsJSON(), table.Options{})
	if err != nil {
		return err
	}
	checker, wrong := &rows.Checker{Limit: platen.MaxScheduleData, Most: 1}, error(nil)
	err = l.store.TakeBatch(ctx, l.due, file, nameOfBatch(file.Name), func(yield func(platen.BatchRow, error) bool) {
		for row, err := range checker.Whole(found.Rows) {
			if err != nil {
				wrong = err
			}
			if !yield(row, err) {
				return
			}
		}
	})
	switch {
	case wrong == nil:
		return ofStore(err)
	case checker.Wrong > 0:
		return platen.Errorf(platen.KindInvalid, rows.CodeInvalid, "%d of %d rows cannot be taken, and nothing was stored. Row %d %s.", checker.Wrong, checker.Count, checker.Faults[0].Row, checker.Faults[0].Message)
	}
	return wrong
}

func (l *look) acceptEvent(ctx context.Context, file platen.ScheduleFile, in io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(in, platen.MaxScheduleData+1))
	if err != nil {
		return err
	}
	if len(data) > platen.MaxScheduleData {
		return platen.Errorf(platen.KindTooLarge, platen.CodeFileTooLarge, "The event has more than %d MiB. Put in smaller ones, or a list of them.", platen.MaxScheduleData>>20)
	}
	events, err := platen.ScheduleEvents(data)
	if err != nil {
		return err
	}
	if l.Erased != nil {
		switch erased, err := l.Erased(platen.FileAutomation(l.due.ID, file.ID)); {
		case err != nil:
			return ofStore(err)
		case erased:
			return platen.Errorf(platen.KindInvalid, platen.CodeDataErased, "What was made of the file was erased, and it is not taken again. Remove the file.")
		}
	}
	return ofStore(l.store.TakeEvent(ctx, l.due, file, events[0]))
}

// refuse notes why a file was not taken. A drive that gives none, or no more for now, ends the
// look.
func (l *look) refuse(ctx context.Context, file platen.ScheduleFile, err error) error {
	why, ok := errors.AsType[*platen.Error](err)
	if !ok {
		return err
	}
	switch why.Kind {
	case platen.KindNotFound: // it was removed since
		return l.store.ForgetFile(ctx, l.due.ID, file.ID)
	case platen.KindRateLimited:
		return &stopped{why}
	case platen.KindForbidden:
		if why.Code != "drive_file_forbidden" { // the drive is closed
			return &stopped{why}
		}
	case platen.KindUnavailable, platen.KindInternal:
		if err := l.retry(ctx, file, why); err != nil {
			return err
		}
		return &stopped{platen.Errorf(platen.KindUnavailable, why.Code, "%s", why.Message)}
	}
	return l.store.RefuseFile(ctx, l.due, file, why, time.Time{})
}

// retry has a file tried again later, for a day.
func (l *look) retry(ctx context.Context, file platen.ScheduleFile, why *platen.Error) error {
	var retry time.Time
	if wait, more := platen.RetryFile(file.Attempts + 1); more {
		retry = l.now().Add(wait)
	}
	return l.store.RefuseFile(ctx, l.due, file, why, retry)
}

// outcome says what became of a look.
func (l *look) outcome(s platen.FolderStanding) platen.ScheduleOutcome {
	o := platen.ScheduleOutcome{At: l.at, State: platen.ScheduleDone, Events: s.Taken}
	switch {
	case l.full:
		o.State, o.Code = platen.ScheduleFailed, platen.CodeFolderFull
		o.Message = fmt.Sprintf("The folder has more than %d files, and only the newest are looked at. Move those away that are not needed.", platen.MaxFolderFiles)
	case s.Last != nil:
		o.State, o.Code = platen.ScheduleFailed, platen.CodeFilesFailed
		o.Message = fmt.Sprintf("%d files of the folder were not taken. The last one is %q: %s (%s) Put in a corrected file, or remove it.", s.Failed, s.Last.Name, s.Last.Message, s.Last.Code)
	case s.Waits != nil && s.Waits.Code == platen.CodeUsageLimit:
		o.State, o.Code, o.Message = platen.ScheduleFailed, s.Waits.Code, fmt.Sprintf("%q waits, and smaller files do not: %s", s.Waits.Name, s.Waits.Message)
	case s.Waits != nil:
		o.State, o.Code, o.Message = platen.ScheduleRetry, s.Waits.Code, fmt.Sprintf("%q: %s", s.Waits.Name, s.Waits.Message)
	}
	return o
}

// nameOfBatch is a name of a file, as far as batches have one.
func nameOfBatch(name string) string {
	const most = 200
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return name
}
