package platen

import (
	"path"
	"slices"
	"strings"
	"time"
)

// A ScheduleFile is a file of the folder of a schedule, and what became of it.
type ScheduleFile struct {
	File
	State ScheduleFileState
	// AutomationID or BatchID is what was made of it; empty: nothing, or the other.
	AutomationID, BatchID string
	// Code and Message say why it was not taken, or why it waits after an attempt.
	Code, Message string
	Attempts      int // that failed
	NotedAt       time.Time
	EndedAt       *time.Time // nil: it waits
}

// ScheduleFileState says what became of a file.
type ScheduleFileState string

const (
	FilePending ScheduleFileState = "PENDING"
	FileTaken   ScheduleFileState = "TAKEN"
	FileFailed  ScheduleFileState = "FAILED"
	FileSkipped ScheduleFileState = "SKIPPED" // it was there before, or is of another kind
)

// ScheduleFileStates are all.
func ScheduleFileStates() []ScheduleFileState {
	return []ScheduleFileState{FilePending, FileTaken, FileFailed, FileSkipped}
}

// A ScheduleFileQuery asks for some files of a schedule. The zero value asks for all.
type ScheduleFileQuery struct {
	Page   Page
	States []ScheduleFileState
}

// Position is where a file stands in lists.
func (f ScheduleFile) Position() Position { return Position{CreatedAt: f.NotedAt, ID: f.ID} }

// A FolderStanding says how far a look into a folder has got.
type FolderStanding struct {
	Taken   int           // since the moment
	Failed  int           // that are in the folder still
	Last    *ScheduleFile // of those that failed; nil: none did
	Pending int           // that can be taken now
	// Waits is the first of those that are tried again later; WaitsUntil says when.
	Waits      *ScheduleFile
	WaitsUntil time.Time
}

// Limits of files of a folder.
const (
	MaxFolderFile = 32 << 20 // bytes
	// MaxFilesCounted is up to which number the files of a folder are counted that are in a state.
	MaxFilesCounted = 1000
	// MaxFolderFiles is how many files of a folder are looked at, the newest first.
	MaxFolderFiles = 20_000
	// fileAttempts are made to read a file from a drive that does not give it, over a day.
	fileAttempts = 24
)

// RetryFile is how long to wait after so many attempts to read a file that failed; more is
// false after the last one.
func RetryFile(attempts int) (wait time.Duration, more bool) {
	return min(time.Minute<<min(max(attempts-1, 0), 6), time.Hour), attempts < fileAttempts
}

// IsJSON tells whether a file is read as JSON by its name, and IsEvent whether an object of it
// is an event.
func (f File) IsJSON() bool {
	return f.IsEvent() || f.extension() == ".jsonl" || f.extension() == ".ndjson"
}
func (f File) IsEvent() bool { return f.extension() == ".json" }

// IsWorkbook tells whether a file is a workbook by its name.
func (f File) IsWorkbook() bool { return f.extension() == ".xlsx" }

func (f File) extension() string { return strings.ToLower(path.Ext(f.Name)) }

// MessageOfSkipped says why a file is not taken that is skipped with this code.
func MessageOfSkipped(code string) string {
	if code == CodeFileExisting {
		return "The file was in the folder before the folder was set. Set takeExisting, or put in a copy."
	}
	return "Events come in files of other programs that end in .json, .jsonl, .ndjson, .csv or .xlsx."
}

// IsUnfinished tells whether a file of a folder is no file of its sender's yet: it is empty, or
// it has the name of one that a program keeps for itself.
func (f File) IsUnfinished() bool {
	return f.Size == 0 && !f.IsOfDrive() || strings.HasPrefix(f.Name, ".") || strings.HasPrefix(f.Name, "~")
}

// IsOfEvents tells whether a file may have events, by its kind and its name. What Platen made has
// none: else a run would start one whose output starts another.
func (f File) IsOfEvents() bool {
	return f.Properties[PropertyKey] == "" && !f.IsOfDrive() && slices.Contains([]string{".json", ".jsonl", ".ndjson", ".csv", ".xlsx"}, f.extension())
}

// IsOfDrive tells a document of the drive's own, a folder or a shortcut, which have no content.
func (f File) IsOfDrive() bool { return strings.HasPrefix(f.MIMEType, "application/vnd.google-apps.") }

// FileAutomation and FileBatch are the ids of what is made of a file. They are the same in each
// attempt, so that a file counts once.
func FileAutomation(scheduleID, fileID string) string {
	return DerivedID(PrefixAutomation, scheduleID, "file", fileID)
}

// FileBatch is said at FileAutomation.
func FileBatch(scheduleID, fileID string) string {
	return DerivedID(PrefixBatch, scheduleID, fileID)
}

// Codes of files of folders, and of looks into them.
const (
	// CodeFileExisting: the file was in the folder before the schedule.
	CodeFileExisting = "schedule_file_existing"
	// CodeFileKind: the file is of a kind that is not taken.
	CodeFileKind = "schedule_file_kind"
	// CodeFileTooLarge: it has more than MaxFolderFile bytes, or is an event of more than
	// MaxScheduleData.
	CodeFileTooLarge = "schedule_file_too_large"
	// CodeFilesFailed: files of the folder were not taken. They are in it still.
	CodeFilesFailed = "schedule_files_failed"
	// CodeFolderGone: the folder is not there, or the account may not see it.
	CodeFolderGone = "schedule_folder_gone"
	// CodeFolderFull: it has more than MaxFolderFiles.
	CodeFolderFull = "schedule_folder_full"
)
