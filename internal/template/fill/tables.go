package fill

import (
	"slices"

	"github.com/platenhq/platen/internal/template/lang"
)

// renderTable works a table out for an item, as a new one: no request
// copies a table. It is none when no row stays.
func (p *composer) renderTable(t *table, scope *lang.Scope) []filled {
	switch {
	case t == nil:
		p.e.Report(lang.Finding{Code: "object_in_block", Message: "Something that is neither text nor a table, such as a section break or a table of contents, stands between {{#each}} and {{/each}}. Move it out of the block."})
		return nil
	case p.nested > 0:
		p.e.Report(lang.Finding{Code: "table_in_block", Message: "A table stands inside a cell of what repeats. Only the outer table can be repeated: put the inner one outside, or merge cells of the outer one."})
		return nil
	}
	made := &filledTable{of: t, rows: p.renderRows(t, p.readRows(t), scope)}
	if len(made.rows) == 0 {
		return nil
	}
	p.rows++
	p.checkMerged(made)
	p.restartTable(made)
	return []filled{{table: made}}
}

// checkMerged reports cells that are merged over rows which do not stand below one
// another in the copy.
func (p *composer) checkMerged(t *filledTable) {
	for i, made := range t.rows {
		first := slices.Index(t.of.rows, made.of)
		for _, c := range made.of.cells {
			for k := 1; !c.above && k < int(c.rows); k++ {
				if first+k >= len(t.of.rows) || i+k >= len(t.rows) || t.rows[i+k].of != t.of.rows[first+k] {
					p.reportMerged(made.of, "A cell that is merged with cells below stands in a table that repeats, and its rows do not all come out: have them go or stay together.")
					return
				}
			}
			if c.above && (i == 0 || first == 0 || t.rows[i-1].of != t.of.rows[first-1]) {
				p.reportMerged(made.of, "A row of a table that repeats is part of a merged cell whose first row does not come out: have them go or stay together.")
				return
			}
		}
	}
}
