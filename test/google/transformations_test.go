package google_test

import (
	"fmt"
	"maps"
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
		{"with blocks of cells merged", eachSegment(mergeBlocks)},
		{"with nested tables", eachSegment(nestTables)},
		{"with equations and chips", eachSegment(addElements)},
		{"with code blocks", eachSegment(addCode)},
		{"with lists", addLists},
		{"with pages begun", beginPages},
		{"with floating pictures", floatPictures},
		{"with named ranges", func(d *referee.Document, _ *rand.Rand) {
			d.AddToTabs("namedRanges", "Offer", map[string]any{"name": "Offer", "namedRanges": []any{map[string]any{"namedRangeId": "kix.range", "name": "Offer", "ranges": []any{map[string]any{"startIndex": 1.0, "endIndex": 2.0}}}}})
		}},
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

// elements are what paragraphs hold beside text, of one unit each.
var elements = []string{"person", "richLink", "dateElement", "autoText", "pageBreak", "columnBreak", "horizontalRule"}

// addElements puts objects of one unit and of several into paragraphs.
func addElements(units []referee.Unit, r *rand.Rand) []referee.Unit {
	var out []referee.Unit
	for _, u := range units {
		if u.Kind == referee.Char && (u.Code < 0xdc00 || u.Code > 0xdfff) && r.IntN(60) == 0 {
			name, length := elements[r.IntN(len(elements))], 1
			if r.IntN(2) == 0 {
				name, length = "equation", 2+r.IntN(5)
			}
			out = append(out, referee.NewObject(map[string]any{name: map[string]any{}}, length)...)
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

// addCode puts signs of elements without words at the begin of paragraphs, as code
// blocks do.
func addCode(units []referee.Unit, r *rand.Rand) []referee.Unit {
	var out []referee.Unit
	for _, p := range split(units) {
		if p.kind == 'p' && r.IntN(12) == 0 {
			out = append(out, referee.Text("\ue907", plain, nil)...)
		}
		out = append(out, p.units...)
	}
	return out
}

// A stand is where a paragraph stands.
type stand struct {
	group            string // of its segment
	inTable, isEmpty bool
}

// eachParagraph changes what the answer says of paragraphs.
func eachParagraph(d *referee.Document, change func(at stand, paragraph map[string]any)) {
	for _, s := range d.Segments {
		depth := 0
		for i, u := range s.Units {
			switch u.Kind {
			case referee.TableStart, referee.ContentsStart:
				depth++
			case referee.TableEnd, referee.ContentsEnd:
				depth--
			}
			if u.Is('\n') {
				paragraph := maps.Clone(u.Raw)
				empty := i == 0 || s.Units[i-1].Kind > referee.ObjectRest || s.Units[i-1].Is('\n')
				change(stand{s.Group, depth > 0, empty}, paragraph)
				s.Units[i].Raw = paragraph
			}
		}
	}
}

// addLists makes entries of paragraphs: numbers, signs and boxes to tick.
func addLists(d *referee.Document, r *rand.Rand) {
	kinds := map[string]map[string]any{
		"kix.numbers": {"glyphType": "DECIMAL", "glyphFormat": "%0)"}, "kix.letters": {"glyphType": "UPPER_ALPHA", "glyphFormat": "%0."},
		"kix.stars": {"glyphSymbol": "★", "glyphFormat": "%0"}, "kix.boxes": {"glyphType": "GLYPH_TYPE_UNSPECIFIED", "glyphFormat": "%0"},
	}
	names := slices.Sorted(maps.Keys(kinds))
	for name, level := range kinds {
		d.AddToTabs("lists", name, map[string]any{"listProperties": map[string]any{"nestingLevels": slices.Repeat([]any{level}, 9)}})
	}
	eachParagraph(d, func(_ stand, paragraph map[string]any) {
		if r.IntN(4) == 0 {
			bullet := map[string]any{"listId": names[r.IntN(len(names))]}
			if level := r.IntN(3); level > 0 {
				bullet["nestingLevel"] = float64(level)
			}
			paragraph["bullet"] = bullet
		}
	})
}

// beginPages has paragraphs begin a page where they may.
func beginPages(d *referee.Document, r *rand.Rand) {
	eachParagraph(d, func(at stand, paragraph map[string]any) {
		style, _ := paragraph["paragraphStyle"].(map[string]any)
		if at.group == "body" && !at.inTable && style != nil && r.IntN(6) == 0 {
			style = maps.Clone(style)
			style["pageBreakBefore"] = true
			paragraph["paragraphStyle"] = style
		}
	})
}

// floatPictures anchors pictures in paragraphs.
func floatPictures(d *referee.Document, r *rand.Rand) {
	d.AddToTabs("positionedObjects", "kix.floats", map[string]any{"objectId": "kix.floats", "positionedObjectProperties": map[string]any{"embeddedObject": map[string]any{"imageProperties": map[string]any{}}}})
	eachParagraph(d, func(at stand, paragraph map[string]any) {
		if at.group == "body" && !at.inTable && !at.isEmpty && r.IntN(8) == 0 {
			paragraph["positionedObjectIds"] = []any{"kix.floats"}
		}
	})
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

// mergeBlocks merges cells of several rows and columns.
func mergeBlocks(units []referee.Unit, r *rand.Rand) []referee.Unit {
	return eachTable(units, func(t *tableModel) {
		rows, columns := len(t.rows), len(t.rows[0].cells)
		if t.isMerged() || rows < 2 || columns < 3 {
			return
		}
		row, column := r.IntN(rows-1), r.IntN(columns-1)
		t.merge(row, column, 2+r.IntN(rows-row-1), min(2+r.IntN(columns-column-1), columns-1))
	})
}

func nestTables(units []referee.Unit, r *rand.Rand) []referee.Unit {
	return eachTable(units, func(t *tableModel) {
		heads := t.heads()
		for i, row := range t.rows {
			for j := range row.cells {
				if heads[[2]int{i, j}] == [2]int{i, j} && r.IntN(4) == 0 {
					c := &t.rows[i].cells[j]
					inner := newTable(2+r.IntN(2), 3, "inner")
					if r.IntN(2) == 0 {
						inner = mergeRows(inner, r)
					}
					c.content = slices.Concat(c.content, inner, c.content[len(c.content)-1:])
				}
			}
		}
	})
}
