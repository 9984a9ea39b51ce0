package flow

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// resolveBorders lets neighbours agree on the line between them: the wider one
// is drawn (ECMA-376 part 1, 17.4.66), and a row's upper line takes its room.
func (b *tableBox) resolveBorders() {
	for i, row := range b.rows {
		if i == 0 {
			continue
		}
		above := b.rows[i-1].fromLeft()
		for _, c := range row.cells {
			c.resolveAbove(c.alongside(above))
		}
		b.rows[i-1].resolveOpen(row.fromLeft())
	}
	for i, row := range b.rows {
		for _, c := range row.cells {
			if !c.isCovered {
				row.line = math.Max(row.line, lineRoom(c.borders.Top))
			}
			if i == len(b.rows)-1 {
				row.bottom = math.Max(row.bottom, lineRoom(c.borders.Bottom))
			}
		}
	}
}

// A linePart is the line above or below a part of a cell, between two places of its table.
type linePart struct {
	from, to float64
	border   *wml.Border
}

// resolveAbove finds the line above a cell. Below several cells it has a part for each of
// them, which has the lower border of that alone.
func (c *cellBox) resolveAbove(above []*cellBox) {
	if c.isCovered {
		return
	}
	own, at := c.borders.Top, c.x
	var few [4]linePart // most cells have one part
	parts := few[:0]
	add := func(to float64, border *wml.Border) {
		if n := len(parts); n > 0 && sameBorder(parts[n-1].border, border) {
			parts[n-1].to = to
		} else {
			parts = append(parts, linePart{at, to, border})
		}
		at = to
		c.borders.Top = wider(border, c.borders.Top)
	}
	for _, up := range above {
		from, to := math.Max(up.x, at), math.Min(up.x+up.w, c.x+c.w)
		if to-from <= noLine {
			continue
		}
		if from-at > noLine {
			add(from, own)
		}
		line := wider(up.borders.Bottom, own)
		if to-from > up.w-noLine {
			up.borders.Bottom = line
		}
		add(to, line)
	}
	if c.x+c.w-at > noLine && len(parts) > 0 {
		add(c.x+c.w, own)
	}
	if len(parts) > 1 {
		c.above = slices.Clone(parts)
	}
}

// resolveOpen finds the lines below the cells of a row that have nothing of the next row
// below them.
func (r *rowBox) resolveOpen(below []*cellBox) {
	for _, c := range r.cells {
		if !c.borders.Bottom.IsVisible() {
			continue
		}
		at := c.x
		for _, under := range c.alongside(below) {
			if from := math.Min(under.x, c.x+c.w); from-at > noLine {
				c.open = append(c.open, linePart{at, from, c.borders.Bottom})
			}
			at = math.Max(at, under.x+under.w)
		}
		if c.x+c.w-at > noLine {
			c.open = append(c.open, linePart{at, c.x + c.w, c.borders.Bottom})
		}
	}
}

// alongside are those cells of another row, from its left to its right, that stand above or
// below a cell. Tables of others may have thousands in a row.
func (c *cellBox) alongside(row []*cellBox) []*cellBox {
	first := sort.Search(len(row), func(i int) bool { return row[i].x+row[i].w > c.x })
	row = row[first:]
	return row[:sort.Search(len(row), func(i int) bool { return row[i].x >= c.x+c.w })]
}

// fromLeft are the cells of a row from its left to its right.
func (r *rowBox) fromLeft() []*cellBox {
	if !r.table.t.RTL {
		return r.cells
	}
	cells := slices.Clone(r.cells)
	slices.Reverse(cells)
	return cells
}

func wider(a, b *wml.Border) *wml.Border {
	switch {
	case !a.IsVisible():
		return b
	case !b.IsVisible():
		return a
	case lineRoom(b) > lineRoom(a):
		return b
	}
	return a
}

// lineRoom is how thick a border is with all its lines and the gaps between
// them, by its name (ST_Border, ECMA-376 part 1, 17.18.2): measured in rows and
// paragraphs of LibreOffice 7.4.
func lineRoom(b *wml.Border) float64 {
	if !b.IsVisible() {
		return 0
	}
	switch kind := strings.ToLower(b.Style); {
	case kind == "double", kind == "triple":
		return b.Width * 3
	case kind == "dashsmallgap":
		return math.Max(b.Width, 1)
	case kind == "thick":
		return b.Width * 2
	case kind == "outset", kind == "inset":
		return b.Width*2 + 0.05 // a twentieth for the line between them
	case strings.HasPrefix(kind, "threed"), strings.HasSuffix(kind, "mediumgap"):
		return b.Width + 2*twips(b.Width/2) // parts of whole twentieths
	case strings.HasSuffix(kind, "smallgap"):
		return b.Width + 1.5
	case strings.HasSuffix(kind, "largegap"):
		return b.Width + 2.25
	}
	return b.Width
}

// drawBottom draws the lower borders of the row, at the end of the table or of
// its part on a page.
func (r *rowBox) drawBottom(dst *layer, x, y float64) {
	dst.add(func(p *painter) {
		for _, c := range r.cells {
			if b := c.borders.Bottom; b.IsVisible() {
				at := y + lineRoom(b)/2
				p.borderLine(x+c.x-b.Width/2, at, x+c.x+c.w+b.Width/2, at, b)
			}
		}
	})
}

// cellBorders draws the upper and side borders of a cell; the lower one is the
// next row's upper one.
func (p *painter) cellBorders(r *rowBox, c *cellBox, x, y float64) {
	b := &c.borders
	above := c.above
	if len(above) == 0 && !(c.isCovered && !r.isPart) {
		above = []linePart{{c.x, c.x + c.w, b.Top}}
	}
	for i, part := range above {
		from, to := x+part.from-c.x, x+part.to-c.x
		if i == 0 {
			from -= sideWidth(b.Left) / 2
		}
		if i == len(above)-1 {
			to += sideWidth(b.Right) / 2
		}
		if part.border.IsVisible() {
			at := y + lineRoom(part.border)/2
			p.borderLine(from, at, to, at, part.border)
		}
	}
	for _, part := range c.open {
		at := y + r.height + lineRoom(part.border)/2
		p.borderLine(x+part.from-c.x, at, x+part.to-c.x, at, part.border)
	}
	p.borderLine(x, y, x, y+r.height, b.Left)
	p.borderLine(x+c.w, y, x+c.w, y+r.height, b.Right)
}

func sideWidth(b *wml.Border) float64 {
	if b.IsVisible() {
		return b.Width
	}
	return 0
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

func (p *painter) pageBorders(s *wml.Section) {
	b := &s.Borders
	if !hasBorders(b) {
		return
	}
	space := func(x *wml.Border) float64 {
		if x == nil {
			return 0
		}
		return x.Space
	}
	left, right, top, bottom := space(b.Left), s.Width-space(b.Right), space(b.Top), s.Height-space(b.Bottom)
	if s.HasBordersFromText {
		left, right = s.Left-space(b.Left)-thickness(b.Left), s.Width-s.Right+space(b.Right)+thickness(b.Right)
		top, bottom = math.Abs(s.Top)-space(b.Top)-thickness(b.Top), s.Height-math.Abs(s.Bottom)+space(b.Bottom)+thickness(b.Bottom)
	}
	// Each strip ends where the same strip of the sides begins, so that corners meet.
	at := func(strips []strip, i int) float64 {
		if len(strips) == 0 {
			return 0
		}
		return strips[min(i, len(strips)-1)].from
	}
	ofTop, ofLeft, ofBottom, ofRight := stripsOf(b.Top, true), stripsOf(b.Left, true), stripsOf(b.Bottom, false), stripsOf(b.Right, false)
	for i, one := range ofTop {
		y := top + one.middle()
		p.canvas.StrokeLine(left+at(ofLeft, i), y, right-at(ofRight, i), y, *one.stroke(b.Top))
	}
	for i, one := range ofBottom {
		y := bottom - one.middle()
		p.canvas.StrokeLine(left+at(ofLeft, i), y, right-at(ofRight, i), y, *one.stroke(b.Bottom))
	}
	for i, one := range ofLeft {
		x := left + one.middle()
		p.canvas.StrokeLine(x, top+at(ofTop, i), x, bottom-at(ofBottom, i), *one.stroke(b.Left))
	}
	for i, one := range ofRight {
		x := right - one.middle()
		p.canvas.StrokeLine(x, top+at(ofTop, i), x, bottom-at(ofBottom, i), *one.stroke(b.Right))
	}
}

// A strip is one of the lines that a border has, seen from its outer edge.
type strip struct{ from, width float64 }

func (s strip) middle() float64 { return s.from + s.width/2 }

// stroke is the look of a strip of a border.
func (s strip) stroke(b *wml.Border) *pdf.Stroke {
	out := strokeOf(b)
	out.Width = s.width
	return out
}

// thickness is how far a border reaches from its outer to its inner edge.
func thickness(b *wml.Border) float64 {
	strips := stripsOf(b, true)
	if len(strips) == 0 {
		return 0
	}
	last := strips[len(strips)-1]
	return last.from + last.width
}

// stripsOf are the lines of a border, from the outer one to the inner one. Its
// width is that of its thick line (ST_Border, ECMA-376 part 1, 17.18.2); how wide thin
// lines and gaps are is LibreOffice's. The names read from the right and the foot of
// the page to its left and its head.
func stripsOf(b *wml.Border, isAtStart bool) []strip {
	if !b.IsVisible() {
		return nil
	}
	w := b.Width
	const small = 0.75 // points
	kind := strings.ToLower(b.Style)
	thin, gap, thick := small, small, w
	switch {
	case strings.HasSuffix(kind, "mediumgap"):
		thin, gap = w/2, w/2
	case strings.HasSuffix(kind, "largegap"):
		gap, thick = w, 2*small
	}
	switch {
	case kind == "double":
		return []strip{{0, w}, {2 * w, w}}
	case kind == "triple":
		return []strip{{0, w}, {2 * w, w}, {4 * w, w}}
	case strings.HasPrefix(kind, "thinthickthin"):
		return []strip{{0, thin}, {thin + gap, thick}, {thin + 2*gap + thick, thin}}
	case strings.HasPrefix(kind, "thinthick") && isAtStart, strings.HasPrefix(kind, "thickthin") && !isAtStart:
		return []strip{{0, thick}, {thick + gap, thin}}
	case strings.HasPrefix(kind, "thinthick"), strings.HasPrefix(kind, "thickthin"):
		return []strip{{0, thin}, {thin + gap, thick}}
	}
	return []strip{{0, strokeOf(b).Width}}
}
