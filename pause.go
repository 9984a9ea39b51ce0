package platen

import (
	"time"
	"unicode/utf8"
)

// A PauseScope is what a pause holds.
type PauseScope string

// The scopes of a pause.
const (
	PauseAll      PauseScope = "all"
	PauseTeam     PauseScope = "team"
	PauseUser     PauseScope = "user" // what the user accepted as owner, for whatever team
	PauseWorkflow PauseScope = "workflow"
)

// CodePaused is the code of the Wait of an automation that does not start because an
// operator paused it.
const CodePaused = "paused"

// MaxPauseReason is the longest reason of a pause, in characters.
const MaxPauseReason = 200

// A Pause keeps automations from starting until an operator resumes them. Source events
// are accepted meanwhile, what has started goes on, and events are delivered.
type Pause struct {
	Scope  PauseScope
	ID     string // of the team, the user or the workflow; empty: all
	Reason string // users read it
	By     string // the operator's account; empty where it is not read
	Since  time.Time
}

// Check tells of a reason that is too long.
func (p Pause) Check() error {
	if utf8.RuneCountInString(p.Reason) > MaxPauseReason {
		return Errorf(KindInvalid, "reason_too_long", "the reason has more than %d characters", MaxPauseReason)
	}
	return nil
}

// Wait is what waitingFor says of an automation that the pause holds.
func (p Pause) Wait() Wait {
	what := map[PauseScope]string{
		PauseAll: "The operator has paused all automations", PauseTeam: "The operator has paused the automations of the team",
		PauseUser: "The operator has paused the automations of the workflow's owner", PauseWorkflow: "The operator has paused the workflow",
	}[p.Scope]
	if p.Reason != "" {
		what += " (" + p.Reason + ")"
	}
	return Wait{Step: "start", Code: CodePaused, Message: what + ". The automation starts when it is resumed; nothing is lost.", Since: p.Since}
}
