package flow

import (
	"cmp"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/formula"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// formula puts a formula among characters, in pieces between which lines may end. One that
// stands on lines of its own begins one, and so does what follows it.
func (b *glyphBuilder) formula(item *wml.Item) {
	f := item.Formula
	if !b.tally.spend(f.Parts) {
		return
	}
	style := b.style(b.props.Fonts.ASCII, false)
	pieces := formula.Set(f, formula.Style{Fonts: b.fonts, Findings: b.tally.findings, Size: cmp.Or(f.Size(), style.size), Color: style.color})
	if f.IsDisplayed || b.isBehindDisplay {
		b.separate()
	}
	for i := range pieces {
		p := &pieces[i]
		b.out = append(b.out, glyph{r: objectRune, width: p.Width, style: style, object: &object{kind: wml.FormulaItem, item: item, formula: p, isWhole: len(pieces) == 1}})
		if p.EndsLine {
			b.object(&object{kind: wml.BreakItem})
		}
	}
	b.isBehindDisplay = f.IsDisplayed
}

// separate ends the line in front of what has one of its own, and the one behind it.
func (b *glyphBuilder) separate() {
	b.isBehindDisplay = false
	for i := len(b.out) - 1; i >= 0; i-- {
		switch o := b.out[i].object; {
		case o == nil && linebreak.IsSpace(b.out[i].r), o != nil && o.takesNoRoom():
		case o != nil && (o.kind == wml.BreakItem || o.isLabelTab):
			return
		default:
			b.object(&object{kind: wml.BreakItem})
			return
		}
	}
}

// alignmentOf is where a line stands: one of a formula has its own place.
func (b *lineBreaker) alignmentOf(ln *line) string {
	for i := ln.from; i < ln.visible; i++ {
		o := b.glyphs[i].object
		if o != nil && o.takesNoRoom() {
			continue
		}
		if o != nil && o.formula != nil && o.item.Formula.IsDisplayed {
			return o.item.Formula.Align
		}
		break
	}
	return b.box.align()
}

// drawFormula draws a piece of a formula, whose left edge is x. All its pieces are one element.
func (p *painter) drawFormula(ln *line, o *object, x, baseline float64) {
	p.beginParagraph(ln.box, false)
	f := o.item.Formula
	if !p.canvas.Resume(f) {
		tag := pdf.Tag{Role: pdf.Formula, Alt: o.item.Text}
		if o.isWhole {
			tag.Box = pdf.Box{X: x, Y: baseline - o.formula.Ascent, W: o.formula.Width, H: o.formula.Ascent + o.formula.Descent}
		}
		p.canvas.Begin(f, tag)
	}
	o.formula.Draw(p.canvas, x, baseline)
	p.canvas.End()
	p.canvas.End()
}
