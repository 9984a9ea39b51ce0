package lang_test

import (
	"testing"
)

const noBreak = "\u00a0" // the space in which lines do not break

func TestNumbersHaveTheDigitsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Text": "1234.50", "Long": 0.123456789012345678901234567890}`, map[string]string{
		"= NUMBER(1234.5)":        "1,234.5",
		"= NUMBER(Text)":          "1,234.5",
		"= NUMBER(1234)":          "1,234",
		"= NUMBER(1234.5, 0)":     "1,235",
		"= NUMBER(1234.5, 2)":     "1,234.50",
		"= NUMBER(1234.555, 2)":   "1,234.56",
		"= NUMBER(1234.554, 2)":   "1,234.55",
		"= NUMBER(-1234.555, 2)":  "-1,234.56",
		"= NUMBER(0.5, 0)":        "1",
		"= NUMBER(-0.5, 0)":       "-1",
		"= NUMBER(0.4, 0)":        "0",
		"= NUMBER(-0.4, 0)":       "0", // no negative nothing
		"= NUMBER(999.995, 2)":    "1,000.00",
		"= NUMBER(0, 2)":          "0.00",
		"= NUMBER(1, 20)":         "1.00000000000000000000",
		"= NUMBER(Long)":          "0.12345678901234567890123456789",
		"= NUMBER(Long, 20)":      "0.12345678901234567890",
		"= NUMBER(12345, 2.0)":    "12,345.00",
		"= NUMBER(12345, \"2\")":  "12,345.00",
		"= NUMBER(12345678, 0)":   "12,345,678",
		"= NUMBER(123, 0)":        "123",
		"= NUMBER(1, 1; \"de\")":  "1,0",
		"= NUMBER(true)":          "1",
		"= NUMBER(1 + 0.5 * 3)":   "2.5",
		"= NUMBER(NUMBER(1.5))":   "1.5", // a text that is a number
		"= NUMBER(1234567890123)": "1,234,567,890,123",
	})
}

func TestNothingFormattedIsNothing(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Null": null, "Blank": " ", "None": []}`, map[string]string{
		"= NUMBER(Null)": "", "= NUMBER(Blank, 2)": "", "= NUMBER(None)": "", `= NUMBER("")`: "",
		"= PERCENT(Null)": "", "= PERCENT(Blank, 1)": "", "= PERCENT(None)": "",
		`= CURRENCY(Null, "EUR")`: "", `= CURRENCY(Blank, "EUR", "de")`: "", `= CURRENCY(None, "EUR")`: "",
		`= CURRENCY(Null, "no currency")`: "",
	})
}

func TestSharesAreHundredths(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Rate": "0.2"}`, map[string]string{
		"= PERCENT(Rate)":           "20%",
		"= PERCENT(0.125)":          "13%", // no digits, unless they are asked for
		"= PERCENT(0.125, 1)":       "12.5%",
		"= PERCENT(0.1234, 1)":      "12.3%",
		"= PERCENT(1)":              "100%",
		"= PERCENT(12.5)":           "1,250%",
		"= PERCENT(-0.05)":          "-5%",
		"= PERCENT(0)":              "0%",
		"= PERCENT(0.001)":          "0%",
		"= PERCENT(20%)":            "20%",
		`= PERCENT(0.125, 1, "de")`: "12,5" + noBreak + "%",
		`= PERCENT(0.125, 1, "nl")`: "12,5%",
	})
}

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

func TestMoneyHasTheDigitsOfItsCurrency(t *testing.T) {
	t.Parallel()
	// ISO 4217: two digits, but none for JPY, three for KWD.
	checkValues(t, "{}", map[string]string{
		`= CURRENCY(1234.5, "USD")`:            "$1,234.50",
		`= CURRENCY(1234.5, "JPY")`:            "¥1,235",
		`= CURRENCY(1234.5, "KWD")`:            "KWD" + noBreak + "1,234.500",
		`= CURRENCY(1234.5, "USD", "en", 0)`:   "$1,235",
		`= CURRENCY(1234.5, "USD", "en", 3)`:   "$1,234.500",
		`= CURRENCY(1234.5, "JPY", "en", 2)`:   "¥1,234.50",
		`= CURRENCY(-1234.5, "USD")`:           "-$1,234.50",
		`= CURRENCY(-0.001, "USD")`:            "$0.00",
		`= CURRENCY(0, "EUR")`:                 "€0.00",
		`= CURRENCY("12.345", "EUR")`:          "€12.35",
		`= CURRENCY(5, " eur ")`:               "€5.00",
		`= CURRENCY(1234567.8, "GBP", "en")`:   "£1,234,567.80",
		`= CURRENCY(1, "CHF")`:                 "CHF" + noBreak + "1.00", // letters stand apart from digits
		`= CURRENCY(1, "EUR", "de-DE")`:        "1,00" + noBreak + "€",
		`= CURRENCY(1 + 1, CONCAT("E", "UR"))`: "€2.00",
	})
}

func TestWhatCannotBeFormattedIsAFinding(t *testing.T) {
	t.Parallel()
	const (
		places   = "wrong_places: The number of digits must be a whole number of at most 20."
		locale   = "unknown_locale: The function asks for a locale such as en-US or de-AT."
		currency = "unknown_currency: CURRENCY asks for a currency such as EUR."
		text     = "not_a_number: Text: this text is not a number. Write one such as 14.00."
	)
	checkRefused(t, `{"Text": "abc", "Items": [{"A": 1}, {"A": 2}]}`, map[string]string{
		"= NUMBER(1, 21)":                places,
		"= NUMBER(1, -21)":               places,
		"= NUMBER(1, 1.5)":               places,
		"= PERCENT(1, 21)":               places,
		`= CURRENCY(1, "EUR", "de", 21)`: places,
		"= NUMBER(1, Text)":              text,
		"= NUMBER(Text)":                 text,
		"= PERCENT(Text)":                text,
		`= CURRENCY(Text, "EUR")`:        text,
		`= NUMBER(1, 2, "!!")`:           locale,
		`= PERCENT(1, 2, "!!")`:          locale,
		`= CURRENCY(1, "EUR", "!!")`:     locale,
		`= CURRENCY(1, "EURO")`:          currency,
		`= CURRENCY(1, "")`:              currency,
		`= CURRENCY(1, "€")`:             currency,
		`= CURRENCY(1, "ZZZ")`:           currency,
		"= NUMBER(Items.A)":              "not_a_number: Items.A has several values here; SUM, MAX or another function makes one of them.",
		"= CURRENCY(1)":                  `wrong_arguments: CURRENCY is written CURRENCY(Total, "EUR", "de-AT").`,
	})
}
