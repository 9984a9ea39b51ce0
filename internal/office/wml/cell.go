package wml

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// look says which conditional parts of a table style are in force (w:tblLook).
type look struct {
	firstRow, lastRow, firstColumn, lastColumn, bandRows, bandColumns bool
}

func readLook(e *etree.Element) look {
	if e == nil {
		return look{}
	}
	bits, _ := strconv.ParseUint(wVal(e), 16, 32)
	on := func(key string, bit uint64) bool {
		if v, ok := wAttr(e, key); ok {
			return isOn(v)
		}
		return bits&bit != 0
	}
	return look{firstRow: on("firstRow", 0x20), lastRow: on("lastRow", 0x40), firstColumn: on("firstColumn", 0x80),
		lastColumn: on("lastColumn", 0x100), bandRows: !on("noHBand", 0x200), bandColumns: !on("noVBand", 0x400)}
}

// place is where a cell stands in its table.
type place struct {
	row, column         int
	firstRow, lastRow   bool
	firstCell, lastCell bool
}

// regions lists the conditional parts that cover a cell, weakest first
// (ECMA-376 part 1, 17.7.6).
func (t *tableReader) regions(at place) []string {
	names := []string{"wholeTable"}
	l := t.look
	if l.bandColumns && !(l.firstColumn && at.firstCell) && !(l.lastColumn && at.lastCell) {
		col := at.column
		if l.firstColumn {
			col--
		}
		names = append(names, band(col/t.colBand, "Vert"))
	}
	if l.bandRows && !(l.firstRow && at.firstRow) && !(l.lastRow && at.lastRow) {
		row := at.row
		if l.firstRow {
			row--
		}
		names = append(names, band(row/t.rowBand, "Horz"))
	}
	first, last := l.firstRow && at.firstRow, l.lastRow && at.lastRow
	left, right := l.firstColumn && at.firstCell, l.lastColumn && at.lastCell
	add := func(on bool, name string) {
		if on {
			names = append(names, name)
		}
	}
	add(left, "firstCol")
	add(right, "lastCol")
	add(first, "firstRow")
	add(last, "lastRow")
	add(first && right, "neCell")
	add(first && left, "nwCell")
	add(last && right, "seCell")
	add(last && left, "swCell")
	return names
}

func band(n int, direction string) string {
	if n%2 == 0 {
		return "band1" + direction
	}
	return "band2" + direction
}

// context returns the layers that a table style gives to a cell's paragraphs,
// shared by all cells that the same regions cover.
func (t *tableReader) context(regions []string) *tableContext {
	if t.style == nil {
		return t.outer
	}
	key := strings.Join(regions, " ")
	if c := t.contexts[key]; c != nil {
		return c
	}
	c := &tableContext{}
	for _, s := range t.style.chain {
		if s == t.style {
			c.add(s.pPr, s.rPr)
		} else {
			c.add(nil, s.rPr)
		}
	}
	t.eachRegion(regions, func(_ string, e *etree.Element) { c.add(wChild(e, "pPr"), wChild(e, "rPr")) })
	t.contexts[key] = c
	return c
}

func (c *tableContext) add(pPr, rPr *etree.Element) {
	if pPr != nil {
		c.pPr = append(c.pPr, pPr)
	}
	if rPr != nil {
		c.rPr = append(c.rPr, rPr)
	}
}

// eachRegion visits the w:tblStylePr of the named regions, weakest first.
func (t *tableReader) eachRegion(regions []string, do func(region string, e *etree.Element)) {
	if t.style == nil {
		return
	}
	for _, region := range regions {
		for _, s := range t.style.chain {
			dml.EachChild(s.elem, func(e *etree.Element) {
				if kind, _ := wAttr(e, "type"); e.Tag == "tblStylePr" && kind == region {
					do(region, e)
				}
			})
		}
	}
}

func (t *tableReader) readRow(tr *etree.Element, index int) *Row {
	trPr := wChild(tr, "trPr")
	if wChild(trPr, "del") != nil {
		return nil
	}
	row := &Row{Elem: tr}
	dml.EachChild(trPr, func(e *etree.Element) {
		switch e.Tag {
		case "trHeight":
			row.Height, _ = wPoints(e, "val")
			rule, _ := wAttr(e, "hRule")
			row.HeightExact = rule == "exact" && row.Height > 0
		case "tblHeader":
			row.Header = wOn(e)
		case "cantSplit":
			row.CantSplit = wOn(e)
		case "gridBefore":
			row.GridBefore, _ = wInt(e, "val")
		case "gridAfter":
			row.GridAfter, _ = wInt(e, "val")
		}
	})
	row.GridBefore = min(max(row.GridBefore, 0), 200)
	borders := t.table.Borders
	t.applyCellBorders(&borders, wPath(tr, "tblPrEx", "tblBorders"))
	margins := t.table.Margins
	applyMargins(&margins, wPath(tr, "tblPrEx", "tblCellMar"))
	var cells []*etree.Element
	collect(tr, "tc", &cells, 0)
	column := row.GridBefore
	for i, tc := range cells {
		if len(row.Cells) >= 200 {
			t.doc.Truncated = true
			break
		}
		at := place{row: index, firstRow: index == 0, lastRow: index == t.rows-1,
			firstCell: i == 0, lastCell: i == len(cells)-1, column: column}
		c := t.readCell(tc, at, borders, margins)
		row.Cells = append(row.Cells, c)
		column += c.Span
	}
	return row
}

func (t *tableReader) readCell(tc *etree.Element, at place, borders CellBorders, margins Margins) *Cell {
	c := &Cell{Elem: tc, Column: at.column, Span: 1, Margins: margins, VAlign: "top", Width: Measure{Kind: "auto"}}
	edges(&c.Borders, borders, at.firstRow, at.lastRow, at.firstCell, at.lastCell)
	if t.style != nil {
		for _, s := range t.style.chain {
			t.applyCell(c, wChild(s.elem, "tcPr"))
		}
	}
	regions := t.regions(at)
	t.eachRegion(regions, func(region string, e *etree.Element) {
		tcPr := wChild(e, "tcPr")
		t.applyCell(c, tcPr)
		var b CellBorders
		t.applyCellBorders(&b, wPath(e, "tblPr", "tblBorders"))
		t.applyCellBorders(&b, wChild(tcPr, "tcBorders"))
		t.regionEdges(&c.Borders, b, region, at)
	})
	tcPr := wChild(tc, "tcPr")
	t.applyCell(c, tcPr)
	t.applyCellBorders(&c.Borders, wChild(tcPr, "tcBorders"))
	t.readBlocks(tc, t.context(regions), func(b Block) { c.Blocks = append(c.Blocks, b) })
	return c
}

// edges gives a cell the borders of the whole it belongs to: the outer ones
// where it stands at the edge, the inner ones elsewhere.
func edges(c *CellBorders, whole CellBorders, top, bottom, left, right bool) {
	pick := func(to **Border, edge bool, outer, inner *Border) {
		b := inner
		if edge {
			b = outer
		}
		if b != nil {
			*to = b
		}
	}
	pick(&c.Top, top, whole.Top, whole.InsideH)
	pick(&c.Bottom, bottom, whole.Bottom, whole.InsideH)
	pick(&c.Left, left, whole.Left, whole.InsideV)
	pick(&c.Right, right, whole.Right, whole.InsideV)
}

func (t *tableReader) regionEdges(c *CellBorders, b CellBorders, region string, at place) {
	top, bottom, left, right := at.firstRow, at.lastRow, at.firstCell, at.lastCell
	switch {
	case strings.HasSuffix(region, "Row"):
		top, bottom = true, true
	case strings.HasSuffix(region, "Col"):
		left, right = true, true
	case strings.HasSuffix(region, "Cell"):
		top, bottom, left, right = true, true, true, true
	case strings.HasSuffix(region, "Horz"):
		row := at.row
		if t.look.firstRow {
			row--
		}
		top, bottom = row%t.rowBand == 0, row%t.rowBand == t.rowBand-1 || at.lastRow
	case strings.HasSuffix(region, "Vert"):
		left, right = true, true
	}
	edges(c, b, top, bottom, left, right)
}

func (t *tableReader) applyCell(c *Cell, tcPr *etree.Element) {
	dml.EachChild(tcPr, func(e *etree.Element) {
		switch e.Tag {
		case "gridSpan":
			if n, ok := wInt(e, "val"); ok {
				c.Span = min(max(n, 1), 200)
			}
		case "vMerge":
			if c.VMerge = wVal(e); c.VMerge != "restart" {
				c.VMerge = "continue"
			}
		case "tcW":
			c.Width = readMeasure(e)
		case "shd":
			c.Shading = t.shading(e)
		case "tcMar":
			applyMargins(&c.Margins, e)
		case "vAlign":
			c.VAlign = wVal(e)
		case "textDirection":
			if c.Direction = wVal(e); c.Direction != "" && !strings.HasPrefix(c.Direction, "lrTb") {
				t.lost.Add(dml.LossTurnedText)
			}
		case "noWrap":
			c.NoWrap = wOn(e)
		}
	})
}
