package activities

import (
	"context"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// Plans keeps the configuration that each automation is pinned to.
type Plans interface {
	// Plan returns the automation's plan; the first call pins it as a row,
	// with one pending output for each document. Of an automation that is to
	// be cancelled nothing is pinned.
	Plan(ctx context.Context, automationID string) (platen.Plan, error)
	// PinnedPlan returns what Plan returned first; whether the automation is
	// to be cancelled meanwhile, or was retried, it does not say.
	PinnedPlan(ctx context.Context, automationID string) (platen.Plan, error)
}

// Automations reads what was accepted and records how it ended.
type Automations interface {
	// OutputData returns the JSON object that an attempt makes an output of: what was POSTed,
	// or what an approver has made of it. Attempt 0 is not known.
	OutputData(ctx context.Context, automationID, outputID string, attempt int) ([]byte, error)
	// FailAutomation is EndAutomation for one that could not begin any
	// document, with the reason in words for the integrator.
	FailAutomation(ctx context.Context, automationID string, attempt int, code, message string) (platen.AutomationState, error)
	// EndAutomation sets the final state by the states of its outputs, and
	// returns it. Calling it twice changes nothing. An attempt that a retry has
	// superseded changes nothing either: platen.IsSuperseded.
	EndAutomation(ctx context.Context, automationID string, attempt int) (platen.AutomationState, error)
}

// Outputs keeps the intent rows. What this process learned last of one it also
// remembers, so that a step need not read what the step before wrote, and a result
// need not be written before the next intent is.
type Outputs interface {
	// Output returns the row as it stands, with what was noted of it.
	Output(ctx context.Context, outputID string) (platen.Output, error)
	// RememberedOutput is Output for callers that are safe with an old row, for they
	// write a change before anything comes of it: it may be from memory.
	RememberedOutput(ctx context.Context, outputID string) (platen.Output, error)
	// UpdateOutput applies change to the row as it stands, with what was noted of
	// it, and has committed both when it returns. A change that only takes back what
	// was noted leaves nothing to write: it is answered from memory, and neither reads
	// nor writes the row. Where another execution changes
	// the row meanwhile, change is called again on what became of it, without the
	// notes: its last call counts.
	// Once the output has ended, a change that would make any is KindConflict
	// with code "output_ended"; one that makes none returns what is stored.
	UpdateOutput(ctx context.Context, outputID string, change func(*platen.Output) error) (platen.Output, error)
	// NoteOutput applies change to the output as it is remembered, and has it
	// written with the next change. Until then it is lost when the process ends, and
	// when another execution changes the row.
	NoteOutput(ctx context.Context, outputID string, change func(*platen.Output) error) (platen.Output, error)
	// WriteNotes has committed what was noted of an output when it returns. Where
	// nothing was, nobody is asked.
	WriteNotes(ctx context.Context, outputID string) error
	// RecordOutput is UpdateOutput for the change that ends the output, and
	// stores its event in the same transaction if the workflow has an outgoing
	// webhook now. It returns the event's id, or "" when there is none to
	// send. When the output has ended already it changes nothing and returns
	// what was stored then; change may have been called on the row as it was
	// before.
	RecordOutput(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (o platen.Output, eventID string, err error)
}

// Receivers keeps the events for receivers beside the outgoing webhook. RecordOutput stores
// them.
type Receivers interface {
	// ReceiverEvents returns those about an output and an attempt that are to be delivered.
	ReceiverEvents(ctx context.Context, outputID string, attempt int) ([]string, error)
}

// Drive is the drive of an automation's owner. Errors carry a platen.Kind.
type Drive interface {
	Copier
	fill.Drive
	Exporter
	Uploader
	Files
	Folders
	Sharer
}

// Drives opens the drive of a user.
type Drives func(ctx context.Context, userID string) (Drive, error)

// Pictures gets pictures in a form that the drive takes.
type Pictures interface {
	// Obtain gets one; download reads a file of the drive. KindInvalid is a
	// mistake of the data.
	Obtain(ctx context.Context, p lang.Picture, download func(ctx context.Context, fileID string) ([]byte, error)) (lang.Obtained, error)
}

// Protector appends to PDFs, encrypts and seals them, and marks those of tests.
type Protector interface {
	// Protect encrypts a PDF (AES-256, revision 6) so that it opens with
	// password; preventCopy withdraws the permission to extract its content.
	Protect(pdf []byte, password string, preventCopy bool) ([]byte, error)
	// Append puts PDFs behind the pages of another; platen.KindInvalid names the one that
	// cannot be appended.
	Append(pdf []byte, parts []platen.AppendedPDF) ([]byte, []platen.Finding, error)
	// Mark writes a word across every page of a PDF that is not encrypted.
	Mark(pdf []byte, word string) ([]byte, error)
	// Archive makes a PDF one that conforms to a profile, and says so in it;
	// platen.KindInvalid with platen.CodeProfileUnmet says why it cannot.
	Archive(pdf []byte, a platen.Archive) ([]byte, error)
	// Seal signs a PDF with the certificate of the installation; nothing may be changed in it
	// afterwards. KindInvalid: there is no certificate, or it has ended. KindUnavailable: the
	// time stamp service gives no time stamp.
	Seal(ctx context.Context, pdf []byte, at time.Time) ([]byte, error)
	// ProtectAndSeal is Protect, and then Seal of what came out of it.
	ProtectAndSeal(ctx context.Context, pdf []byte, password string, preventCopy bool, at time.Time) ([]byte, error)
	// Pages returns how many pages a PDF has that is not encrypted; 0: that cannot be told.
	Pages(pdf []byte) int
	// Opens tells whether pdf is encrypted and opens with password.
	Opens(pdf []byte, password string) error
}
