package slide

import "github.com/platenhq/platen/internal/office/dml"

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
