package slide

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// cell holds text with insets of a point and two, and a line is 12 points high.
func cell(text string) *pml.SlideCell {
	b := body(paragraph(run(text)))
	b.Left, b.Top, b.Right, b.Bottom = 1, 1, 1, 2
	return &pml.SlideCell{Text: b, ColSpan: 1, RowSpan: 1}
}

func merged() *pml.SlideCell {
	c := cell("hidden")
	c.Merged = true
	return c
}

func row(height float64, cells ...*pml.SlideCell) *pml.SlideRow {
	return &pml.SlideRow{Height: height, Cells: cells}
}

func over(columns, rows int, c *pml.SlideCell) *pml.SlideCell {
	c.ColSpan, c.RowSpan = columns, rows
	return c
}

func TestRowsAreAsHighAsTheFileSaysOrTheirTextNeeds(t *testing.T) {
	t.Parallel()
	// Two words of n take two lines in a column of 20 points.
	const twoWords = "nnn nnn"
	down := cell(twoWords)
	down.Text.Vertical = "vert"
	up := cell(twoWords)
	up.Text.Vertical = "vert270"
	for _, c := range []struct {
		name string
		rows []*pml.SlideRow
		want []float64 // the edges
	}{
		{"as the file says", []*pml.SlideRow{row(30, cell("n"), cell("n")), row(20, cell("n"), cell("n"))}, []float64{100, 130, 150}},
		{"as a line needs", []*pml.SlideRow{row(5, cell("n"), cell("n"))}, []float64{100, 115}},
		{"as the highest cell needs", []*pml.SlideRow{row(5, cell("n"), cell(twoWords)), row(5, cell(twoWords), cell("n"))}, []float64{100, 127, 154}},
		{"a cell over two columns", []*pml.SlideRow{row(5, over(2, 1, cell(twoWords)), merged())}, []float64{100, 115}},
		{"a cell over more columns than there are", []*pml.SlideRow{row(5, over(5, 1, cell(twoWords)), merged())}, []float64{100, 115}},
		{"text that is turned", []*pml.SlideRow{row(5, down, up)}, []float64{100, 105}},
		{"a row without height", []*pml.SlideRow{row(-3, merged(), merged())}, []float64{100, 101}},
		{"a cell over two rows, which have room", []*pml.SlideRow{row(15, over(1, 2, cell(twoWords)), cell("n")), row(15, merged(), cell("n"))}, []float64{100, 115, 130}},
		{"a cell over two rows, which needs more", []*pml.SlideRow{row(5, over(1, 2, cell("nnn nnn nnn")), merged()), row(5, merged(), cell("n"))}, []float64{100, 105, 139}},
		{"a cell over more rows than there are", []*pml.SlideRow{row(15, cell("n"), cell("n")), row(5, over(1, 9, cell(twoWords)), merged())}, []float64{100, 115, 142}},
		{"no rows", nil, []float64{100}},
	} {
		got := printer().rowEdges(&pml.SlideTable{Rows: c.rows}, []float64{50, 70, 90}, 100)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	narrow := printer().rowEdges(&pml.SlideTable{Rows: []*pml.SlideRow{row(5, cell("nn"))}}, []float64{0, 0}, 0)
	if want := []float64{0, 27}; !slices.Equal(narrow, want) {
		t.Errorf("a column without width: got %v, want %v: a letter on each line", narrow, want)
	}
}

// tableShape is a table at 50, 100 with columns of 40 and 60 points.
func tableShape(rows ...*pml.SlideRow) *pml.Shape {
	return &pml.Shape{Kind: pml.ShapeTable, Frame: dml.Rect{X: 50, Y: 100, W: 1, H: 1}, Table: &pml.SlideTable{Columns: []float64{40, 60}, Rows: rows}}
}

func TestCellsAreFilledAndWrittenInTheirPlaces(t *testing.T) {
	t.Parallel()
	wideCell, highCell, last := over(2, 1, cell("a")), over(1, 2, cell("b")), cell("d")
	wideCell.Fill, highCell.Fill, last.Fill = solid(red), solid(red), solid(red)
	hidden := merged()
	hidden.Fill = solid(red)
	got := drawnShapes(t, tableShape(row(20, wideCell, hidden), row(30, highCell, cell("c")), row(40, hidden, last)))
	rendertest.WantRects(t, "the cells", rendertest.Areas(got, red), dml.Rect{X: 50, Y: 100, W: 100, H: 20}, dml.Rect{X: 50, Y: 120, W: 40, H: 70}, dml.Rect{X: 90, Y: 150, W: 60, H: 40})
	rendertest.WantText(t, got, "a", 51, 100+1+10)
	rendertest.WantText(t, got, "b", 51, 120+1+10)
	rendertest.WantText(t, got, "c", 91, 120+1+10)
	rendertest.WantText(t, got, "d", 91, 150+1+10)
	if len(rendertest.Texts(got)) != 4 {
		t.Errorf("got the texts %v, want a to d", rendertest.Texts(got))
	}
	backwards := tableShape(row(20, cell("a"), last))
	backwards.Table.Columns[0] = -40
	rendertest.WantRects(t, "behind a column of no width", rendertest.Areas(drawnShapes(t, backwards), red), dml.Rect{X: 50, Y: 100, W: 60, H: 20})
}

func TestCellsHaveTheirOwnBorders(t *testing.T) {
	t.Parallel()
	at := map[string][4]float64{"left": {90, 100, 90, 120}, "right": {150, 100, 150, 120}, "top": {90, 100, 150, 100}, "bottom": {90, 120, 150, 120}}
	for side, want := range at {
		c := cell("n")
		*map[string]**dml.ShapeLine{"left": &c.Left, "right": &c.Right, "top": &c.Top, "bottom": &c.Bottom}[side] = stroke(blue)
		var got [][4]float64
		for _, m := range drawnShapes(t, tableShape(row(20, cell("n"), c))) {
			if m.Kind == rendertest.MarkLine && m.Color == blue {
				got = append(got, [4]float64{m.X[0], m.Y[0], m.X[1], m.Y[1]})
			}
		}
		if !slices.Equal(got, [][4]float64{want}) {
			t.Errorf("%s: got %v, want %v", side, got, want)
		}
	}
}
