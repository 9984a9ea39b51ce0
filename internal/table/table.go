// Package table reads the tables of other programs, CSV files and workbooks (.xlsx), as
// JSON objects: an object for each row, whose fields are the names in the first row. What
// was found about a file is said, because much of it is a guess.
package table

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a table. A spreadsheet has 16,384 columns; a template has a hundred fields.
const (
	MaxColumns = 500
	maxName    = 200       // characters of a column's name
	maxRow     = 1 << 20   // bytes of a row's cells
	maxDepth   = 5         // names in one of a column, as in A.B.C
	maxText    = 16 << 20  // bytes of the texts that the cells of a workbook share
	maxTexts   = 1 << 19   // of them
	maxStyles  = 1 << 16   // of cells; Excel has as many
	maxRows    = 1 << 20   // of a sheet; Excel has as many
	maxMerges  = 10_000    // cells of a sheet that go over several rows
	maxPart    = 128 << 20 // bytes of a part of a workbook, unpacked
)

// Options are what a caller knows about a file; what is empty is found.
type Options struct {
	Sheet     string // of a workbook; empty: the first that is not hidden
	Encoding  string // of a CSV file, such as windows-1252 (WHATWG Encoding, 4.2)
	Delimiter string // of a CSV file: one character
	// Decimal is the decimal sign of a CSV file, "." or ",": it decides what 1.234 is. Without
	// it every cell stays the text that it shows.
	Decimal string
	// Key is the name of a column: rows that follow each other and have the same value there
	// make one object. Columns named Items.X become the items of its list Items.
	Key   string
	Items string
}

// Found is what a file turned out to be.
type Found struct {
	Kind      string // csv or xlsx
	Encoding  string
	Delimiter string
	Decimal   string // as its sender says; empty: cells are the texts that they show
	Sheet     string
	Sheets    []string // of a workbook
	Hidden    int      // rows that the sheet does not show; they are rows all the same
	Columns   []string
}

// A Row is an object of a table. Number is that of its first row in the sheet, or of its
// first line in the file.
type Row struct {
	Number int
	Body   json.RawMessage
}

// Rows are those of a table in their order, as they are read. An error with a row is about
// that row alone, whose Number is set, and reading goes on; an error with the zero row is
// about the file, and ends it. Every error is a *FormatError.
type Rows = iter.Seq2[Row, error]

// A FormatError says what is wrong with a table, where, and how it is cured. It quotes no
// cell but those of the first row.
type FormatError struct{ Message string }

func (e *FormatError) Error() string { return e.Message }

func wrong(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}

// A cell is what stands in one: a text, a number as JSON writes it, or true and false.
// nil is one with nothing in it.
type cell any

type number string

// A record is a row of a table before its cells have names.
type record struct {
	number int
	cells  []cell
}

// columns are the names of a table's columns, parted at their dots. A column without a name
// has none.
type columns struct {
	names []string
	paths [][]string
}

// readColumns takes the names of the first row.
func readColumns(cells []cell) (columns, error) {
	var c columns
	for i, v := range cells {
		name := strings.Join(strings.Fields(textOf(v)), " ") // lines of a name are one
		if name == "" {
			c.names, c.paths = append(c.names, ""), append(c.paths, nil)
			continue
		}
		path := strings.Split(name, ".")
		switch {
		case strings.ContainsFunc(name, unicode.IsControl):
			return c, wrong("the name of column %s has a control character", letters(i))
		case utf8.RuneCountInString(name) > maxName:
			return c, wrong("the name of column %s has more than %d characters", letters(i), maxName)
		case slices.Contains(c.names, name):
			return c, wrong("two columns are named %q: %s and %s. Give each a name of its own", name, letters(slices.Index(c.names, name)), letters(i))
		case len(path) > maxDepth || slices.Contains(path, ""):
			path = []string{name}
		}
		c.names, c.paths = append(c.names, name), append(c.paths, path)
	}
	for len(c.names) > 0 && c.names[len(c.names)-1] == "" {
		c.names, c.paths = c.names[:len(c.names)-1], c.paths[:len(c.paths)-1]
	}
	switch {
	case len(c.names) == 0:
		return c, wrong("the first row has no names. Name the columns there")
	case len(c.names) > MaxColumns:
		return c, wrong("it has %d columns: a table may have %d", len(c.names), MaxColumns)
	}
	for i, path := range c.paths {
		for n := 1; n < len(path); n++ {
			if at := slices.Index(c.names, strings.Join(path[:n], ".")); at >= 0 {
				return c, wrong("column %s is named %q, and column %s %q, which is a part of it. Rename one", letters(at), c.names[at], letters(i), c.names[i])
			}
		}
	}
	return c, nil
}

// object gives the cells of a row their names; empty cells leave nothing.
func (c columns) object(r record) (map[string]any, error) {
	out, size := map[string]any{}, 0
	for i, v := range r.cells {
		if v == nil {
			continue
		}
		if i >= len(c.names) || c.names[i] == "" {
			return nil, wrong("has something in column %s, which has no name in the first row", letters(i))
		}
		if size += len(textOf(v)); size > maxRow {
			return nil, wrong("has more than %d bytes", maxRow)
		}
		at := out
		for _, name := range c.paths[i][:len(c.paths[i])-1] {
			below, ok := at[name].(map[string]any)
			if !ok {
				below = map[string]any{}
				at[name] = below
			}
			at = below
		}
		at[c.paths[i][len(c.paths[i])-1]] = jsonOf(v)
	}
	return out, nil
}

func jsonOf(v cell) any {
	if n, ok := v.(number); ok {
		return json.Number(n)
	}
	return v
}

// textOf is a cell as a text.
func textOf(v cell) string {
	switch v := v.(type) {
	case string:
		return v
	case number:
		return string(v)
	case bool:
		return fmt.Sprint(v)
	}
	return ""
}

// letters names a column as spreadsheets do: A, B … Z, AA.
func letters(column int) string {
	name := ""
	for n := column; n >= 0; n = n/26 - 1 {
		name = string(rune('A'+n%26)) + name
	}
	return name
}

// objects makes rows of records, one each, or one of those that follow each other with one
// key. Records without anything in them are left out.
func objects(c columns, o Options, records iter.Seq2[record, error]) Rows {
	if o.Key != "" {
		return grouped(c, o, records)
	}
	return func(yield func(Row, error) bool) {
		for r, err := range records {
			if err == nil && isEmpty(r.cells) {
				continue
			}
			var fields map[string]any
			if err == nil {
				fields, err = c.object(r)
			}
			if !yield(rowOf(r.number, fields, err)) || err != nil && r.number == 0 {
				return
			}
		}
	}
}

func isEmpty(cells []cell) bool {
	return !slices.ContainsFunc(cells, func(v cell) bool { return v != nil })
}

func rowOf(number int, fields map[string]any, err error) (Row, error) {
	if err != nil {
		return Row{Number: number}, err
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return Row{Number: number}, wrong("cannot be written as JSON")
	}
	return Row{Number: number, Body: body}, nil
}

// grouped makes an object of the records that follow each other with one key: fields of the
// first, and a list of the items of all.
func grouped(c columns, o Options, records iter.Seq2[record, error]) Rows {
	return func(yield func(Row, error) bool) {
		key := slices.Index(c.names, o.Key)
		isItems := func(path []string) bool { return len(path) > 1 && path[0] == o.Items }
		switch {
		case key < 0:
			yield(Row{}, wrong("no column is named %q: its columns are %s", o.Key, quoted(c.names)))
			return
		case !slices.ContainsFunc(c.paths, isItems):
			yield(Row{}, wrong("no column is named %q, so that rows with one %q have no items", o.Items+".…", o.Key))
			return
		}
		g := group{list: o.Items, began: map[keyPrint]int{}}
		for r, err := range records {
			switch {
			case err != nil && r.number == 0:
				if g.yield(yield) {
					yield(Row{}, err)
				}
				return
			case err == nil && isEmpty(r.cells):
				continue
			}
			var fields map[string]any
			if err == nil {
				fields, err = c.object(r)
			}
			value := ""
			if key < len(r.cells) {
				value = textOf(r.cells[key])
			}
			switch {
			case err == nil && value == "":
				err = wrong("has nothing in column %q, which says what belongs together", o.Key)
			case err == nil && len(value) > maxName:
				err = wrong("has more than %d bytes in column %q, which says what belongs together", maxName, o.Key)
			}
			switch began, isKnown := g.began[printOf(value)]; {
			case err != nil:
				if !g.yield(yield) || !yield(Row{Number: r.number}, err) {
					return
				}
				continue
			case g.fields != nil && g.key == value:
				g.add(fields)
				continue
			case isKnown:
				err = wrong("has the same %q as row %d, and other rows stand between. Sort the table by it", o.Key, began)
				if !g.yield(yield) || !yield(Row{Number: r.number}, err) {
					return
				}
				continue
			}
			if !g.yield(yield) {
				return
			}
			g.begin(value, r.number, fields)
		}
		g.yield(yield)
	}
}

// A group is an object that rows are added to.
type group struct {
	list   string
	began  map[keyPrint]int // the first row of each key
	key    string
	number int
	fields map[string]any
	items  []any
	size   int
}

func (g *group) begin(key string, number int, fields map[string]any) {
	g.key, g.number, g.fields, g.items, g.size = key, number, fields, nil, 0
	g.began[printOf(key)] = number
	g.add(fields)
}

// A keyPrint stands for a key: of 100,000 rows each may have another.
type keyPrint [16]byte

func printOf(key string) keyPrint {
	sum := sha256.Sum256([]byte(key))
	return keyPrint(sum[:len(keyPrint{})])
}

func (g *group) add(fields map[string]any) {
	item, ok := fields[g.list]
	if !ok {
		return
	}
	if g.size += len(fmt.Sprint(item)); g.size > maxRow {
		g.items = nil
		return
	}
	g.items = append(g.items, item)
}

// yield passes the object on, if there is one; false: no more is wanted.
func (g *group) yield(yield func(Row, error) bool) bool {
	if g.fields == nil {
		return true
	}
	fields := g.fields
	g.fields = nil
	var err error
	if g.size > maxRow {
		err = wrong("has items of more than %d bytes", maxRow)
	}
	if g.items != nil {
		fields[g.list] = g.items
	}
	return yield(rowOf(g.number, fields, err))
}

func quoted(names []string) string {
	const most = 12
	var out []string
	for _, name := range names[:min(most, len(names))] {
		out = append(out, fmt.Sprintf("%q", name))
	}
	if more := len(names) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// A limitedReader reads up to most bytes in all, so that what is read at once is bounded
// where most moves along.
type limitedReader struct {
	src        io.Reader
	read, most int64
}

var errTooLong = errors.New("more than may be read at once")

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.read >= l.most {
		return 0, errTooLong
	}
	n, err := l.src.Read(p[:min(int64(len(p)), l.most-l.read)])
	l.read += int64(n)
	return n, err
}
