package flow

import (
	"github.com/platenhq/platen/internal/office/wml"
)

// distribute places children into columns and pages.
func (f *distributor) distribute(children []child) {
	for i := range children {
		if f.isFull() || !f.tally.spend(perParagraph) {
			return
		}
		switch c := &children[i]; {
		case c.isEmpty:
		case c.frame != nil:
			f.placeFramed(c)
		case c.table != nil:
			if c.table.Floating == nil || !f.placeFloating(c.table) {
				f.placeTable(c.table)
			}
		default:
			f.placeParagraph(c, children[i:])
		}
	}
}

// box composes a paragraph for the column at hand, once.
func (f *distributor) box(p *wml.Paragraph) *paragraphBox {
	width := f.area().width
	if b := f.boxes[p]; b != nil && b.width == width {
		return b
	}
	b := f.paragraph(p, width, f.environment())
	f.boxes[p] = b
	return b
}

// placeParagraph places a paragraph; chain begins with it and goes on with what
// follows, which it may have to be kept with.
func (f *distributor) placeParagraph(c *child, chain []child) {
	p := c.paragraph
	f.applyPending()
	box := f.box(p)
	f.breakBefore(box)
	f.adapt(box)
	box.top, box.bottom = 0, 0
	box.frame(c.previous, c.next)
	if p.KeepNext && !f.isLoose(p) && f.mustMove(chain) && !f.isAtTop {
		f.nextColumn()
	}
	f.adapt(box)
	f.place(box)
	delete(f.boxes, p)
	f.space.previous, f.space.extra = p, box.extra()
}

// adapt sets a paragraph for the column and the page where it goes, whose number
// it may show.
func (f *distributor) adapt(box *paragraphBox) {
	env, width := f.environment(), f.area().width
	isRenumbered := box.page != "" && box.page != env.page
	if isRenumbered {
		box.setGlyphs(f.composer, env)
	}
	if isRenumbered || box.width != width {
		box.width = width
		box.compose(0, nil, 0)
	}
}

// breakBefore carries out a page break in front of a paragraph: its own
// property, or a break that is the first thing in its text.
func (f *distributor) breakBefore(box *paragraphBox) {
	kind := wml.TextItem
	if box.p.PageBreakBefore && !(f.isAtTop && f.column == 0) {
		kind = wml.PageBreakItem
	}
	if i := box.breakAt(); i >= 0 {
		kind = box.glyphs[i].object.kind
		box.dropsBreak = true
		box.glyphs = append(box.glyphs[:i:i], box.glyphs[i+1:]...)
		box.compose(0, nil, 0)
	}
	f.pending = kind
	f.applyPending()
}

// isLoose says whether a paragraph stands in a chain that no column has room for. Such
// a chain breaks where a column ends, and its last paragraph alone is kept with what
// follows.
func (f *distributor) isLoose(p *wml.Paragraph) bool {
	if f.looseUntil == p {
		f.looseUntil = nil
	}
	return f.looseUntil != nil
}

// mustMove says whether a paragraph that is kept with what follows does not
// fit here together with it, but would in a column of its own.
func (f *distributor) mustMove(chain []child) bool {
	const maxChain = 1000 // that are looked at: paragraphs may have no height
	need, space := 0.0, f.space
	full := f.page.bottom - f.top
	for i := range chain[:min(maxChain, len(chain))] {
		switch c := &chain[i]; {
		case c.paragraph != nil:
			box := f.box(c.paragraph)
			need += space.gap(c.paragraph)
			if !c.paragraph.KeepNext {
				need += box.least()
				return f.y+need > f.limit()+fitTolerance && f.fitsOneColumn(chain, need)
			}
			for _, ln := range box.lines {
				need += ln.height
			}
			space.previous, space.extra = c.paragraph, box.extra()
		case c.table != nil:
			t := f.table(c.table, f.area().width, f.environment())
			need += space.below()
			for r := 0; r <= t.headers && r < len(t.rows); r++ {
				need += t.rows[r].height
			}
			return f.y+need > f.limit()+fitTolerance && f.fitsOneColumn(chain, need)
		}
		if need >= full {
			break
		}
	}
	return f.y+need > f.limit()+fitTolerance && f.fitsOneColumn(chain, need)
}

// fitsOneColumn says whether a column has room for the height of a chain, and loosens
// the chain where none has.
func (f *distributor) fitsOneColumn(chain []child, height float64) bool {
	if height < f.page.bottom-f.top {
		return true
	}
	for i := range chain {
		p := chain[i].paragraph
		if p == nil || !p.KeepNext {
			break
		}
		f.looseUntil = p
	}
	return false
}

// least is the height of the lines that may not be parted from a heading above.
func (p *paragraphBox) least() float64 {
	n := 1
	if p.p.WidowControl {
		n = 2
		if len(p.lines) == 3 {
			n = 3
		}
	}
	if p.p.KeepLines {
		n = len(p.lines)
	}
	h := p.top
	for i := 0; i < n && i < len(p.lines); i++ {
		h += p.lines[i].height
	}
	return h
}

// place puts a paragraph's lines into columns, as many as it takes.
func (f *distributor) place(box *paragraphBox) {
	gap := f.gapAbove(box)
	f.wrapAround(box, gap)
	from := 0
	for from < len(box.lines) {
		if f.isFull() {
			return
		}
		items := box.items(from, f.page.bottom)
		n := f.countFitting(box, items, gap, from)
		if n == 0 && !f.isAtTop {
			f.nextColumn()
			gap = 0
			if from == 0 {
				f.adapt(box)
			}
			from = f.restart(box, from, gap)
			continue
		}
		n = max(n, 1)
		broken := f.put(items[:n], gap, box)
		gap = 0
		from += n
		switch {
		case broken != wml.TextItem:
			f.pending = broken
			if from < len(box.lines) {
				f.applyPending()
				gap = f.gapAbove(box)
				from = f.restart(box, from, gap)
			}
		case from < len(box.lines):
			f.nextColumn()
			from = f.restart(box, from, 0)
		}
	}
}

func (f *distributor) gapAbove(box *paragraphBox) float64 {
	isAtStart := f.isAtTop && len(f.pages) == 1 && f.column == 0
	if f.isAtTop && !f.keepsTop || isAtStart && box.p.HasAutoBefore && !f.doc.Settings.SumsSpacing {
		return 0
	}
	if f.opensColumns && f.column == 0 && f.y <= f.top+fitTolerance { // the space stands above all columns
		f.top += f.space.gap(box.p)
		f.y, f.opensColumns = f.top, false
		return 0
	}
	return f.space.gap(box.p)
}

// restart composes what is left of a paragraph where the next column
// differs in width, or lines were narrowed by objects beside them.
func (f *distributor) restart(box *paragraphBox, from int, gap float64) int {
	if from >= len(box.lines) {
		return from
	}
	glyph := box.lines[from].from
	isNarrowed := false
	for _, ln := range box.lines[from:] {
		isNarrowed = isNarrowed || ln.isNarrowed
	}
	if box.width != f.area().width || isNarrowed || len(f.page.exclusions) > 0 {
		box.width = f.area().width
		rest := *box
		rest.lines, rest.above = nil, gap
		rest.compose(glyph, f.room(), f.y+gap)
		box.lines = rest.lines
		for _, ln := range box.lines {
			ln.box = box
		}
		return 0
	}
	box.space(box.lines[from], true)
	return from
}

// countFitting is the number of items that fit into what is left of the column,
// after keep-together and the control of widows and orphans had their say.
func (f *distributor) countFitting(box *paragraphBox, items []item, gap float64, from int) int {
	y, notes, n := f.y+gap, 0.0, 0
	for n < len(items) {
		it := &items[n]
		if len(it.notes) > 0 {
			notes += f.noteRoom(it.notes)
		}
		if y+it.height > f.limit()-notes+placeTolerance {
			break
		}
		y += it.height
		n++
		if k := it.line.breakKind; k == wml.PageBreakItem || k == wml.ColumnBreakItem {
			return n
		}
	}
	if n == len(items) {
		return n
	}
	if box.p.KeepLines && from == 0 && !f.isAtTop {
		return 0
	}
	if !box.p.WidowControl {
		return n
	}
	if len(items)-n == 1 && n > 0 {
		n-- // one more line keeps the last from standing alone
	}
	if n == 1 && from == 0 && len(items) > 1 {
		return 0
	}
	return n
}

// put draws items one under the other and returns the break that ends the last.
func (f *distributor) put(items []item, gap float64, box *paragraphBox) wml.ItemKind {
	x := f.area().x
	f.y += gap
	for i := range items {
		it := &items[i]
		it.draw(&f.page.layer, x, f.y, gap)
		gap = 0
		f.y += it.height
		f.isAtTop = false
		f.addNotes(it.notes)
		if k := it.line.breakKind; k == wml.PageBreakItem || k == wml.ColumnBreakItem {
			return k
		}
	}
	return wml.TextItem
}

// placeTable places a table row by row.
func (f *distributor) placeTable(table *wml.Table) {
	f.applyPending()
	t := f.table(table, f.area().width, f.environment())
	if !f.isAtTop {
		f.y += f.space.below()
	}
	f.space.previous, f.space.extra = nil, 0
	f.fitBesideBands(t)
	loose := 0 // the first row that is not kept with those below it
	for r := 0; r < len(t.rows); r++ {
		if f.isFull() {
			return
		}
		row := t.rows[r]
		f.y = f.belowOthers(f.area().x+t.x, t.edges[len(t.edges)-1], f.y, row.height)
		if r >= loose && !f.isAtTop && f.y+f.heightTogether(t, r) > f.limit()+fitTolerance {
			switch {
			case f.heightTogether(t, r) > f.page.bottom-f.top: // rows that no column has room for break where it ends
				for loose = r; loose+1 < len(t.rows) && t.rows[loose].keepsNext(); loose++ {
				}
			case !f.beginsBelowHeaders(t, r):
				f.tableBreak(t, r)
				row = t.rows[r]
			}
		}
		f.tableRow(t, row, r)
	}
}

// heightTogether is the height of a row with those that it must stay with.
func (f *distributor) heightTogether(t *tableBox, r int) float64 {
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
func (f *distributor) beginsBelowHeaders(t *tableBox, r int) bool {
	room := f.limit() - f.y
	for ; r < t.headers; r++ {
		room -= t.rows[r].height
	}
	if r == 0 || r >= len(t.rows) || t.rows[r].keepsNext() {
		return false
	}
	head, _ := t.rows[r].split(room, false)
	return head != nil
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

// tableBreak ends a table's part on this page and repeats its header rows on the next.
func (f *distributor) tableBreak(t *tableBox, r int) {
	if r > 0 {
		t.rows[r-1].drawBottom(&f.page.layer, f.area().x+t.x, f.y)
	}
	f.nextColumn()
	f.fitBesideBands(t)
	if r < t.headers {
		return
	}
	for _, row := range t.rows[:t.headers] {
		f.y = f.belowOthers(f.area().x+t.x, t.edges[len(t.edges)-1], f.y, row.height)
		row.draw(&f.page.layer, f.area().x+t.x, f.y)
		f.y += row.height
	}
}

func (f *distributor) tableRow(t *tableBox, row *rowBox, r int) {
	for guard := 0; guard < maxPages; guard++ {
		row = f.resumed(t, row)
		notes := f.noteRoom(row.notes())
		room := f.limit() - f.y - notes
		if row.height <= room+placeTolerance {
			break
		}
		isAlone := f.isAtTop || f.hasOnlyHeaders(t)
		head, tail := row.split(room, isAlone)
		if head == nil && isAlone {
			break // it fits nowhere: let it run over
		}
		if head == nil {
			f.tableBreak(t, r)
			if !row.isPart {
				row = t.rows[r]
			}
			continue
		}
		f.putRow(t, head)
		head.drawBottom(&f.page.layer, f.area().x+t.x, f.y)
		f.tableBreak(t, 0)
		for _, h := range t.rows[:t.headers] {
			if r >= t.headers {
				h.draw(&f.page.layer, f.area().x+t.x, f.y)
				f.y += h.height
			}
		}
		row = tail
	}
	f.putRow(t, row)
}

// hasOnlyHeaders is true while nothing but repeated header rows stands in the column.
func (f *distributor) hasOnlyHeaders(t *tableBox) bool {
	h := 0.0
	for _, row := range t.rows[:t.headers] {
		h += row.height
	}
	return t.headers > 0 && f.y <= f.top+h+fitTolerance
}

func (f *distributor) putRow(t *tableBox, row *rowBox) {
	row = f.placed(t, row)
	row.draw(&f.page.layer, f.area().x+t.x, f.y)
	f.y += row.height
	f.isAtTop = false
	f.addNotes(row.notes())
}
