package layout

import (
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/drive/office"
)

// countParagraph advances the numbering and returns the paragraph's number.
func countParagraph(counters *[9]int, p *office.TextParagraph) int {
	for deeper := p.Level + 1; deeper < len(counters); deeper++ {
		counters[deeper] = 0
	}
	if p.Bullet.Number == "" {
		counters[p.Level] = 0
		return 0
	}
	counters[p.Level]++
	return p.Bullet.Start + counters[p.Level] - 1
}

// numberLabel writes a number by ST_TextAutonumberScheme.
func numberLabel(scheme string, n int) string {
	var s string
	switch {
	case strings.HasPrefix(scheme, "alphaLc"):
		s = strings.ToLower(letters(n))
	case strings.HasPrefix(scheme, "alphaUc"):
		s = letters(n)
	case strings.HasPrefix(scheme, "romanLc"):
		s = strings.ToLower(roman(n))
	case strings.HasPrefix(scheme, "romanUc"):
		s = roman(n)
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

// letters counts A … Z, AA, BB …
func letters(n int) string {
	if n < 1 || n > 780 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		value int
		text  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for n >= d.value {
			b.WriteString(d.text)
			n -= d.value
		}
	}
	return b.String()
}
