package flow

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
)

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

// mergedHeight is the height of a cell with all rows that it covers.
func (r *rowBox) mergedHeight(c *cellBox) float64 {
	if c.height > 0 {
		return c.height
	}
	h := r.height
	for j := r.index + 1; j < r.index+c.rows && j < len(r.table.rows); j++ {
		h += r.table.rows[j].height
	}
	return h
}

// item makes a row a part of a flow.
func (b *tableBox) item(r *rowBox) item {
	return item{height: r.height, row: r, notes: r.notes(), draw: func(dst *layer, x, y, _ float64) {
		r.draw(dst, x+b.x, y)
	}}
}

func (r *rowBox) notes() []*object {
	var all []*object
	for _, c := range r.cells {
		if c.content != nil {
			all = append(all, c.content.notes()...)
		}
	}
	return all
}

// maySplit says whether a page break may run through the row: not where it is held
// together, nor where it asks for more height than its content takes.
func (r *rowBox) maySplit() bool {
	return r.canSplit() && !r.row.CantSplit && (r.isPart || r.row.Height <= 0 || r.row.Height-r.line < r.textHeight()+fitTolerance)
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

// canSplit says whether a page break can run through the row where no page has room
// for all of it.
func (r *rowBox) canSplit() bool {
	if r.row.HasExactHeight {
		return false
	}
	return !slices.ContainsFunc(r.cells, func(c *cellBox) bool { return isTurned(c.cell) })
}

// split cuts a row so that its head fits into a height, where it may be cut or must.
// Both are nil where that cannot be done.
func (r *rowBox) split(height float64, must bool) (head, tail *rowBox) {
	if !r.maySplit() && !(must && r.canSplit()) {
		return nil, nil
	}
	head = &rowBox{table: r.table, row: r.row, index: r.index, line: r.line, isPart: true}
	tail = &rowBox{table: r.table, row: r.row, index: r.index, line: r.line, bottom: r.bottom, isLast: r.isLast, isPart: true, isTail: true}
	room := height - r.line - r.lowerLine()
	hasProgress, hasRest := false, false
	for _, c := range r.cells {
		h, t := *c, *c
		if c.isCovered {
			head.cells, tail.cells = append(head.cells, &h), append(tail.cells, &t)
			continue
		}
		first, rest := c.content.splitIn(room-c.margins.Top-c.margins.Bottom, must)
		switch {
		case first == nil && c.rows > 1: // it has room in the rows below
			first = &stack{}
		case first == nil && len(c.content.items) > 0:
			return nil, nil
		}
		h.content, t.content = first, rest
		hasProgress = hasProgress || c.rows <= 1 && len(first.items) > 0
		hasRest = hasRest || c.rows <= 1 && len(rest.items) > 0
		head.cells, tail.cells = append(head.cells, &h), append(tail.cells, &t)
	}
	if !hasProgress || !hasRest {
		return nil, nil
	}
	head.measure()
	tail.measure()
	if head.height > height+fitTolerance {
		return nil, nil
	}
	head.height = math.Max(head.height, math.Min(height, r.height))
	return head, tail
}

// lowerLine is the room of the line at the foot of the row, where a page ends there.
func (r *rowBox) lowerLine() float64 {
	room := 0.0
	for _, c := range r.cells {
		room = math.Max(room, lineRoom(c.borders.Bottom))
	}
	return room
}

// keepsNext is Word's way to keep rows together: their paragraphs keep with next.
func (r *rowBox) keepsNext() bool {
	for _, c := range r.cells {
		for _, b := range c.cell.Blocks {
			if p, ok := b.(*wml.Paragraph); ok {
				return p.KeepNext
			}
		}
	}
	return false
}

// splitIn cuts a cell's content at the end of a page, as LibreOffice does: the
// room under a single line may be cut off there, otherwise the last line goes
// on to the next page with it.
func (s *stack) splitIn(height float64, must bool) (head, tail *stack) {
	head, tail = s.split(height, must)
	switch n := len(s.items); {
	case head == nil && n > 0:
		return nil, s
	case head == nil:
		return &stack{}, &stack{}
	case tail != nil:
		return head, tail
	case s.height() <= height+fitTolerance:
		return s, &stack{}
	case n > 1:
		return s.cut(n - 1)
	}
	return &stack{items: s.items}, &stack{}
}

// split cuts off what fits into a height. head is nil when nothing does, tail
// when everything does.
func (s *stack) split(height float64, must bool) (head, tail *stack) {
	used := 0.0
	for i := range s.items {
		it := &s.items[i]
		used += it.gap + it.height
		if used <= height+fitTolerance && (i == 0 || used+it.below <= height+fitTolerance) {
			continue
		}
		if first, rest := it.splitRow(height-used+it.height, must); first != nil {
			head = &stack{items: append(s.items[:i:i], *first)}
			return head, &stack{items: append([]item{*rest}, s.items[i+1:]...), below: s.below}
		}
		if i == 0 {
			return nil, s
		}
		return s.cut(i)
	}
	return s, nil
}

// splitRow cuts a row of a table within the stack so that its first part fits into a
// height. Both are nil where it is no row, or cannot be cut.
func (it *item) splitRow(height float64, must bool) (first, rest *item) {
	if it.row == nil {
		return nil, nil
	}
	head, tail := it.row.split(height, must)
	if head == nil {
		return nil, nil
	}
	above, below := it.row.table.item(head), it.row.table.item(tail)
	above.gap = it.gap
	return &above, &below
}

// cut parts the items before i from those from i on.
func (s *stack) cut(i int) (head, tail *stack) {
	head = &stack{items: s.items[:i:i]}
	tail = &stack{items: append([]item(nil), s.items[i:]...), below: s.below}
	tail.items[0] = tail.items[0].onNextPage()
	return head, tail
}

// onNextPage is an item as it stands at the top of a page: a paragraph with its own room
// above it, as LibreOffice leaves it in cells, and a line that goes on with its paragraph
// without what its spacing opens there.
func (it item) onNextPage() item {
	if it.line == nil || it.line.from == 0 {
		it.gap = it.above
		return it
	}
	p, ln := it.line.box, *it.line
	i := slices.Index(p.lines, it.line)
	if i < 0 {
		it.gap = 0
		return it
	}
	p.space(&ln, true)
	return p.item(i, &ln)
}
