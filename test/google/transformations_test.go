package google_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/platenhq/platen/test/google/referee"
)

// A transformation gives an answer what it lacks.
type transformation struct {
	name string
	do   func(d *referee.Document, r *rand.Rand)
}

func transformations() []transformation {
	return []transformation{
		{"as it is", func(*referee.Document, *rand.Rand) {}},
		{"with characters of two units", eachSegment(sprinkle)},
		{"with footnotes", addFootnotes},
		{"with headers and footers", addHeaders},
		{"with rows merged", eachSegment(mergeRows)},
		{"with cells merged", eachSegment(mergeColumns)},
		{"with nested tables", eachSegment(nestTables)},
		{"with equations", eachSegment(addEquations)},
		{"with tabs in tabs", func(d *referee.Document, _ *rand.Rand) { d.NestTabs() }},
	}
}

func eachSegment(do func(units []referee.Unit, r *rand.Rand) []referee.Unit) func(*referee.Document, *rand.Rand) {
	return func(d *referee.Document, r *rand.Rand) {
		for _, s := range d.Segments {
			s.Units = do(s.Units, r)
		}
	}
}

// sprinkle puts emoji between characters.
func sprinkle(units []referee.Unit, r *rand.Rand) []referee.Unit {
	var out []referee.Unit
	for i, u := range units {
		if u.Kind == referee.Char && (u.Code < 0xdc00 || u.Code > 0xdfff) && i > 0 && r.IntN(8) == 0 {
			out = append(out, referee.Text("👩‍🚀", u.Style, nil)...)
		}
		out = append(out, u)
	}
	return out
}

// addEquations puts objects of several units into paragraphs.
func addEquations(units []referee.Unit, r *rand.Rand) []referee.Unit {
	var out []referee.Unit
	for _, u := range units {
		if u.Kind == referee.Char && (u.Code < 0xdc00 || u.Code > 0xdfff) && r.IntN(60) == 0 {
			out = append(out, referee.NewObject(map[string]any{"equation": map[string]any{}}, 2+r.IntN(5))...)
		}
		out = append(out, u)
	}
	return out
}

// addFootnotes puts notes behind some paragraphs of bodies.
func addFootnotes(d *referee.Document, r *rand.Rand) {
	n := 0
	for _, s := range slices.Clone(d.Segments) {
		if s.Group != "body" {
			continue
		}
		var out []referee.Unit
		for i, u := range s.Units {
			if u.Is('\n') && i > 0 && (n == 0 || r.IntN(40) == 0) {
				n++
				id := fmt.Sprintf("kix.note%d", n)
				out = append(out, referee.NewObject(map[string]any{"footnoteReference": map[string]any{"footnoteId": id, "footnoteNumber": fmt.Sprint(n), "textStyle": map[string]any{}}}, 1)...)
				d.AddSegment(s.Tab, "footnotes", id, referee.Text(fmt.Sprintf(" See page %d.\n", n), plain, ordinary))
			}
			out = append(out, u)
		}
		s.Units = out
	}
}

// addHeaders gives every tab a header of two paragraphs and a footer of a table.
func addHeaders(d *referee.Document, r *rand.Rand) {
	for _, s := range slices.Clone(d.Segments) {
		if s.Group == "body" {
			d.AddSegment(s.Tab, "headers", "kix.header"+s.Tab, referee.Text("\nOffer\n", plain, ordinary))
			d.AddSegment(s.Tab, "footers", "kix.footer"+s.Tab, slices.Concat(referee.Text("\n", plain, ordinary), newTable(2, 3, "Page"), referee.Text("\n", plain, ordinary)))
		}
	}
}

func newTable(rows, columns int, text string) []referee.Unit {
	out := []referee.Unit{{Kind: referee.TableStart, Raw: map[string]any{"rows": float64(rows), "columns": float64(columns), "tableStyle": map[string]any{}}}}
	for range rows {
		out = append(out, referee.Unit{Kind: referee.RowStart, Raw: map[string]any{"tableRowStyle": map[string]any{}}})
		for range columns {
			out = append(out, referee.Unit{Kind: referee.CellStart, Raw: map[string]any{"tableCellStyle": map[string]any{"rowSpan": 1.0, "columnSpan": 1.0}}})
			out = append(out, referee.Text(text+"\n", plain, ordinary)...)
		}
	}
	return append(out, referee.Unit{Kind: referee.TableEnd})
}

// eachTable changes the tables of a segment that are in no other.
func eachTable(units []referee.Unit, do func(*tableModel)) []referee.Unit {
	var out []referee.Unit
	for _, p := range split(units) {
		if p.kind == 't' {
			t := cutTable(p.units)
			do(&t)
			p.units = t.units()
		}
		out = append(out, p.units...)
	}
	return out
}

// isMerged tells of a table that has merged cells.
func (t tableModel) isMerged() bool {
	for at, head := range t.heads() {
		if at != head {
			return true
		}
	}
	return false
}

// merge makes one cell of several, which Google goes on to list.
func (t *tableModel) merge(row, column, rows, columns int) {
	for i := row; i < row+rows; i++ {
		for j := column; j < column+columns; j++ {
			if i != row || j != column {
				c := &t.rows[i].cells[j]
				c.content = c.content[len(c.content)-1:]
			}
		}
	}
	t.rows[row].cells[column].span(rows, columns)
}

func mergeRows(units []referee.Unit, r *rand.Rand) []referee.Unit {
	return eachTable(units, func(t *tableModel) {
		if len(t.rows) < 2 || t.isMerged() {
			return
		}
		for column := 0; column < len(t.rows[0].cells)-1; column += 2 {
			row := r.IntN(len(t.rows) - 1)
			t.merge(row, column, min(2+r.IntN(2), len(t.rows)-row), 1)
		}
	})
}

func mergeColumns(units []referee.Unit, r *rand.Rand) []referee.Unit {
	return eachTable(units, func(t *tableModel) {
		if t.isMerged() {
			return
		}
		for row, all := range t.rows {
			if n := len(all.cells); n > 1 && r.IntN(2) == 0 {
				column := r.IntN(n - 1)
				t.merge(row, column, 1, 2+r.IntN(n-column-1))
			}
		}
	})
}

func nestTables(units []referee.Unit, r *rand.Rand) []referee.Unit {
	return eachTable(units, func(t *tableModel) {
		heads := t.heads()
		for i, row := range t.rows {
			for j := range row.cells {
				if heads[[2]int{i, j}] == [2]int{i, j} && r.IntN(4) == 0 {
					c := &t.rows[i].cells[j]
					c.content = slices.Concat(c.content, newTable(2, 2, "inner"), c.content[len(c.content)-1:])
				}
			}
		}
	})
}
