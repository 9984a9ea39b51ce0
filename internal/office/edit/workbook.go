package edit

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// fillWorkbook writes the data of a chart into the workbook that is embedded beside it, so
// that who edits the data in Office sees the same. A chart may have none. Rows and
// columns of the sheet beside the data stay; before is how many series there were.
func fillWorkbook(p *opc.Package, chart, sheet string, names []string, before int, data *chartData) error {
	for _, r := range p.Relationships(chart) {
		if r.Type != "package" || r.External || !p.Has(r.Target) {
			continue
		}
		content, ok := p.Part(r.Target)
		if !ok {
			return &opc.RequestError{Message: "The workbook of a chart is damaged: open the chart's data in Office, and save it once more."}
		}
		book, err := opc.ReadPackage(content)
		if err != nil {
			return &opc.RequestError{Message: "The workbook of a chart cannot be read: open the chart's data in Office, and save it as .xlsx."}
		}
		if err := fillSheet(book, sheet, names, before, data); err != nil {
			return err
		}
		if content, err = book.Bytes(); err != nil {
			return fmt.Errorf("write the workbook of a chart: %w", err)
		}
		p.SetPart(r.Target, p.ContentType(r.Target), content)
	}
	return nil
}

// fillSheet writes the data into a sheet of a workbook: names of series in the first row,
// and a row for each point below.
func fillSheet(book *opc.Package, sheet string, names []string, before int, data *chartData) error {
	part, err := sheetPart(book, sheet)
	if err != nil {
		return err
	}
	tree, err := book.XML(part)
	if err != nil {
		return err
	}
	rows := localChild(tree.Root(), "sheetData")
	if rows == nil {
		return &opc.RequestError{Message: "The workbook of a chart has no cells: open the chart's data in Office, and save it once more."}
	}
	if e := localChild(tree.Root(), "dimension"); e != nil {
		tree.Root().RemoveChild(e)
	}
	w := sheetWriter{rows: rows, columns: len(names) + 1, styles: map[string]string{}}
	w.clear(max(before, len(names)) + 1)
	w.row(1, append([]string{""}, names...), false)
	for i, category := range data.Categories {
		cells := []string{category}
		for _, s := range data.Series {
			cells = append(cells, s.Values[i])
		}
		w.row(i+2, cells, true)
	}
	book.Touch(part)
	if err := w.resizeTables(book, part, names, len(data.Categories)); err != nil {
		return err
	}
	return dropCalculation(book)
}

// sheetPart finds a sheet by the name that a formula has for it, else the first.
func sheetPart(book *opc.Package, sheet string) (string, error) {
	name := strings.ReplaceAll(strings.Trim(sheet, "'"), "''", "'")
	tree, err := book.XML(book.MainPart())
	if err != nil {
		return "", err
	}
	found := ""
	if list := localChild(tree.Root(), "sheets"); list != nil {
		for _, e := range list.ChildElements() {
			for _, a := range e.Attr {
				r, ok := book.Relationship(book.MainPart(), a.Value)
				if a.Key == "id" && ok && !r.External && book.Has(r.Target) && (found == "" || e.SelectAttrValue("name", "") == name) {
					found = r.Target
				}
			}
		}
	}
	if found == "" {
		return "", &opc.RequestError{Message: "The workbook of a chart has no sheet: open the chart's data in Office, and save it once more."}
	}
	return found, nil
}

func localChild(e *etree.Element, tag string) *etree.Element {
	for _, c := range e.ChildElements() {
		if c.Tag == tag {
			return c
		}
	}
	return nil
}

// sheetWriter writes the first columns of the rows of a sheet.
type sheetWriter struct {
	rows    *etree.Element
	columns int
	styles  map[string]string // of the cells of the first two rows, by their places
}

// placeOf is the column, from 0, and the row of a cell's name such as B12.
func placeOf(name string) (column, row int) {
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return -1, 0
	}
	for _, r := range name[:at] {
		column = column*26 + int(r-'A') + 1
	}
	row, _ = strconv.Atoi(name[at:])
	return column - 1, row
}

// clear takes the cells of a chart's data out, but for the first one, which names the
// categories.
func (w *sheetWriter) clear(columns int) {
	for _, row := range w.rows.ChildElements() {
		for _, c := range row.ChildElements() {
			name := c.SelectAttrValue("r", "")
			column, at := placeOf(name)
			if column < 0 || column >= columns || name == "A1" {
				continue
			}
			if at <= 2 {
				w.styles[name] = c.SelectAttrValue("s", "")
			}
			row.RemoveChild(c)
		}
		if len(row.ChildElements()) == 0 {
			w.rows.RemoveChild(row)
		}
	}
}

// row writes the cells of a row, before those that are there. Numbers begin behind the
// first cell.
func (w *sheetWriter) row(n int, cells []string, numbers bool) {
	row := w.find(n)
	for i, text := range cells {
		if text == "" {
			continue
		}
		name := columnName(i) + strconv.Itoa(n)
		c := etree.NewElement(w.prefixed("c"))
		c.CreateAttr("r", name)
		if s := w.styles[columnName(i)+strconv.Itoa(min(n, 2))]; s != "" {
			c.CreateAttr("s", s)
		}
		if numbers && i > 0 {
			c.CreateElement(w.prefixed("v")).SetText(text)
		} else {
			c.CreateAttr("t", "inlineStr")
			t := c.CreateElement(w.prefixed("is")).CreateElement(w.prefixed("t"))
			t.CreateAttr("xml:space", "preserve")
			t.SetText(strings.ReplaceAll(cleanText(text), "\v", "\n"))
		}
		row.InsertChildAt(w.before(row, i), c)
	}
}

// prefixed is a name as the sheet writes its elements.
func (w *sheetWriter) prefixed(tag string) string {
	if w.rows.Space == "" {
		return tag
	}
	return w.rows.Space + ":" + tag
}

// before is where a cell of a column comes among those of a row.
func (w *sheetWriter) before(row *etree.Element, column int) int {
	for _, c := range row.ChildElements() {
		if at, _ := placeOf(c.SelectAttrValue("r", "")); at > column {
			return c.Index()
		}
	}
	return len(row.Child)
}

// find is the row of a number, made where it is none.
func (w *sheetWriter) find(n int) *etree.Element {
	at := len(w.rows.Child)
	for _, row := range w.rows.ChildElements() {
		number, _ := strconv.Atoi(row.SelectAttrValue("r", ""))
		if number == n {
			return row
		}
		if number > n {
			at = row.Index()
			break
		}
	}
	row := etree.NewElement(w.prefixed("row"))
	row.CreateAttr("r", strconv.Itoa(n))
	w.rows.InsertChildAt(at, row)
	return row
}

// resizeTables has the tables of a sheet that begin in its first cell hold the data: Excel
// repairs a file in which the names of columns are not those of the cells.
func (w *sheetWriter) resizeTables(book *opc.Package, sheet string, names []string, points int) error {
	area := fmt.Sprintf("A1:%s%d", columnName(w.columns-1), max(points, 1)+1)
	for _, r := range book.Relationships(sheet) {
		if r.Type != "table" || r.External || !book.Has(r.Target) {
			continue
		}
		tree, err := book.XML(r.Target)
		if err != nil {
			return err
		}
		table := tree.Root()
		if !strings.HasPrefix(table.SelectAttrValue("ref", ""), "A1:") {
			continue
		}
		table.CreateAttr("ref", area)
		if filter := localChild(table, "autoFilter"); filter != nil {
			filter.CreateAttr("ref", area)
		}
		columns := localChild(table, "tableColumns")
		if columns == nil {
			continue
		}
		first := " "
		if c := localChild(columns, "tableColumn"); c != nil {
			first = c.SelectAttrValue("name", first)
		}
		detach(columns)
		columns.CreateAttr("count", strconv.Itoa(w.columns))
		for i, name := range append([]string{first}, names...) {
			c := columns.CreateElement(w.prefixed("tableColumn"))
			c.CreateAttr("id", strconv.Itoa(i+1))
			c.CreateAttr("name", name)
		}
		book.Touch(r.Target)
	}
	return nil
}

// dropCalculation takes out the order in which formulas are worked out, which may name
// cells that have none any more. Excel makes another.
func dropCalculation(book *opc.Package) error {
	main := book.MainPart()
	name := strings.TrimPrefix(path.Join(path.Dir(main), "_rels", path.Base(main)+".rels"), "/")
	for _, r := range book.Relationships(main) {
		if r.Type != "calcChain" {
			continue
		}
		tree, err := book.XML(name)
		if err != nil {
			return err
		}
		for _, e := range tree.Root().ChildElements() {
			if e.SelectAttrValue("Id", "") == r.ID {
				tree.Root().RemoveChild(e)
			}
		}
		data, err := tree.WriteToBytes()
		if err != nil {
			return fmt.Errorf("write the workbook of a chart: %w", err)
		}
		book.SetPart(name, "", data)
	}
	return nil
}
