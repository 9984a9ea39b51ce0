package lang_test

import (
	"testing"
)

const noBreak = "\u00a0" // the space in which lines do not break

// From CLDR: numbers/percentFormats of these languages.
func TestTheSignOfAShareStandsWhereTheLocaleHasIt(t *testing.T) {
	t.Parallel()
	checkValues(t, "{}", map[string]string{
		`= PERCENT(0.25, 0, "en")`:    "25%",
		`= PERCENT(0.25, 0, "ja")`:    "25%",
		`= PERCENT(0.25, 0, "it")`:    "25%",
		`= PERCENT(0.25, 0, "de-DE")`: "25" + noBreak + "%",
		`= PERCENT(0.25, 0, "sv")`:    "25" + noBreak + "%",
		`= PERCENT(0.25, 0, "tr")`:    "%25",
		`= PERCENT(-0.25, 1, "tr")`:   "-%25,0",
		`= PERCENT(12.345, 1, "tr")`:  "%1.234,5",
		`= PERCENT(0.25, 0, "eu")`:    "%" + noBreak + "25",
		`= PERCENT(0.125, 1, "fa")`:   "۱۲٫۵٪",
	})
}
