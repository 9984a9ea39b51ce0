package fill

import (
	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/rich"
)

// Cells of tables of styled text, in points.
const (
	cellPadding, cellSide = 2.0, 5.0
	cellLine              = 0.75
	// narrow is how wide a column is at least where there is room.
	narrow = 18.0
)

// markTable is a table of styled text, or a paragraph for each of its rows where no table
// can be.
func (p *composer) markTable(from insertion, t *rich.Table, base style) []filled {
	if p.isFlat || p.nested > 0 {
		var all []filled
		for _, line := range t.Lines() {
			all = append(all, p.markFilled(from, line, base))
		}
		return all
	}
	widths := p.widthsOf(t, from.para.room)
	// What stands in cells takes after the paragraph of the tag, and is in no list of its.
	around := *from.para
	around.entry, around.pages = entry{}, false
	from.para = &around
	model := &table{columns: int64(len(t.Widths)), widths: widths}
	made := &filledTable{of: model, isMarked: true}
	for i, r := range t.Rows {
		of, cells := p.markRow(from, t, r, widths, base)
		of.style = &docs.TableRowStyle{TableHeader: i < t.Header}
		model.rows = append(model.rows, of)
		made.rows = append(made.rows, filledRow{of: of, cells: cells})
	}
	coverBelow(made)
	p.cells += len(t.Rows) * len(t.Widths)
	p.rows += 2*len(t.Rows)*len(t.Widths) + 1
	return []filled{{table: made}}
}

// markRow is a row of a table of styled text with what stands in its cells.
func (p *composer) markRow(from insertion, t *rich.Table, r rich.Row, widths []*docs.TableColumnProperties, base style) (*row, [][]filled) {
	of := &row{}
	var cells [][]filled
	isFlat := p.isFlat
	p.isFlat = true // tables in cells are lines
	for _, c := range r.Cells {
		room := -2 * cellSide
		for _, w := range widths[c.Column : c.Column+c.Span] {
			room += points(w.Width)
		}
		if widths[c.Column].Width == nil {
			room = from.para.room*float64(c.Span)/float64(len(widths)) - 2*cellSide
		}
		within := *from.para
		within.room = max(room, 0)
		in := insertion{&within, from.of, from.scope, from.lists}
		var content []filled
		for _, paragraph := range c.Content.Flat() {
			p.countLists(in, paragraph)
			content = append(content, p.markFilled(in, paragraph, base))
		}
		of.cells = append(of.cells, &cell{
			blocks: []*block{{para: &within}}, column: int64(c.Column), span: int64(c.Span), rows: int64(c.Rows), style: cellStyle(t, c),
		})
		cells = append(cells, content)
	}
	p.isFlat = isFlat
	return of, cells
}

// coverBelow adds the places that cells cover in the rows below.
func coverBelow(t *filledTable) {
	for i := range t.rows {
		for _, c := range t.rows[i].of.cells {
			if c.above {
				continue
			}
			c.rows = min(c.rows, int64(len(t.rows)-i))
			for j := i + 1; j < i+int(c.rows); j++ {
				below := t.rows[j].of
				at := 0
				for at < len(below.cells) && below.cells[at].column < c.column {
					at++
				}
				below.cells = append(below.cells[:at:at], append([]*cell{{column: c.column, span: c.span, rows: 1, above: true}}, below.cells[at:]...)...)
				t.rows[j].cells = append(t.rows[j].cells[:at:at], append([][]filled{nil}, t.rows[j].cells[at:]...)...)
			}
		}
	}
}

func cellStyle(t *rich.Table, c rich.Cell) *docs.TableCellStyle {
	measure := func(points float64) *docs.Dimension {
		return &docs.Dimension{Magnitude: points, Unit: "PT", ForceSendFields: []string{"Magnitude"}}
	}
	line := func() *docs.TableCellBorder {
		width := cellLine
		if t.Bare {
			width = 0
		}
		return &docs.TableCellBorder{Color: docsColor([3]float64{}), DashStyle: "SOLID", Width: measure(width)}
	}
	s := &docs.TableCellStyle{
		BorderBottom: line(), BorderLeft: line(), BorderRight: line(), BorderTop: line(), ContentAlignment: "TOP",
		PaddingBottom: measure(cellPadding), PaddingTop: measure(cellPadding), PaddingLeft: measure(cellSide), PaddingRight: measure(cellSide),
	}
	if c.Vertical != "" {
		s.ContentAlignment = c.Vertical
	}
	if rgb := rgbOf(c.Background); rgb != nil {
		s.BackgroundColor = docsColor(*rgb)
	}
	return s
}

// widthsOf are the widths of columns, no wider together than the room that there is. Those
// that say none share what is left.
func (p *composer) widthsOf(t *rich.Table, room float64) []*docs.TableColumnProperties {
	all := make([]*docs.TableColumnProperties, len(t.Widths))
	for i := range all {
		all[i] = &docs.TableColumnProperties{WidthType: "EVENLY_DISTRIBUTED"}
	}
	widths := make([]float64, len(t.Widths))
	sum, open := 0.0, 0
	for i, w := range t.Widths {
		widths[i] = w.Points
		if w.Share > 0 {
			widths[i] = w.Share * room
		}
		if sum += widths[i]; widths[i] == 0 {
			open++
		}
	}
	if room == 0 || sum == 0 {
		return all
	}
	least := min(narrow, room/float64(len(widths)))
	if left := room - sum; open > 0 {
		for i := range widths {
			if widths[i] == 0 {
				widths[i] = max(left/float64(open), least)
				sum += widths[i]
			}
		}
	}
	for i, w := range widths {
		if sum > room {
			w *= room / sum
		}
		all[i] = &docs.TableColumnProperties{WidthType: "FIXED_WIDTH", Width: &docs.Dimension{Magnitude: max(w, narrowest), Unit: "PT"}}
	}
	return all
}

// markPicture is a picture of styled text; nil where none can be.
func (p *composer) markPicture(from insertion, of *rich.Picture) *lang.Placed {
	if p.noPictures != "" {
		p.e.Note(lang.Finding{Code: platen.CodeHTMLLeftOut, Tag: from.of.Tag, Message: from.of.Tag + ": the HTML has a picture, which was left out. " + p.noPictures})
		return nil
	}
	placed := p.e.PictureIn(from.of, from.scope, of)
	if placed == nil {
		return nil
	}
	own := *placed
	own.Width, own.Height = min(of.Width, highest), min(of.Height, highest)
	switch {
	case of.Share > 0 && from.para.room > 0:
		own.Width, own.Height = of.Share*from.para.room, 0
	case of.Width == 0 && of.Height > 0:
		own.Width = of.Height * float64(max(own.Obtained.Width, 1)) / float64(max(own.Obtained.Height, 1))
	}
	return &own
}
