package flow

import (
	"fmt"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
)

// maxPages bounds what a document may become; text behind it is left out, with a finding.
const maxPages = 2000

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

func (f *distributor) isFull() bool {
	if len(f.pages) < maxPages {
		return false
	}
	f.tally.findings.Add(render.FindingTruncated, fmt.Sprintf("the document has more than %d pages", maxPages))
	return true
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

func (f *distributor) toTop() {
	f.y, f.isAtTop, f.keepsTop = f.top, true, false
	f.space.previous, f.space.extra = nil, 0
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
	if f.balance > 0 && f.balance < bottom {
		return f.balance
	}
	return bottom
}
