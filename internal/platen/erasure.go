package platen

import (
	"errors"
	"time"
)

// CodeDataErased is the code of an error about source data, or the payload of an
// event, that is kept no longer: its time was over, or somebody had it erased.
const CodeDataErased = "data_erased"

// ErrDataErased is that error; what names the data and its owner.
func ErrDataErased(what string, at time.Time) error {
	return Errorf(KindInvalid, CodeDataErased, "%s was erased at %s: send the source event again to make its documents", what, Timestamp(at))
}

// IsDataErased tells whether an error is that of ErrDataErased.
func IsDataErased(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeDataErased
}

// ErasedByRetention stands in Erasure.By for automations whose time was over.
const ErasedByRetention = "retention"

// An Erasure is the wish that nothing be left of an automation but its id: no source
// data, payload, answer or file.
type Erasure struct {
	AutomationID string
	WorkflowID   string
	OwnerID      string
	RequestedAt  time.Time
	By           string // usr_…, or ErasedByRetention
	Ended        bool   // the automation has no run any more
	OwnerDeleted bool   // no drive will be connected for the owner
}

// A Tombstone is what is left of an erased automation. It is kept outside the database
// too, so that a restored database erases again.
type Tombstone struct {
	AutomationID string
	WorkflowID   string
	RequestedAt  time.Time
	By           string // usr_…
}

// ErasedData counts what one batch of a retention erased.
type ErasedData struct {
	Automations int // whose source data
	Events      int // whose payloads
	Answers     int // of receivers
}

// Add counts another batch.
func (d *ErasedData) Add(other ErasedData) {
	d.Automations, d.Events, d.Answers = d.Automations+other.Automations, d.Events+other.Events, d.Answers+other.Answers
}
