package platen

// A CommandKind says what is to be done.
type CommandKind string

const (
	CommandCancel  CommandKind = "CANCEL"  // cancel the run of an automation
	CommandDeliver CommandKind = "DELIVER" // begin to redeliver an event
	CommandMail    CommandKind = "MAIL"    // begin to send an output by mail again
	CommandWake    CommandKind = "WAKE"    // have an automation's run try again what waits for its owner's connection
)

// An OutboxCommand asks dispatch to act on Temporal: for something that /v0 was
// asked for, or for deliveries that nobody makes. It rests in the store until
// that was done, and may be done twice.
type OutboxCommand struct {
	Kind    CommandKind
	ID      string // aut_…, evt_…, or that of a MailKey
	Version int    // a later request for the same is a new version
	// Where it belongs, for search attributes and fair turns.
	WorkflowID string
	OwnerID    string
	TeamID     string // empty: no team
	// Before is how many attempts to deliver were made, or may have been made,
	// before these; the next has the number after it.
	Before int
	// Attempt is the number of the next attempt to deliver; 0: the one after Before.
	Attempt int
	// Mail is the one to send; zero: the command is another.
	Mail MailKey
	// Endpoint is where an event to deliver goes; zero: nowhere.
	Endpoint EndpointKey
}
