package lang_test

import (
	"strings"
	"testing"
)

const texts = `{"Name": "ada LOVELACE", "Odd": "  a\t b \n c  ", "Null": null, "Number": 12.50, "Yes": true, "Words": ["new", "old"], "Street": "straße",
	"Huge": 1e64, "Five": "5"}`

func TestTextsChangeTheirCase(t *testing.T) {
	t.Parallel()
	checkValues(t, texts, map[string]string{
		"= UPPER(Name)":           "ADA LOVELACE",
		"= LOWER(Name)":           "ada lovelace",
		"= TITLE(Name)":           "Ada Lovelace",
		"= UPPER(\"äéß\")":        "ÄÉß", // no letter becomes two
		"= LOWER(\"ÄÉ\")":         "äé",
		"= TITLE(\"o'neill\")":    "O'neill",
		"= TITLE(\"élan VITAL\")": "Élan Vital",
		"= UPPER(Number)":         "12.50",
		"= UPPER(Yes)":            "TRUE",
		"= UPPER(Words)":          "NEW, OLD",
		"= UPPER(Null)":           "",
		"= LOWER(Null)":           "",
		"= TITLE(Null)":           "",
	})
}

func TestTrimLeavesSingleSpaces(t *testing.T) {
	t.Parallel()
	checkValues(t, texts, map[string]string{
		"= TRIM(Odd)": "a b c", "= TRIM(\"a\")": "a", "= TRIM(\" \")": "", "= TRIM(Null)": "", "= TRIM(\"a\u00a0\u00a0b\")": "a b",
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
		`= TRUNCATE("abc", Name)`:     "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		`= TRUNCATE(1 / 0, 3)`:        "division_by_zero: The formula divides by zero.",
		`= TRUNCATE("abc", 1, 1 / 0)`: "division_by_zero: The formula divides by zero.",
		`= TRUNCATE("abc")`:           `wrong_arguments: TRUNCATE is written TRUNCATE(Note, 80, "…").`,
	})
}

func TestEveryOccurrenceIsReplaced(t *testing.T) {
	t.Parallel()
	checkValues(t, texts, map[string]string{
		`= REPLACE("a-b-c", "-", "+")`:    "a+b+c",
		`= REPLACE("a-b-c", "-", "")`:     "abc",
		`= REPLACE("aaa", "aa", "b")`:     "ba",
		`= REPLACE("abc", "x", "y")`:      "abc",
		`= REPLACE("abc", "", "y")`:       "abc",
		`= REPLACE("abc", "B", "y")`:      "abc", // case matters
		`= REPLACE(Number, ".", ",")`:     "12,50",
		`= REPLACE("a", "a", Name)`:       "ada LOVELACE",
		`= REPLACE(Null, "a", "b")`:       "",
		`= REPLACE("a""b", """", "inch")`: "ainchb",
	})
	const want = "division_by_zero: The formula divides by zero."
	checkRefused(t, texts, map[string]string{
		`= REPLACE(1 / 0, "a", "b")`: want, `= REPLACE("a", 1 / 0, "b")`: want, `= REPLACE("a", "b", 1 / 0)`: want,
		`= REPLACE("a", "b")`: `wrong_arguments: REPLACE is written REPLACE(Phone, " ", "").`,
	})
}

func TestTextsAreJoinedInTheirOrder(t *testing.T) {
	t.Parallel()
	checkValues(t, texts, map[string]string{
		`= CONCAT("a", 1, true)`:         "a1true",
		`= CONCAT(Name)`:                 "ada LOVELACE",
		`= CONCAT(Number, Null, Yes)`:    "12.50true",
		`= CONCAT(Words, "!")`:           "new, old!",
		`= "a" & 1 & true`:               "a1true",
		`= "Total: " & 1 + 2`:            "Total: 3",
		`= Number & ""`:                  "12.50",
		`= Null & Null`:                  "",
		`= CONCAT("a" & "b", "c" & "d")`: "abcd",
	})
	const want = "division_by_zero: The formula divides by zero."
	checkRefused(t, texts, map[string]string{`= CONCAT("a", 1 / 0)`: want, `= "a" & 1 / 0`: want, `= 1 / 0 & "a"`: want})
}

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
