package hypertext

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/platenhq/platen/internal/template/rich"
)

// A tableReader places the cells of a table.
type tableReader struct {
	*reader
	at    place
	table rich.Table
	left  []int // by column, the rows that a cell above still takes
}

// A structure is the parts of a table: its rows, and how many of them are in its head.
type structure struct {
	captions, columns, rows []*html.Node
	head                    int
	parts                   []*html.Node // around each row
}

func partsOf(n *html.Node) structure {
	var p structure
	var walk func(n *html.Node, part *html.Node)
	walk = func(n, part *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			switch c.Data {
			case "caption":
				p.captions = append(p.captions, c)
			case "col":
				p.columns = append(p.columns, c)
			case "tr":
				p.rows, p.parts = append(p.rows, c), append(p.parts, part)
				if part.Data == "thead" && p.head == len(p.rows)-1 {
					p.head++
				}
			case "thead", "tbody", "tfoot", "colgroup":
				walk(c, c)
			}
		}
	}
	walk(n, n)
	p.lowerFoot()
	return p
}

// lowerFoot puts the rows of a foot behind all others.
func (p *structure) lowerFoot() {
	var rows, parts, foot, around []*html.Node
	for i, r := range p.rows {
		if p.parts[i].Data == "tfoot" {
			foot, around = append(foot, r), append(around, p.parts[i])
			continue
		}
		rows, parts = append(rows, r), append(parts, p.parts[i])
	}
	p.rows, p.parts = append(rows, foot...), append(parts, around...)
}

// table reads a table. One of a single cell is a frame around what stands in it.
func (r *reader) table(n *html.Node, css map[string]string, at place) {
	parts := partsOf(n)
	for _, c := range parts.captions {
		r.node(c, at)
		r.end()
	}
	if len(parts.rows) == 1 {
		if c := cellsOf(parts.rows[0]); len(c) == 1 {
			r.nodes(c[0], at)
			return
		}
	}
	t := &tableReader{reader: r, at: at}
	t.at.lists, t.at.entry, t.at.heading, t.at.quote, t.at.indent, t.at.pre, t.at.align, t.at.isInCell = nil, nil, 0, 0, 0, false, "", true
	t.at.run.Background = ""
	t.table.Bare = isBare(n, css, parts)
	t.columns(parts.columns)
	left := parts.rowsLeft()
	for i, row := range parts.rows {
		if t.row(row, parts.parts[i], left[i]); r.isWide {
			return
		}
	}
	t.join()
	if r.cells += len(t.table.Rows) * len(t.left); r.cells > maxCells {
		return
	}
	t.pad()
	t.widen(n, css)
	t.table.Header = t.header(parts)
	if len(t.table.Rows) == 0 || len(t.left) == 0 {
		return
	}
	if r.newPage { // only a paragraph begins one
		r.made = append(r.made, rich.Paragraph{NewPage: true})
		r.newPage = false
	}
	r.made = append(r.made, rich.Paragraph{Table: &t.table})
}

// rowsLeft is how many rows there are from each one on in its part of the table, which no
// cell leaves (HTML, section 4.9.12.1).
func (p *structure) rowsLeft() []int {
	left := make([]int, len(p.rows))
	for i := len(left) - 1; i >= 0; i-- {
		left[i] = 1
		if i+1 < len(left) && p.parts[i] == p.parts[i+1] {
			left[i] += left[i+1]
		}
	}
	return left
}

// join leaves out columns in which no cell begins, such as those of colspan="100".
func (t *tableReader) join() {
	begins := make([]bool, len(t.left))
	for _, r := range t.table.Rows {
		for _, c := range r.Cells {
			begins[c.Column] = true
		}
	}
	to := make([]int, len(t.left)+1) // the column that each becomes
	widths := make([]rich.Width, 0, len(t.left))
	for i, is := range begins {
		to[i+1] = to[i]
		switch w := t.table.Widths[i]; {
		case is:
			to[i+1]++
			widths = append(widths, w)
		case len(widths) > 0:
			last := &widths[len(widths)-1]
			last.Points, last.Share = last.Points+w.Points, last.Share+w.Share
		}
	}
	for _, r := range t.table.Rows {
		for i, c := range r.Cells {
			r.Cells[i].Column, r.Cells[i].Span = to[c.Column], to[c.Column+c.Span]-to[c.Column]
		}
	}
	t.left, t.table.Widths = t.left[:to[len(t.left)]], widths
}

func cellsOf(row *html.Node) (all []*html.Node) {
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") {
			all = append(all, c)
		}
	}
	return all
}

// isBare tells of a table without lines. Word says it of tables whose cells have some.
func isBare(n *html.Node, css map[string]string, parts structure) bool {
	without := func(css map[string]string) bool {
		border := css["border"]
		return strings.Contains(border, "none") || strings.HasPrefix(border, "0") || css["border-style"] == "none" || css["border-width"] == "0"
	}
	says := attribute(n, "border") == "0" || without(css)
	if !says || len(parts.rows) == 0 {
		return says
	}
	for _, c := range cellsOf(parts.rows[0]) {
		own := declarations(c)
		for name, value := range own {
			if strings.HasPrefix(name, "border") && (strings.Contains(value, "solid") || strings.Contains(value, "dashed") || strings.Contains(value, "double")) {
				return false
			}
		}
	}
	return true
}

// columns takes over the widths of columns.
func (t *tableReader) columns(all []*html.Node) {
	for _, c := range all {
		span, _ := strconv.Atoi(attribute(c, "span"))
		for range min(max(span, 1), maxColumns) {
			if len(t.table.Widths) < maxColumns {
				t.table.Widths = append(t.table.Widths, widthOf(c))
			}
		}
	}
}

func widthOf(n *html.Node) rich.Width {
	l, ok := readLength(declarations(n)["width"], 0)
	if !ok {
		l, ok = readLength(attribute(n, "width"), pointsPerPixel)
	}
	if !ok || l.points < 0 || l.share < 0 || l.points > 10_000 {
		return rich.Width{}
	}
	return rich.Width{Points: l.points, Share: min(l.share, 1)}
}

// row reads a row; left is how many rows there are from it on in its part of the table.
func (t *tableReader) row(n, part *html.Node, left int) {
	at := t.at
	for _, around := range []*html.Node{part, n} {
		if around.Data != "table" {
			at.styleRun(around, declarations(around))
			at.shape(around, declarations(around))
		}
	}
	background := firstOf(readColor(attribute(n, "bgcolor")), backgroundOf(declarations(n)), backgroundOf(declarations(part)))
	at.run.Background = ""
	made := rich.Row{}
	column, covered := 0, false
	var taken []int
	for _, c := range cellsOf(n) {
		for column < len(t.left) && t.left[column] > 0 {
			column++
			covered = true
		}
		if column >= maxColumns {
			t.isWide = true
			return
		}
		span, _ := strconv.Atoi(attribute(c, "colspan"))
		rows, err := strconv.Atoi(attribute(c, "rowspan"))
		if rows == 0 && err == nil {
			rows = left
		}
		cell := t.cell(c, at, background)
		cell.Column, cell.Span, cell.Rows = column, min(max(span, 1), maxColumns-column), min(max(rows, 1), left)
		for i := 1; i < cell.Span; i++ { // up to a cell from above
			if column+i < len(t.left) && t.left[column+i] > 0 {
				cell.Span = i
			}
		}
		for len(t.left) < column+cell.Span {
			t.left = append(t.left, 0)
		}
		for i := column; i < column+cell.Span; i++ {
			taken = append(taken, i, cell.Rows)
		}
		t.widthOf(c, cell)
		made.Cells = append(made.Cells, cell)
		column += cell.Span
	}
	for _, left := range t.left {
		covered = covered || left > 0
	}
	for i := range t.left {
		t.left[i] = max(t.left[i]-1, 0)
	}
	for i := 0; i < len(taken); i += 2 {
		t.left[taken[i]] = taken[i+1] - 1
	}
	if len(made.Cells) > 0 || covered {
		t.table.Rows = append(t.table.Rows, made)
	}
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

func backgroundOf(css map[string]string) string {
	return readColor(css["background-color"])
}

// cell reads what stands in a cell.
func (t *tableReader) cell(n *html.Node, at place, background string) rich.Cell {
	css := declarations(n)
	at.styleRun(n, css)
	at.shape(n, css)
	at.run.Background, at.run.Super, at.run.Sub, at.share = "", false, false, 0
	cell := rich.Cell{Background: firstOf(backgroundOf(css), readColor(attribute(n, "bgcolor")), background)}
	vertical := css["vertical-align"]
	if vertical == "" {
		vertical = strings.ToLower(attribute(n, "valign"))
	}
	switch vertical {
	case "middle":
		cell.Vertical = "MIDDLE"
	case "bottom":
		cell.Vertical = "BOTTOM"
	}
	made, newPage := t.made, t.newPage
	t.made, t.newPage = nil, false
	t.nodes(n, at)
	t.end()
	cell.Content = trim(t.made)
	t.made, t.newPage = made, newPage
	return cell
}

// widthOf takes the width of a column from a cell where no column says it.
func (t *tableReader) widthOf(n *html.Node, c rich.Cell) {
	w := widthOf(n)
	if l, ok := readLength(attribute(n, "colwidth"), pointsPerPixel); ok && c.Span == 1 && w == (rich.Width{}) { // ProseMirror
		w = rich.Width{Points: l.points}
	}
	for len(t.table.Widths) < len(t.left) {
		t.table.Widths = append(t.table.Widths, rich.Width{})
	}
	if c.Span == 1 && t.table.Widths[c.Column] == (rich.Width{}) {
		t.table.Widths[c.Column] = w
	}
}

// pad adds the cells that rows leave out.
func (t *tableReader) pad() {
	columns := len(t.left)
	taken := make([]bool, len(t.table.Rows)*columns)
	for i, r := range t.table.Rows {
		var all []rich.Cell
		at := 0
		for column := range columns {
			switch {
			case at < len(r.Cells) && r.Cells[at].Column == column:
				c := r.Cells[at]
				for j := i; j < min(i+c.Rows, len(t.table.Rows)); j++ {
					for k := column; k < column+c.Span; k++ {
						taken[j*columns+k] = true
					}
				}
				all = append(all, c)
				at++
			case !taken[i*columns+column]:
				all = append(all, rich.Cell{Column: column, Span: 1, Rows: 1})
			}
		}
		t.table.Rows[i].Cells = all
	}
}

// widen measures the columns by the width of the table. Those of a table that says none by
// themselves share it.
func (t *tableReader) widen(n *html.Node, css map[string]string) {
	whole, ok := readLength(css["width"], 0)
	if !ok {
		whole, ok = readLength(attribute(n, "width"), pointsPerPixel)
	}
	if t.at.share > 0 { // that of the figure around it
		whole, ok = length{share: t.at.share}, true
	}
	if !ok || whole.points <= 0 && whole.share <= 0 || whole.points > 10_000 {
		return
	}
	whole.share = min(whole.share, 1)
	says := func(w rich.Width) bool { return w != rich.Width{} }
	if !slices.ContainsFunc(t.table.Widths, says) {
		columns := float64(len(t.table.Widths))
		for i := range t.table.Widths {
			t.table.Widths[i] = rich.Width{Points: whole.points / columns, Share: whole.share / columns}
		}
		return
	}
	for i, w := range t.table.Widths {
		if w.Share > 0 {
			t.table.Widths[i] = rich.Width{Points: whole.points * w.Share, Share: whole.share * w.Share}
		}
	}
}

// header is how many rows are the head: those of thead, or the first ones of th alone.
func (t *tableReader) header(parts structure) int {
	head := parts.head
	for i := head; i < len(parts.rows) && head == i; i++ {
		cells := cellsOf(parts.rows[i])
		isHead := len(cells) > 0
		for _, c := range cells {
			isHead = isHead && c.Data == "th"
		}
		if isHead {
			head++
		}
	}
	if head >= len(t.table.Rows) {
		return 0
	}
	return head
}
