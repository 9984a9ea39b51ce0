package einvoice

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"
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
	// Told and ToldCure are Message and Cure without values of the invoice, for what is
	// stored or logged.
	Told, ToldCure string
}

// newFinding takes the marks of values out of its words.
func newFinding(severity Severity, rule, term, place, message, cure string) Finding {
	return Finding{
		Rule: rule, Severity: severity, Term: term, Field: termNames[term], Place: place,
		Message: unmarked.Replace(message), Cure: unmarked.Replace(cure), Told: hidden.ReplaceAllString(message, "…"), ToldCure: hidden.ReplaceAllString(cure, "…"),
	}
}

// A value of the invoice stands between these in words that become a finding. No invoice can
// have them: XML knows neither.
const valueStart, valueEnd = "\x02", "\x03"

var (
	unmarked = strings.NewReplacer(valueStart, "", valueEnd, "")
	hidden   = regexp.MustCompile(valueStart + "[^" + valueEnd + "]*" + valueEnd)
)

func marked(value string) string { return valueStart + unmarked.Replace(value) + valueEnd }

// amount is a number in the words of a finding.
func amount(n Number) string { return marked(FormatNumber(n)) }

func fixed(d decimal.Decimal) string { return marked(d.StringFixed(maxFraction)) }

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

// longestCode is how long codes are that a finding says everywhere: S, EUR, 380.
const longestCode = 3

func quote(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxQuoted {
		text = string(runes[:maxQuoted]) + "…"
	}
	if utf8.RuneCountInString(text) <= longestCode {
		return `"` + text + `"`
	}
	return marked(`"` + text + `"`)
}
