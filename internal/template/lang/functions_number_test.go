package lang_test

import (
	"testing"
)

func TestHalvesAreRoundedAwayFromZero(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"None": null, "Text": "2.345", "Places": 1}`, map[string]string{
		"= ROUND(2.4)":            "2",
		"= ROUND(2.5)":            "3",
		"= ROUND(3.5)":            "4", // and not to the even one
		"= ROUND(-2.4)":           "-2",
		"= ROUND(-2.5)":           "-3",
		"= ROUND(2.344, 2)":       "2.34",
		"= ROUND(2.345, 2)":       "2.35",
		"= ROUND(Text, 2)":        "2.35",
		"= ROUND(Text, Places)":   "2.3",
		"= ROUND(2.5, 0)":         "3",
		"= ROUND(2, 2)":           "2",
		"= ROUND(1250, -2)":       "1300",
		"= ROUND(-1250, -2)":      "-1300",
		"= ROUND(1249, -2)":       "1200",
		"= ROUND(49, -2)":         "0",
		"= ROUND(1.5, 20)":        "1.5",
		"= ROUND(15, -20)":        "0",
		"= ROUND(None)":           "0",
		"= ROUND(1 / 3, 4)":       "0.3333",
		"= ROUND(2 / 3, 4)":       "0.6667",
		"= ROUND(0.1 + 0.2, 1)":   "0.3",
		"= ROUND(12.50 * 3 * 5%)": "2", // 1.875
	})
}

func TestTheAbsoluteValueHasNoSign(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"None": null, "Text": "-2.50"}`, map[string]string{
		"= ABS(-3)": "3", "= ABS(3)": "3", "= ABS(0)": "0", "= ABS(Text)": "2.5", "= ABS(None)": "0", "= ABS(2 - 5)": "3", "= -ABS(-3)": "-3",
	})
}

func TestFunctionsOverNumbersTakeNothingElse(t *testing.T) {
	t.Parallel()
	const places = "wrong_places: The number of digits must be a whole number of at most 20."
	checkRefused(t, `{"Text": "abc", "Items": [{"A": 1}, {"A": 2}], "Customer": {"Name": "Ada"}}`, map[string]string{
		"= ROUND(Text)":     "not_a_number: Text: this text is not a number. Write one such as 14.00.",
		"= ABS(Text)":       "not_a_number: Text: this text is not a number. Write one such as 14.00.",
		"= ABS(Customer)":   "not_a_number: Customer: this value is not a number. Write one such as 14.00.",
		"= ROUND(Items.A)":  "not_a_number: Items.A has several values here; SUM, MAX or another function makes one of them.",
		"= ROUND(\"x\")":    "not_a_number: A part of the formula is not a number.",
		"= ROUND(1, 21)":    places,
		"= ROUND(1, -21)":   places,
		"= ROUND(1, 0.5)":   places,
		"= ROUND(1, Text)":  "not_a_number: Text: this text is not a number. Write one such as 14.00.",
		"= ROUND(1 / 0)":    "division_by_zero: The formula divides by zero.",
		"= ROUND(1, 1 / 0)": "division_by_zero: The formula divides by zero.",
		"= ABS(1 / 0)":      "division_by_zero: The formula divides by zero.",
		"= ROUND(1, 2, 3)":  "wrong_arguments: ROUND is written ROUND(Total, 2).",
		"= ABS(1, 2)":       "wrong_arguments: ABS is written ABS(Total).",
	})
}

func TestTruncCutsDigitsOff(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Text": "1234.567"}`, map[string]string{
		"= TRUNC(Text)":      "1234",
		"= TRUNC(Text, 2)":   "1234.56",
		"= TRUNC(Text, -2)":  "1200",
		"= TRUNC(Text, 5)":   "1234.567",
		"= TRUNC(-1.9)":      "-1",
		"= TRUNC(-1.99, 1)":  "-1.9",
		"= TRUNC(0.9)":       "0",
		"= TRUNC(7)":         "7",
		"= TRUNC(-0.4) = 0":  "true",
		"= TRUNC(199, -2)":   "100",
		"= TRUNC(99, -2)":    "0",
		"= trunc(1.5) + 0.5": "1.5",
	})
	checkRefused(t, `{"Text": "abc"}`, map[string]string{
		"= TRUNC(Text)":  "not_a_number: Text: this text is not a number. Write one such as 14.00.",
		"= TRUNC(1, 21)": "wrong_places: The number of digits must be a whole number of at most 20.",
		"= TRUNC()":      "wrong_arguments: TRUNC is written TRUNC(Total, 2).",
	})
}
