package docs

import (
	"math"
	"slices"
	"strconv"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/wml"
)

// Orders of the schema: the lines of a paragraph (ECMA-376 part 1, 17.3.1.24), the
// properties of a cell (17.4.70), and its lines and margins.
var (
	paragraphLines = []string{"top", "left", "bottom", "right", "between", "bar"}
	cellProperties = []string{"cnfStyle", "tcW", "gridSpan", "hMerge", "vMerge", "tcBorders", "shd", "noWrap", "tcMar", "textDirection", "tcFitText", "vAlign", "hideMark"}
	cellSides      = []string{"top", "start", "left", "bottom", "end", "right", "insideH", "insideV"}
)

// line is a border in Google's words, of a paragraph or of a cell.
type line struct {
	color          *gdocs.OptionalColor
	width, padding *gdocs.Dimension
	dash           string
}

// setParagraphBorder sets a line of a paragraph; nil leaves it to the paragraph's
// style.
func setParagraphBorder(p *etree.Element, side string, s *gdocs.ParagraphStyle) {
	b := map[string]*gdocs.ParagraphBorder{
		"top": s.BorderTop, "bottom": s.BorderBottom, "left": s.BorderLeft, "right": s.BorderRight, "between": s.BorderBetween,
	}[side]
	properties := propertiesOf(p)
	borders := child(properties, "pBdr")
	if borders == nil {
		borders = etree.NewElement("w:pBdr")
		at := len(properties.Child)
		for i, t := range properties.Child {
			if c, ok := t.(*etree.Element); ok && comesBehind(c.Tag, "pBdr") {
				at = i
				break
			}
		}
		properties.InsertChildAt(at, borders)
	}
	if e := child(borders, side); e != nil {
		borders.RemoveChild(e)
	}
	if b != nil {
		line{b.Color, b.Width, b.Padding, b.DashStyle}.write(inPlace(borders, side, paragraphLines))
	}
	if len(borders.ChildElements()) == 0 {
		properties.RemoveChild(borders)
	}
}

// write says in OOXML what the line looks like. One of no width is none.
func (l line) write(e *etree.Element) {
	e.Attr = nil
	if l.width == nil || l.width.Magnitude <= 0 {
		e.CreateAttr("w:val", "nil")
		return
	}
	style := map[string]string{"DOT": "dotted", "DASH": "dashed"}[l.dash]
	if style == "" {
		style = "single"
	}
	color := hexOf(l.color)
	if color == "" {
		color = "auto"
	}
	space := 0.0
	if l.padding != nil {
		space = l.padding.Magnitude
	}
	e.CreateAttr("w:val", style)
	e.CreateAttr("w:sz", bounded(l.width.Magnitude*8, 2, 96))
	e.CreateAttr("w:space", bounded(space, 0, 31))
	e.CreateAttr("w:color", color)
}

func bounded(n, least, most float64) string {
	return strconv.Itoa(int(math.Round(min(max(n, least), most))))
}

// inPlace is the child of that name, made where the schema wants it.
func inPlace(parent *etree.Element, tag string, order []string) *etree.Element {
	if e := child(parent, tag); e != nil {
		return e
	}
	e := etree.NewElement("w:" + tag)
	at := len(parent.Child)
	for _, c := range parent.ChildElements() {
		if slices.Index(order, c.Tag) > slices.Index(order, tag) {
			at = c.Index()
			break
		}
	}
	parent.InsertChildAt(at, e)
	return e
}

// shownBorder is a line of a paragraph in Google's words, nil for none.
func shownBorder(b *wml.Border) *gdocs.ParagraphBorder {
	if !b.IsVisible() {
		return nil
	}
	return &gdocs.ParagraphBorder{Color: lineColor(b), Width: points(b.Width), Padding: points(b.Space), DashStyle: dashStyle(b)}
}

// shownCellBorder is a line of a cell in Google's words. None is a line of no width: a
// line that is not said is that of a new table there, which is black.
func shownCellBorder(b *wml.Border) *gdocs.TableCellBorder {
	if !b.IsVisible() {
		return &gdocs.TableCellBorder{Color: color(&dml.RGB{}), Width: points(0), DashStyle: "SOLID"}
	}
	return &gdocs.TableCellBorder{Color: lineColor(b), Width: points(b.Width), DashStyle: dashStyle(b)}
}

func lineColor(b *wml.Border) *gdocs.OptionalColor {
	if b.Color == nil {
		return color(&dml.RGB{})
	}
	return color(b.Color)
}

func dashStyle(b *wml.Border) string {
	switch b.Style {
	case "dotted":
		return "DOT"
	case "dashed", "dashSmallGap", "dotDash", "dotDotDash", "dashDotStroked":
		return "DASH"
	}
	return "SOLID"
}

// updateTableCellStyle gives cells what its fields name. A line between two cells is
// that of both.
func (b *batch) updateTableCellStyle(r *gdocs.UpdateTableCellStyleRequest, invalid edit.RequestFault) error {
	fields, err := edit.StyleFields(r.Fields, gdocs.TableCellStyle{}, invalid)
	if err != nil {
		return err
	}
	if r.TableCellStyle == nil {
		return invalid("The table cell style must be specified.")
	}
	for _, readOnly := range []string{"rowSpan", "columnSpan"} {
		if fields[readOnly] && r.Fields != "*" {
			return invalid("The field %q of a cell's style is read-only.", readOnly)
		}
	}
	alignment, known := map[string]string{"": "top", "TOP": "top", "MIDDLE": "center", "BOTTOM": "bottom", "CONTENT_ALIGNMENT_UNSPECIFIED": "top"}[r.TableCellStyle.ContentAlignment]
	if !known {
		return invalid("The content alignment %.60q is unknown.", r.TableCellStyle.ContentAlignment)
	}
	s, t, area, err := b.cellArea(r, invalid)
	if err != nil {
		return err
	}
	for i := area.row; i < area.pastRow; i++ {
		for j := area.column; j < min(area.pastColumn, int64(len(t.rows[i].cells))); j++ {
			if tc := t.rows[i].cells[j].elem; tc != nil {
				styleCell(tc, r.TableCellStyle, fields, alignment)
				borderCell(t, i, j, r.TableCellStyle, fields)
			}
		}
	}
	b.noteRestyle(s)
	return nil
}

// cells are those of a table from a row and column on to others.
type cells struct{ row, column, pastRow, pastColumn int64 }

// cellArea finds the cells that a request is about.
func (b *batch) cellArea(r *gdocs.UpdateTableCellStyleRequest, invalid edit.RequestFault) (*segment, *table, cells, error) {
	if start := r.TableStartLocation; start != nil && r.TableRange == nil {
		s, t, _, err := b.tableAt(&gdocs.TableCellLocation{TableStartLocation: start}, invalid)
		if err != nil {
			return nil, nil, cells{}, err
		}
		return s, t, cells{pastRow: int64(len(t.rows)), pastColumn: maxColumns}, nil
	}
	if r.TableRange == nil {
		return nil, nil, cells{}, invalid("The table range must be specified.")
	}
	if r.TableRange.RowSpan < 1 || r.TableRange.ColumnSpan < 1 {
		return nil, nil, cells{}, invalid("The table range should not be empty.")
	}
	at := r.TableRange.TableCellLocation
	s, t, row, err := b.tableAt(at, invalid)
	if err != nil {
		return nil, nil, cells{}, err
	}
	left := int64(len(t.rows) - row)
	if r.TableRange.RowSpan > left {
		return nil, nil, cells{}, invalid("The table range goes beyond the table.")
	}
	columns := t.columns
	for _, r := range t.rows[row : row+int(r.TableRange.RowSpan)] {
		columns = max(columns, int64(len(r.cells)))
	}
	if r.TableRange.ColumnSpan > columns-at.ColumnIndex {
		return nil, nil, cells{}, invalid("The table range goes beyond the table, which has %d columns.", columns)
	}
	return s, t, cells{int64(row), at.ColumnIndex, int64(row) + r.TableRange.RowSpan, at.ColumnIndex + r.TableRange.ColumnSpan}, nil
}

func propertiesOfCell(tc *etree.Element) *etree.Element {
	properties := child(tc, "tcPr")
	if properties == nil {
		properties = etree.NewElement("w:tcPr")
		tc.InsertChildAt(0, properties)
	}
	return properties
}

// styleCell sets what is a cell's alone.
func styleCell(tc *etree.Element, s *gdocs.TableCellStyle, fields map[string]bool, alignment string) {
	properties := propertiesOfCell(tc)
	if fields["backgroundColor"] {
		dropProperty(properties, "shd")
		if fill := hexOf(s.BackgroundColor); fill != "" {
			shading := inPlace(properties, "shd", cellProperties)
			shading.CreateAttr("w:val", "clear")
			shading.CreateAttr("w:fill", fill)
		}
	}
	if fields["contentAlignment"] {
		inPlace(properties, "vAlign", cellProperties).CreateAttr("w:val", alignment)
	}
	for side, padding := range map[string]*gdocs.Dimension{"top": s.PaddingTop, "left": s.PaddingLeft, "bottom": s.PaddingBottom, "right": s.PaddingRight} {
		if !fields["padding"+capital(side)] {
			continue
		}
		margins := inPlace(properties, "tcMar", cellProperties)
		if padding == nil {
			dropProperty(margins, side)
			if len(margins.ChildElements()) == 0 {
				properties.RemoveChild(margins)
			}
			continue
		}
		margin := inPlace(margins, side, cellSides)
		margin.CreateAttr("w:w", twips(padding))
		margin.CreateAttr("w:type", "dxa")
	}
}

// borderCell sets the lines of a cell, and those of its neighbours that are the same.
func borderCell(t *table, i, j int64, s *gdocs.TableCellStyle, fields map[string]bool) {
	for _, side := range []struct {
		name, opposite string
		row, column    int64
		border         *gdocs.TableCellBorder
	}{
		{"top", "bottom", -1, 0, s.BorderTop}, {"bottom", "top", 1, 0, s.BorderBottom},
		{"left", "right", 0, -1, s.BorderLeft}, {"right", "left", 0, 1, s.BorderRight},
	} {
		if !fields["border"+capital(side.name)] {
			continue
		}
		cellBorder(t.rows[i].cells[j].elem, side.name, side.border)
		row, column := i+side.row, j+side.column
		if row < 0 || row >= int64(len(t.rows)) || column < 0 || column >= int64(len(t.rows[row].cells)) {
			continue
		}
		if beside := t.rows[row].cells[column].elem; beside != nil {
			cellBorder(beside, side.opposite, side.border)
		}
	}
}

// cellBorder sets a line of a cell; nil leaves it to the table.
func cellBorder(tc *etree.Element, side string, b *gdocs.TableCellBorder) {
	properties := propertiesOfCell(tc)
	borders := inPlace(properties, "tcBorders", cellProperties)
	if b != nil {
		line{b.Color, b.Width, nil, b.DashStyle}.write(inPlace(borders, side, cellSides))
		return
	}
	dropProperty(borders, side)
	if len(borders.ChildElements()) == 0 {
		properties.RemoveChild(borders)
	}
}

// capital is a side as it stands in the name of a field.
func capital(side string) string { return string(side[0]-'a'+'A') + side[1:] }
