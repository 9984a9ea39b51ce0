package slide

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// table draws a table. Rows grow with their text, so it may become higher than its frame.
func (pr *slidePrinter) table(sh *pml.Shape) {
	t := sh.Table
	xs := make([]float64, len(t.Columns)+1)
	xs[0] = sh.Frame.X
	for i, w := range t.Columns {
		xs[i+1] = xs[i] + math.Max(0, w)
	}
	ys := pr.rowEdges(t, xs, sh.Frame.Y)
	each := func(do func(c *pml.SlideCell, box dml.Rect)) {
		for r, row := range t.Rows {
			for col, c := range row.Cells {
				if c.Merged {
					continue
				}
				right, bottom := min(col+c.ColSpan, len(xs)-1), min(r+c.RowSpan, len(ys)-1)
				do(c, dml.Rect{X: xs[col], Y: ys[r], W: xs[right] - xs[col], H: ys[bottom] - ys[r]})
			}
		}
	}
	each(func(c *pml.SlideCell, box dml.Rect) {
		pr.Fill([]shape.Contour{{Points: shape.Points(box.X, box.Y, box.X+box.W, box.Y, box.X+box.W, box.Y+box.H, box.X, box.Y+box.H)}}, c.Fill, box)
	})
	pr.placeCells(t)
	each(func(c *pml.SlideCell, box dml.Rect) {
		pr.Canvas.Begin(c, pdf.Tag{Role: pdf.Cell})
		pr.text(c.Text, box, false)
		pr.Canvas.End()
	})
	each(func(c *pml.SlideCell, b dml.Rect) {
		pr.border(c.Left, b.X, b.Y, b.X, b.Y+b.H)
		pr.border(c.Right, b.X+b.W, b.Y, b.X+b.W, b.Y+b.H)
		pr.border(c.Top, b.X, b.Y, b.X+b.W, b.Y)
		pr.border(c.Bottom, b.X, b.Y+b.H, b.X+b.W, b.Y+b.H)
	})
}

func (pr *slidePrinter) border(l *dml.ShapeLine, x1, y1, x2, y2 float64) {
	if l != nil {
		pr.Canvas.StrokeLine(x1, y1, x2, y2, shape.StrokeOf(l))
	}
}

// rowEdges computes where rows begin and end. A cell over several rows makes
// the last of them higher when it needs more than all together.
func (pr *slidePrinter) rowEdges(t *pml.SlideTable, xs []float64, top float64) []float64 {
	heights := make([]float64, len(t.Rows))
	need := func(c *pml.SlideCell, col int) float64 {
		right := min(col+c.ColSpan, len(xs)-1)
		width := xs[right] - xs[col] - c.Text.Left - c.Text.Right
		if v := c.Text.Vertical; v == "vert" || v == "vert270" {
			return 0
		}
		return pr.set(c.Text, math.Max(1, width), 1, 1).height + c.Text.Top + c.Text.Bottom
	}
	for r, row := range t.Rows {
		heights[r] = math.Max(row.Height, 1)
		for col, c := range row.Cells {
			if !c.Merged && c.RowSpan == 1 {
				heights[r] = math.Max(heights[r], need(c, col))
			}
		}
	}
	for r, row := range t.Rows {
		for col, c := range row.Cells {
			if c.Merged || c.RowSpan == 1 {
				continue
			}
			last, sum := min(r+c.RowSpan, len(heights))-1, 0.0
			for i := r; i <= last; i++ {
				sum += heights[i]
			}
			if n := need(c, col); n > sum {
				heights[last] += n - sum
			}
		}
	}
	edges := make([]float64, len(heights)+1)
	edges[0] = top
	for i, h := range heights {
		edges[i+1] = edges[i] + h
	}
	return edges
}
