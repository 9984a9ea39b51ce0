package flow

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
)

// tableBox is a table made ready for a column of some width.
type tableBox struct {
	t     *wml.Table
	x     float64   // of its left edge in the column
	edges []float64 // of the grid columns, from x
	rows  []*rowBox
	// headers is the number of rows at the top that each page repeats.
	headers int
}

// rowBox is a row, or the part of it that stands on a page.
type rowBox struct {
	table  *tableBox
	row    *wml.Row
	index  int
	height float64
	cells  []*cellBox
	// line is the room that the row's upper border takes, bottom that of the table's end.
	line, bottom float64
	isLast       bool
	// isPart is set for the parts of a row that was split, isTail for what is left of it.
	isPart, isTail bool
}

// cellBox is a cell with its content.
type cellBox struct {
	cell    *wml.Cell
	x, w    float64
	content *stack
	borders wml.CellBorders
	// above are the parts of the upper line where they differ, open those of the lower one that
	// no cell stands below.
	above, open []linePart
	// rows is the number of rows that a vertical merge covers; isCovered is
	// set for the cells under its first.
	rows      int
	isCovered bool
	// height is that of a merge on its page where it goes on on the next; 0: all its rows'.
	height  float64
	shading *dml.RGB
	margins wml.Margins
}

// table composes a table for a column of that width.
func (c *composer) table(t *wml.Table, width float64, env environment) *tableBox {
	edges := columnEdges(t, width)
	return c.tableWith(t, edges, c.tableLeft(t, edges[len(edges)-1], width, env), env)
}

// tableWith composes a table with these edges of its columns, from x on.
func (c *composer) tableWith(t *wml.Table, edges []float64, x float64, env environment) *tableBox {
	b := &tableBox{t: t, x: x, edges: edges}
	for i, row := range t.Rows {
		b.rows = append(b.rows, c.row(b, row, i, env))
		if row.IsHeader && b.headers == i && i+1 < len(t.Rows) {
			b.headers = i + 1
		}
	}
	b.merge()
	b.resolveBorders()
	for _, row := range b.rows {
		row.measure()
	}
	b.growMerged()
	return b
}

func (c *composer) tableLeft(t *wml.Table, total, width float64, env environment) float64 {
	switch {
	case t.Align == "center":
		return (width - total) / 2
	case t.Align == "right" || t.RTL:
		return width - total
	}
	x := t.Indent
	if c.doc.Settings.CompatMode < 15 && !env.isInCell && len(t.Rows[0].Cells) > 0 {
		x -= t.Rows[0].Cells[0].Margins.Left
	}
	return x
}

// columnEdges gives the x of each grid line. The grid counts, scaled to a width
// that the table asks for; where there is none the cells' own widths do.
func columnEdges(t *wml.Table, width float64) []float64 {
	columns := 0
	for _, row := range t.Rows {
		n := row.GridBefore
		for _, c := range row.Cells {
			n += c.Span
		}
		columns = max(columns, n)
	}
	columns = max(columns, 1)
	widths := make([]float64, columns)
	copy(widths, t.Grid)
	target := 0.0
	switch t.Width.Kind {
	case "dxa":
		target = t.Width.Value
	case "pct":
		target = t.Width.Value * width
	}
	if sum(widths) < noColumn || len(t.Grid) < columns {
		cellWidths(t, widths, width)
	}
	total := sum(widths)
	if total < noColumn {
		if target == 0 {
			target = width
		}
		for i := range widths {
			widths[i] = target / float64(columns)
		}
		total = target
	}
	scale := 1.0
	if target > 0 && math.Abs(target-total) > widthTolerance {
		scale = target / total
	}
	edges := make([]float64, columns+1)
	for i, w := range widths {
		edges[i+1] = edges[i] + math.Max(w*scale, 0)
	}
	return edges
}

// cellWidths fills columns that the grid leaves empty from cells that span one.
func cellWidths(t *wml.Table, widths []float64, width float64) {
	for _, row := range t.Rows {
		at := row.GridBefore
		for _, c := range row.Cells {
			w := c.Width.Value
			if c.Width.Kind == "pct" {
				w *= width
			}
			if c.Span == 1 && at < len(widths) && c.Width.Kind != "auto" && widths[at] < noColumn {
				widths[at] = w
			}
			at += c.Span
		}
	}
	empty, used := 0, 0.0
	for _, w := range widths {
		if w < noColumn {
			empty++
		}
		used += w
	}
	if empty == 0 || empty == len(widths) {
		return
	}
	each := math.Max((width-used)/float64(empty), minColumn)
	for i, w := range widths {
		if w < noColumn {
			widths[i] = each
		}
	}
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

func (b *tableBox) edge(i int) float64 { return b.edges[min(max(i, 0), len(b.edges)-1)] }

func (c *composer) row(b *tableBox, row *wml.Row, index int, env environment) *rowBox {
	r := &rowBox{table: b, row: row, index: index, isLast: index == len(b.t.Rows)-1}
	total := b.edges[len(b.edges)-1]
	for _, cell := range row.Cells {
		x, right := b.edge(cell.Column), b.edge(cell.Column+cell.Span)
		box := &cellBox{cell: cell, x: x, w: right - x, rows: 1, shading: cell.Shading, margins: cell.Margins, borders: cell.Borders}
		if b.t.RTL {
			box.x = total - right
		}
		box.isCovered = cell.VMerge == "continue"
		r.cells = append(r.cells, box)
	}
	r.resolveSides()
	for _, box := range r.cells {
		if box.isCovered {
			continue
		}
		inner := env
		inner.isInCell = true
		if box.shading != nil {
			inner.background = box.shading
		}
		// Half of a border stands in the cell; text stands beside it, as in LibreOffice.
		box.margins.Left = math.Max(box.margins.Left, lineRoom(box.borders.Left)/2)
		box.margins.Right = math.Max(box.margins.Right, lineRoom(box.borders.Right)/2)
		box.content = c.cellContent(box, row, inner)
		if env.isInBand { // as LibreOffice has it: the room under a cell's last line counts twice
			box.content.below *= 2
		}
	}
	r.shareMargins()
	return r
}

// resolveSides lets neighbours of a row agree on the line between them.
func (r *rowBox) resolveSides() {
	for i := 1; i < len(r.cells); i++ {
		left, right := r.cells[i-1], r.cells[i]
		if r.table.t.RTL {
			left, right = right, left
		}
		right.borders.Left = wider(left.borders.Right, right.borders.Left)
		left.borders.Right = right.borders.Left
	}
}

// shareMargins gives all cells of a row the largest of their upper and of their
// lower margins, as Word and LibreOffice do: their first lines stand side by side.
func (r *rowBox) shareMargins() {
	top, bottom := 0.0, 0.0
	for _, c := range r.cells {
		if !c.isCovered {
			top, bottom = math.Max(top, c.margins.Top), math.Max(bottom, c.margins.Bottom)
		}
	}
	for _, c := range r.cells {
		c.margins.Top, c.margins.Bottom = top, bottom
	}
}

// turnedWidth is the room of text that runs up or down in a row without a
// height: an inch.
const turnedWidth = 72.0

func (c *composer) cellContent(box *cellBox, row *wml.Row, env environment) *stack {
	m := &box.margins
	width := math.Max(box.w-m.Left-m.Right, minCell)
	if isTurned(box.cell) {
		width = turnedWidth
		if row.Height > 0 {
			width = math.Max(row.Height-m.Top-m.Bottom, minColumn)
		}
	}
	return c.stack(cellChildren(box.cell.Blocks), width, env)
}

// cellChildren lists what a cell holds. A cell must end with a paragraph (ECMA-376 part 1,
// 17.4.65). Behind a table Word gives that no height where it is empty.
func cellChildren(blocks []wml.Block) []child {
	children := collect(blocks)
	n := len(children)
	if n < 2 {
		return children
	}
	above, last := children[n-2].table, &children[n-1]
	if above == nil || above.Floating != nil || last.paragraph == nil || !showsNothing(last.paragraph) {
		return children
	}
	last.isFlat = true
	last.isEmpty = len(last.paragraph.Runs) == 0
	return children
}

// showsNothing says whether a paragraph holds bookmarks at most.
func showsNothing(p *wml.Paragraph) bool {
	return p.Label == nil && !slices.ContainsFunc(p.Runs, func(r *wml.Run) bool {
		return slices.ContainsFunc(r.Items, func(item wml.Item) bool { return item.Kind != wml.BookmarkItem })
	})
}

// merge finds how many rows each vertical merge covers.
func (b *tableBox) merge() {
	for i, row := range b.rows {
		for _, cell := range row.cells {
			if cell.cell.VMerge != "restart" {
				continue
			}
			for j := i + 1; j < len(b.rows); j++ {
				under := b.rows[j].at(cell.cell.Column)
				if under == nil || !under.isCovered || under.cell.Span != cell.cell.Span {
					break
				}
				cell.rows++
				under.shading = cell.shading
				under.rows = 0 // found its first
			}
		}
	}
	for _, row := range b.rows {
		for _, cell := range row.cells {
			if cell.isCovered && cell.rows == 1 { // continues nothing
				cell.isCovered, cell.content = false, &stack{}
			}
		}
	}
}

// at returns the row's cell that covers a grid column.
func (r *rowBox) at(column int) *cellBox {
	for _, c := range r.cells {
		if column >= c.cell.Column && column < c.cell.Column+c.cell.Span {
			return c
		}
	}
	return nil
}

// sumHeights is the height of rows.
func sumHeights(rows []*rowBox) float64 {
	sum := 0.0
	for _, row := range rows {
		sum += row.height
	}
	return sum
}

// growMerged gives the last row of a vertical merge what its content lacks.
func (b *tableBox) growMerged() {
	for i, row := range b.rows {
		for _, c := range row.cells {
			if c.rows <= 1 {
				continue
			}
			have := sumHeights(b.rows[i : i+c.rows])
			lastRow := b.rows[i+c.rows-1]
			if lack := c.contentHeight() + row.line - have; lack > 0 && !lastRow.row.HasExactHeight {
				lastRow.height += lack
			}
		}
	}
}

// isTurned says whether a cell's text runs up or down.
func isTurned(c *wml.Cell) bool { return c.Direction == "btLr" || c.Direction == "tbRl" }

// contentHeight is what a cell asks of its row.
func (c *cellBox) contentHeight() float64 {
	if c.content == nil {
		return 0
	}
	if isTurned(c.cell) {
		return 0
	}
	return c.content.height() + c.margins.Top + c.margins.Bottom
}

// measure sets the row's height from its cells; vertical merges count later.
func (r *rowBox) measure() {
	r.height = r.textHeight()
	if r.row != nil && !r.isPart {
		if r.row.HasExactHeight {
			r.height = r.row.Height
			return
		}
		r.height = math.Max(r.height, r.row.Height-r.line)
	}
	r.height += r.line + r.bottom
}

// textHeight is what the content of its cells takes.
func (r *rowBox) textHeight() float64 {
	most := 0.0
	for _, c := range r.cells {
		if !c.isCovered && c.rows <= 1 {
			most = math.Max(most, c.contentHeight())
		}
	}
	return most
}

// item makes a row a part of a flow.
func (b *tableBox) item(r *rowBox) item {
	return item{height: r.height, row: r, notes: r.notes(), draw: func(dst *layer, x, y, _ float64) {
		r.draw(dst, x+b.x, y)
	}}
}
