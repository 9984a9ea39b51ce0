package lang_test

import (
	"strings"
	"testing"
)

const texts = `{"Name": "ada LOVELACE", "Odd": "  a\t b \n c  ", "Null": null, "Number": 12.50, "Yes": true, "Words": ["new", "old"], "Street": "straße",
	"Huge": 1e64, "Five": "5"}`

// A text that a formula makes has at most 64 KiB, which are 65,536 bytes.
func TestTextsThatFormulasMakeAreBounded(t *testing.T) {
	t.Parallel()
	const half = 32 << 10
	body := `{"Half": "` + strings.Repeat("x", half) + `", "More": "` + strings.Repeat("x", half+1) + `", "Spaces": "` + strings.Repeat("  x", half) + `"}`
	for formula, want := range map[string]int{
		"Half & Half":               2 * half,
		"CONCAT(Half, Half)":        2 * half,
		`REPLACE("aa", "a", Half)`:  2 * half,
		`REPLACE(Spaces, "  ", "")`: half,
		`REPLACE(Half, "x", "yz")`:  2 * half,
	} {
		e := evaluator(t, body)
		if got := len(value(e, "= "+formula)); got != want || len(e.Findings()) > 0 {
			t.Errorf("%s: got %d bytes with findings %v, want %d", formula, got, e.Findings(), want)
		}
	}
	const tooLong = "text_too_long: The formula makes a text of more than 64 KiB."
	checkRefused(t, body, map[string]string{
		"= Half & More":               tooLong,
		"= CONCAT(More, Half)":        tooLong,
		"= CONCAT(Half, Half, 1)":     tooLong,
		`= REPLACE("aab", "a", Half)`: tooLong,
		`= REPLACE(More, "x", "yz")`:  tooLong,
	})
}

// The sign for the cut counts as one of the characters.
func TestTruncatedTextsHaveSoManyCharacters(t *testing.T) {
	t.Parallel()
	checkValues(t, texts, map[string]string{
		`= TRUNCATE("abcdef", 6)`:         "abcdef",
		`= TRUNCATE("abcdef", 7)`:         "abcdef",
		`= TRUNCATE("abcdef", 5)`:         "abcd…",
		`= TRUNCATE("abcdef", 1)`:         "…",
		`= TRUNCATE("abcdef", 5, "...")`:  "ab...",
		`= TRUNCATE("abcdef", 3, "...")`:  "...",
		`= TRUNCATE("abcdef", 4, "")`:     "abcd",
		`= TRUNCATE("abcdef", 0, "")`:     "",
		`= TRUNCATE("äöüß", 3, "")`:       "äöü", // characters, not bytes
		`= TRUNCATE("😀😀😀", 2)`:            "😀…",
		`= TRUNCATE("äöüß", 4)`:           "äöüß",
		`= TRUNCATE(Name, Five, "")`:      "ada L",
		`= TRUNCATE(Number, 2, "")`:       "12",
		`= TRUNCATE("", 0)`:               "",
		`= TRUNCATE(Null, 3)`:             "",
		`= TRUNCATE("abcdef", 1000000)`:   "abcdef",
		`= TRUNCATE("abcdef", Huge)`:      "abcdef",
		`= TRUNCATE("abcdef", 4.0)`:       "abc…",
		`= TRUNCATE("abcdef", 999999999)`: "abcdef",
	})
	const length = "wrong_length: TRUNCATE cuts to a whole number of characters."
	checkRefused(t, texts, map[string]string{
		`= TRUNCATE("abc", -1)`:       length,
		`= TRUNCATE("abc", 1.5)`:      length,
		`= TRUNCATE("abc", Name)`:     "not_a_number: The value of Name is not a number.",
		`= TRUNCATE(1 / 0, 3)`:        "division_by_zero: The formula divides by zero.",
		`= TRUNCATE("abc", 1, 1 / 0)`: "division_by_zero: The formula divides by zero.",
		`= TRUNCATE("abc")`:           `wrong_arguments: TRUNCATE is written TRUNCATE(Note, 80, "…").`,
	})
}
