package wml

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// Cell is a w:tc.
type Cell struct {
	Elem   *etree.Element
	Blocks []Block
	// Column is the grid column it begins at, Span how many it covers.
	Column, Span int
	// VMerge is "restart" for the first cell of a vertical merge, "continue" for the rest, or empty.
	VMerge  string
	Width   Measure
	Borders CellBorders
	Shading *dml.RGB
	Margins Margins
	// VAlign is "top", "center" or "bottom".
	VAlign string
	// Direction is "btLr" for text that runs upwards, its lines from left to right, "tbRl" for
	// text that runs downwards, its lines from right to left, else empty.
	Direction string
	NoWrap    bool
}

// cellDirections are the directions of text in cells that we draw, by their names in both
// classes of conformance (ST_TextDirection, ISO/IEC 29500-1, 17.18.93, and 29500-4, 14.11.7).
var cellDirections = map[string]string{
	"": "", "lrTb": "", "lrTbV": "", "tb": "", "tbV": "",
	"btLr": "btLr", "lr": "btLr",
	"tbRl": "tbRl", "tbRlV": "tbRl", "rl": "tbRl", "rlV": "tbRl",
}

func (t *tableReader) readCell(tc *etree.Element, at place, borders CellBorders, margins Margins) *Cell {
	c := &Cell{Elem: tc, Column: at.column, Span: 1, Margins: margins, VAlign: "top", Width: Measure{Kind: "auto"}}
	applyEdges(&c.Borders, borders, at.firstRow, at.lastRow, at.firstCell, at.lastCell)
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
		t.applyRegionEdges(&c.Borders, b, region, at)
	})
	tcPr := wChild(tc, "tcPr")
	t.applyCell(c, tcPr)
	t.applyCellBorders(&c.Borders, wChild(tcPr, "tcBorders"))
	t.readBlocks(tc, t.context(regions), func(b Block) { c.Blocks = append(c.Blocks, b) })
	if content := tc.Parent(); content != nil && content.Tag == "sdtContent" {
		if text, isBound := t.bound(content.Parent()); isBound {
			c.Blocks = t.bindBlocks(c.Blocks, content.Parent(), text)
		}
	}
	return c
}

// applyEdges gives a cell the borders of the whole it belongs to: the outer ones
// where it stands at the edge, the inner ones elsewhere.
func applyEdges(c *CellBorders, whole CellBorders, top, bottom, left, right bool) {
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

func (t *tableReader) applyRegionEdges(c *CellBorders, b CellBorders, region string, at place) {
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
	applyEdges(c, b, top, bottom, left, right)
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
			c.Shading = t.readShading(e)
		case "tcMar":
			applyMargins(&c.Margins, e)
		case "vAlign":
			c.VAlign = wVal(e)
		case "textDirection":
			var isKnown bool
			if c.Direction, isKnown = cellDirections[wVal(e)]; !isKnown {
				t.lost.Add(dml.LossTurnedText)
			}
		case "noWrap":
			c.NoWrap = isOn(e)
		}
	})
}
