// Package flow lays a document out on pages in three steps. Collect lists what a
// section holds. A composer makes lines and rows of it for the width of a column.
// A distributor fills columns and pages with them, with headers, footers, notes
// and what floats. Where it needs a paragraph without a break, in another width or
// around a drawing, it takes one made of the first: no composed lines change under it.
// What is drawn is gathered in layers and painted when all pages are full.
package flow

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Document lays a .docx out on pages and returns them as a PDF with the title
// in its properties. The findings tell what it could not show as meant.
func Document(fonts *pdf.FontSet, d *wml.Document, title string) ([]byte, []render.Finding, error) {
	findings := &render.Findings{}
	f := layOut(fonts, d, findings, "1", nil)
	pages, notes := "1", f.pageNotes()
	if f.tally.usesPageCount {
		pages = strconv.Itoa(len(f.pages))
	}
	if pages != "1" || notes != nil {
		findings = &render.Findings{}
		f = layOut(fonts, d, findings, pages, notes)
	}
	data, err := f.paint(title)
	if err != nil {
		return nil, nil, fmt.Errorf("lay out document: %w", err)
	}
	return data, findings.All(), nil
}

func layOut(fonts *pdf.FontSet, d *wml.Document, findings *render.Findings, pages string, notes map[string]string) *distributor {
	c := &composer{doc: d, fonts: fonts, notes: notes, tally: &tally{findings: findings, linked: map[string]bool{}}}
	f := &distributor{composer: c, totalPages: pages, work: work{boxes: map[*wml.Paragraph]*paragraphBox{}}, bands: map[*wml.Story]*stack{}}
	if d.IsTruncated {
		findings.Add(render.FindingTruncated, "the document is nested too deeply or embeds other documents")
	}
	if d.LacksText {
		findings.Add(render.FindingTruncated, "text in elements of a kind that is not known is left out")
	}
	for _, loss := range d.Losses {
		findings.Add(render.FindingDrawing, string(loss))
	}
	f.space.addsUp = d.Settings.SumsSpacing
	for i, s := range d.Sections {
		f.beginSection(s, i == 0)
		next := (*wml.Section)(nil)
		if i+1 < len(d.Sections) {
			next = d.Sections[i+1]
		}
		f.sectionBody(s, next)
		if f.isFull() {
			break
		}
	}
	f.endnotes()
	f.finishPage()
	return f
}

// A distributor fills the columns of pages with what a composer makes of the
// children of sections.
type distributor struct {
	*composer
	// totalPages is what NUMPAGES shows: 1 until the document was laid out once.
	totalPages string
	pages      []*page
	region
	work
	// turns keeps the last page turn of a section whose columns are to be equally long.
	turns *pageTurn
	// composed keeps paragraphs while columns are filled several times, nil otherwise.
	composed map[*wml.Paragraph]*paragraphBox
	// bands are headers and footers, composed once to be measured.
	bands map[*wml.Story]*stack
}

// work is what was begun and waits for more to be placed.
type work struct {
	space   spacer
	pending wml.ItemKind // a page or column break that waits for more text
	// looseUntil is the last paragraph of a chain that no column has room for.
	looseUntil *wml.Paragraph
	// boxes are paragraphs that were composed before it is their turn.
	boxes map[*wml.Paragraph]*paragraphBox
	// opensColumns says that a section's columns begin here, below what the page holds.
	opensColumns bool
	// carried are the merges of a table that go on on the next page.
	carried []carried
}

// beginSection goes to where a section starts.
func (f *distributor) beginSection(s *wml.Section, isFirst bool) {
	previous := f.section
	f.section, f.beginsSection = s, true
	f.pending = wml.TextItem
	isSameSize := previous != nil && previous.Width == s.Width && previous.Height == s.Height
	switch {
	case isFirst:
		f.newPage()
	case s.Start == "continuous" && isSameSize:
		f.beginsSection = s.TitlePage
		f.continueWith(s)
		return
	case s.Start == "nextColumn" && isSameSize && len(previous.Columns) == len(s.Columns):
		f.nextColumn()
	case s.Start == "oddPage" && f.nextNumber()%2 == 0, s.Start == "evenPage" && f.nextNumber()%2 == 1:
		f.newPage()
		f.page.isBlank = true
		f.beginsSection = true
		f.newPage()
	default:
		f.newPage()
	}
	f.keepsTop = true
}

func (f *distributor) nextNumber() int {
	if f.section.PageStart > 0 {
		return f.section.PageStart
	}
	return f.number + 1
}

// continueWith starts a section's columns below what the page already holds.
func (f *distributor) continueWith(s *wml.Section) {
	f.closeColumns()
	space := spacer{addsUp: f.doc.Settings.SumsSpacing}
	if f.space.previous != nil && f.lowest <= f.y+f.space.below() {
		space.given = f.space.previous.After
	}
	f.space = space
	f.top = f.lowest
	f.setColumns(s)
	f.y, f.isAtTop = f.top, f.top <= f.page.top+fitTolerance
	f.opensColumns = len(s.Columns) > 1
}

// pageNotes are the numbers of footnotes that begin again on each page, as the notes were
// placed; nil where none do.
func (f *distributor) pageNotes() map[string]string {
	var numbers map[string]string
	for _, p := range f.pages {
		for i, id := range p.noteIDs {
			n, ok := f.doc.PageNotes[id]
			if !ok {
				continue
			}
			if numbers == nil {
				numbers = map[string]string{}
			}
			numbers[id], _ = dml.NumberIn(n.Start+i, n.Format, f.doc.Language)
		}
	}
	return numbers
}

// endnotes follow the text, in the order in which the text refers to them.
func (f *distributor) endnotes() {
	if len(f.doc.Endnotes) == 0 || f.isFull() {
		return
	}
	var blocks []wml.Block
	for _, id := range f.doc.EndnoteIDs {
		if n := f.doc.Endnotes[id]; n != nil {
			blocks = append(blocks, n.Blocks...)
		}
	}
	if len(blocks) == 0 {
		return
	}
	f.applyPending()
	area := f.area()
	y := f.y + f.space.below() + noteGap
	f.page.add(func(pt *painter) {
		pt.canvas.StrokeLine(area.x, y, area.x+min(noteLine, area.width), y, pdf.Stroke{Width: hairline})
	})
	f.y = y + noteGap
	f.space.pass(nil, 0)
	f.distribute(collect(blocks))
}

// sectionBody places a section's blocks. Columns of a section that another one
// follows on the same page are made equally long.
func (f *distributor) sectionBody(s, next *wml.Section) {
	children := collect(s.Blocks)
	if len(s.Columns) < 2 || next == nil || next.Start != "continuous" || f.doc.Settings.FillsColumns {
		f.distribute(children)
		return
	}
	start := f.remember()
	f.turns = &pageTurn{before: start}
	f.distribute(children)
	last := *f.turns
	f.turns = nil
	rest, isOver := children[last.child:], f.page != start.region.page
	if len(f.pages)-last.before.pages < maxRefilled && !setsColumns(rest, isOver) {
		f.equalize(rest, last.before)
	}
}

// A pageTurn is the last child of a section that began on one page and ended on another, and
// how things stood before it. Without one it is the section's beginning.
type pageTurn struct {
	child  int
	before snapshot
}

// maxRefilled bounds the pages that are filled again for one child, such as a long table. Where
// it takes more, the columns of its last page stay as they are.
const maxRefilled = 20

// balanceSteps is how often the range of heights is halved in which that of
// equally long columns lies: nine times make two points of a long page, less than
// a line.
const balanceSteps = 9

// equalize finds the least height of the columns of the last page that still holds what is
// left of the section there.
func (f *distributor) equalize(children []child, start snapshot) {
	low, high, last := f.top, f.page.bottom, len(f.pages)
	f.composed = map[*wml.Paragraph]*paragraphBox{}
	for range balanceSteps {
		middle := (low + high) / 2
		f.restore(start)
		f.balance, f.balanced = middle, last
		f.distribute(children)
		if len(f.pages) == last && f.lowestSoFar() <= middle+balanceTolerance {
			high = middle
		} else {
			low = middle
		}
	}
	f.restore(start)
	f.balance, f.balanced = high, last
	f.distribute(children)
	f.balance, f.balanced, f.composed = 0, 0, nil
}

func (f *distributor) lowestSoFar() float64 { return max(f.lowest, f.y) }

// setsColumns says whether their author has set where the columns of children end. isOver is
// for children of which the first brought them to the next page, perhaps by a break.
func setsColumns(children []child, isOver bool) bool {
	for i := range children {
		p := children[i].paragraph
		if p == nil || i == 0 && isOver {
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

// snapshot is the state of a distributor to which it can go back.
type snapshot struct {
	region region
	work   work
	page   page
	pages  int
}

func (f *distributor) remember() snapshot {
	f.page.behind, f.page.front = slices.Clip(f.page.behind), slices.Clip(f.page.front) // what is put among them later moves copies
	return snapshot{region: f.region, work: f.work, page: *f.page, pages: len(f.pages)}
}

// restore undoes everything that was placed since remember.
func (f *distributor) restore(s snapshot) {
	f.region, f.work = s.region, s.work
	*f.page = s.page
	f.pages = f.pages[:s.pages]
	f.setColumns(f.section)
	f.column = s.region.column
	clear(f.boxes)
}
