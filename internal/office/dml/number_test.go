package dml

import (
	"strings"
	"testing"
)

// ST_NumberFormat, ECMA-376 part 1, 17.18.59.
func TestNumbersAreWrittenInTheirFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		want   map[int]string
	}{
		{"decimal", map[int]string{0: "0", 7: "7", -3: "-3", 1234: "1234"}},
		{"unheard-of", map[int]string{12: "12"}},
		{"", map[int]string{12: "12"}},
		{"upperRoman", map[int]string{1: "I", 3: "III", 4: "IV", 9: "IX", 14: "XIV", 40: "XL", 49: "XLIX", 90: "XC", 400: "CD", 900: "CM", 1666: "MDCLXVI", 3999: "MMMCMXCIX", 4000: "MMMM", 0: "0", -1: "-1", 32768: "32768"}},
		{"lowerRoman", map[int]string{1999: "mcmxcix", 0: "0"}},
		// a, b … z, aa, bb … zz, aaa
		{"upperLetter", map[int]string{1: "A", 26: "Z", 27: "AA", 28: "BB", 52: "ZZ", 53: "AAA", 0: "", -1: ""}},
		{"lowerLetter", map[int]string{1: "a", 26: "z", 27: "aa", 54: "bbb", 0: ""}},
		{"decimalZero", map[int]string{0: "00", 5: "05", 9: "09", 10: "10", 100: "100"}},
		{"ordinal", map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 11: "11th", 12: "12th", 13: "13th", 14: "14th", 21: "21st", 22: "22nd", 23: "23rd", 30: "30th", 101: "101st", 111: "111th", 112: "112th", 113: "113th"}},
		{"none", map[int]string{5: ""}},
		{"bullet", map[int]string{5: ""}},
		// Twenty-nine letters: those without ё, й, ъ and ь.
		{"russianLower", map[int]string{1: "а", 9: "и", 10: "к", 29: "я", 30: "аа", 58: "яя", 59: "ааа", 0: "0"}},
		{"russianUpper", map[int]string{1: "А", 29: "Я", 30: "АА", 0: "0"}},
		{"chicago", map[int]string{1: "*", 2: "†", 3: "‡", 4: "§", 5: "**", 8: "§§", 9: "***", 0: "*", -4: "*"}},
		{"numberInDash", map[int]string{3: "- 3 -", 0: "- 0 -"}},
		{"decimalEnclosedCircle", map[int]string{1: "①", 10: "⑩", 20: "⑳", 21: "21", 0: "0"}},
		{"decimalEnclosedCircleChinese", map[int]string{2: "②"}},
	} {
		for n, want := range c.want {
			if got := FormatNumber(n, c.format); got != want {
				t.Errorf("%d as %s: got %q, want %q", n, c.format, got, want)
			}
		}
	}
}

// Letters repeat with each round through the alphabet, forty times at most.
func TestRepeatedLettersEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		size   int    // of the alphabet
		last   string // of its letters
	}{{"lowerLetter", 26, "z"}, {"upperLetter", 26, "Z"}, {"russianLower", 29, "я"}, {"russianUpper", 29, "Я"}, {"chicago", 4, "§"}} {
		for round, want := range map[int]int{39: 39, 40: 40, 41: 40, 100_000: 40} {
			if got := FormatNumber(round*c.size, c.format); got != strings.Repeat(c.last, want) {
				t.Errorf("%d as %s: got %q, want %d times %s", round*c.size, c.format, got, want, c.last)
			}
		}
	}
}

func TestLongRomanNumbersAreWritten(t *testing.T) {
	t.Parallel()
	if got, want := FormatNumber(32767, "upperRoman"), strings.Repeat("M", 32)+"DCCLXVII"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The schemes are those of ST_TextAutonumberScheme (ECMA-376 part 1, 20.1.10.61).
func TestNumbersAreWrittenByTheirScheme(t *testing.T) {
	t.Parallel()
	for scheme, want := range map[string]string{
		"alphaLcParenBoth": "(d)", "alphaLcParenR": "d)", "alphaLcPeriod": "d.", "alphaUcParenBoth": "(D)", "alphaUcParenR": "D)", "alphaUcPeriod": "D.",
		"romanLcParenBoth": "(iv)", "romanLcParenR": "iv)", "romanLcPeriod": "iv.", "romanUcParenBoth": "(IV)", "romanUcParenR": "IV)", "romanUcPeriod": "IV.",
		"arabicParenBoth": "(4)", "arabicParenR": "4)", "arabicPeriod": "4.", "arabicPlain": "4", "hebrew2Minus": "- 4 -", "": "4",
	} {
		if got := AutoNumber(scheme, 4); got != want {
			t.Errorf("%s: got %q, want %q", scheme, got, want)
		}
	}
}
