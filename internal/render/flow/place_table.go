package flow

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/wml"
)

// placeTable places a table row by row, or goes on with it.
func (d *distributor) placeTable(table *wml.Table) bool {
	b := &d.begun
	if b.table == nil {
		b.table = d.table(table, d.area().width, d.env)
		if !d.isAtTop {
			d.y += d.space.below()
		}
		d.space.pass(nil, 0)
		d.fitBesideBands()
	} else {
		d.openTable()
	}
	for ; b.row < len(b.table.rows); b.row++ {
		if !b.isRow {
			b.isRow, d.y = true, d.belowOthers(b.table.rows[b.row].height)
			if d.mustMoveRow() && !d.breakTable(false) {
				return false
			}
		}
		if !d.placeRow() {
			return false
		}
		b.isRow, b.part = false, nil
	}
	return true
}

// mustMoveRow says whether a row goes to the next column with those that it must stay with.
func (d *distributor) mustMoveRow() bool {
	b, t := &d.begun, d.begun.table
	if b.row < b.loose || d.isAtTop {
		return false
	}
	need := t.heightTogether(b.row)
	switch {
	case d.y+need <= d.limit()+fitTolerance:
		return false
	case need > d.bottom-d.top: // rows that no column has room for break where it ends
		for b.loose = b.row; b.loose+1 < len(t.rows) && t.rows[b.loose].keepsNext(); b.loose++ {
		}
		return false
	}
	return !d.beginsBelowHeaders()
}

// heightTogether is the height of a row with those that it must stay with.
func (t *tableBox) heightTogether(r int) float64 {
	need := 0.0
	for ; r < len(t.rows); r++ {
		row := t.rows[r]
		keeps := row.keepsNext() && r+1 < len(t.rows) || r < t.headers
		if !keeps {
			if row.maySplit() && need == 0 {
				return 0
			}
			return need + row.height
		}
		need += row.height
	}
	return need
}

// beginsBelowHeaders says whether header rows have room on the page with the first
// lines of a row below them that goes on on the next page.
func (d *distributor) beginsBelowHeaders() bool {
	t, r := d.begun.table, d.begun.row
	room := d.limit() - d.y
	for ; r < t.headers; r++ {
		room -= t.rows[r].height
	}
	if r == 0 || r >= len(t.rows) || t.rows[r].keepsNext() {
		return false
	}
	head, _ := t.rows[r].split(room, false)
	return head != nil
}

// breakTable ends a table's part in this column, above a row or within it.
func (d *distributor) breakTable(isCut bool) bool {
	b := &d.begun
	if b.isCut = isCut; !isCut && b.row > 0 {
		b.table.rows[b.row-1].drawBottom(&d.layer, d.area().x+b.table.x, d.y)
	}
	if !d.nextColumn() {
		return false
	}
	d.openTable()
	return true
}

// openTable makes the rest of a table ready for the column, and repeats its header rows.
func (d *distributor) openTable() {
	d.fitBesideBands()
	b, t := &d.begun, d.begun.table
	if b.row < t.headers {
		return
	}
	for _, row := range t.rows[:t.headers] {
		if !b.isCut {
			d.y = d.belowOthers(row.height)
		}
		d.layer.artifact(func() { row.draw(&d.layer, d.area().x+t.x, d.y) })
		d.y += row.height
	}
}

// placeRow places a row, in as many parts as it takes.
func (d *distributor) placeRow() bool {
	b := &d.begun
	for {
		row := b.part
		if row == nil {
			row = b.table.rows[b.row]
		}
		row = d.resumed(row)
		room := d.limit() - d.y - d.composeNotes(row.notes()).height
		isAlone := d.isAtTop || d.hasOnlyHeaders()
		var head, tail *rowBox
		if row.height > room+placeTolerance {
			head, tail = row.split(room, isAlone)
		}
		switch {
		case head != nil:
			d.putRow(head)
			head.drawBottom(&d.layer, d.area().x+b.table.x, d.y)
			b.part = tail
		case row.height <= room+placeTolerance || isAlone: // what fits nowhere runs over
			d.putRow(row)
			return true
		case row.isPart:
			b.part = row
		}
		if !d.breakTable(head != nil) {
			return false
		}
	}
}

// hasOnlyHeaders is true while nothing but repeated header rows stands in the column.
func (d *distributor) hasOnlyHeaders() bool {
	t := d.begun.table
	return t.headers > 0 && d.y <= d.top+sumHeights(t.rows[:t.headers])+fitTolerance
}

func (d *distributor) putRow(row *rowBox) {
	row = d.placed(row)
	row.draw(&d.layer, d.area().x+d.begun.table.x, d.y)
	d.y += row.height
	d.isAtTop = false
	d.addNotes(row.notes())
}

// fitBesideBands makes a table as narrow as the page's header leaves room for beside
// drawings that are aligned at its left or right, where the rest of the table begins
// beside them; or as wide as it is without them. LibreOffice does so page by page.
func (d *distributor) fitBesideBands() {
	const least = 0.25 // of the table; one that would be narrower begins below the drawing
	t, area := d.begun.table, d.area()
	edges := columnEdges(t.t, area.width)
	full := edges[len(edges)-1]
	from := area.x + d.tableLeft(t.t, full, area.width, d.env)
	to := from + full
	for _, e := range d.exclusions[:d.bandExclusions] {
		if e.y > d.y || e.bottom <= d.y || e.x >= to || e.right <= from {
			continue
		}
		switch e.aligned {
		case "left":
			from = e.right
		case "right":
			to = e.x
		}
	}
	width := to - from
	if width < full*least || math.Abs(width-t.edges[len(t.edges)-1]) < widthTolerance {
		return
	}
	for i := range edges {
		edges[i] *= width / full
	}
	d.begun.table = d.tableWith(t.t, edges, from-area.x, d.env)
}

// belowOthers is where a row, which cannot stand beside a drawing of a header or
// footer, nor beside a floating table, has room for its height. A drawing is
// in the way where there is room below it, a floating table always.
func (d *distributor) belowOthers(height float64) float64 {
	t, y := d.begun.table, d.y
	x, width := d.area().x+t.x, t.edges[len(t.edges)-1]
	for i, e := range d.exclusions {
		isBand := i < d.bandExclusions && e.bottom+height <= d.bottom
		if (isBand || e.isTable) && e.x < x+width-besideTolerance && e.right > x+besideTolerance && e.y < y+height && e.bottom > y {
			y = e.bottom
			d.isAtTop = d.isAtTop && !e.isTable // the next page has room without it
		}
	}
	return y
}

// A carried is what a vertical merge has left when its page ends: it goes on in the
// first of its rows on the next.
type carried struct {
	table   *wml.Table
	cell    *cellBox
	until   int // the row below the merge
	content *stack
	// page and column are where it was left.
	page, column int
}

// resumed is a row with the rest of the merges that go on in it since the last page. The
// last row of a merge is as high as that rest.
func (d *distributor) resumed(row *rowBox) *rowBox {
	out := *row
	out.cells = slices.Clone(row.cells)
	waiting := d.carried[:0:0]
	for _, rest := range d.carried {
		i := slices.IndexFunc(out.cells, func(c *cellBox) bool { return c.isCovered && c.x == rest.cell.x })
		switch {
		case rest.table != row.table.t || row.index >= rest.until || i < 0:
		case rest.page == d.region.page && rest.column == d.column:
			waiting = append(waiting, rest)
		default:
			c := *rest.cell
			c.content, c.rows = rest.content, rest.until-row.index
			if out.cells[i] = &c; c.rows == 1 {
				out.measure()
			}
		}
	}
	d.carried = waiting
	return &out
}

// placed is a row whose merges that go on on the next page have what has room on this.
func (d *distributor) placed(row *rowBox) *rowBox {
	out := *row
	out.cells = slices.Clone(row.cells)
	for i, c := range out.cells {
		if c.rows <= 1 || c.isCovered || isTurned(c.cell) {
			continue
		}
		height := d.mergedRoom(&out, c)
		if math.IsInf(height, 1) {
			continue
		}
		here := *c
		here.height = height
		out.cells[i] = &here
		first, rest := c.content.split(height-c.margins.Top-c.margins.Bottom, true)
		if first == nil {
			first = &stack{}
		}
		if rest != nil {
			here.content = first
			d.carried = append(d.carried, carried{row.table.t, c, row.index + c.rows, rest, d.region.page, d.column})
		}
	}
	return &out
}

// mergedRoom is the height of the rows of a merge that stand on this page, infinite
// where all of them do.
func (d *distributor) mergedRoom(row *rowBox, c *cellBox) float64 {
	t := row.table
	used, room := row.height, d.limit()-d.y
	for r := row.index + 1; r < row.index+c.rows && r < len(t.rows); r++ {
		next := t.rows[r]
		if used+next.height > room+placeTolerance {
			if head, _ := next.split(room-used, false); head != nil {
				used = room
			}
			return used
		}
		used += next.height
	}
	return math.Inf(1)
}

// maySplit says whether a page break may run through the row: not where it is held
// together, nor where it asks for more height than its content takes.
func (r *rowBox) maySplit() bool {
	return r.canSplit() && !r.row.CantSplit && (r.isPart || r.row.Height <= 0 || r.row.Height-r.line < r.textHeight()+fitTolerance)
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
