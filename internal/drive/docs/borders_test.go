package docs

import (
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

func TestParagraphsGetAndShowBorders(t *testing.T) {
	t.Parallel()
	line := func(width float64, dash string) *gdocs.ParagraphBorder {
		return &gdocs.ParagraphBorder{Color: rgb(1, 0, 0), Width: points(width), Padding: points(6), DashStyle: dash}
	}
	for _, c := range []struct {
		before, fields string
		style          gdocs.ParagraphStyle
		want           string
	}{
		{``, "borderBottom", gdocs.ParagraphStyle{BorderBottom: line(1, "SOLID")}, `<w:pBdr><w:bottom w:val="single" w:sz="8" w:space="6" w:color="FF0000"/></w:pBdr>`},
		{``, "borderTop", gdocs.ParagraphStyle{BorderTop: line(1.5, "DOT")}, `<w:pBdr><w:top w:val="dotted" w:sz="12" w:space="6" w:color="FF0000"/></w:pBdr>`},
		{`<w:pBdr><w:right w:val="single"/></w:pBdr>`, "borderLeft,borderBetween", gdocs.ParagraphStyle{BorderLeft: line(1, "DASH"), BorderBetween: line(1, "SOLID")},
			`<w:pBdr><w:left w:val="dashed" w:sz="8" w:space="6" w:color="FF0000"/><w:right w:val="single"/><w:between w:val="single" w:sz="8" w:space="6" w:color="FF0000"/></w:pBdr>`},
		{`<w:pBdr><w:top w:val="single"/></w:pBdr><w:jc w:val="left"/>`, "borderTop", gdocs.ParagraphStyle{}, `<w:jc w:val="left"/>`},
		{``, "borderRight", gdocs.ParagraphStyle{BorderRight: line(0, "SOLID")}, `<w:pBdr><w:right w:val="nil"/></w:pBdr>`},
		{``, "borderTop", gdocs.ParagraphStyle{BorderTop: &gdocs.ParagraphBorder{Width: points(900), Padding: points(900)}}, `<w:pBdr><w:top w:val="single" w:sz="96" w:space="31" w:color="auto"/></w:pBdr>`},
		{`<w:shd w:val="clear" w:fill="111111"/>`, "borderTop", gdocs.ParagraphStyle{BorderTop: line(1, "SOLID")}, `<w:pBdr><w:top w:val="single" w:sz="8" w:space="6" w:color="FF0000"/></w:pBdr><w:shd w:val="clear" w:fill="111111"/>`},
	} {
		if got := paragraphXML(t, `<w:p><w:pPr>`+c.before+`</w:pPr></w:p>`, styled(1, 2, &c.style, c.fields)); got != c.want {
			t.Errorf("%s of %q: got %s, want %s", c.fields, c.before, got, c.want)
		}
	}
	d := apply(t, docx(t, para("a")), styled(1, 2, &gdocs.ParagraphStyle{BorderBottom: line(1, "DASH")}, "borderBottom"))
	shown := get(t, d).Body.Content[1].Paragraph.ParagraphStyle
	if got, want := sent(t, shown.BorderBottom), sent(t, line(1, "DASH")); got != want || shown.BorderTop != nil {
		t.Errorf("got %s and above %v, want %s and none", got, shown.BorderTop, want)
	}
}

func TestCellsGetAndShowTheirStyle(t *testing.T) {
	t.Parallel()
	update := func(row, column, rows, columns int64, s *gdocs.TableCellStyle, fields string) *gdocs.Request {
		return &gdocs.Request{UpdateTableCellStyle: &gdocs.UpdateTableCellStyleRequest{
			TableRange:     &gdocs.TableRange{TableCellLocation: cellAtIndex(1, row, column), RowSpan: rows, ColumnSpan: columns},
			TableCellStyle: s, Fields: fields,
		}}
	}
	grid := tableXML([]string{para("a"), para("b")}, []string{para("c"), para("d")}) + para("e")
	line := &gdocs.TableCellBorder{Color: rgb(0, 0, 1), Width: points(1), DashStyle: "SOLID"}
	all := &gdocs.TableCellStyle{
		BackgroundColor: rgb(1, 1, 0), ContentAlignment: "MIDDLE", PaddingLeft: points(3), PaddingTop: points(2), BorderBottom: line,
	}
	const fields = "backgroundColor,contentAlignment,paddingLeft,paddingTop,borderBottom"
	d := apply(t, docx(t, grid), update(0, 1, 1, 1, all, fields))
	const want = `<w:tcPr><w:tcW w:w="1000" w:type="dxa"/><w:tcBorders><w:bottom w:val="single" w:sz="8" w:space="0" w:color="0000FF"/></w:tcBorders>` +
		`<w:shd w:val="clear" w:fill="FFFF00"/><w:tcMar><w:top w:w="40" w:type="dxa"/><w:left w:w="60" w:type="dxa"/></w:tcMar><w:vAlign w:val="center"/></w:tcPr>`
	const below = `<w:tcPr><w:tcW w:w="1000" w:type="dxa"/><w:tcBorders><w:top w:val="single" w:sz="8" w:space="0" w:color="0000FF"/></w:tcBorders></w:tcPr>`
	if got := bodyXML(t, d); strings.Count(got, want) != 1 || strings.Count(got, below) != 1 {
		t.Errorf("got %s, want once %s, and once %s", got, want, below)
	}
	rows := get(t, d).Body.Content[1].Table.TableRows
	shown := rows[0].TableCells[1].TableCellStyle
	if sent(t, shown.BorderBottom) != sent(t, line) || sent(t, shown.BackgroundColor) != sent(t, all.BackgroundColor) || shown.ContentAlignment != "MIDDLE" || shown.PaddingLeft.Magnitude != 3 {
		t.Errorf("got %s, want what was set", sent(t, shown))
	}
	if got := rows[1].TableCells[1].TableCellStyle.BorderTop; got == nil {
		t.Error("got no border of the cell below, which shares it")
	}

	// The whole table, and back to what a cell has by itself.
	whole := &gdocs.Request{UpdateTableCellStyle: &gdocs.UpdateTableCellStyleRequest{
		TableStartLocation: &gdocs.Location{Index: 1}, TableCellStyle: &gdocs.TableCellStyle{BackgroundColor: rgb(1, 0, 0)}, Fields: "backgroundColor",
	}}
	d = apply(t, docx(t, grid), whole, update(0, 0, 2, 1, &gdocs.TableCellStyle{}, "backgroundColor"))
	if got := strings.Count(bodyXML(t, d), `w:fill="FF0000"`); got != 2 {
		t.Errorf("got %d cells with a background, want the 2 of the second column", got)
	}
	for want, r := range map[string]*gdocs.Request{
		"The table range should not be empty.":                        update(0, 0, 0, 1, all, fields),
		"The table range must be specified.":                          {UpdateTableCellStyle: &gdocs.UpdateTableCellStyleRequest{TableCellStyle: all, Fields: fields}},
		"The table cell style must be specified.":                     update(0, 0, 1, 1, nil, fields),
		"At least one field must be listed in fields.":                update(0, 0, 1, 1, all, ""),
		"The field \"rowSpan\" of a cell's style is read-only.":       update(0, 0, 1, 1, all, "rowSpan"),
		"The row index 2 is not in the table, which has 2 rows.":      update(2, 0, 1, 1, all, fields),
		"The table range goes beyond the table.":                      update(0, 0, 3, 1, all, fields),
		"The table range goes beyond the table, which has 2 columns.": update(0, 1, 1, 2, all, fields),
		"The column index 5 is not in the row, which has 2 cells.":    update(0, 5, 1, 1, all, fields),
		"The content alignment \"UP\" is unknown.":                    update(0, 0, 1, 1, &gdocs.TableCellStyle{ContentAlignment: "UP"}, "contentAlignment"),
	} {
		if got := refuse(t, docx(t, grid), r); got != "Invalid requests[0].updateTableCellStyle: "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
