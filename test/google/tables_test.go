package google_test

import (
	"maps"
	"slices"

	"github.com/platenhq/platen/test/google/referee"
)

// A tableModel is a table cut into its rows and cells.
type tableModel struct {
	start, end referee.Unit
	rows       []rowModel
}

type rowModel struct {
	start referee.Unit
	cells []cellModel
}

type cellModel struct {
	start   referee.Unit
	content []referee.Unit
}

func spans(c cellModel) (rows, columns int) {
	style, _ := c.start.Raw["tableCellStyle"].(map[string]any)
	r, _ := style["rowSpan"].(float64)
	k, _ := style["columnSpan"].(float64)
	return max(int(r), 1), max(int(k), 1)
}

func (c *cellModel) span(rows, columns int) {
	style, _ := c.start.Raw["tableCellStyle"].(map[string]any)
	style = maps.Clone(style)
	if style == nil {
		style = map[string]any{}
	}
	style["rowSpan"], style["columnSpan"] = float64(rows), float64(columns)
	c.start.Raw = maps.Clone(c.start.Raw)
	c.start.Raw["tableCellStyle"] = style
}

func cutTable(units []referee.Unit) tableModel {
	t := tableModel{start: units[0], end: units[len(units)-1]}
	for at := 1; at < len(units)-1; {
		switch units[at].Kind {
		case referee.RowStart:
			t.rows = append(t.rows, rowModel{start: units[at]})
			at++
		case referee.CellStart:
			from := at
			for at++; units[at].Kind != referee.CellStart && units[at].Kind != referee.RowStart && units[at].Kind != referee.TableEnd; {
				at = referee.Behind(units, at)
			}
			r := &t.rows[len(t.rows)-1]
			r.cells = append(r.cells, cellModel{units[from], slices.Clone(units[from+1 : at])})
		}
	}
	return t
}

func (t tableModel) units() []referee.Unit {
	if len(t.rows) == 0 {
		return nil
	}
	out := []referee.Unit{t.start}
	for _, r := range t.rows {
		out = append(out, r.start)
		for _, c := range r.cells {
			out = append(append(out, c.start), c.content...)
		}
	}
	return append(out, t.end)
}

func (t tableModel) clone() tableModel {
	t.rows = slices.Clone(t.rows)
	for i := range t.rows {
		t.rows[i].cells = slices.Clone(t.rows[i].cells)
	}
	return t
}

// heads returns, for each cell, the place of the merged cell that it belongs to.
func (t tableModel) heads() map[[2]int][2]int {
	out := map[[2]int][2]int{}
	for i, r := range t.rows {
		for j, c := range r.cells {
			if _, covered := out[[2]int{i, j}]; covered {
				continue
			}
			rows, columns := spans(c)
			for a := i; a < i+rows; a++ {
				for b := j; b < j+columns; b++ {
					out[[2]int{a, b}] = [2]int{i, j}
				}
			}
		}
	}
	return out
}

// tagTable tags the rows of a table. goes says that the table may go.
func (g *tagger) tagTable(units []referee.Unit, goes bool) (tagged, want []referee.Unit) {
	t := cutTable(units)
	w := t.clone()
	outer := g.table
	g.table = true
	defer func() { g.table = outer }()
	from, to := len(t.rows), len(t.rows)
	if g.Float64() < max(0.5, g.often) { // tables are few, and the most that can go wrong
		if from = g.IntN(len(t.rows)); from+1 < len(t.rows) && g.IntN(3) == 0 {
			to = from + 2
		} else {
			to = from + 1
		}
		if goes && g.IntN(6) == 0 {
			from, to = 0, len(t.rows)
		}
		if !g.tagRows(t, &w, from, to, goes) {
			from, to = len(t.rows), len(t.rows)
		}
	}
	heads := t.heads()
	moved := len(w.rows) - len(t.rows)
	for i, r := range t.rows {
		for j, c := range r.cells {
			if i >= from && i < to || heads[[2]int{i, j}] != [2]int{i, j} {
				continue
			}
			at := i
			if i >= to {
				at += moved
			}
			t.rows[i].cells[j].content, w.rows[at].cells[j].content = g.container(c.content)
		}
	}
	return t.units(), w.units()
}

// tagRows puts tags into rows, and makes of them in w what becomes of them.
func (g *tagger) tagRows(t tableModel, w *tableModel, from, to int, goes bool) bool {
	heads := t.heads()
	simple, first, last := true, -1, -1
	for i := from; i < to; i++ {
		plainCell := false
		for j, c := range t.rows[i].cells {
			h := heads[[2]int{i, j}]
			rows, _ := spans(t.rows[h[0]].cells[h[1]])
			if h[0] < from && h[0]+rows < to || h[0] >= from && h[0]+rows > to {
				return false // a merged cell that begins here and goes on, or ends in between
			}
			plainCell = plainCell || rows == 1
			beside := h[0] < from && h[0]+rows >= to // a merged cell that goes on below grows with new rows
			simple = simple && (rows == 1 || beside) && !slices.ContainsFunc(c.content, func(u referee.Unit) bool {
				return u.Kind != referee.Char || isPrivate(u)
			})
			if h == [2]int{i, j} && i == from && first < 0 {
				first = j
			}
			if h == [2]int{i, j} && i == to-1 {
				last = j
			}
		}
		if !plainCell && !(from == 0 && to == len(t.rows)) {
			return false
		}
	}
	if first < 0 || last < 0 {
		return false
	}
	all := from == 0 && to == len(t.rows)
	switch {
	case simple && to == from+1 && g.IntN(2) == 0:
		g.kinds["row"]++
		g.repeatRows(t, w, from, to, first, last, "{{Items.Name}}", "")
	case to == from+1 && first == last:
		return false // the tags would stand in one cell, and be about its text
	case simple && sameShape(t, from, to) && g.IntN(2) == 0:
		g.kinds["block over rows"]++
		g.repeatRows(t, w, from, to, first, last, "{{#each Items}}{{Name}}", "{{/each}}")
	case g.IntN(2) == 0:
		g.kinds["condition over rows"]++
		g.frame(t, from, to, first, last, "{{#if Yes}}", "{{/if}}")
	case !all || goes:
		g.kinds["condition that drops rows"]++
		if all {
			g.kinds["table that goes"]++
		}
		g.frame(t, from, to, first, last, "{{#if No}}", "{{/if}}")
		w.dropRows(from, to)
	default:
		return false
	}
	return true
}

// sameShape tells of rows whose cells take the same columns.
func sameShape(t tableModel, from, to int) bool {
	for _, r := range t.rows[from:to] {
		if !slices.EqualFunc(r.cells, t.rows[from].cells, func(a, b cellModel) bool {
			_, x := spans(a)
			_, y := spans(b)
			return x == y
		}) {
			return false
		}
	}
	return true
}

// frame puts a text at the start of a cell and one at the end of another.
func (g *tagger) frame(t tableModel, from, to, first, last int, begin, end string) {
	put := func(row, column int, atEnd bool, text string) {
		c := &t.rows[row].cells[column]
		at := 0
		if atEnd {
			at = len(c.content) - 1
		}
		style := plain
		if c.content[at].Kind == referee.Char {
			style = c.content[at].Style
		}
		c.content = slices.Insert(slices.Clone(c.content), at, referee.Text(text, style, nil)...)
	}
	put(to-1, last, true, end)
	put(from, first, false, begin)
}

func (g *tagger) repeatRows(t tableModel, w *tableModel, from, to, first, last int, begin, end string) {
	model := w.clone().rows[from:to]
	g.frame(t, from, to, first, last, begin, end)
	var all []rowModel
	for n, name := range items {
		for i, r := range model {
			r.cells = slices.Clone(r.cells)
			if i == 0 {
				c := &r.cells[first]
				style := plain
				if c.content[0].Kind == referee.Char {
					style = c.content[0].Style
				}
				c.content = slices.Concat(referee.Text(name, style, nil), c.content)
			}
			if n > 0 {
				r.start.Made = true
				for j := range r.cells {
					r.cells[j].start.Made = true
					r.cells[j].content = made(r.cells[j].content)
				}
			}
			all = append(all, r)
		}
	}
	for i := range w.rows[:from] {
		for j := range w.rows[i].cells {
			if rows, columns := spans(w.rows[i].cells[j]); i+rows > to {
				w.rows[i].cells[j].span(rows+len(all)-(to-from), columns)
			}
		}
	}
	w.rows = slices.Replace(w.rows, from, to, all...)
}

// dropRows takes rows away; merged cells from above shrink.
func (t *tableModel) dropRows(from, to int) {
	for i := range t.rows[:from] {
		for j := range t.rows[i].cells {
			rows, columns := spans(t.rows[i].cells[j])
			if cut := min(i+rows, to) - from; cut > 0 {
				t.rows[i].cells[j].span(rows-cut, columns)
			}
		}
	}
	t.rows = slices.Delete(t.rows, from, to)
}
