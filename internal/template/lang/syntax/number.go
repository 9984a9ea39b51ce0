package syntax

import (
	"strings"

	"github.com/shopspring/decimal"
)

// MaxDigits is how many digits a number of a formula may have; and how far its
// point may be from them.
const MaxDigits = 200

// A Number is a decimal number; text is how it was written, where it was.
type Number struct {
	decimal.Decimal
	text string
}

// NewNumber is a number that was worked out, which has no spelling of its own.
func NewNumber(d decimal.Decimal) Number { return Number{Decimal: d} }

// ParseNumber reads a number as JSON and spreadsheets write it, and false for
// what is none or too large to reckon with.
func ParseNumber(text string) (Number, bool) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || len(trimmed) > MaxDigits || strings.ContainsAny(trimmed, "_xXpP") {
		return Number{}, false
	}
	d, err := decimal.NewFromString(trimmed)
	if err != nil || !IsReckonable(d) {
		return Number{}, false
	}
	return Number{Decimal: d, text: trimmed}, true
}

// IsReckonable tells whether a number is small enough to go on with.
func IsReckonable(d decimal.Decimal) bool {
	return d.NumDigits() <= MaxDigits && d.Exponent() <= MaxDigits && d.Exponent() >= -MaxDigits
}

// String is the number as it was written, or in digits.
func (n Number) String() string {
	if n.text != "" {
		return n.text
	}
	return n.Decimal.String()
}
