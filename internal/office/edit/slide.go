package edit

import (
	"strings"

	"github.com/beevik/etree"
)

// slideWriter writes the children of an a:p once more, with the batch's
// fragments in the place of the runs they come from.
type slideWriter struct {
	batch batch
	open  *etree.Element // the paragraph being written
	made  []*etree.Element
	end   *etree.Element // the paragraph's a:endParaRPr, which every part of it gets
}

func (w *slideWriter) rewrite(p *etree.Element) []*etree.Element {
	w.open = p
	w.end = childNamed(p, "a", "endParaRPr")
	properties := childNamed(p, "a", "pPr")
	for _, t := range detach(p) {
		e, ok := t.(*etree.Element)
		if !ok || !w.batch.touches(e) {
			w.open.AddChild(t)
			continue
		}
		w.piece(e, properties)
	}
	return w.made
}

func (w *slideWriter) piece(e, properties *etree.Element) {
	runProperties := childNamed(e, "a", "rPr")
	reuse := e
	if w.batch.pieces[e].Kind != TextPiece {
		reuse = nil
	}
	var text strings.Builder
	var hasInserted bool
	flush := func() {
		if text.Len() == 0 {
			return
		}
		run := reuse
		if reuse = nil; run == nil {
			run = newSlideElement("r", runProperties)
			run.CreateElement("a:t")
		}
		setCharData(childNamed(run, "a", "t"), text.String())
		text.Reset()
		w.open.AddChild(run)
	}
	for _, f := range w.batch.fragments[e] {
		if f.isWhole {
			flush()
			w.open.AddChild(e)
			continue
		}
		hasInserted = hasInserted || f.isInserted
		for _, r := range f.text {
			switch {
			case f.isInserted && r == '\v':
				flush()
				w.open.AddChild(newSlideElement("br", runProperties))
			case f.isInserted && r == '\n':
				flush()
				w.split(properties)
			default:
				text.WriteRune(r)
			}
		}
	}
	flush()
	if hasInserted && reuse != nil {
		// An empty run keeps the height that its text gave to the line.
		if t := childNamed(e, "a", "t"); t != nil {
			detach(t)
		}
		w.open.AddChild(e)
	}
}

func (w *slideWriter) split(properties *etree.Element) {
	if w.end != nil {
		w.open.AddChild(w.end.Copy())
	}
	next := etree.NewElement("a:p")
	if properties != nil {
		next.AddChild(properties.Copy())
	}
	w.made = append(w.made, next)
	w.open = next
}

func newSlideElement(tag string, properties *etree.Element) *etree.Element {
	e := etree.NewElement("a:" + tag)
	if properties != nil {
		e.AddChild(properties.Copy())
	}
	return e
}
