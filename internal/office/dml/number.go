package dml

import (
	"fmt"
	"strconv"
	"strings"
)

// FormatNumber writes n in a number format of ST_NumberFormat (ECMA-376 part 1,
// 17.18.59). Formats that we do not know, and those that are words of a language
// (NumberIn), are written as decimal.
func FormatNumber(n int, format string) string {
	switch format {
	case "upperRoman":
		return roman(n)
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperLetter":
		return letters(n, 'A', 26)
	case "lowerLetter":
		return letters(n, 'a', 26)
	case "decimalZero":
		return fmt.Sprintf("%02d", n)
	case "ordinal":
		return strconv.Itoa(n) + englishSuffix(n)
	case "none", "bullet":
		return ""
	case "hex":
		return strings.ToUpper(strconv.FormatInt(int64(n), 16))
	case "chicago":
		return strings.Repeat(string([]rune("*†‡§")[max(n-1, 0)%4]), min(max(n-1, 0)/4+1, 40))
	case "numberInDash":
		return "- " + strconv.Itoa(n) + " -"
	}
	if text, ok := padded(n, format); ok {
		return text
	}
	if text, ok := scriptNumber(n, format); ok {
		return text
	}
	return strconv.Itoa(n)
}

// letters counts a, b … z, aa, bb, as Word does.
func letters(n int, first rune, size int) string {
	if n < 1 {
		return ""
	}
	return strings.Repeat(string(first+rune((n-1)%size)), min((n-1)/size+1, 40))
}

func roman(n int) string {
	if n < 1 || n > 32767 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		value int
		sign  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for n >= d.value {
			b.WriteString(d.sign)
			n -= d.value
		}
	}
	return b.String()
}

// AutoNumber writes the number of an entry by ST_TextAutonumberScheme.
func AutoNumber(scheme string, n int) string {
	var s string
	switch {
	case strings.HasPrefix(scheme, "alphaLc"):
		s = FormatNumber(n, "lowerLetter")
	case strings.HasPrefix(scheme, "alphaUc"):
		s = FormatNumber(n, "upperLetter")
	case strings.HasPrefix(scheme, "romanLc"):
		s = FormatNumber(n, "lowerRoman")
	case strings.HasPrefix(scheme, "romanUc"):
		s = FormatNumber(n, "upperRoman")
	default:
		s = strconv.Itoa(n)
	}
	switch {
	case strings.HasSuffix(scheme, "ParenBoth"):
		return "(" + s + ")"
	case strings.HasSuffix(scheme, "ParenR"):
		return s + ")"
	case strings.HasSuffix(scheme, "Period"):
		return s + "."
	case strings.HasSuffix(scheme, "Minus"):
		return "- " + s + " -"
	}
	return s
}
