package flow

import (
	"math"
	"strconv"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// story picks the header or footer of a page.
func (f *distributor) story(stories map[string]*wml.Story, p *page) *wml.Story {
	switch {
	case p.isFirst && p.section.TitlePage:
		return stories["first"]
	case f.doc.Settings.EvenAndOdd && p.number%2 == 0:
		return stories["even"]
	}
	return stories["default"]
}

// band composes a header or footer to be measured, once; page numbers hardly change it.
func (f *distributor) band(s *wml.Story, width float64) *stack {
	b := f.bands[s]
	if b == nil {
		b = f.stack(collect(s.Blocks), width, environment{page: "1", pages: "1", isInBand: true})
		f.bands[s] = b
	}
	return b
}

// keepBandsFree keeps the room of drawings free that are anchored in a header or
// footer and reach into the body, such as a logo that is higher than its header.
func (f *distributor) keepBandsFree(p *page) {
	s := p.section
	keep := func(b *stack, y float64) {
		for i := range b.items {
			it := &b.items[i]
			y += it.gap
			if it.line != nil {
				for _, e := range it.line.box.exclusions(it.line, &p.geometry, s.Left, y, false) {
					if e.bottom > p.top && e.y < p.bottom {
						p.exclusions = append(p.exclusions, e)
					}
				}
			}
			y += it.height
		}
	}
	if h := f.story(s.Headers, p); h != nil {
		keep(f.band(h, s.TextWidth()), s.Header)
	}
	if h := f.story(s.Footers, p); h != nil {
		b := f.band(h, s.TextWidth())
		keep(b, s.Height-s.Footer-b.height())
	}
	p.bandExclusions = len(p.exclusions)
}

// fitBesideBands makes a table as narrow as the page's header leaves room for beside
// drawings that are aligned at its left or right, where the rest of the table begins
// beside them; or as wide as it is without them. LibreOffice does so page by page.
func (f *distributor) fitBesideBands(t *tableBox) {
	const least = 0.25 // of the table; one that would be narrower begins below the drawing
	area, env := f.area(), f.environment()
	edges := columnEdges(t.t, area.width)
	full := edges[len(edges)-1]
	from := area.x + f.tableLeft(t.t, full, area.width, env)
	to := from + full
	for _, e := range f.page.exclusions[:f.page.bandExclusions] {
		if e.y > f.y || e.bottom <= f.y || e.x >= to || e.right <= from {
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
	fitted := f.tableWith(t.t, edges, from-area.x, env)
	t.x, t.edges, t.rows, t.headers = fitted.x, fitted.edges, fitted.rows, fitted.headers
}

// belowOthers is where something that cannot stand beside a drawing of a header or
// footer, nor beside a floating table, has room for its height, from y on. A drawing is
// in the way where there is room below it, a floating table always.
func (f *distributor) belowOthers(x, width, y, height float64) float64 {
	for i, e := range f.page.exclusions {
		isBand := i < f.page.bandExclusions && e.bottom+height <= f.page.bottom
		if (isBand || e.isTable) && e.x < x+width-besideTolerance && e.right > x+besideTolerance && e.y < y+height && e.bottom > y {
			y = e.bottom
			f.isAtTop = f.isAtTop && !e.isTable // the next page has room without it
		}
	}
	return y
}

// pageArea sets where the body of a page begins and ends: a header that is
// higher than its margin pushes it down, unless the margin is negative, which
// means exact (ECMA-376 part 1, 17.6.11).
func (f *distributor) pageArea(p *page) {
	s := p.section
	width := s.TextWidth()
	p.top, p.bottom = math.Abs(s.Top), s.Height-math.Abs(s.Bottom)
	if h := f.story(s.Headers, p); h != nil && s.Top >= 0 {
		p.top = math.Max(p.top, s.Header+f.band(h, width).height())
	}
	if h := f.story(s.Footers, p); h != nil && s.Bottom >= 0 {
		p.bottom = math.Min(p.bottom, s.Height-s.Footer-f.band(h, width).height())
	}
	if s.GridPitch > 0 { // LibreOffice centres the rows of the grid
		if spare := math.Mod(p.bottom-p.top, s.GridPitch); spare > 0 {
			p.top += spare / 2
			p.bottom -= spare / 2
		}
	}
	if p.bottom-p.top < minBody { // no room for text: let it run over the margins
		p.top = math.Min(p.top, s.Height/2)
		p.bottom = math.Max(p.bottom, p.top+minBody)
	}
}

// paint draws all pages.
func (f *distributor) paint(title string) ([]byte, error) {
	canvas := pdf.NewCanvas(title, f.doc.Settings.Language)
	p := &painter{canvas: canvas, composer: f.composer, anchors: f.tally.linked, metafiles: shape.Metafiles{}}
	sectionPages := map[*wml.Section]int{}
	for _, pg := range f.pages {
		sectionPages[pg.section]++
	}
	for _, pg := range f.pages {
		if pg.isBlank { // it counts, but only on paper is it needed; LibreOffice leaves it out, too
			continue
		}
		canvas.AddPage(pg.section.Width, pg.section.Height)
		if bg := f.doc.Background; bg != nil {
			canvas.FillRect(0, 0, pg.section.Width, pg.section.Height, *bg)
		}
		f.paintPage(p, pg, strconv.Itoa(sectionPages[pg.section]))
		pdf.ReportOutside(canvas, f.tally.findings, "page", canvas.Pages())
	}
	pdf.ReportFull(canvas, f.tally.findings)
	return canvas.Bytes()
}

func (f *distributor) paintPage(p *painter, pg *page, sectionPages string) {
	s := pg.section
	env := environment{page: f.pageText(pg), number: pg.number, pages: strconv.Itoa(len(f.pages)), sectionPages: sectionPages, section: f.sectionNumber(s), isInBand: true}
	header, footer := &layer{geometry: pg.geometry}, &layer{geometry: pg.geometry}
	left := s.Left
	if f.doc.Settings.MirrorMargins && pg.number%2 == 0 {
		left = s.Right
	}
	if h := f.story(s.Headers, pg); h != nil {
		f.stack(collect(h.Blocks), s.TextWidth(), env).draw(header, left, s.Header)
	}
	if h := f.story(s.Footers, pg); h != nil {
		b := f.stack(collect(h.Blocks), s.TextWidth(), env)
		b.draw(footer, left, s.Height-s.Footer-b.height())
	}
	f.drawNotes(pg)
	// The text of the page is written in the order in which it is read: readers
	// copy and search it in this order.
	header.behind.draw(p)
	footer.behind.draw(p)
	header.draw(p)
	pg.behind.draw(p)
	pg.draw(p)
	footer.draw(p)
	header.front.draw(p)
	footer.front.draw(p)
	pg.front.draw(p)
	for _, l := range pg.columnLines {
		p.canvas.StrokeLine(l.x, l.from, l.x, l.to, pdf.Stroke{Width: hairline})
	}
	p.pageBorders(s)
}
