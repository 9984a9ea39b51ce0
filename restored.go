package platen

import "errors"

// CodeForgotten is the code of a step that finds less in the store than its run
// has done: the database was put back to an earlier moment. The run ends, and its
// automation is put right by what its owner's drive holds.
const CodeForgotten = "run_forgotten"

// ErrForgotten is the error of such a step; what says what the store lacks.
func ErrForgotten(what string) error {
	return Errorf(KindGone, CodeForgotten, "The database was put back to an earlier moment and has forgotten %s: the automation is put right by what the drive holds.", what)
}

// IsForgotten tells whether an error is that of ErrForgotten.
func IsForgotten(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeForgotten
}

// A LatestRun is what Temporal knows of the latest run of an automation.
type LatestRun struct {
	Attempt   int  // at the automation
	Open      bool // it goes on
	Completed bool // every document was made
	Cancelled bool
}

// IsAheadOf tells whether the store has forgotten this run of an automation, or how
// it ended: Temporal knows a later attempt, or one that made what has failed here.
func (r LatestRun) IsAheadOf(a Automation) bool {
	return r.Attempt > a.Attempt || r.Attempt == a.Attempt && r.Completed && a.State == AutomationFailed
}

// A DriveWaitError says that nothing is known of an automation's documents yet,
// because its owner's drive does not answer or refuses.
type DriveWaitError struct {
	Kind    Kind
	Code    string
	Message string // for the integrator; quotes no value
	Err     error
}

func (e *DriveWaitError) Error() string { return "wait for the drive: " + e.Err.Error() }

func (e *DriveWaitError) Unwrap() error { return e.Err }

// IsOutage tells whether the drive would answer likewise about another automation
// now. A drive that fails at one document may not.
func (e *DriveWaitError) IsOutage() bool {
	return (e.Kind == KindUnavailable || e.Kind == KindRateLimited) && e.Code != "drive_fault"
}
