// Package flow lays a document out on pages in three steps. Collect lists what a
// section holds. A composer makes lines and rows of it for the width of a column; what is
// composed does not change. A distributor places that in a region, which is what a section has
// of a page: distribute(work, region) returns a frame and the rest of the work. A layout turns
// pages, makes columns equally long by trying heights, and gathers frames on pages. They are
// painted when all pages are full.
package flow

import (
	"fmt"
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
	l := layOut(fonts, d, findings, "1", nil)
	pages, notes := "1", l.pageNotes()
	if l.tally.usesPageCount {
		pages = strconv.Itoa(len(l.pages))
	}
	if pages != "1" || notes != nil {
		findings = &render.Findings{}
		l = layOut(fonts, d, findings, pages, notes)
	}
	data, err := l.paint(title)
	if err != nil {
		return nil, nil, fmt.Errorf("lay out document: %w", err)
	}
	return data, findings.All(), nil
}

func layOut(fonts *pdf.FontSet, d *wml.Document, findings *render.Findings, pages string, notes map[string]string) *layout {
	c := &composer{doc: d, fonts: fonts, notes: notes, tally: &tally{findings: findings, linked: map[string]bool{}}}
	l := &layout{composer: c, totalPages: pages, bands: map[*wml.Story]*stack{}}
	if d.IsTruncated {
		findings.Add(render.FindingTruncated, "the document is nested too deeply or embeds other documents")
	}
	if d.LacksText {
		findings.Add(render.FindingTruncated, "text in elements of a kind that is not known is left out")
	}
	for _, loss := range d.Losses {
		findings.Add(render.FindingDrawing, string(loss))
	}
	l.work.space.addsUp = d.Settings.SumsSpacing
	for i, s := range d.Sections {
		l.beginSection(s, i == 0)
		next := (*wml.Section)(nil)
		if i+1 < len(d.Sections) {
			next = d.Sections[i+1]
		}
		l.fill(collect(s.Blocks), isBalanced(s, next) && !d.Settings.FillsColumns)
		if l.isFull() {
			break
		}
	}
	l.endnotes()
	l.finishPage()
	return l
}

// isBalanced says whether the columns of a section are made equally long: where another one
// follows it on the same page.
func isBalanced(s, next *wml.Section) bool {
	return len(s.Columns) > 1 && next != nil && next.Start == "continuous"
}

// A child is one thing that a body, a cell, a note or a box holds: a paragraph,
// the paragraphs of one text frame, or a table.
type child struct {
	paragraph *wml.Paragraph
	textFrame []*wml.Paragraph
	table     *wml.Table
	// previous and next are the paragraphs directly before and behind it, nil
	// where there are none: borders of neighbours are joined.
	previous, next *wml.Paragraph
	// isEmpty is a paragraph that shows no line: one that only ends its section,
	// for which Word shows a line and LibreOffice none, and one whose mark is
	// hidden, as browsers' pages have between tables.
	isEmpty bool
	// isFlat is an empty paragraph that takes no room, but may be the place of a bookmark.
	isFlat bool
	// isSplit is a paragraph of a text frame that no page has room for.
	isSplit bool
	// isLast says that nothing stands behind it.
	isLast bool
}

// collect lists what blocks hold, in their order.
func collect(blocks []wml.Block) []child {
	children := make([]child, 0, len(blocks))
	for i := 0; i < len(blocks); {
		c, end := child{previous: neighbour(blocks, i-1)}, i+1
		switch b := blocks[i].(type) {
		case *wml.Paragraph:
			c.isEmpty = len(b.Runs) == 0 && (b.EndsSection && i > 0 || b.Mark.Hidden && end < len(blocks))
			if b.Frame != nil && !c.isEmpty {
				c.textFrame = textFrameOf(blocks[i:])
				end = i + len(c.textFrame)
			} else {
				c.paragraph = b
			}
		case *wml.Table:
			c.table = b
		}
		c.next, c.isLast = neighbour(blocks, end), end == len(blocks)
		children = append(children, c)
		i = end
	}
	return children
}

// neighbour is the paragraph at a place, nil where there is none.
func neighbour(blocks []wml.Block, i int) *wml.Paragraph {
	if i < 0 || i >= len(blocks) {
		return nil
	}
	p, _ := blocks[i].(*wml.Paragraph)
	return p
}

// textFrameOf is the paragraphs of the frame that blocks begin with: those with the
// same properties form one (ECMA-376 part 1, 17.3.1.11).
func textFrameOf(blocks []wml.Block) []*wml.Paragraph {
	var group []*wml.Paragraph
	for _, b := range blocks {
		p, ok := b.(*wml.Paragraph)
		if !ok || p.Frame == nil || len(group) > 0 && *p.Frame != *group[0].Frame {
			break
		}
		group = append(group, p)
	}
	return group
}

// pageNotes are the numbers of footnotes that begin again on each page, as the notes were
// placed; nil where none do.
func (l *layout) pageNotes() map[string]string {
	var numbers map[string]string
	for _, p := range l.pages {
		for i, id := range p.foot.ids {
			n, ok := l.doc.PageNotes[id]
			if !ok {
				continue
			}
			if numbers == nil {
				numbers = map[string]string{}
			}
			numbers[id], _ = dml.NumberIn(n.Start+i, n.Format, l.doc.Language)
		}
	}
	return numbers
}

// endnotes follow the text, in the order in which the text refers to them.
func (l *layout) endnotes() {
	if len(l.doc.Endnotes) == 0 || l.isFull() {
		return
	}
	var blocks []wml.Block
	for _, id := range l.doc.EndnoteIDs {
		if n := l.doc.Endnotes[id]; n != nil {
			blocks = append(blocks, n.Blocks...)
		}
	}
	if len(blocks) == 0 {
		return
	}
	if l.work.pending != wml.TextItem {
		l.turn()
	}
	area, r := l.region.area(), &l.region
	y := r.y + l.work.space.below() + noteGap
	l.page().add(func(pt *painter) {
		pt.canvas.StrokeLine(area.x, y, area.x+min(noteLine, area.width), y, pdf.Stroke{Width: hairline})
	})
	r.y = y + noteGap
	l.work.space.pass(nil, 0)
	l.fill(collect(blocks), false)
}
