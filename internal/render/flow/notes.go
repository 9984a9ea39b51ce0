package flow

import (
	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
)

const (
	// noteGap is the room around the line above notes.
	noteGap = 3.0
	// noteLine is the length of that line, two inches as in Word, where the text
	// is not narrower.
	noteLine = 144.0
)

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

// drawNotes draws the footnotes that were gathered for a page.
func (f *distributor) drawNotes(p *page) {
	if len(p.notes) == 0 {
		return
	}
	y := p.bottom - p.noteHeight + noteGap
	line, width := y, min(noteLine, p.noteW)
	p.add(func(pt *painter) {
		pt.canvas.StrokeLine(p.noteX, line, p.noteX+width, line, pdf.Stroke{Width: hairline})
	})
	y += noteGap
	for _, s := range p.notes {
		s.draw(&p.layer, p.noteX, y)
		y += s.height()
	}
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
	f.space.previous, f.space.extra = nil, 0
	f.distribute(collect(blocks))
}
