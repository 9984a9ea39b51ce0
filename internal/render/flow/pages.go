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

// maxPages bounds what a document may become; text behind it is left out, with a finding.
const maxPages = 2000

const (
	// noteGap is the room around the line above notes.
	noteGap = 3.0
	// noteLine is the length of that line, two inches as in Word, where the text
	// is not narrower.
	noteLine = 144.0
)

// A layout puts the sections of a document on pages, region by region.
type layout struct {
	*composer
	// totalPages is what NUMPAGES shows: 1 until the document was laid out once.
	totalPages string
	pages      []*page
	// number is that of the last page.
	number int
	// section is the one at hand, and beginsSection says that the next page is its first.
	section       *wml.Section
	beginsSection bool
	// work is what waits to be placed, and region is where it goes.
	work   work
	region region
	// bands are headers and footers, composed once to be measured.
	bands map[*wml.Story]*stack
}

// page is one page while it is filled.
type page struct {
	layer
	section     *wml.Section
	isFirst     bool // of its section
	isBlank     bool
	number      int
	top, bottom float64 // of its text and notes
	foot        foot
	noteArea    columnArea
	columnLines []columnLine
}

type columnLine struct{ x, from, to float64 }

func (l *layout) page() *page { return l.pages[len(l.pages)-1] }

// beginSection goes to where a section starts.
func (l *layout) beginSection(s *wml.Section, isFirst bool) {
	previous := l.section
	l.section, l.beginsSection = s, true
	l.work.pending, l.work.boxes = wml.PageBreakItem, map[*wml.Paragraph]*paragraphBox{}
	isSameSize := previous != nil && previous.Width == s.Width && previous.Height == s.Height
	switch {
	case isFirst:
	case s.Start == "continuous" && isSameSize:
		l.beginsSection = s.TitlePage
		l.continueWith(s)
		return
	case s.Start == "nextColumn" && isSameSize && len(previous.Columns) == len(s.Columns):
		l.work.pending = wml.ColumnBreakItem
	case s.Start == "oddPage" && l.nextNumber()%2 == 0, s.Start == "evenPage" && l.nextNumber()%2 == 1:
		l.newPage()
		l.page().isBlank = true
		l.beginsSection = true
	}
	l.turn()
	l.region.env = l.environment()
}

func (l *layout) nextNumber() int {
	if l.section.PageStart > 0 {
		return l.section.PageStart
	}
	return l.number + 1
}

// continueWith starts a section's columns below what the page already holds.
func (l *layout) continueWith(s *wml.Section) {
	l.closeColumns()
	w, r := &l.work, &l.region
	space := spacer{addsUp: l.doc.Settings.SumsSpacing}
	if w.space.previous != nil && r.lowest <= r.y+w.space.below() {
		space.given = w.space.previous.After
	}
	w.space, w.pending, w.opensColumns = space, wml.TextItem, len(s.Columns) > 1
	r.top = r.lowest
	r.y, r.isAtTop = r.top, r.top <= r.pageTop+fitTolerance
	r.columns, r.column = l.columns(s), 0
	r.hasColumnLines, r.env = s.HasColumnLine, l.environment()
}

// fill places the children of a section or the endnotes into as many regions as it takes.
func (l *layout) fill(children []child, isBalanced bool) {
	l.work.children = children
	for isFirst := true; !l.isFull(); isFirst = false {
		f, rest := l.distribute(l.work, l.region)
		if isBalanced && rest.isDone() && !setsColumns(l.work.children, !isFirst) {
			f, rest = l.balance(f, rest)
		}
		l.page().take(&f)
		l.work, l.region = rest, f.end
		if rest.isDone() {
			return
		}
		l.turn()
	}
}

// take adds what a region came to.
func (p *page) take(f *frame) {
	p.layer.take(&f.layer)
	p.foot = f.end.foot
}

// balanceSteps is how often the range of heights is halved in which that of
// equally long columns lies: nine times make two points of a long page, less than
// a line.
const balanceSteps = 9

// balance finds the least height of columns that still hold the work, and returns what comes of
// it. best and rest are of columns that go down to the foot of the page.
func (l *layout) balance(best frame, rest work) (frame, work) {
	low, high, r := best.end.top, l.region.bottom, l.region
	for range balanceSteps {
		r.balance = (low + high) / 2
		tried, left := l.distribute(l.work, r)
		if left.isDone() && max(tried.end.lowest, tried.end.y) <= r.balance+balanceTolerance {
			high, best, rest = r.balance, tried, left
		} else {
			low = r.balance
		}
	}
	best.end.balance = 0
	return best, rest
}

// setsColumns says whether their author has set where the columns of children end. isOver is
// for children whose first one brought them to the next page, perhaps by a break.
func setsColumns(children []child, isOver bool) bool {
	for i := range children {
		p := children[i].paragraph
		if p == nil || children[i].isSplit || i == 0 && isOver {
			continue
		}
		for _, r := range p.Runs {
			for i := range r.Items {
				if k := r.Items[i].Kind; k == wml.ColumnBreakItem || k == wml.PageBreakItem {
					return true
				}
			}
		}
	}
	return false
}

func (l *layout) isFull() bool {
	if len(l.pages) < maxPages {
		return false
	}
	l.tally.findings.Add(render.FindingTruncated, fmt.Sprintf("the document has more than %d pages", maxPages))
	return true
}

// turn goes on in the next column, where a column break waits and there is one, else on a new
// page. Behind a break that the author set the first paragraph keeps the space above it.
func (l *layout) turn() {
	pending := l.work.pending
	if pending != wml.ColumnBreakItem || !l.region.nextColumn() {
		l.newPage()
	}
	l.work.pending = wml.TextItem
	l.work.space.pass(nil, 0)
	l.region.keepsTop = pending != wml.TextItem
}

// newPage begins a page of the current section.
func (l *layout) newPage() {
	l.finishPage()
	l.number++
	if l.beginsSection && l.section.PageStart > 0 {
		l.number = l.section.PageStart
	}
	s := l.section
	p := &page{section: s, isFirst: l.beginsSection, number: l.number}
	p.layer.geometry = geometry{width: s.Width, height: s.Height, left: s.Left, right: s.Right, top: s.Top, bottom: s.Bottom}
	l.beginsSection = false
	l.pages = append(l.pages, p)
	l.pageArea(p)
	held, columns := l.keepBandsFree(p), l.columns(s)
	p.noteArea = columnArea{x: columns[0].x, width: s.TextWidth()}
	l.region = region{page: len(l.pages), geometry: p.geometry, env: l.environment(), columns: columns, hasColumnLines: s.HasColumnLine,
		pageTop: p.top, bottom: p.bottom, top: p.top, y: p.top, lowest: p.top, isAtTop: true,
		exclusions: held, bandExclusions: len(held), noteWidth: p.noteArea.width}
}

func (l *layout) finishPage() {
	if len(l.region.columns) > 1 {
		l.closeColumns()
	}
}

// closeColumns draws the lines between the columns of a section that ends.
func (l *layout) closeColumns() {
	r := &l.region
	r.lowest = max(r.lowest, r.y+l.work.space.below())
	if !r.hasColumnLines {
		return
	}
	for i := 0; i+1 < len(r.columns); i++ {
		x := (r.columns[i].x + r.columns[i].width + r.columns[i+1].x) / 2
		l.page().columnLines = append(l.page().columnLines, columnLine{x: x, from: r.top, to: r.lowest})
	}
}

// columns are those of a section on the page at hand.
func (l *layout) columns(s *wml.Section) []columnArea {
	columns := make([]columnArea, len(s.Columns))
	x := l.left(s, l.page().number)
	for i, c := range s.Columns {
		columns[i] = columnArea{x: x, width: c.Width}
		x += c.Width + c.Space
	}
	return columns
}

// left is the left margin of a page with a number.
func (l *layout) left(s *wml.Section, number int) float64 {
	if l.doc.Settings.MirrorMargins && number%2 == 0 {
		return s.Right
	}
	return s.Left
}

// environment is that of the text of the page at hand.
func (l *layout) environment() environment {
	p := l.page()
	return environment{page: l.pageText(p), number: p.number, pages: l.totalPages, section: l.sectionNumber(l.section), isInFlow: true, grid: l.section.GridPitch}
}

// sectionNumber is what SECTION shows in a section.
func (l *layout) sectionNumber(s *wml.Section) string {
	return strconv.Itoa(slices.Index(l.doc.Sections, s) + 1)
}

func (l *layout) pageText(p *page) string {
	text, isKnown := dml.NumberIn(p.number, p.section.PageFormat, l.doc.Language)
	if !isKnown {
		l.tally.findings.Add(render.FindingDrawing, string(dml.LossNumberFormat))
	}
	return text
}

// story picks the header or footer of a page.
func (l *layout) story(stories map[string]*wml.Story, p *page) *wml.Story {
	switch {
	case p.isFirst && p.section.TitlePage:
		return stories["first"]
	case l.doc.Settings.EvenAndOdd && p.number%2 == 0:
		return stories["even"]
	}
	return stories["default"]
}

// band composes a header or footer to be measured, once; page numbers hardly change it.
func (l *layout) band(s *wml.Story, width float64) *stack {
	b := l.bands[s]
	if b == nil {
		b = l.stack(collect(s.Blocks), width, environment{page: "1", pages: "1", isInBand: true})
		l.bands[s] = b
	}
	return b
}

// keepBandsFree keeps the room of drawings free that are anchored in a header or
// footer and reach into the body, such as a logo that is higher than its header.
func (l *layout) keepBandsFree(p *page) (exclusions []exclusion) {
	s := p.section
	keep := func(b *stack, y float64) {
		for i := range b.items {
			it := &b.items[i]
			y += it.gap
			if it.line != nil {
				for _, e := range it.line.box.exclusions(it.line, &p.geometry, s.Left, y, false) {
					if e.bottom > p.top && e.y < p.bottom {
						exclusions = append(exclusions, e)
					}
				}
			}
			y += it.height
		}
	}
	if h := l.story(s.Headers, p); h != nil {
		keep(l.band(h, s.TextWidth()), s.Header)
	}
	if h := l.story(s.Footers, p); h != nil {
		b := l.band(h, s.TextWidth())
		keep(b, s.Height-s.Footer-b.height())
	}
	return exclusions
}

// pageArea sets where the body of a page begins and ends: a header that is
// higher than its margin pushes it down, unless the margin is negative, which
// means exact (ECMA-376 part 1, 17.6.11).
func (l *layout) pageArea(p *page) {
	s := p.section
	width := s.TextWidth()
	p.top, p.bottom = math.Abs(s.Top), s.Height-math.Abs(s.Bottom)
	if h := l.story(s.Headers, p); h != nil && s.Top >= 0 {
		p.top = math.Max(p.top, s.Header+l.band(h, width).height())
	}
	if h := l.story(s.Footers, p); h != nil && s.Bottom >= 0 {
		p.bottom = math.Min(p.bottom, s.Height-s.Footer-l.band(h, width).height())
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
