package flow

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// op draws something on the page at hand.
type op func(p *painter)

// layer gathers what is to be drawn on a page, from the back to the front.
type layer struct {
	geometry      geometry
	main          []op
	behind, front floats // what floats behind the text and before it
	// merges are the colours of the last vertical merge at each place, which lie behind its text.
	merges map[mergeAt]*[]op
}

// mergeAt is where the vertical merges of a column stand.
type mergeAt struct {
	table *tableBox
	x     float64
}

// floats are drawings beside the text, each with what it takes to draw it.
type floats []struct {
	z   int
	ops []op
}

// add puts a drawing among others, behind those with a greater z.
func (f *floats) add(z int, ops []op) {
	at := len(*f)
	for at > 0 && (*f)[at-1].z > z {
		at--
	}
	*f = slices.Insert(*f, at, struct {
		z   int
		ops []op
	}{z, ops})
}

// draw puts the drawings on the page.
func (f floats) draw(p *painter) {
	for _, one := range f {
		for _, o := range one.ops {
			o(p)
		}
	}
}

func (l *layer) add(o op) { l.main = append(l.main, o) }

// addMerge adds the colour of a merge's first cell; those of its others follow it.
func (l *layer) addMerge(at mergeAt, first op) {
	all := &[]op{first}
	if l.merges == nil {
		l.merges = map[mergeAt]*[]op{}
	}
	l.merges[at] = all
	l.add(func(p *painter) {
		for _, o := range *all {
			o(p)
		}
	})
}

// draw puts what does not float on the page.
func (l *layer) draw(p *painter) {
	for _, o := range l.main {
		o(p)
	}
}

const (
	// hairline is the width of the lines that a page has by itself: between
	// columns and above notes.
	hairline = 0.5
	// minStroke is the least width of a line at or through text, so that small
	// text keeps it in print.
	minStroke = 0.4
	// maxSigns bounds the dots of a leader and the turns of a wave. A page of the
	// largest size holds fewer.
	maxSigns = 2000
)

// painter draws pages.
type painter struct {
	canvas   *pdf.Canvas
	composer *composer
	// links that lead inside the document, drawn only where their target exists
	anchors   map[string]bool
	metafiles shape.Metafiles
}

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

// isDrawnWith says whether two glyphs are drawn together.
func (g *glyph) isDrawnWith(other *glyph) bool {
	return g.object == nil && g.style == other.style && (g.cluster == nil) == (other.cluster == nil)
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

// A span is a stretch of a line with one style, tabs included: what stands from
// the first to in front of the last place from the left, between two edges.
type span struct {
	style       *textStyle
	first, last int
	from, to    float64
}

// spans calls do for the spans of the glyphs before last, which end at end.
func (ln *line) spans(last int, end float64, isSame func(a, b *textStyle) bool, do func(span)) {
	style := func(k int) *textStyle { return ln.box.glyphs[ln.at(k)].style }
	count := last - ln.from
	for i := 0; i < count; {
		s := style(i)
		j := i
		for j < count && (style(j) == s || isSame(style(j), s)) {
			j++
		}
		to := end
		if j < count {
			to = math.Min(end, ln.xs[ln.at(j)-ln.from])
		}
		do(span{s, i, j, ln.xs[ln.at(i)-ln.from], to})
		i = j
	}
}

// backgrounds paints highlighting and run shading.
func (p *painter) backgrounds(ln *line, x, baseline float64) {
	hasBackground := false
	for i := ln.from; i < ln.visible && !hasBackground; i++ {
		hasBackground = ln.box.glyphs[i].style.back != nil
	}
	if !hasBackground {
		return
	}
	ln.spans(ln.visible, ln.end, func(a, b *textStyle) bool { return sameColor(a.back, b.back) && a.size == b.size }, func(at span) {
		if s := at.style; s.back != nil && at.to > at.from {
			p.canvas.FillRect(x+at.from, baseline-s.ascent, at.to-at.from, s.ascent+s.descent, *s.back)
		}
	})
}

// decorations draws underlines, strike-throughs and links.
func (p *painter) decorations(ln *line, x, baseline float64) {
	last, end := ln.underlineEnd()
	isDecorated := false
	for i := ln.from; i < last && !isDecorated; i++ {
		s := ln.box.glyphs[i].style
		isDecorated = s.underline != "" || s.isStruck || s.link != nil || s.border.IsVisible()
	}
	if !isDecorated {
		return
	}
	ln.spans(last, end, func(a, b *textStyle) bool {
		return a.underline == b.underline && a.underlineColor == b.underlineColor && a.lineSize == b.lineSize && a.raise == b.raise &&
			a.face.Family == b.face.Family && a.isStruck == b.isStruck && a.link == b.link && sameBorder(a.border, b.border)
	}, func(at span) {
		s := at.style
		if at.to <= at.from {
			return
		}
		if s.underline == "words" {
			p.underlineWords(ln, at, x, baseline)
		} else {
			p.underline(s, x+at.from, x+at.to, baseline)
		}
		if s.isStruck {
			p.strike(s, x+at.from, x+at.to, baseline-s.raise)
		}
		if at.to = math.Min(at.to, ln.end); at.to <= at.from {
			return
		}
		if s.link != nil {
			i := ln.at(at.first)
			p.beginText(ln.box, i)
			p.link(s.link, x+at.from, baseline-s.ascent, at.to-at.from, s.ascent+s.descent)
			p.endText(ln.box, i)
		}
		if s.border.IsVisible() {
			p.canvas.Rect(x+at.from, baseline-s.ascent, at.to-at.from, s.ascent+s.descent, nil, strokeOf(s.border))
		}
	})
}

// underlineWords leaves spaces out.
func (p *painter) underlineWords(ln *line, at span, x, baseline float64) {
	isGap := func(i int) bool { g := &ln.box.glyphs[ln.at(i)]; return g.object == nil && linebreak.IsSpace(g.r) }
	for i := at.first; i < at.last; i++ {
		if isGap(i) {
			continue
		}
		first := i
		for i < at.last && !isGap(i) {
			i++
		}
		to := at.to
		if i < at.last {
			to = ln.xs[ln.at(i)-ln.from]
		}
		p.underline(at.style, x+ln.xs[ln.at(first)-ln.from], x+to, baseline)
	}
}

func (p *painter) underline(s *textStyle, from, to, baseline float64) {
	if s.underline == "" || to <= from {
		return
	}
	offset, thick := s.face.Underline(s.lineSize)
	stroke := pdf.Stroke{Color: s.underlineColor, Width: math.Max(thick, minStroke)}
	y := baseline + offset
	if s.raise < 0 {
		y -= s.raise
	}
	kind := strings.ToLower(s.underline)
	switch {
	case strings.Contains(kind, "dott"):
		stroke.Dash = []float64{stroke.Width, stroke.Width * 2}
	case strings.Contains(kind, "dash"):
		stroke.Dash = []float64{stroke.Width * 4, stroke.Width * 2}
	}
	switch {
	case strings.Contains(kind, "thick") || strings.Contains(kind, "heavy"):
		stroke.Width *= 2
	case strings.Contains(kind, "double"):
		stroke.Width *= 0.75
		p.canvas.StrokeLine(from, y+stroke.Width*2, to, y+stroke.Width*2, stroke)
	case strings.Contains(kind, "wav"):
		p.wave(from, to, y, stroke)
		return
	}
	p.canvas.StrokeLine(from, y, to, y, stroke)
}

func (p *painter) wave(from, to, y float64, stroke pdf.Stroke) {
	step := stroke.Width * 2
	points := []pdf.Point{{X: from, Y: y}}
	for x, isUp := from+step, true; x < to && len(points) < maxSigns; x, isUp = x+step, !isUp {
		at := y + stroke.Width
		if isUp {
			at = y - stroke.Width
		}
		points = append(points, pdf.Point{X: x, Y: at})
	}
	p.canvas.Polyline(points, stroke)
}

func (p *painter) strike(s *textStyle, from, to, baseline float64) {
	offset, thick := s.face.Strikethrough(s.size)
	stroke := pdf.Stroke{Color: s.color, Width: math.Max(thick, minStroke)}
	if !s.isStruckTwice {
		p.canvas.StrokeLine(from, baseline-offset, to, baseline-offset, stroke)
		return
	}
	stroke.Width *= 0.75
	for _, d := range []float64{-1, 1} {
		p.canvas.StrokeLine(from, baseline-offset+d*stroke.Width, to, baseline-offset+d*stroke.Width, stroke)
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

func strokeOf(b *wml.Border) *pdf.Stroke {
	s := &pdf.Stroke{Width: b.Width}
	if b.Color != nil {
		s.Color = *b.Color
	}
	kind := strings.ToLower(b.Style)
	switch {
	case strings.Contains(kind, "dotdash"), strings.Contains(kind, "dotdotdash"):
		s.Dash = []float64{b.Width * 4, b.Width * 2, b.Width, b.Width * 2}
	case strings.HasPrefix(kind, "dot"):
		s.Dash = []float64{b.Width, b.Width * 1.5}
	case strings.HasPrefix(kind, "dash"):
		s.Dash = []float64{b.Width * 4, b.Width * 3}
	case kind == "thick":
		s.Width = math.Max(s.Width, 1)
	}
	return s
}

// borderLine draws one side with its lines, their middle at the place given.
func (p *painter) borderLine(x1, y1, x2, y2 float64, b *wml.Border) {
	middle := thickness(b) / 2
	for _, one := range stripsOf(b, true) {
		d := one.middle() - middle
		if y1 == y2 {
			p.canvas.StrokeLine(x1, y1+d, x2, y2+d, *one.stroke(b))
		} else {
			p.canvas.StrokeLine(x1+d, y1, x2+d, y2, *one.stroke(b))
		}
	}
}

// paint draws all pages.
func (f *distributor) paint(title string) ([]byte, error) {
	canvas := pdf.NewCanvas(title, cmp.Or(f.doc.Language, f.doc.Settings.Language))
	canvas.Begin(nil, pdf.Tag{Role: pdf.Document})
	p := &painter{canvas: canvas, composer: f.composer, anchors: f.tally.linked, metafiles: shape.Metafiles{}}
	sectionPages := map[*wml.Section]int{}
	for _, pg := range f.pages {
		sectionPages[pg.section]++
	}
	for _, pg := range f.pages {
		if pg.isBlank { // it counts, but only on paper is it needed; LibreOffice leaves it out, too
			continue
		}
		canvas.AddPage(pg.section.Width, pg.section.Height)
		if bg := f.doc.Background; bg != nil {
			canvas.FillRect(0, 0, pg.section.Width, pg.section.Height, *bg)
		}
		f.paintPage(p, pg, strconv.Itoa(sectionPages[pg.section]))
		pdf.ReportOutside(canvas, f.tally.findings, "page", canvas.Pages())
	}
	pdf.ReportFull(canvas, f.tally.findings)
	return canvas.Bytes()
}

func (f *distributor) paintPage(p *painter, pg *page, sectionPages string) {
	s := pg.section
	env := environment{page: f.pageText(pg), number: pg.number, pages: strconv.Itoa(len(f.pages)), sectionPages: sectionPages, section: f.sectionNumber(s), isInBand: true}
	header, footer := &layer{geometry: pg.geometry}, &layer{geometry: pg.geometry}
	left := s.Left
	if f.doc.Settings.MirrorMargins && pg.number%2 == 0 {
		left = s.Right
	}
	if h := f.story(s.Headers, pg); h != nil {
		f.stack(collect(h.Blocks), s.TextWidth(), env).draw(header, left, s.Header)
	}
	if h := f.story(s.Footers, pg); h != nil {
		b := f.stack(collect(h.Blocks), s.TextWidth(), env)
		b.draw(footer, left, s.Height-s.Footer-b.height())
	}
	f.drawNotes(pg)
	// The text of the page is written in the order in which it is read: readers
	// copy and search it in this order.
	p.band("Header", header.behind.draw)
	p.band("Footer", footer.behind.draw)
	p.band("Header", header.draw)
	pg.behind.draw(p)
	pg.draw(p)
	p.band("Footer", footer.draw)
	p.band("Header", header.front.draw)
	p.band("Footer", footer.front.draw)
	pg.front.draw(p)
	for _, l := range pg.columnLines {
		p.canvas.StrokeLine(l.x, l.from, l.x, l.to, pdf.Stroke{Width: hairline})
	}
	p.pageBorders(s)
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
		p.within(s, pdf.Tag{Role: pdf.Note}, func() { s.draw(&p.layer, p.noteX, y) })
		y += s.height()
	}
}
