package platen

import "time"

// An Ending says how an automation ended. Logs and metrics are made of it, so it
// holds ids and codes and nothing of what was sent.
type Ending struct {
	AutomationID string
	WorkflowID   string
	OwnerID      string
	Attempt      int
	State        AutomationState
	Test         bool
	// Code is why it is FAILED or CANCELLED: the automation's own, else that of the
	// first of its outputs that failed. Empty: COMPLETED, or nothing says why.
	Code       string
	AcceptedAt time.Time
	StartedAt  time.Time // of the last attempt; zero: none began
	FinishedAt time.Time
}
