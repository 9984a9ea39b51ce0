package platen

import "time"

// A PublicForm lets everybody who has its link make documents of a workflow, by a form that
// asks for what the templates need. An extension.
type PublicForm struct {
	ID string // frm_…
	// Key is the secret last segment of its address. It is a credential: never logged.
	Key        string
	Enabled    bool   // false: its page says that nothing is taken now
	Title      string // above the form; empty: the name of the workflow
	Text       string // below the title; may have several lines
	ShowsPages bool   // whoever sent the form sees the document; false: only that it was sent
	// PerDay and PerAddress are how many documents the form makes in a day, in UTC: in all,
	// and for one client address.
	PerDay, PerAddress int
}

// Bounds of public forms, and what a new one has.
const (
	MaxFormText           = 2000 // characters
	MaxFormPerDay         = 10_000
	MaxFormPerAddress     = 1000
	DefaultFormPerDay     = 200
	DefaultFormPerAddress = 20
)

// FormResultTime is how long the page that shows what a form has made is there.
const FormResultTime = time.Hour

// ErrPublicFormNotFound is KindNotFound for a workflow without one.
func ErrPublicFormNotFound() error {
	return Errorf(KindNotFound, "public_form_not_found", "The workflow has no public form. Make one with PUT.")
}

// An EventForm is a form for all that an event of a workflow needs: for its templates, the
// names of its outputs, its mails and its conditions. It is safe for concurrent use.
type EventForm interface {
	// Form is for what was typed in; known are the fields of the source.
	Form(known []string, in FormInput) Form
	// Try says what is wrong with an event.
	Try(event []byte) ([]RowFinding, error)
	// Size is what it takes of memory, about, in bytes.
	Size() int
}
