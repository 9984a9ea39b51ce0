package flow

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

const (
	// minStroke is the least width of a line at or through text, so that small
	// text keeps it in print.
	minStroke = 0.4
	// maxSigns bounds the dots of a leader and the turns of a wave. A page of the
	// largest size holds fewer.
	maxSigns = 2000
)

// What is painted says to which element of the document's structure it belongs: the canvas
// knows elements by what they are made of here, so that a paragraph goes on with its own on
// the next page.

// labelOf and linkIn are the keys of a paragraph's label and of a link's part in it.
type (
	labelOf struct{ *wml.Paragraph }
	linkIn  struct {
		*wml.Paragraph
		*wml.Link
	}
)

// deepestHeading is the last outline level of headings.
const deepestHeading = 8

// draw puts a line's content on the page; x is the column's left edge, y the line's top.
func (ln *line) draw(dst *layer, x, y float64) {
	if ln.from == ln.to && len(ln.leaders) == 0 {
		return
	}
	dst.add(func(p *painter) { p.line(ln, x, y) })
	for i := ln.from; i < ln.to; i++ {
		o := ln.box.glyphs[i].object
		if o == nil || o.kind != wml.DrawingItem || o.drawing == nil || o.drawing.Anchor != nil {
			continue
		}
		dst.add(func(p *painter) { p.beginParagraph(ln.box, false) })
		room := o.drawing.outsets()
		o.drawing.draw(dst, x+ln.xs[i-ln.from]+room.Left, y+ln.ascent-o.drawing.height()-room.Bottom)
		dst.add(func(p *painter) { p.canvas.End() })
	}
}

func (p *painter) line(ln *line, x, y float64) {
	glyphs := ln.box.glyphs
	baseline := y + ln.ascent
	p.backgrounds(ln, x, baseline)
	for _, part := range ln.parts() {
		for k := part.first; k < part.last; {
			i := ln.at(k)
			if o := glyphs[i].object; o != nil {
				p.object(o, y)
				p.leader(ln, i, x, baseline)
				if o.guide != nil {
					p.beginParagraph(ln.box, false)
					p.guide(o.guide, x+ln.xs[i-ln.from], baseline-glyphs[i].style.raise)
					p.canvas.End()
				}
				if o.formula != nil {
					p.drawFormula(ln, o, x+ln.xs[i-ln.from], baseline)
				}
				k++
				continue
			}
			first := k
			for k < part.last && glyphs[ln.at(k)].isDrawnWith(&glyphs[i]) {
				k++
			}
			p.shade(ln, first, k, x, baseline)
			p.beginText(ln.box, i)
			if glyphs[i].style.isHollow {
				p.canvas.Hollow(glyphs[i].style.size, glyphs[i].style.color)
			}
			p.canvas.InLanguage(glyphs[i].lang(), func() { p.letters(ln, first, k, x, baseline) })
			if glyphs[i].style.isHollow {
				p.canvas.Restore()
			}
			p.endText(ln.box, i)
		}
	}
	if i := ln.visible; ln.visual != nil && i < ln.to && glyphs[i].object == nil && glyphs[i].r == ' ' {
		s := glyphs[i].style
		p.beginText(ln.box, i)
		p.canvas.TextAt([]float64{x + ln.xs[i-ln.from]}, baseline, []rune{' '}, s.face, s.size, s.color)
		p.endText(ln.box, i)
	}
	for i := ln.visible; i < ln.to; i++ { // bookmarks may stand behind all that is seen
		if o := glyphs[i].object; o != nil {
			p.object(o, y)
		}
	}
	p.decorations(ln, x, baseline)
}

// at is the glyph that stands k-th from the left.
func (ln *line) at(k int) int {
	if ln.visual != nil {
		return ln.visual[k]
	}
	return ln.from + k
}

// part is a stretch of a line with one direction, from the first to in front of the
// last place from the left.
type part struct{ first, last int }

// parts are a line's parts in the order in which they are read: programs that read a
// PDF aloud, or copy from it, follow the order in which it is drawn.
func (ln *line) parts() []part {
	if ln.visual == nil {
		return []part{{0, ln.visible - ln.from}}
	}
	var parts []part
	for first := 0; first < len(ln.visual); {
		last, step := first+1, 0
		for last < len(ln.visual) {
			by := ln.visual[last] - ln.visual[last-1]
			if by != 1 && by != -1 || step != 0 && by != step {
				break
			}
			last, step = last+1, by
		}
		parts = append(parts, part{first, last})
		first = last
	}
	slices.SortFunc(parts, func(a, b part) int {
		return min(ln.visual[a.first], ln.visual[a.last-1]) - min(ln.visual[b.first], ln.visual[b.last-1])
	})
	return parts
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

// shade paints what lies under the glyphs from the k-th on that have one style: a shadow, or
// the sides of letters in relief. Letters that the font shapes have none.
func (p *painter) shade(ln *line, first, last int, x, baseline float64) {
	s := ln.box.glyphs[ln.at(first)].style
	if s.shade == nil {
		return
	}
	var xs []float64
	var runes []rune
	for k := first; k < last; k++ {
		if g := &ln.box.glyphs[ln.at(k)]; g.cluster == nil {
			xs, runes = append(xs, x+ln.xs[ln.at(k)-ln.from]+s.shift), append(runes, g.r)
		}
	}
	p.canvas.Silhouettes(xs, baseline-s.raise+s.shift, runes, s.face, s.size, s.scale, *s.shade)
}

// letters draws the glyphs from the k-th on, from the left, that have one style.
func (p *painter) letters(ln *line, first, last int, x, baseline float64) {
	g := &ln.box.glyphs[ln.at(first)]
	s := g.style
	xs := make([]float64, 0, last-first+1)
	space, hasSpace := ln.spaceBehind(last)
	if g.cluster != nil {
		clusters := make([]*pdf.Cluster, 0, last-first)
		for k := first; k < last; k++ {
			i := ln.at(k)
			xs, clusters = append(xs, x+ln.xs[i-ln.from]), append(clusters, ln.box.glyphs[i].cluster)
		}
		p.canvas.Clusters(xs, baseline-s.raise, clusters, s.size, s.scale, s.color)
		if hasSpace {
			p.canvas.TextStretched([]float64{x + space}, baseline-s.raise, []rune{' '}, s.face, s.size, s.scale, s.color)
		}
		return
	}
	runes := make([]rune, 0, last-first+1)
	for k := first; k < last; k++ {
		i := ln.at(k)
		r := ln.box.glyphs[i].r
		if i == ln.visible-1 && ln.showsHyphen {
			r = '-'
		}
		xs, runes = append(xs, x+ln.xs[i-ln.from]), append(runes, r)
	}
	if hasSpace {
		xs, runes = append(xs, x+space), append(runes, ' ')
	}
	p.canvas.TextStretched(xs, baseline-s.raise, runes, s.face, s.size, s.scale, s.color)
}

func (p *painter) object(o *object, y float64) {
	if o.kind == wml.BookmarkItem && p.anchors[o.item.Text] {
		p.canvas.Anchor(o.item.Text, y)
	}
}

func (p *painter) link(l *wml.Link, x, y, w, h float64) {
	switch {
	case !p.leads(l):
	case l.URL != "":
		p.canvas.LinkURL(x, y, w, h, l.URL)
	default:
		p.canvas.LinkAnchor(x, y, w, h, l.Bookmark)
	}
}

// leads says whether a link is drawn.
func (p *painter) leads(l *wml.Link) bool {
	if l.URL != "" {
		return safeURL(l.URL)
	}
	return p.anchors[l.Bookmark]
}

// safeURL keeps addresses that a reader may follow without running anything.
func safeURL(url string) bool {
	lower := strings.ToLower(url)
	for _, scheme := range []string{"http://", "https://", "mailto:", "tel:", "ftp://"} {
		if strings.HasPrefix(lower, scheme) {
			return true
		}
	}
	return false
}

// leader fills the room of the tab that is glyph i, if it has a leader, with
// dots or a line. It is drawn in its place among the text, so that readers find
// it there.
func (p *painter) leader(ln *line, i int, x, baseline float64) {
	at := slices.IndexFunc(ln.leaders, func(l tabLeader) bool { return l.tab == i })
	if at < 0 {
		return
	}
	l := &ln.leaders[at]
	sign := map[string]rune{"dot": '.', "hyphen": '-', "underscore": '_', "heavy": '_', "middleDot": '·'}[l.kind]
	if sign == 0 {
		return
	}
	w, ok := l.style.face.Advance(sign, l.style.size)
	if !ok || w <= 0 {
		return
	}
	// LibreOffice counts signs of whole twentieths of a point, and one
	// underscore more, so that the line has no gap.
	w = max(math.Round(w*20)/20, 0.05)
	n := int((l.to - l.from) / w)
	if n <= 0 {
		return
	}
	if sign == '_' {
		n++
	}
	n = min(n, maxSigns)
	runes, xs := make([]rune, n), make([]float64, n)
	step := (l.to - l.from) / float64(n) // the signs fill the room from end to end
	for i := range n {
		runes[i] = sign
		xs[i] = x + l.from + float64(i)*step
	}
	p.canvas.TextAt(xs, baseline, runes, l.style.face, l.style.size, l.style.color)
}

// guide draws a phonetic guide above the text that begins at x.
func (p *painter) guide(box *guideBox, x, baseline float64) {
	for from := 0; from < len(box.glyphs); {
		first := &box.glyphs[from]
		var xs []float64
		var runes []rune
		var clusters []*pdf.Cluster
		to := from
		for ; to < len(box.glyphs) && box.glyphs[to].isDrawnWith(first); to++ {
			g := &box.glyphs[to]
			xs, runes, clusters = append(xs, x+box.xs[to]), append(runes, g.r), append(clusters, g.cluster)
		}
		s, y := first.style, baseline-box.raise-first.style.raise
		if first.cluster != nil {
			p.canvas.Clusters(xs, y, clusters, s.size, s.scale, s.color)
		} else {
			p.canvas.TextStretched(xs, y, runes, s.face, s.size, s.scale, s.color)
		}
		from = to
	}
}
