package slide

import (
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/office/dml"
)

// countParagraph advances the numbering and returns the paragraph's number.
func countParagraph(counters *[9]int, p *dml.TextParagraph) int {
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
		s = dml.FormatNumber(n, "lowerLetter")
	case strings.HasPrefix(scheme, "alphaUc"):
		s = dml.FormatNumber(n, "upperLetter")
	case strings.HasPrefix(scheme, "romanLc"):
		s = dml.FormatNumber(n, "lowerRoman")
	case strings.HasPrefix(scheme, "romanUc"):
		s = dml.FormatNumber(n, "upperRoman")
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
