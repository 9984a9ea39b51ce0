package platen

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// A Schedule starts runs of a workflow by the clock. Its events are in Data, stand at URL, or are
// the new files of Folder.
type Schedule struct {
	ID         string // sch_…
	WorkflowID string
	Name       string // one of its own in its workflow
	Cron       string // as ParseCron reads it
	TimeZone   string // of the IANA database, such as Europe/Berlin
	// Data is an object of JSON, or a list of objects: an event each. Empty: they are at URL.
	Data []byte
	// URL is asked by GET, and answers as Data is.
	URL string
	// Header and Secret are sent along to URL. Secret is sealed where it is stored.
	Header string
	Secret Secret
	// Folder is the id of a folder of the owner's drive. Each file that is new in it is an event
	// or a batch, once.
	Folder string
	// TakeExisting: the files that were in Folder when it was set are taken, too.
	TakeExisting bool
	// Files counts those of Folder that are known, by state, up to MaxFilesCounted; nil: they were
	// not counted.
	Files  map[ScheduleFileState]int
	Test   bool // its events are tests
	Paused bool
	// NextAt is the moment that comes next, or the one that is being carried out.
	NextAt time.Time
	// RequestedAt is when somebody asked for a run besides; nil: nobody waits for one.
	RequestedAt *time.Time
	Last        *ScheduleOutcome // nil: it had no moment yet
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// A ScheduleOutcome says what became of a moment of a schedule.
type ScheduleOutcome struct {
	At     time.Time // the moment
	State  ScheduleState
	Events int // that were accepted; of a folder, the files
	// Code and Message are the reason where none was accepted, or nothing is made of them.
	Code, Message string
	EndedAt       time.Time // of the last attempt
	// RetryAt is when the next attempt is; nil: there is none.
	RetryAt *time.Time
}

// A DueSchedule is a schedule whose moment has come, or that somebody asked to run.
type DueSchedule struct {
	Schedule
	Attempts    int       // of the moment, this one included
	LeasedUntil time.Time // which tells this lease from a later one
	// Off: its workflow is archived, or the owner is disabled. Nothing is started.
	Off bool
	// OwnerID is whose drive has Folder.
	OwnerID string
	// FolderSince is when Folder was set. ListedAt is the moment for which all of it was listed
	// last, and LookedAt that for which as much was listed as folders may have; nil: it never was.
	FolderSince, ListedAt, LookedAt *time.Time
}

// ScheduleState says where a moment stands.
type ScheduleState string

const (
	ScheduleDone   ScheduleState = "DONE"
	ScheduleRetry  ScheduleState = "RETRY" // an attempt failed, and there is another
	ScheduleFailed ScheduleState = "FAILED"
)

// ScheduleStates are all.
func ScheduleStates() []ScheduleState {
	return []ScheduleState{ScheduleDone, ScheduleRetry, ScheduleFailed}
}

// A ScheduleQuery asks for some schedules. The zero value asks for all.
type ScheduleQuery struct {
	Page   Page
	States []ScheduleState // of the last moment; nil: any, and none yet
}

// Position is where a schedule stands in lists.
func (s Schedule) Position() Position { return Position{CreatedAt: s.CreatedAt, ID: s.ID} }

// Limits of schedules.
const (
	MaxSchedules      = 10      // of a workflow
	MaxScheduleName   = 100     // characters
	MaxScheduleEvents = 100     // of one moment
	MaxScheduleData   = 1 << 20 // bytes
	// DefaultFolderCron and DefaultFolderZone are those of a schedule with a folder.
	DefaultFolderCron = "* * * * *"
	DefaultFolderZone = "UTC"
	// ScheduleCatchUp is how old a moment may be that is still carried out, after all workers
	// or the database were away. Of several only the last one is.
	ScheduleCatchUp = 24 * time.Hour
	// scheduleAttempts are made to read a URL, with pauses of 1, 2, 4, 8 and 16 minutes.
	scheduleAttempts = 6
)

// DefaultScheduleHeader carries Secret unless Header names another.
const DefaultScheduleHeader = "Authorization"

// Problem says what is wrong with a schedule as a whole, and with which member of a request;
// empty: nothing is. Each value is right for itself.
func (s Schedule) Problem() (member, problem string) {
	sources := 0
	for _, given := range []bool{len(s.Data) > 0, s.URL != "", s.Folder != ""} {
		if given {
			sources++
		}
	}
	switch {
	case sources == 0:
		return "data", "or url or folder is required: the event, the address that it is read from, or the folder whose files are events"
	case sources > 1 && s.Folder != "":
		return "folder", "excludes data and url: send null for what is to go"
	case sources > 1:
		return "url", "and data exclude each other: send null for the one that is to go"
	case s.URL == "" && s.Secret != "":
		return "secret", "is for a schedule with url alone"
	case s.URL == "" && s.Header != "":
		return "header", "is for a schedule with url alone: leave it out"
	case s.Header != "" && s.Secret == "":
		return "secret", "is required with header: what the header says"
	}
	return "", ""
}

// Next is the first moment of a schedule after a time. The error says that its cron or its
// time zone is none.
func (s Schedule) Next(after time.Time) (time.Time, error) {
	next, err := s.clock()
	if err != nil {
		return time.Time{}, err
	}
	return next(after), nil
}

// clock returns the first moment after a time, for any number of times.
func (s Schedule) clock() (next func(after time.Time) time.Time, err error) {
	cron, err := ParseCron(s.Cron)
	if err != nil {
		return nil, err
	}
	zone, err := LoadZone(s.TimeZone)
	if err != nil {
		return nil, err
	}
	return func(after time.Time) time.Time { return cron.Next(after, zone).UTC() }, nil
}

// Due is the last moment that came until now, from NextAt on. missed: it is older than
// ScheduleCatchUp, and is not carried out any more.
func (s Schedule) Due(now time.Time) (at time.Time, missed bool, err error) {
	at = s.NextAt
	next, err := s.clock()
	if err != nil {
		return at, false, err
	}
	// Minutes are the shortest step: what is older than that need not be counted one by one.
	if oldest := now.Add(-ScheduleCatchUp); at.Before(oldest) {
		if at = next(oldest); at.IsZero() || at.After(now) {
			return s.NextAt, true, nil
		}
	}
	for later := next(at); !later.IsZero() && !later.After(now); later = next(at) {
		at = later
	}
	return at, false, nil
}

// RetrySchedule is how long to wait after so many attempts that failed; more is false after
// the last one.
func RetrySchedule(attempts int) (wait time.Duration, more bool) {
	if attempts >= scheduleAttempts {
		return 0, false
	}
	return time.Minute << max(attempts-1, 0), true
}

// ScheduleEvents are the events of an object, or of a list of objects, of JSON. An empty list
// has none. The error has KindInvalid and a code, and says what is wrong with data.
func ScheduleEvents(data []byte) ([][]byte, error) {
	if len(data) > MaxScheduleData {
		return nil, Errorf(KindInvalid, CodeScheduleTooLarge, "It is larger than 1 MiB. Answer with fewer objects.")
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if !bytes.HasPrefix(data, []byte("[")) {
		if problem := eventProblem(data); problem != "" {
			return nil, Errorf(KindInvalid, CodeScheduleNotJSON, "It must be one JSON object, or a list of objects: %s.", problem)
		}
		return [][]byte{data}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, Errorf(KindInvalid, CodeScheduleNotJSON, "It is no JSON. It must be one object, or a list of objects.")
	}
	if len(list) > MaxScheduleEvents {
		return nil, Errorf(KindInvalid, CodeScheduleTooMany, "The list has %d objects, and may have %d.", len(list), MaxScheduleEvents)
	}
	events := make([][]byte, len(list))
	for i, one := range list {
		if problem := eventProblem(one); problem != "" {
			return nil, Errorf(KindInvalid, CodeScheduleNotJSON, "Entry %d of the list is no event: %s.", i, problem)
		}
		events[i] = one
	}
	return events, nil
}

// eventProblem says why data is no event; empty: it is one.
func eventProblem(data []byte) string {
	_, err := SourceFields(data)
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Message
	}
	return ""
}

// ScheduledAutomation is the id of the automation of an event of a moment. It is the same in
// each attempt, so that a moment counts once.
func ScheduledAutomation(scheduleID string, at time.Time, index int) string {
	return DerivedID(PrefixAutomation, scheduleID, strconv.FormatInt(at.UnixMicro(), 10), strconv.Itoa(index))
}

// Codes of moments of which nothing was accepted.
const (
	// CodeScheduleMissed: no worker was there for longer than ScheduleCatchUp.
	CodeScheduleMissed = "schedule_missed"
	// CodeScheduleUnavailable: the URL does not answer, or says to come back later.
	CodeScheduleUnavailable = "schedule_url_unavailable"
	// CodeScheduleRefused: the URL answers with an error that stays.
	CodeScheduleRefused = "schedule_url_refused"
	// CodeScheduleNotJSON: what stands at the URL is neither an object nor a list of objects.
	CodeScheduleNotJSON = "schedule_not_json"
	// CodeScheduleTooMany: it has more than MaxScheduleEvents objects.
	CodeScheduleTooMany = "schedule_too_many_events"
	// CodeScheduleTooLarge: it has more than MaxScheduleData bytes.
	CodeScheduleTooLarge = "schedule_too_large"
)

// ErrScheduleNotFound is for a schedule that the workflow does not have.
func ErrScheduleNotFound() *Error {
	return Errorf(KindNotFound, "schedule_not_found", "There is no such schedule in this workflow.")
}
