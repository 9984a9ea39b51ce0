package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Shown is a text from outside as a terminal may see it: what is no visible character
// (controls, line breaks, marks that turn the direction of writing) is spelled out.
func Shown(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if hidden(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool { return !strconv.IsPrint(r) }

// widest is the most columns of a name in a sentence.
const widest = 48

// narrowest is to how few columns a table cuts what stands in one of its own: ids stay whole.
const narrowest = 24

// cut shortens what is shown to so many columns.
func cut(text string, columns int) string {
	taken := 0
	for i, r := range text {
		if taken += columnsOf(r); taken > columns {
			kept := text[:i]
			for columnsIn(kept) > columns-1 {
				_, size := utf8.DecodeLastRuneInString(kept)
				kept = kept[:len(kept)-size]
			}
			return kept + "…"
		}
	}
	return text
}

func columnsIn(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r < utf8.RuneSelf:
		return 1
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// A table lines up cells that come from outside.
type table struct {
	rows [][]string
	// whole cells are cut on no terminal: those of a table of one thing's fields.
	whole bool
}

func newTable(heading ...string) *table { return &table{rows: [][]string{heading}} }

func (t *table) row(cells ...string) {
	for i, cell := range cells {
		cells[i] = cmp.Or(Shown(cell), "-")
	}
	t.rows = append(t.rows, cells)
}

// gap is how many columns stand between two cells.
const gap = 2

// print cuts cells where the rows would be wider than the terminal. What is no terminal
// gets them whole.
func (t *table) print(e *Environment) error {
	var wide []int
	for _, cells := range t.rows {
		for i, cell := range cells {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], columnsIn(cell))
		}
	}
	if columns := e.columns(); columns > 0 && !t.whole {
		fit(wide, columns-gap*(len(wide)-1))
	}
	var b strings.Builder
	for _, cells := range t.rows {
		for i, cell := range cells {
			cell = cut(cell, wide[i])
			b.WriteString(e.colored(cell))
			if i < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", wide[i]-columnsIn(cell)+gap))
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(e.Out, b.String())
	return err
}

// fit narrows the widest cells until all together have so many columns.
func fit(wide []int, columns int) {
	total := 0
	for _, w := range wide {
		total += w
	}
	for ; total > columns; total-- {
		widest := slices.Index(wide, slices.Max(wide))
		if wide[widest] <= narrowest {
			return
		}
		wide[widest]--
	}
}

// columns is how wide the terminal is now; 0: there is none.
func (e *Environment) columns() int {
	if e.Columns == nil {
		return 0
	}
	return e.Columns()
}

// The colours of states, as SGR parameters (ECMA-48).
const (
	red    = "31"
	green  = "32"
	yellow = "33"
)

var colors = map[string]string{
	"COMPLETED": green, "DELIVERED": green, "COMPLETE": green, "DONE": green, "READY": green,
	"FAILED": red, "CANCELLED": red, "DISABLED": red,
	"SKIPPED": yellow, "HELD": yellow, "INCOMPLETE": yellow, "RESTING": yellow,
}

// colored is a state in its colour; any other text is as it was.
func (e *Environment) colored(text string) string {
	if color := colors[text]; e.Colors && color != "" {
		return "\x1b[" + color + "m" + text + "\x1b[0m"
	}
	return text
}

// printJSON prints one value as one line. A reader of JSON gets the same texts; a
// terminal gets nothing that it acts on.
func printJSON(to io.Writer, v any) error {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	var safe strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		switch {
		case !hidden(r):
			safe.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&safe, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&safe, `\u%04x`, r)
		}
	}
	safe.WriteByte('\n')
	_, err := io.WriteString(to, safe.String())
	return err
}

// stamp is a time in tables, in UTC.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// clock is the time of day in lines that come by and by, in UTC.
func clock() string { return time.Now().UTC().Format("15:04:05") }

func stampOr(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return stamp(*t)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
