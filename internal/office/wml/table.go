package wml

import (
	"slices"
	"strconv"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// Table is a w:tbl with its style resolved into its cells.
type Table struct {
	Elem  *etree.Element
	Style string
	// Grid are the column widths of w:tblGrid.
	Grid  []float64
	Width Measure
	// Align is "left", "center" or "right"; Indent counts for "left" only.
	Align   string
	Indent  float64
	IsFixed bool
	RTL     bool
	Margins Margins // the default of its cells
	Borders CellBorders
	Rows    []*Row
	// Floating is set for a table that text flows around.
	Floating *Frame
}

// Element returns the table's w:tbl.
func (t *Table) Element() *etree.Element { return t.Elem }

// Measure is a preferred width: Kind "dxa" in points, "pct" in parts of one, "auto" for none.
type Measure struct {
	Kind  string
	Value float64
}

// Margins are the distances between a cell's edge and its text.
type Margins struct{ Top, Right, Bottom, Left float64 }

// CellBorders are a cell's own lines; which of two neighbours wins is a matter of layout.
type CellBorders struct {
	Top, Right, Bottom, Left, InsideH, InsideV *Border
}

func (r *resolver) applyCellBorders(b *CellBorders, e *etree.Element) {
	dml.EachChild(e, func(c *etree.Element) {
		switch c.Tag {
		case "top":
			b.Top = r.readBorder(c)
		case "right", "end":
			b.Right = r.readBorder(c)
		case "bottom":
			b.Bottom = r.readBorder(c)
		case "left", "start":
			b.Left = r.readBorder(c)
		case "insideH":
			b.InsideH = r.readBorder(c)
		case "insideV":
			b.InsideV = r.readBorder(c)
		}
	})
}

func applyMargins(m *Margins, e *etree.Element) {
	dml.EachChild(e, func(c *etree.Element) {
		n, ok := wPoints(c, "w")
		if kind, _ := wAttr(c, "type"); !ok || kind == "pct" || n < 0 {
			return
		}
		switch c.Tag {
		case "top":
			m.Top = n
		case "right", "end":
			m.Right = n
		case "bottom":
			m.Bottom = n
		case "left", "start":
			m.Left = n
		}
	})
}

func readMeasure(e *etree.Element) Measure {
	v, ok := wAttr(e, "w")
	if !ok {
		return Measure{Kind: "auto"}
	}
	kind, _ := wAttr(e, "type")
	if n := len(v); n > 1 && v[n-1] == '%' {
		if f, err := strconv.ParseFloat(v[:n-1], 64); err == nil && f > 0 && f <= 500 {
			return Measure{Kind: "pct", Value: f / 100}
		}
	}
	switch kind {
	case "pct":
		if n, ok := wInt(e, "w"); ok && n > 0 && n <= 25000 {
			return Measure{Kind: "pct", Value: float64(n) / 5000}
		}
	case "dxa", "":
		if n, ok := wPoints(e, "w"); ok && n > 0 {
			return Measure{Kind: "dxa", Value: n}
		}
	}
	return Measure{Kind: "auto"}
}

// tableReader is what is needed while one table is read.
type tableReader struct {
	*resolver
	table    *Table
	style    *style
	isStyled bool // the table names its style
	look     tableLook
	outer    *tableContext
	contexts map[string]*tableContext
	rows     int
	rowBand  int
	colBand  int
}

// cellMargin is what cells keep left and right where nobody says otherwise: 108 twentieths
// of a point in what Word writes itself, and in LibreOffice. ECMA-376 says 115 (Part 1,
// 17.4.42).
const cellMargin = 5.4

func (r *resolver) readTable(e *etree.Element, outer *tableContext) *Table {
	tblPr := wChild(e, "tblPr")
	t := &Table{Elem: e, Align: "left", Width: Measure{Kind: "auto"}, Margins: Margins{Left: cellMargin, Right: cellMargin}}
	reader := &tableReader{resolver: r, table: t, outer: outer, contexts: map[string]*tableContext{}, rowBand: 1, colBand: 1}
	if st := r.sheet.get(wVal(wChild(tblPr, "tblStyle")), "table"); st != nil {
		reader.style, t.Style = st, st.id
		reader.isStyled = st.id != "" && st.id == wVal(wChild(tblPr, "tblStyle"))
		for _, s := range st.chain {
			reader.applyTable(wChild(s.elem, "tblPr"))
		}
	}
	reader.applyTable(tblPr)
	reader.look = readTableLook(wChild(tblPr, "tblLook"))
	dml.EachChild(wChild(e, "tblGrid"), func(c *etree.Element) {
		if w, ok := wPoints(c, "w"); c.Tag == "gridCol" && len(t.Grid) < 200 {
			if !ok || w < 0 {
				w = 0
			}
			t.Grid = append(t.Grid, w)
		}
	})
	var rows []*etree.Element
	r.collect(e, "tr", &rows, 0)
	rows = slices.DeleteFunc(rows, isDeletedRow)
	reader.rows = len(rows)
	for i, tr := range rows {
		t.Rows = append(t.Rows, reader.readRow(tr, i))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// collect gathers rows or cells, through content controls and the like.
func (r *resolver) collect(parent *etree.Element, tag string, into *[]*etree.Element, depth int) {
	if depth > opc.MaxNesting {
		r.doc.IsTruncated = true
		return
	}
	dml.EachChild(parent, func(e *etree.Element) {
		switch e.Tag {
		case tag:
			*into = append(*into, e)
		case "sdt", "sdtContent", "customXml", "ins", "moveTo":
			r.collect(e, tag, into, depth+1)
		}
	})
}

func (t *tableReader) applyTable(tblPr *etree.Element) {
	dml.EachChild(tblPr, func(e *etree.Element) {
		switch e.Tag {
		case "tblW":
			t.table.Width = readMeasure(e)
		case "jc":
			switch v := wVal(e); v {
			case "center", "right":
				t.table.Align = v
			case "end":
				t.table.Align = "right"
			default:
				t.table.Align = "left"
			}
		case "tblInd":
			if n, ok := wPoints(e, "w"); ok {
				t.table.Indent = n
			}
		case "tblLayout":
			kind, _ := wAttr(e, "type")
			t.table.IsFixed = kind == "fixed"
		case "tblBorders":
			t.applyCellBorders(&t.table.Borders, e)
		case "tblCellMar":
			applyMargins(&t.table.Margins, e)
		case "bidiVisual":
			t.table.RTL = isOn(e)
		case "tblStyleRowBandSize":
			if n, ok := wInt(e, "val"); ok && n > 0 {
				t.rowBand = n
			}
		case "tblStyleColBandSize":
			if n, ok := wInt(e, "val"); ok && n > 0 {
				t.colBand = n
			}
		case "tblpPr":
			t.table.Floating = readTablePosition(e)
		}
	})
}

func readTablePosition(e *etree.Element) *Frame {
	f := &Frame{HAnchor: "text", VAnchor: "page"}
	if v, ok := wAttr(e, "horzAnchor"); ok {
		f.HAnchor = v
	}
	if v, ok := wAttr(e, "vertAnchor"); ok {
		f.VAnchor = v
	}
	f.XAlign, _ = wAttr(e, "tblpXSpec")
	f.YAlign, _ = wAttr(e, "tblpYSpec")
	f.X, f.HasX = wPoints(e, "tblpX")
	f.Y, f.HasY = wPoints(e, "tblpY")
	f.Around.Left, _ = wPoints(e, "leftFromText")
	f.Around.Top, _ = wPoints(e, "topFromText")
	f.Around.Right, _ = wPoints(e, "rightFromText")
	f.Around.Bottom, _ = wPoints(e, "bottomFromText")
	return f
}
