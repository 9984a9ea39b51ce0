package slide

import (
	"cmp"
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// labelOf is the key of a paragraph's bullet.
type labelOf struct{ *dml.TextParagraph }

func isTitle(sh *pml.Shape) bool {
	return sh.Placeholder != nil && (sh.Placeholder.Type == "title" || sh.Placeholder.Type == "ctrTitle")
}

// placeInOrder gives the shapes of a slide their places in the order in which they are read:
// the title, then from above to below, and from left to right where they stand side by side.
func (pr *slidePrinter) placeInOrder(shapes []*pml.Shape) {
	const bands = 20 // of a slide's height, within which shapes stand side by side
	band := func(sh *pml.Shape) float64 { return math.Floor(sh.Frame.Y * bands / max(pr.pres.Height, 1)) }
	title := func(sh *pml.Shape) int {
		if isTitle(sh) {
			return 0
		}
		return 1
	}
	ordered := slices.Clone(shapes)
	slices.SortStableFunc(ordered, func(a, b *pml.Shape) int {
		return cmp.Or(cmp.Compare(title(a), title(b)), cmp.Compare(band(a), band(b)), cmp.Compare(a.Frame.X, b.Frame.X))
	})
	for _, sh := range ordered {
		if tag := tagOf(sh); tag.Role != pdf.Artifact {
			pr.Canvas.Place(sh, tag)
		}
	}
}

// tagOf is what a shape is: text, a table, a figure, or decoration.
func tagOf(sh *pml.Shape) pdf.Tag {
	figure := pdf.Tag{Role: pdf.Figure, Alt: sh.Description, Box: pdf.Box(sh.Frame)}
	switch {
	case sh.Kind == pml.ShapeTable:
		return pdf.Tag{Role: pdf.Table}
	case showsText(sh):
		return pdf.Tag{Role: pdf.Division}
	case (sh.Kind == pml.ShapePlain || sh.Kind == pml.ShapeConnector) && sh.Description == "":
		return pdf.Tag{Role: pdf.Artifact}
	}
	return figure
}

// showsText says whether a shape, or one inside it, has text.
func showsText(sh *pml.Shape) bool {
	return sh.Text != nil && hasText(sh.Text) || sh.Table != nil || slices.ContainsFunc(sh.Children, showsText)
}

// beginParagraph goes on with a paragraph of a slide, or with its bullet.
func (pr *slidePrinter) beginParagraph(p *dml.TextParagraph, isBullet bool) {
	c := pr.Canvas
	var key any = p
	if isBullet {
		key = labelOf{p}
	}
	if c.Resume(key) {
		return
	}
	tag := pdf.Tag{Role: pdf.Text}
	if !isBullet {
		c.Begin(p, tag)
		return
	}
	c.Item(key, p, "", p.Level, tag)
	c.Resume(key)
}

// placeCells gives the cells of a table their places in it.
func (pr *slidePrinter) placeCells(t *pml.SlideTable) {
	for r, row := range t.Rows {
		role := pdf.Cell
		if r == 0 && t.HasHeader {
			role = pdf.HeaderCell
		}
		pr.Canvas.Begin(row, pdf.Tag{Role: pdf.Row})
		for _, c := range row.Cells {
			if !c.Merged {
				pr.Canvas.Place(c, pdf.Tag{Role: role, Columns: c.ColSpan, Rows: c.RowSpan})
			}
		}
		pr.Canvas.End()
	}
}
