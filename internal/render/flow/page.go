package flow

import (
	"math"

	"github.com/platenhq/platen/internal/office/wml"
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

// A region is where lines and rows go now: a column of a page.
type region struct {
	page           *page
	section        *wml.Section
	beginsSection  bool // the next page is the section's first
	number         int
	columns        []columnArea
	column         int
	hasColumnLines bool    // lines between the columns
	balance        float64 // where columns end that are made equally long, 0 for none
	balanced       int     // the page that they stand on, 1 for the first
	top            float64 // where this section's columns begin on the page
	y              float64
	lowest         float64 // how far down columns of this section were filled
	isAtTop        bool
	// keepsTop says that the first paragraph of the page keeps the space above
	// it: on the first page, and behind a page break that the author set.
	keepsTop bool
}

type columnArea struct{ x, width float64 }

// page is one page while it is filled.
type page struct {
	layer
	section     *wml.Section
	isFirst     bool
	number      int
	top, bottom float64
	exclusions  []exclusion
	// bandExclusions is how many of these, the first, belong to header and footer.
	bandExclusions int
	notes          []*stack
	noteIDs        []string // of the notes
	noteHeight     float64
	noteX, noteW   float64
	isBlank        bool
	columnLines    []columnLine
}

type columnLine struct{ x, from, to float64 }

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
