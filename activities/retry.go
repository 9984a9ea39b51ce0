package activities

import (
	"errors"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Retryable is the one table that says which kinds of failure are worth another
// try. What the integrator has to cure fails at once; what passes by itself,
// and what we do not know, is tried again.
func Retryable(k platen.Kind) bool {
	switch k {
	case platen.KindInvalid, platen.KindForbidden, platen.KindNotFound, platen.KindGone, platen.KindTooLarge:
		return false
	case platen.KindConflict, platen.KindRateLimited, platen.KindUnavailable, platen.KindInternal:
		return true
	}
	return true
}

// MayPass tells whether a failed step is worth another try: by the kind of its
// error, and when its owner can connect the drive again meanwhile.
func MayPass(err error) bool {
	if e, ok := errors.AsType[*platen.Error](err); ok && e.Code == platen.CodeConnectionBroken {
		return true
	}
	return Retryable(platen.KindOf(err))
}

// A Patience bounds how long a step is tried again that fails with the same code
// every time: until it was tried so often, and for so long.
type Patience struct {
	Tries int
	Time  time.Duration
}

// Over tells whether a step that has failed so often since then is given up.
func (p Patience) Over(tries int, since, now time.Time) bool {
	return tries >= p.Tries && now.Sub(since) >= p.Time
}

// CodeStepTimedOut is the code of a step that was not done within its time.
const CodeStepTimedOut = "step_timed_out"

// The patience with what fails. Temporal ends every step of a document after
// Day.
var (
	// outages and rate limits pass by themselves, and may take hours to; so may an
	// owner who has to connect the drive again.
	untilItPasses = Patience{Tries: 10, Time: Day}
	// a drive that answers 500, or takes minutes: an outage, or this document for
	// good.
	ofDriveFaults = Patience{Tries: 10, Time: 6 * time.Hour}
	// a picture's host, or a copy that others change: another hour changes
	// nothing.
	ofOneDocument = Patience{Tries: 10, Time: time.Hour}
	// our own faults: the same code does the same again.
	ofFaultsOfOurs = Patience{Tries: 10}
)

// Day is how long a step of a document is tried at most.
const Day = 24 * time.Hour

// PatienceWith is the one table of how long a step may fail alike: by the code
// of the failure, else by its kind.
func PatienceWith(k platen.Kind, code string) Patience {
	switch code {
	case "address_unavailable":
		return ofOneDocument
	case platen.CodeConnectionBroken:
		return untilItPasses
	case "drive_fault", "drive_export_not_pdf", CodeStepTimedOut:
		return ofDriveFaults
	}
	switch k {
	case platen.KindRateLimited, platen.KindUnavailable:
		return untilItPasses
	case platen.KindConflict:
		return ofOneDocument
	}
	return ofFaultsOfOurs
}
