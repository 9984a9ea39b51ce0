package flow

import (
	"cmp"
	"strings"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// What is painted says to which element of the document's structure it belongs: the canvas
// knows elements by what they are made of here, so that a paragraph goes on with its own on
// the next page.

// labelOf and linkIn are the keys of a paragraph's label and of a link's part in it; gapOf
// those of the columns that a row leaves out.
type (
	labelOf struct{ *wml.Paragraph }
	linkIn  struct {
		*wml.Paragraph
		*wml.Link
	}
	gapOf struct {
		*wml.Row
		isBehind bool
	}
)

// artifact adds what readers leave out.
func (l *layer) artifact(add func()) { l.within(nil, pdf.Tag{Role: pdf.Artifact}, add) }

// within adds what belongs to an element.
func (l *layer) within(key any, tag pdf.Tag, add func()) {
	l.add(func(p *painter) { p.canvas.Begin(key, tag) })
	add()
	l.add(func(p *painter) { p.canvas.End() })
}

// beginParagraph goes on with a paragraph, or with its label.
func (p *painter) beginParagraph(b *paragraphBox, isLabel bool) {
	par, c := b.p, p.canvas
	label := par.Label
	isPoint := label != nil && par.Outline < 0 && strings.TrimSpace(label.Text) != ""
	var key any = par
	if isPoint && isLabel {
		key = labelOf{par}
	}
	if c.Resume(key) {
		return
	}
	tag := pdf.Tag{Role: pdf.Text, Lang: languageOf(par)}
	if tag.Lang == p.canvas.Lang() {
		tag.Lang = ""
	}
	switch {
	case isPoint:
		c.Item(labelOf{par}, par, label.NumID, label.Level, tag)
		c.Resume(key)
		return
	case par.Outline >= 0 && par.Outline <= deepestHeading:
		tag.Role, tag.Level = pdf.Heading, par.Outline
	}
	c.Begin(key, tag)
}

// deepestHeading is the last outline level of headings.
const deepestHeading = 8

// languageOf is the language of a paragraph's first text.
func languageOf(p *wml.Paragraph) string {
	for _, r := range p.Runs {
		for i := range r.Items {
			if strings.TrimSpace(r.Items[i].Text) != "" && r.Items[i].Kind == wml.TextItem {
				return r.Lang
			}
		}
	}
	return ""
}

// lang is the language of a glyph, "" for that of its paragraph.
func (g *glyph) lang() string {
	if g.style.eastAsianLang != "" && linebreak.IsIdeographic(g.r) {
		return g.style.eastAsianLang
	}
	return g.style.lang
}

// beginText goes on with what the i-th glyph of a paragraph belongs to: its label, its text,
// or a link in that.
func (p *painter) beginText(b *paragraphBox, i int) {
	p.beginParagraph(b, i < b.labelGlyphs)
	l := b.glyphs[i].style.link
	if l == nil || !p.leads(l) {
		return
	}
	if key := (linkIn{b.p, l}); !p.canvas.Resume(key) {
		p.canvas.Begin(key, tagLink(b.p, l))
	}
}

func (p *painter) endText(b *paragraphBox, i int) {
	p.canvas.End()
	if l := b.glyphs[i].style.link; l != nil && p.leads(l) {
		p.canvas.End()
	}
}

// spaceBehind says where a space stands behind the places before last from the left, that
// readers need to tell words apart: at the end of a line, and for a tab.
func (ln *line) spaceBehind(last int) (x float64, hasSpace bool) {
	i := ln.from + last
	if ln.visual != nil || i >= ln.to {
		return 0, false
	}
	g, before := &ln.box.glyphs[i], &ln.box.glyphs[i-1]
	if before.r == ' ' && before.object == nil {
		return 0, false
	}
	isSpace := g.object == nil && g.r == ' ' && i == ln.visible
	if o := g.object; o != nil {
		isSpace = o.kind == wml.TabItem || o.kind == wml.PositionTabItem || o.kind == wml.BreakItem
	}
	return ln.xs[i-ln.from], isSpace
}

// band draws headers and footers, which readers leave out.
func (p *painter) band(name string, draw func(p *painter)) {
	p.canvas.Begin(nil, pdf.Tag{Role: pdf.Artifact, Name: name})
	draw(p)
	p.canvas.End()
}

// tagLink is the element of a link in a paragraph.
func tagLink(par *wml.Paragraph, l *wml.Link) pdf.Tag {
	var text strings.Builder
	for _, r := range par.Runs {
		for i := range r.Items {
			if r.Link == l {
				text.WriteString(r.Items[i].Text)
			}
		}
	}
	return pdf.Tag{Role: pdf.Link, Alt: cmp.Or(strings.TrimSpace(text.String()), l.URL, l.Bookmark)}
}

// tag is what a drawing is: text in a box, a figure, or decoration.
func (d *drawingBox) tag(x, y float64) pdf.Tag {
	switch {
	case d.hasText():
		return pdf.Tag{Role: pdf.Division}
	case d.WordArt != nil:
		return pdf.Tag{Role: pdf.Figure, Alt: cmp.Or(d.Alt, d.WordArt.Text), Box: pdf.Box{X: x, Y: y, W: d.Width, H: d.height()}}
	case d.Alt != "" || d.Image != nil || d.Chart != nil || len(d.children) > 0:
		return pdf.Tag{Role: pdf.Figure, Alt: d.Alt, Box: pdf.Box{X: x, Y: y, W: d.Width, H: d.height()}}
	}
	return pdf.Tag{Role: pdf.Artifact}
}

// key is what the canvas knows a drawing's element by; decoration has none.
func (d *drawingBox) key(tag pdf.Tag) any {
	if tag.Role == pdf.Artifact {
		return nil
	}
	return d.of
}

// place gives a drawing beside the text its place in that, beginApart begins it where it is
// drawn.
func (p *painter) place(d *drawingBox, tag pdf.Tag) {
	if tag.Role != pdf.Artifact {
		p.canvas.Place(d.of, tag)
	}
}

func (p *painter) beginApart(d *drawingBox, tag pdf.Tag) {
	if tag.Role == pdf.Artifact {
		p.canvas.Begin(nil, tag)
		return
	}
	p.canvas.Apart(d.of, tag)
}

func (d *drawingBox) hasText() bool {
	if d.text != nil && d.text.shows() {
		return true
	}
	for _, child := range d.children {
		if child.hasText() {
			return true
		}
	}
	return false
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
