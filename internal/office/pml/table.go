package pml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// SlideTable is a table on a slide.
type SlideTable struct {
	Elem    *etree.Element // a:tbl
	Columns []float64      // widths
	Rows    []*SlideRow
	// HasHeader says that the first row heads the columns.
	HasHeader bool
}

// SlideRow is a row; its height is the least that it has.
type SlideRow struct {
	Elem   *etree.Element
	Height float64
	Cells  []*SlideCell // one for each column, merged ones included
}

// SlideCell is a cell with the table's style resolved.
type SlideCell struct {
	Elem             *etree.Element
	Text             *dml.TextBody
	ColSpan, RowSpan int
	Merged           bool // covered by another cell
	Fill             *dml.ShapeFill
	// Borders; nil ones are not drawn.
	Left, Top, Right, Bottom *dml.ShapeLine
}

const maxTableCells = 20000

// tableFlags are the parts of a table's style that it uses.
type tableFlags struct {
	hasFirstRow, hasLastRow, hasFirstCol, hasLastCol, hasBandRows, hasBandCols bool
}

func (s *slideParts) table(e *etree.Element, d *dml.Reader) *SlideTable {
	t := &SlideTable{Elem: e}
	for _, col := range dml.ChildrenNamed(dml.Child(e, "tblGrid"), "gridCol") {
		t.Columns = append(t.Columns, dml.EMU(col, "w"))
	}
	pr := dml.Child(e, "tblPr")
	isOn := func(key string) bool { return dml.Bool(pr, key, false) }
	flags := tableFlags{isOn("firstRow"), isOn("lastRow"), isOn("firstCol"), isOn("lastCol"), isOn("bandRow"), isOn("bandCol")}
	t.HasHeader = flags.hasFirstRow
	style := s.tableStyle(dml.ElementText(dml.Find(pr, "tableStyleId")), d)
	rows := dml.ChildrenNamed(e, "tr")
	for i, tr := range rows {
		row := &SlideRow{Elem: tr, Height: dml.EMU(tr, "h")}
		cells := dml.ChildrenNamed(tr, "tc")
		if len(cells) > len(t.Columns) {
			cells = cells[:len(t.Columns)]
		}
		if (i+1)*max(1, len(t.Columns)) > maxTableCells {
			break
		}
		for j, tc := range cells {
			parts := style.parts(flags, i, j, len(rows), len(t.Columns))
			row.Cells = append(row.Cells, s.cell(tc, d, style, parts, tableEdges{i == 0, i == len(rows)-1, j == 0, j == len(t.Columns)-1}))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tableEdges says which sides of a cell are sides of the table.
type tableEdges struct{ isTop, isBottom, isLeft, isRight bool }

func (s *slideParts) cell(tc *etree.Element, d *dml.Reader, style *tableStyle, parts []*etree.Element, at tableEdges) *SlideCell {
	c := &SlideCell{Elem: tc, ColSpan: max(1, dml.Int(tc, "gridSpan", 1)), RowSpan: max(1, dml.Int(tc, "rowSpan", 1))}
	c.Merged = dml.Bool(tc, "hMerge", false) || dml.Bool(tc, "vMerge", false)
	pr := dml.Child(tc, "tcPr")
	if c.Fill = d.Fill(pr, nil); c.Fill == nil {
		c.Fill = style.fill(parts)
	}
	for _, side := range []struct {
		own, outer, inner string
		isEdge            bool
		to                **dml.ShapeLine
	}{
		{"lnL", "left", "insideV", at.isLeft, &c.Left}, {"lnR", "right", "insideV", at.isRight, &c.Right},
		{"lnT", "top", "insideH", at.isTop, &c.Top}, {"lnB", "bottom", "insideH", at.isBottom, &c.Bottom},
	} {
		if ln := dml.FirstChild(pr, side.own); ln != nil {
			*side.to = d.Line([]*etree.Element{ln}, nil, s.themed)
			continue
		}
		*side.to = style.border(parts, side.outer, side.inner, side.isEdge)
	}
	t := &dml.TextBody{Elem: dml.Child(tc, "txBody"), Left: 7.2, Top: 3.6, Right: 7.2, Bottom: 3.6, Anchor: "t", Columns: 1, InCell: true}
	if pr != nil {
		for key, to := range map[string]*float64{"marL": &t.Left, "marT": &t.Top, "marR": &t.Right, "marB": &t.Bottom} {
			if pr.SelectAttr(key) != nil {
				*to = dml.EMU(pr, key)
			}
		}
		t.Anchor = pr.SelectAttrValue("anchor", "t")
		t.Vertical = pr.SelectAttrValue("vert", "horz")
	}
	ctx := &dml.TextContext{D: d, Row: func(r *dml.TextRun) { style.text(parts, r) }}
	ctx.Levels = []dml.Leveled{{E: dml.Child(s.pres.Elem, "defaultTextStyle"), D: s.master}, {E: dml.Find(t.Elem, "lstStyle"), D: d}}
	t.Paragraphs = ctx.Paragraphs(t.Elem)
	c.Text = t
	return c
}
