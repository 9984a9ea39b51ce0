package flow

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// draw puts the row on a page, its upper left corner at x and y.
func (r *rowBox) draw(dst *layer, x, y float64) {
	for _, c := range r.cells {
		r.background(dst, c, x+c.x, y)
	}
	dst.add(func(p *painter) {
		p.canvas.Begin(r.table.t, pdf.Tag{Role: pdf.Table})
		p.canvas.Begin(r.row, pdf.Tag{Role: pdf.Row})
		r.place(p.canvas)
	})
	for _, c := range r.cells {
		if c.content != nil && len(c.content.items) > 0 {
			dst.within(c.cell, pdf.Tag{Role: pdf.Cell}, func() { r.content(dst, c, x+c.x, y) })
		}
	}
	dst.add(func(p *painter) {
		p.canvas.End()
		p.canvas.End()
		for _, c := range r.cells {
			p.cellBorders(r, c, x+c.x, y)
		}
	})
	if r.isLast {
		r.drawBottom(dst, x, y+r.height-r.bottom)
	}
}

func (r *rowBox) background(dst *layer, c *cellBox, x, y float64) {
	if c.shading == nil {
		return
	}
	color, h := *c.shading, r.height
	if c.isCovered {
		// The first cell's colour goes on.
		y, h = y-seamOverlap, h+seamOverlap
	}
	fill := func(p *painter) { p.canvas.FillRect(x, y, c.w, h, color) }
	merge := mergeAt{r.table, c.x}
	switch behind := dst.merges[merge]; {
	case c.isCovered && behind != nil: // the text of the first cell may reach down here
		*behind = append(*behind, fill)
	case c.rows > 1:
		dst.addMerge(merge, fill)
	default:
		dst.add(fill)
	}
}

func (r *rowBox) content(dst *layer, c *cellBox, x, y float64) {
	height := r.mergedHeight(c)
	room := height - r.line - r.bottom - c.contentHeight()
	top := y + r.line + c.margins.Top
	if room > 0 && (!r.isPart || r.isTail) && !isTurned(c.cell) {
		switch c.cell.VAlign {
		case "center":
			top += room / 2
		case "bottom":
			top += room
		}
	}
	if isTurned(c.cell) {
		r.turnedContent(dst, c, x, y, height)
		return
	}
	isClipped := r.row.HasExactHeight && c.contentHeight() > height+clipTolerance
	if isClipped {
		dst.add(func(p *painter) { p.canvas.Save(); p.canvas.ClipRect(x, y, c.w, height) })
	}
	c.content.draw(dst, x+c.margins.Left, top)
	if isClipped {
		dst.add(func(p *painter) { p.canvas.Restore() })
	}
}

// turnedContent draws text that runs up (btLr) from the cell's foot, its first line at the
// left, or down (tbRl) from its head, its first line at the right (ECMA-376 part 1, 17.4.72).
func (r *rowBox) turnedContent(dst *layer, c *cellBox, x, y, height float64) {
	angle, cx, cy := 90.0, x+c.w/2, y+height/2
	from, above := c.margins.Top, c.margins.Right
	if c.cell.Direction == "btLr" {
		angle, from, above = -90, c.margins.Bottom, c.margins.Left
	}
	room := math.Max(c.w-c.margins.Left-c.margins.Right-c.content.height(), 0)
	switch c.cell.VAlign {
	case "center":
		above += room / 2
	case "bottom":
		above += room
	}
	dst.add(func(p *painter) { p.canvas.Rotate(angle, cx, cy) })
	c.content.draw(dst, cx-height/2+from, cy-c.w/2+above)
	dst.add(func(p *painter) { p.canvas.Restore() })
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
