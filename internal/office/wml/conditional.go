package wml

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// tableLook says which conditional parts of a table style are in force (w:tblLook).
type tableLook struct {
	firstRow, lastRow, firstColumn, lastColumn, bandRows, bandColumns bool
}

func readTableLook(e *etree.Element) tableLook {
	if e == nil {
		return tableLook{}
	}
	bits, _ := strconv.ParseUint(wVal(e), 16, 32)
	on := func(key string, bit uint64) bool {
		if v, ok := wAttr(e, key); ok {
			return isOnValue(v)
		}
		return bits&bit != 0
	}
	return tableLook{firstRow: on("firstRow", 0x20), lastRow: on("lastRow", 0x40), firstColumn: on("firstColumn", 0x80),
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
	c := &tableContext{isStyled: t.isStyled}
	for _, s := range t.style.chain {
		if s == t.style {
			c.addLayers(s.pPr, s.rPr)
		} else {
			c.addLayers(nil, s.rPr) // LibreOffice takes paragraphs' properties from the named style alone
		}
	}
	t.eachRegion(regions, func(_ string, e *etree.Element) { c.addLayers(wChild(e, "pPr"), wChild(e, "rPr")) })
	t.contexts[key] = c
	return c
}

func (c *tableContext) addLayers(pPr, rPr *etree.Element) {
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
