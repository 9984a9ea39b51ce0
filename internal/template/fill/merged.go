package fill

import (
	"slices"

	"github.com/platenhq/platen/internal/template/lang"
)

// Both APIs insert a row below all of a merged cell, and delete all rows that one
// spans, when it is the cell that a request names (InsertTableRowRequest,
// DeleteTableRowRequest). So requests name a cell that takes its row alone.

// cover finds the cells that are part of merged ones from above.
func (t *table) cover() {
	left := map[int64]int64{} // by column, the rows that a merged cell still takes
	for _, r := range t.rows {
		begun := map[int64]int64{}
		for _, c := range r.cells {
			if c.above = left[c.column] > 0; c.above {
				continue
			}
			for column := c.column; column < c.column+c.span; column++ {
				begun[column] = max(begun[column], c.rows)
			}
		}
		for column, rows := range begun {
			left[column] = max(left[column], rows)
		}
		for column := range left {
			left[column]--
		}
	}
}

// reference is the column of a cell of the row that is no part of one above; 0
// where there is none, which has been reported.
func (r *row) reference() int64 {
	for _, c := range r.cells {
		if !c.above {
			return c.column
		}
	}
	return 0
}

func (r *row) hasReference() bool {
	return slices.ContainsFunc(r.cells, func(c *cell) bool { return !c.above })
}

// sameShape tells of rows whose cells take the same columns.
func (r *row) sameShape(other *row) bool {
	return slices.EqualFunc(r.cells, other.cells, func(a, b *cell) bool { return a.column == b.column && a.span == b.span })
}

// checkCopied reports rows whose copies cannot be put below the last of them.
func (p *composer) checkCopied(t *table, first, last int) {
	for _, r := range t.rows[first : last+1] {
		switch {
		case slices.ContainsFunc(r.cells, func(c *cell) bool { return c.rows > 1 && !c.above }):
			p.reportMerged(r, "A cell that is merged with cells below stands in a row that repeats: only rows beside such a cell can.")
			return
		case !r.sameShape(t.rows[last]):
			p.reportMerged(r, "The rows between {{#each}} and {{/each}} have cells merged in different ways: rows that repeat together need the same cells.")
			return
		}
	}
	if !t.rows[last].hasReference() {
		p.reportMerged(t.rows[last], "Every cell of a row that repeats is merged with cells above: leave one cell of the row by itself.")
	}
}

// checkDropped reports rows that cannot go without what a merged cell spans.
func (p *composer) checkDropped(t *table, fates []rowFate) {
	for i, f := range fates {
		if !f.drop {
			continue
		}
		r := t.rows[i]
		if !r.hasReference() {
			p.reportMerged(r, "Every cell of a row that may be left out is merged with cells above: leave one cell of the row by itself.")
		}
		for _, c := range r.cells {
			end := min(i+int(c.rows), len(fates))
			if !c.above && slices.ContainsFunc(fates[i:end], func(f rowFate) bool { return !f.drop }) {
				p.reportMerged(r, "A row goes in which a cell begins that is merged with cells of rows that stay: have them go or stay together.")
				break
			}
		}
	}
}

// reportMerged names a tag of the row where there is one.
func (p *composer) reportMerged(r *row, message string) {
	f := lang.Finding{Code: "merged_rows", Message: message}
	if all := r.statements(); len(all) > 0 {
		f.Tag = all[0].Tag
	}
	p.e.Report(f)
}
