package flow

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
)

// distribute places children into columns and pages.
func (f *distributor) distribute(children []child) {
	for i := range children {
		if f.isFull() || !f.tally.spend(perParagraph) {
			return
		}
		var before snapshot
		if f.turns != nil {
			before = f.remember()
		}
		switch c := &children[i]; {
		case c.isEmpty:
		case c.paragraph != nil:
			f.placeParagraph(c, children[i:])
		case c.frame != nil:
			f.placeFramed(c)
		case c.table.Floating == nil || !f.placeFloating(c.table):
			f.placeTable(c.table)
		}
		if f.turns != nil && f.page != before.region.page {
			*f.turns = pageTurn{child: i, before: before}
		}
	}
}

// box composes a paragraph for the column at hand, once.
func (f *distributor) box(p *wml.Paragraph) *paragraphBox {
	width := f.area().width
	if b := f.boxes[p]; b != nil && b.width == width {
		return b
	}
	b := f.composed[p].again(width)
	if b == nil {
		if b = f.paragraph(p, width, f.environment()); f.composed != nil && b.page == "" {
			f.composed[p] = b.again(width)
		}
	}
	f.boxes[p] = b
	return b
}

// placeParagraph places a paragraph; chain begins with it and goes on with what
// follows, which it may have to be kept with.
func (f *distributor) placeParagraph(c *child, chain []child) {
	p := c.paragraph
	f.applyPending()
	box := f.adapt(f.breakBefore(f.box(p)))
	box.frame(c.previous, c.next)
	f.boxes[p] = box
	if p.KeepNext && !f.isLoose(p) && f.mustMove(chain) && !f.isAtTop {
		f.nextColumn()
	}
	box = f.place(f.adapt(box))
	delete(f.boxes, p)
	f.space.pass(p, box.extra)
}

// adapt is a paragraph as it is in the column and on the page where it goes, whose
// number it may show.
func (f *distributor) adapt(box *paragraphBox) *paragraphBox {
	env, width := f.environment(), f.area().width
	isRenumbered := box.page != "" && box.page != env.page
	if !isRenumbered && box.width == width {
		return box
	}
	adapted := *box
	if isRenumbered {
		adapted.setGlyphs(f.composer, env)
	}
	adapted.width = width
	adapted.compose(0, nil, 0)
	return &adapted
}

// breakBefore carries out a page break in front of a paragraph: its own property, or a
// break that is the first thing in its text, and returns the paragraph without it.
func (f *distributor) breakBefore(box *paragraphBox) *paragraphBox {
	f.pending = wml.TextItem
	if box.p.PageBreakBefore && !(f.isAtTop && f.column == 0) {
		f.pending = wml.PageBreakItem
	}
	if box.opensWith != wml.TextItem {
		f.pending = box.opensWith
		box = box.withoutBreak()
	}
	f.applyPending()
	return box
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
			space.pass(c.paragraph, box.extra)
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

// place puts a paragraph's lines into columns, as many as it takes, and returns it as it
// ends.
func (f *distributor) place(box *paragraphBox) *paragraphBox {
	gap := f.gapAbove(box)
	box = f.wrapAround(box, gap)
	from := 0
	for from < len(box.lines) {
		if f.isFull() {
			return box
		}
		items := box.items(from, f.page.bottom)
		n := f.countFitting(box, items, gap, from)
		if n == 0 && !f.isAtTop {
			f.nextColumn()
			gap = 0
			if from == 0 {
				box = f.adapt(box)
			}
			box, from = f.restart(box, from, gap)
			continue
		}
		n = max(n, 1)
		broken := f.put(items[:n], gap)
		gap = 0
		from += n
		switch {
		case broken != wml.TextItem:
			f.pending = broken
			if from < len(box.lines) {
				f.applyPending()
				gap = f.gapAbove(box)
				box, from = f.restart(box, from, gap)
			}
		case from < len(box.lines):
			f.nextColumn()
			box, from = f.restart(box, from, 0)
		}
	}
	return box
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

// restart returns what is left of a paragraph, and its first line: composed again where
// the next column differs in width, or lines were narrowed by objects beside them.
func (f *distributor) restart(box *paragraphBox, from int, gap float64) (*paragraphBox, int) {
	if from >= len(box.lines) {
		return box, from
	}
	isNarrowed := slices.ContainsFunc(box.lines[from:], func(ln *line) bool { return ln.isNarrowed })
	if box.width == f.area().width && !isNarrowed && len(f.page.exclusions) == 0 {
		box.space(box.lines[from], true)
		return box, from
	}
	rest := *box
	rest.width, rest.above = f.area().width, gap
	rest.compose(box.lines[from].from, f.room(), f.y+gap)
	return &rest, 0
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
func (f *distributor) put(items []item, gap float64) wml.ItemKind {
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

// noteStack composes a footnote for the page's width.
func (f *distributor) noteStack(o *object) *stack {
	n := f.doc.Note(o.kind, o.item.NoteID)
	if n == nil {
		return nil
	}
	return f.stack(collect(n.Blocks), f.page.noteW, environment{})
}

// noteRoom is how much more room a page needs for these notes.
func (f *distributor) noteRoom(notes []*object) float64 {
	h := 0.0
	for _, o := range notes {
		if s := f.noteStack(o); s != nil {
			h += s.height()
		}
	}
	if h > 0 && len(f.page.notes) == 0 {
		h += 2 * noteGap
	}
	return h
}

// addNotes puts notes at the foot of the page.
func (f *distributor) addNotes(notes []*object) {
	room := f.noteRoom(notes)
	for _, o := range notes {
		if s := f.noteStack(o); s != nil {
			f.page.notes, f.page.noteIDs = append(f.page.notes, s), append(f.page.noteIDs, o.item.NoteID)
		}
	}
	f.page.noteHeight += room
}

// room tells where lines of the current column are free of objects; nil when
// there are none on the page.
func (f *distributor) room() room {
	if len(f.page.exclusions) == 0 {
		return nil
	}
	return besides(f.page.exclusions, f.area())
}

// wrapAround finds the drawings that are anchored in a paragraph and keeps their room
// free. It returns the paragraph, composed around all that stands on the page.
func (f *distributor) wrapAround(box *paragraphBox, gap float64) *paragraphBox {
	x, y := f.area().x, f.y+gap+box.top
	around := *box
	if around.own = gap; !f.isAtTop {
		around.own = math.Max(gap-f.space.below(), 0)
	}
	for _, ln := range box.lines {
		f.page.exclusions = append(f.page.exclusions, around.exclusions(ln, &f.page.geometry, x, y-around.own, false)...)
	}
	if len(f.page.exclusions) == 0 {
		return &around
	}
	around.above = gap
	around.compose(0, f.room(), y)
	for _, ln := range around.lines {
		ln.isNarrowed = true
	}
	return &around
}

func (f *distributor) isFull() bool {
	if len(f.pages) < maxPages {
		return false
	}
	f.tally.findings.Add(render.FindingTruncated, fmt.Sprintf("the document has more than %d pages", maxPages))
	return true
}

func (f *distributor) toTop() {
	f.y, f.isAtTop, f.keepsTop = f.top, true, false
	f.space.pass(nil, 0)
}

// nextColumn moves on to the next column, or to a new page after the last.
func (f *distributor) nextColumn() {
	f.pending = wml.TextItem
	f.lowest = max(f.lowest, f.y)
	if f.column+1 < len(f.columns) {
		f.column++
		f.toTop()
		return
	}
	f.newPage()
}

// applyPending carries out a break that waited for something to follow it.
func (f *distributor) applyPending() {
	kind := f.pending
	f.pending = wml.TextItem
	switch kind {
	case wml.PageBreakItem:
		f.newPage()
	case wml.ColumnBreakItem:
		f.nextColumn()
	default:
		return
	}
	f.keepsTop = true
}

func (f *distributor) area() columnArea { return f.columns[f.column] }

// limit is how far down the column may be filled.
func (f *distributor) limit() float64 {
	bottom := f.page.bottom - f.page.noteHeight
	if f.balance > 0 && f.balance < bottom && len(f.pages) == f.balanced {
		return f.balance
	}
	return bottom
}

func (f *distributor) environment() environment {
	number := 0
	if f.page != nil {
		number = f.page.number
	}
	return environment{page: f.pageText(f.page), number: number, pages: f.totalPages, section: f.sectionNumber(f.section), isInFlow: true, grid: f.section.GridPitch}
}

// sectionNumber is what SECTION shows in a section.
func (f *distributor) sectionNumber(s *wml.Section) string {
	return strconv.Itoa(slices.Index(f.doc.Sections, s) + 1)
}

func (f *distributor) pageText(p *page) string {
	if p == nil {
		return "1"
	}
	text, isKnown := dml.NumberIn(p.number, p.section.PageFormat, f.doc.Language)
	if !isKnown {
		f.tally.findings.Add(render.FindingDrawing, string(dml.LossNumberFormat))
	}
	return text
}

func (f *distributor) setColumns(s *wml.Section) {
	f.columns, f.hasColumnLines = f.columns[:0], s.HasColumnLine
	x := s.Left
	if f.doc.Settings.MirrorMargins && f.page.number%2 == 0 {
		x = s.Right
	}
	for _, c := range s.Columns {
		f.columns = append(f.columns, columnArea{x: x, width: c.Width})
		x += c.Width + c.Space
	}
	f.column = 0
}

// closeColumns draws the lines between the columns of a section that ends.
func (f *distributor) closeColumns() {
	f.lowest = max(f.lowest, f.y+f.space.below())
	if f.page == nil || !f.hasColumnLines {
		return
	}
	for i := 0; i+1 < len(f.columns); i++ {
		x := (f.columns[i].x + f.columns[i].width + f.columns[i+1].x) / 2
		f.page.columnLines = append(f.page.columnLines, columnLine{x: x, from: f.top, to: f.lowest})
	}
}

// newPage begins a page of the current section.
func (f *distributor) newPage() {
	f.finishPage()
	f.number = f.number + 1
	if f.beginsSection && f.section.PageStart > 0 {
		f.number = f.section.PageStart
	}
	s := f.section
	p := &page{section: s, isFirst: f.beginsSection, number: f.number}
	p.layer.geometry = geometry{width: s.Width, height: s.Height, left: s.Left, right: s.Right, top: s.Top, bottom: s.Bottom}
	f.beginsSection = false
	f.page = p
	f.pages = append(f.pages, p)
	f.pageArea(p)
	f.keepBandsFree(p)
	f.top, f.lowest = p.top, p.top
	f.setColumns(s)
	p.noteX, p.noteW = f.columns[0].x, s.TextWidth()
	f.toTop()
}

func (f *distributor) finishPage() {
	if f.page != nil && len(f.columns) > 1 {
		f.closeColumns()
	}
}
