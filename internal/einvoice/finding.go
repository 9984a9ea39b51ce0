package einvoice

import (
	"fmt"
	"strings"
)

// A Severity is what a finding means for a receiver.
type Severity string

const (
	Error   Severity = "error"   // a receiver refuses the invoice
	Warning Severity = "warning" // a receiver may ask about it
)

// A Finding is a rule that an invoice breaks.
type Finding struct {
	Rule     string // as EN 16931 or XRechnung name it: BR-S-05. SYNTAX for what cannot be read
	Severity Severity
	Term     string // the business term or group to change: BT-152
	Field    string // its name: Line VAT rate
	Place    string // "line 2, allowance 1", empty for the whole invoice
	Message  string // what is wrong
	Cure     string // what to do
}

// String has everything in one line.
func (f Finding) String() string {
	place := ""
	if f.Place != "" {
		place = " of " + f.Place
	}
	return fmt.Sprintf("%s: %s (%s)%s: %s %s", f.Rule, f.Field, f.Term, place, f.Message, f.Cure)
}

// Refused reports whether a finding is an error.
func Refused(found []Finding) bool {
	for _, f := range found {
		if f.Severity == Error {
			return true
		}
	}
	return false
}

// where names the item i, from 0, of a list in a place.
func where(place, list string, i int) string {
	at := fmt.Sprintf("%s %d", list, i+1)
	if place == "" {
		return at
	}
	return place + ", " + at
}

// maxQuoted bounds what a message repeats of an invoice, in runes.
const maxQuoted = 60

func quote(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxQuoted {
		text = string(runes[:maxQuoted]) + "…"
	}
	return `"` + text + `"`
}
