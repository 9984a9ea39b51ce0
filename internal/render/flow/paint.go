package flow

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// op draws something on the page at hand.
type op func(p *painter)

// layer gathers what is to be drawn on a page, from the back to the front.
type layer struct {
	geometry      geometry
	main          []op
	behind, front floats // what floats behind the text and before it
	// merges are the colours of the last vertical merge at each place, which lie behind its text.
	merges map[mergeAt]*[]op
}

// mergeAt is where the vertical merges of a column stand.
type mergeAt struct {
	table *tableBox
	x     float64
}

// floats are drawings beside the text, each with what it takes to draw it.
type floats []struct {
	z   int
	ops []op
}

// add puts a drawing among others, behind those with a greater z.
func (f *floats) add(z int, ops []op) {
	at := len(*f)
	for at > 0 && (*f)[at-1].z > z {
		at--
	}
	*f = slices.Insert(*f, at, struct {
		z   int
		ops []op
	}{z, ops})
}

func (f *floats) take(others floats) {
	for _, one := range others {
		f.add(one.z, one.ops)
	}
}

// draw puts the drawings on the page.
func (f floats) draw(p *painter) {
	for _, one := range f {
		for _, o := range one.ops {
			o(p)
		}
	}
}

func (l *layer) add(o op) { l.main = append(l.main, o) }

// addMerge adds the colour of a merge's first cell; those of its others follow it.
func (l *layer) addMerge(at mergeAt, first op) {
	all := &[]op{first}
	if l.merges == nil {
		l.merges = map[mergeAt]*[]op{}
	}
	l.merges[at] = all
	l.add(func(p *painter) {
		for _, o := range *all {
			o(p)
		}
	})
}

// take adds what another layer of the same page has.
func (l *layer) take(other *layer) {
	if l.main == nil {
		l.main = other.main
	} else {
		l.main = append(l.main, other.main...)
	}
	l.behind.take(other.behind)
	l.front.take(other.front)
}

// draw puts what does not float on the page.
func (l *layer) draw(p *painter) {
	for _, o := range l.main {
		o(p)
	}
}

// artifact adds what readers leave out.
func (l *layer) artifact(add func()) { l.within(nil, pdf.Tag{Role: pdf.Artifact}, add) }

// within adds what belongs to an element.
func (l *layer) within(key any, tag pdf.Tag, add func()) {
	l.add(func(p *painter) { p.canvas.Begin(key, tag) })
	add()
	l.add(func(p *painter) { p.canvas.End() })
}

// hairline is the width of the lines that a page has by itself: between columns and above
// notes.
const hairline = 0.5

// painter draws pages.
type painter struct {
	canvas   *pdf.Canvas
	composer *composer
	// links that lead inside the document, drawn only where their target exists
	anchors   map[string]bool
	metafiles shape.Metafiles
}

// paint draws all pages.
func (l *layout) paint(title string) ([]byte, error) {
	canvas := pdf.NewCanvas(title, cmp.Or(l.doc.Language, l.doc.Settings.Language))
	canvas.Begin(nil, pdf.Tag{Role: pdf.Document})
	p := &painter{canvas: canvas, composer: l.composer, anchors: l.tally.linked, metafiles: shape.Metafiles{}}
	sectionPages := map[*wml.Section]int{}
	for _, pg := range l.pages {
		sectionPages[pg.section]++
	}
	for _, pg := range l.pages {
		if pg.isBlank { // it counts, but only on paper is it needed; LibreOffice leaves it out, too
			continue
		}
		canvas.AddPage(pg.section.Width, pg.section.Height)
		if bg := l.doc.Background; bg != nil {
			canvas.FillRect(0, 0, pg.section.Width, pg.section.Height, *bg)
		}
		l.paintPage(p, pg, strconv.Itoa(sectionPages[pg.section]))
		pdf.ReportOutside(canvas, l.tally.findings, "page", canvas.Pages())
	}
	pdf.ReportFull(canvas, l.tally.findings)
	return canvas.Bytes()
}

func (l *layout) paintPage(p *painter, pg *page, sectionPages string) {
	s := pg.section
	env := environment{page: l.pageText(pg), number: pg.number, pages: strconv.Itoa(len(l.pages)), sectionPages: sectionPages, section: l.sectionNumber(s), isInBand: true}
	header, footer := &layer{geometry: pg.geometry}, &layer{geometry: pg.geometry}
	left := l.left(s, pg.number)
	if h := l.story(s.Headers, pg); h != nil {
		l.stack(collect(h.Blocks), s.TextWidth(), env).draw(header, left, s.Header)
	}
	if h := l.story(s.Footers, pg); h != nil {
		b := l.stack(collect(h.Blocks), s.TextWidth(), env)
		b.draw(footer, left, s.Height-s.Footer-b.height())
	}
	pg.drawNotes()
	// The text of the page is written in the order in which it is read: readers
	// copy and search it in this order.
	p.band("Header", header.behind.draw)
	p.band("Footer", footer.behind.draw)
	p.band("Header", header.draw)
	pg.behind.draw(p)
	pg.draw(p)
	p.band("Footer", footer.draw)
	p.band("Header", header.front.draw)
	p.band("Footer", footer.front.draw)
	pg.front.draw(p)
	for _, c := range pg.columnLines {
		p.canvas.StrokeLine(c.x, c.from, c.x, c.to, pdf.Stroke{Width: hairline})
	}
	p.pageBorders(s)
}

// drawNotes draws the footnotes that were gathered for a page.
func (p *page) drawNotes() {
	if len(p.foot.notes) == 0 {
		return
	}
	area, y := p.noteArea, p.bottom-p.foot.height+noteGap
	line, width := y, min(noteLine, area.width)
	p.add(func(pt *painter) {
		pt.canvas.StrokeLine(area.x, line, area.x+width, line, pdf.Stroke{Width: hairline})
	})
	y += noteGap
	for _, s := range p.foot.notes {
		p.within(s, pdf.Tag{Role: pdf.Note}, func() { s.draw(&p.layer, area.x, y) })
		y += s.height()
	}
}

// band draws headers and footers, which readers leave out.
func (p *painter) band(name string, draw func(p *painter)) {
	p.canvas.Begin(nil, pdf.Tag{Role: pdf.Artifact, Name: name})
	draw(p)
	p.canvas.End()
}

// draw puts the row on a page, its upper left corner at x and y.
func (r *rowBox) draw(dst *layer, x, y float64) {
	for _, c := range r.cells {
		r.background(dst, c, x+c.x, y)
	}
	dst.add(func(p *painter) {
		p.canvas.Begin(r.table.t, pdf.Tag{Role: pdf.Table})
		p.canvas.Begin(r.row, pdf.Tag{Role: pdf.Row})
		r.place(p.canvas)
	})
	for _, c := range r.cells {
		if c.content != nil && len(c.content.items) > 0 {
			dst.within(c.cell, pdf.Tag{Role: pdf.Cell}, func() { r.content(dst, c, x+c.x, y) })
		}
	}
	dst.add(func(p *painter) {
		p.canvas.End()
		p.canvas.End()
		for _, c := range r.cells {
			p.cellBorders(r, c, x+c.x, y)
		}
	})
	if r.isLast {
		r.drawBottom(dst, x, y+r.height-r.bottom)
	}
}

// gapOf is the key of the columns that a row leaves out.
type gapOf struct {
	*wml.Row
	isBehind bool
}

// place gives the cells of a row their places in its table, those that it leaves out too.
func (r *rowBox) place(c *pdf.Canvas) {
	cell, columns := pdf.Cell, len(r.table.edges)-1
	if r.index < r.table.headers {
		cell = pdf.HeaderCell
	}
	gap := func(isBehind bool, columns int) {
		if columns > 0 {
			c.Place(gapOf{r.row, isBehind}, pdf.Tag{Role: pdf.Cell, Columns: columns})
		}
	}
	gap(false, r.row.GridBefore)
	at := r.row.GridBefore
	for _, one := range r.cells {
		at = one.cell.Column + one.cell.Span
		if !one.isCovered {
			c.Place(one.cell, pdf.Tag{Role: cell, Columns: one.cell.Span, Rows: one.rows})
		}
	}
	gap(true, columns-at)
}

func (r *rowBox) background(dst *layer, c *cellBox, x, y float64) {
	if c.shading == nil {
		return
	}
	color, h := *c.shading, r.height
	if c.isCovered {
		// The first cell's colour goes on.
		y, h = y-seamOverlap, h+seamOverlap
	}
	fill := func(p *painter) { p.canvas.FillRect(x, y, c.w, h, color) }
	merge := mergeAt{r.table, c.x}
	switch behind := dst.merges[merge]; {
	case c.isCovered && behind != nil: // the text of the first cell may reach down here
		*behind = append(*behind, fill)
	case c.rows > 1:
		dst.addMerge(merge, fill)
	default:
		dst.add(fill)
	}
}

func (r *rowBox) content(dst *layer, c *cellBox, x, y float64) {
	height := r.mergedHeight(c)
	room := height - r.line - r.bottom - c.contentHeight()
	top := y + r.line + c.margins.Top
	if room > 0 && (!r.isPart || r.isTail) && !isTurned(c.cell) {
		top += spaceAbove(c.cell.VAlign, room)
	}
	if isTurned(c.cell) {
		r.turnedContent(dst, c, x, y, height)
		return
	}
	isClipped := r.row.HasExactHeight && c.contentHeight() > height+clipTolerance
	if isClipped {
		dst.add(func(p *painter) { p.canvas.Save(); p.canvas.ClipRect(x, y, c.w, height) })
	}
	c.content.draw(dst, x+c.margins.Left, top)
	if isClipped {
		dst.add(func(p *painter) { p.canvas.Restore() })
	}
}

// spaceAbove is the part of free room that stands above text.
func spaceAbove(align string, room float64) float64 {
	switch align {
	case "center":
		return room / 2
	case "bottom":
		return room
	}
	return 0
}

// turnedContent draws text that runs up (btLr) from the cell's foot, its first line at the
// left, or down (tbRl) from its head, its first line at the right (ECMA-376 part 1, 17.4.72).
func (r *rowBox) turnedContent(dst *layer, c *cellBox, x, y, height float64) {
	angle, cx, cy := 90.0, x+c.w/2, y+height/2
	from, above := c.margins.Top, c.margins.Right
	if c.cell.Direction == "btLr" {
		angle, from, above = -90, c.margins.Bottom, c.margins.Left
	}
	room := math.Max(c.w-c.margins.Left-c.margins.Right-c.content.height(), 0)
	above += spaceAbove(c.cell.VAlign, room)
	dst.add(func(p *painter) { p.canvas.Rotate(angle, cx, cy) })
	c.content.draw(dst, cx-height/2+from, cy-c.w/2+above)
	dst.add(func(p *painter) { p.canvas.Restore() })
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
