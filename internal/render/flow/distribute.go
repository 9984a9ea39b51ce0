package flow

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/wml"
)

// work is what waits to be placed.
type work struct {
	// children are what is left of a section. The first of them may have begun.
	children []child
	begun    begun
	// pending is a page or column break that waits for more text, TextItem for none.
	pending wml.ItemKind
	// space is the room that what was placed last leaves below it.
	space spacer
	// opensColumns says that a section's columns begin here, below what the page holds.
	opensColumns bool
	// looseUntil is the last paragraph of a chain that no column has room for.
	looseUntil *wml.Paragraph
	// carried are the merges of a table that go on on the next page.
	carried []carried
	// boxes are paragraphs as they were composed before it was their turn. They only save time.
	boxes map[*wml.Paragraph]*paragraphBox
}

func (w *work) isDone() bool { return len(w.children) == 0 }

// begun is how far a child has come whose region was full. The zero value is for one that did
// not begin.
type begun struct {
	// box is a paragraph without the break in front of it. Its lines go on with the one at from.
	box  *paragraphBox
	from int
	// isKept says that the paragraph stands with what follows it, hasLines that its room is set.
	isKept, hasLines bool
	// table goes on with the row at row, or with part, which is what is left of it.
	table *tableBox
	row   int
	part  *rowBox
	// isRow says that the row has its place, isCut that the page break runs through it.
	isRow, isCut bool
	// loose is the first row that is not kept with those below it.
	loose int
}

// A region is where a section goes on a page, and what the page holds already.
type region struct {
	// page counts the pages up to this one.
	page     int
	geometry geometry
	// env is that of text here.
	env environment
	// columns are filled one after the other; column is the one at hand.
	columns        []columnArea
	column         int
	hasColumnLines bool // between the columns
	// pageTop is where the text of the page begins, and bottom where text and notes end.
	pageTop, bottom float64
	// top is where columns begin, balance where columns end that are made equally long, 0 for none.
	top, balance float64
	// y is how far the column is filled, lowest how far the others were.
	y, lowest float64
	isAtTop   bool
	// keepsTop says that the first paragraph of the page keeps the space above
	// it: on the first page, and behind a page break that the author set.
	keepsTop bool
	// exclusions are what text runs around. The first, as many as bandExclusions, belong to header
	// and footer.
	exclusions     []exclusion
	bandExclusions int
	// foot has the notes, which are noteWidth wide.
	foot      foot
	noteWidth float64
}

type columnArea struct{ x, width float64 }

// foot is the notes at the foot of a page.
type foot struct {
	notes  []*stack
	ids    []string
	height float64
}

// A frame is what a region came to: what is drawn there, and how the region stands then.
type frame struct {
	layer layer
	end   region
}

// distribute places work in a region and returns the rest. Neither changes, so the same work
// can be placed in several regions to find the one that suits it.
func (c *composer) distribute(w work, r region) (frame, work) {
	w.carried, r.exclusions = slices.Clip(w.carried), slices.Clip(r.exclusions)
	r.foot.notes, r.foot.ids = slices.Clip(r.foot.notes), slices.Clip(r.foot.ids)
	d := &distributor{composer: c, work: w, region: r, layer: layer{geometry: r.geometry}}
	for len(d.children) > 0 {
		if !d.tally.spend(perParagraph) {
			d.children = nil
			break
		}
		if !d.placeChild() {
			break
		}
		d.children, d.begun = d.children[1:], begun{}
	}
	return frame{layer: d.layer, end: d.region}, d.work
}

// A distributor fills one region and is gone then. Its methods return false where the region is
// full; the work says where to go on.
type distributor struct {
	*composer
	work
	region
	layer layer
}

// placeChild places the first of the children.
func (d *distributor) placeChild() bool {
	c := &d.children[0]
	if c.isEmpty {
		return true
	}
	if !d.applyPending() {
		return false
	}
	switch {
	case c.paragraph != nil:
		return d.placeParagraph(c)
	case c.textFrame != nil:
		return d.placeTextFrame(c)
	case d.begun.table == nil && c.table.Floating != nil && d.placeFloating(c.table):
		return true
	}
	return d.placeTable(c.table)
}

// applyPending carries out a break that waited for something to follow it.
func (d *distributor) applyPending() bool {
	switch d.pending {
	case wml.PageBreakItem:
		return false
	case wml.ColumnBreakItem:
		if !d.nextColumn() {
			return false
		}
		d.pending, d.keepsTop = wml.TextItem, true
	}
	return true
}

// nextColumn moves on to the next column; false behind the last.
func (d *distributor) nextColumn() bool {
	if !d.region.nextColumn() {
		return false
	}
	d.space.pass(nil, 0)
	return true
}

func (r *region) nextColumn() bool {
	r.lowest = max(r.lowest, r.y)
	if r.column+1 >= len(r.columns) {
		return false
	}
	r.column++
	r.y, r.isAtTop, r.keepsTop = r.top, true, false
	return true
}

func (r *region) area() columnArea { return r.columns[r.column] }

// limit is how far down the column may be filled.
func (r *region) limit() float64 {
	bottom := r.bottom - r.foot.height
	if r.balance > 0 && r.balance < bottom {
		return r.balance
	}
	return bottom
}

// placeParagraph places a paragraph, or goes on with it.
func (d *distributor) placeParagraph(c *child) bool {
	b := &d.begun
	if b.box == nil {
		own := *d.box(c.paragraph)
		own.joinBorders(c.previous, c.next)
		b.box = &own
		if !d.breakBefore() {
			return false
		}
	}
	if !b.isKept {
		b.box, b.isKept = d.adapt(b.box), true
		if d.mustMove(c) && !d.nextColumn() {
			return false
		}
	}
	gap := d.openParagraph()
	for !d.placeLines(gap) {
		if d.pending == wml.TextItem && !d.nextColumn() || !d.applyPending() {
			return false
		}
		gap = d.openParagraph()
	}
	d.space.pass(c.paragraph, b.box.extra)
	return true
}

// box composes a paragraph for the column at hand, once.
func (d *distributor) box(p *wml.Paragraph) *paragraphBox {
	width := d.area().width
	if b := d.boxes[p]; b != nil && b.width == width {
		return b
	}
	b := d.paragraph(p, width, d.env)
	d.boxes[p] = b
	return b
}

// breakBefore carries out a page break in front of the paragraph that begins: its own
// property, or a break that is the first thing in its text, which goes.
func (d *distributor) breakBefore() bool {
	box := d.begun.box
	if box.p.PageBreakBefore && !(d.isAtTop && d.column == 0) {
		d.pending = wml.PageBreakItem
	}
	if box.opensWith != wml.TextItem {
		d.pending = box.opensWith
		d.begun.box = box.withoutBreak()
	}
	return d.applyPending()
}

// adapt is a paragraph as it is in the column and on the page where it goes, whose
// number it may show.
func (d *distributor) adapt(box *paragraphBox) *paragraphBox {
	width := d.area().width
	isRenumbered := box.page != "" && box.page != d.env.page
	if !isRenumbered && box.width == width {
		return box
	}
	adapted := *box
	if isRenumbered {
		adapted.setGlyphs(d.composer, d.env)
	}
	adapted.width = width
	adapted.compose(0, nil, 0)
	return &adapted
}

// mustMove says whether a paragraph that is kept with what follows does not
// fit here together with it, but would in a column of its own.
func (d *distributor) mustMove(c *child) bool {
	if !c.paragraph.KeepNext || d.isLoose(c.paragraph) {
		return false
	}
	chain := d.children
	if c.isSplit {
		chain = nil
	}
	need := d.heightOf(chain)
	return d.y+need > d.limit()+fitTolerance && d.fitsOneColumn(chain, need) && !d.isAtTop
}

// isLoose says whether a paragraph stands in a chain that no column has room for. Such
// a chain breaks where a column ends, and its last paragraph alone is kept with what
// follows.
func (d *distributor) isLoose(p *wml.Paragraph) bool {
	if d.looseUntil == p {
		d.looseUntil = nil
	}
	return d.looseUntil != nil
}

// heightOf is the height of a chain of paragraphs that are kept with what follows, as far as
// one column may hold it: the first lines of the last, or a table's header and first row.
func (d *distributor) heightOf(chain []child) float64 {
	const maxChain = 1000 // that are looked at: paragraphs may have no height
	need, space := 0.0, d.space
	full := d.bottom - d.top
	for i := range chain[:min(maxChain, len(chain))] {
		switch c := &chain[i]; {
		case c.paragraph != nil:
			box := d.begun.box
			if i > 0 {
				box = d.box(c.paragraph)
			}
			need += space.gap(c.paragraph)
			if !c.paragraph.KeepNext {
				return need + box.least()
			}
			for _, ln := range box.lines {
				need += ln.height
			}
			space.pass(c.paragraph, box.extra)
		case c.table != nil:
			t := d.table(c.table, d.area().width, d.env)
			need += space.below()
			for r := 0; r <= t.headers && r < len(t.rows); r++ {
				need += t.rows[r].height
			}
			return need
		}
		if need >= full {
			break
		}
	}
	return need
}

// fitsOneColumn says whether a column has room for the height of a chain, and loosens
// the chain where none has.
func (d *distributor) fitsOneColumn(chain []child, height float64) bool {
	if height < d.bottom-d.top {
		return true
	}
	for i := range chain {
		p := chain[i].paragraph
		if p == nil || !p.KeepNext {
			break
		}
		d.looseUntil = p
	}
	return false
}

// openParagraph makes what is left of a paragraph ready for the column, and returns the room above it.
func (d *distributor) openParagraph() (gap float64) {
	b := &d.begun
	if b.from == 0 {
		b.box = d.adapt(b.box)
	}
	gap = d.gapAbove(b.box)
	if !b.hasLines {
		b.box, b.hasLines = d.wrapAround(b.box, gap), true
	} else {
		d.restart(gap)
	}
	return gap
}

func (d *distributor) gapAbove(box *paragraphBox) float64 {
	isAtStart := d.isAtTop && d.region.page == 1 && d.column == 0
	if d.isAtTop && !d.keepsTop || isAtStart && box.p.HasAutoBefore && !d.doc.Settings.SumsSpacing {
		return 0
	}
	if d.opensColumns && d.column == 0 && d.y <= d.top+fitTolerance { // the space stands above all columns
		d.top += d.space.gap(box.p)
		d.y, d.opensColumns = d.top, false
		return 0
	}
	return d.space.gap(box.p)
}

// restart composes what is left of a paragraph again where the column differs in width, or
// lines were narrowed by objects beside them.
func (d *distributor) restart(gap float64) {
	box, from := d.begun.box, d.begun.from
	isNarrowed := slices.ContainsFunc(box.lines[from:], func(ln *line) bool { return ln.isNarrowed })
	if box.width == d.area().width && !isNarrowed && len(d.exclusions) == 0 {
		return
	}
	rest := *box
	rest.width, rest.above = d.area().width, gap
	rest.compose(box.lines[from].from, d.room(), d.y+gap)
	d.begun.box, d.begun.from = &rest, 0
}

// placeLines puts lines of the paragraph into the column, as many as it takes; false where
// some are left.
func (d *distributor) placeLines(gap float64) bool {
	b := &d.begun
	items := b.box.items(b.from, d.bottom)
	n := d.countFitting(b.box, items, gap, b.from)
	if n == 0 {
		if !d.isAtTop {
			return false
		}
		n = 1
	}
	d.pending = d.put(items[:n], gap)
	b.from += n
	return b.from == len(b.box.lines)
}

// countFitting is the number of items that fit into what is left of the column,
// after keep-together and the control of widows and orphans had their say.
func (d *distributor) countFitting(box *paragraphBox, items []item, gap float64, from int) int {
	y, notes, n := d.y+gap, 0.0, 0
	for n < len(items) {
		it := &items[n]
		if len(it.notes) > 0 {
			notes += d.composeNotes(it.notes).height
		}
		if y+it.height > d.limit()-notes+placeTolerance {
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
	if box.p.KeepLines && from == 0 && !d.isAtTop {
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
func (d *distributor) put(items []item, gap float64) wml.ItemKind {
	x := d.area().x
	d.y += gap
	for i := range items {
		it := &items[i]
		it.draw(&d.layer, x, d.y, gap)
		gap = 0
		d.y += it.height
		d.isAtTop = false
		d.addNotes(it.notes)
		if k := it.line.breakKind; k == wml.PageBreakItem || k == wml.ColumnBreakItem {
			return k
		}
	}
	return wml.TextItem
}

// composeNotes composes the footnotes that are referred to. Their height is the room that they
// need beside those that the page has.
func (d *distributor) composeNotes(references []*object) (more foot) {
	for _, o := range references {
		n := d.doc.Note(o.kind, o.item.NoteID)
		if n == nil {
			continue
		}
		s := d.stack(collect(n.Blocks), d.noteWidth, environment{})
		more.notes, more.ids = append(more.notes, s), append(more.ids, o.item.NoteID)
		more.height += s.height()
	}
	if more.height > 0 && len(d.foot.notes) == 0 {
		more.height += 2 * noteGap
	}
	return more
}

// addNotes puts notes at the foot of the page.
func (d *distributor) addNotes(references []*object) {
	more := d.composeNotes(references)
	d.foot.notes, d.foot.ids = append(d.foot.notes, more.notes...), append(d.foot.ids, more.ids...)
	d.foot.height += more.height
}

// room tells where lines of the current column are free of objects; nil when
// there are none on the page.
func (d *distributor) room() room {
	if len(d.exclusions) == 0 {
		return nil
	}
	return besides(d.exclusions, d.area())
}

// wrapAround finds the drawings that are anchored in a paragraph and keeps their room
// free. It returns the paragraph, composed around all that stands on the page.
func (d *distributor) wrapAround(box *paragraphBox, gap float64) *paragraphBox {
	x, y := d.area().x, d.y+gap+box.top
	around := *box
	if around.own = gap; !d.isAtTop {
		around.own = math.Max(gap-d.space.below(), 0)
	}
	for _, ln := range box.lines {
		d.exclusions = append(d.exclusions, around.exclusions(ln, &d.geometry, x, y-around.own, false)...)
	}
	if len(d.exclusions) == 0 {
		return &around
	}
	around.above = gap
	around.compose(0, d.room(), y)
	for _, ln := range around.lines {
		ln.isNarrowed = true
	}
	return &around
}
