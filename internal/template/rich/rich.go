// Package rich is styled text as a template shows it: paragraphs, lists, tables and
// pictures. Packages markdown and hypertext read it from what fields have.
//
// It says what a text means and nothing of how that looks: which styles it gets, and by
// which requests, is package fill's.
package rich

import "strings"

// MaxDepth is how deep lists and quotes may stand in one another.
const MaxDepth = 9

// A Document is a text that was read.
type Document []Paragraph

// A Paragraph is what stands between two line feeds, or a table.
type Paragraph struct {
	Heading int     // its level, from 1 to 6; 0: it is none
	Quote   int     // how many quotes it stands in
	Rule    bool    // a line across the page, without text
	Lists   []Level // the lists that it is an entry of, the outermost first; none: no entry
	// Mark is the number or sign in front of an entry whose list has none of its own
	// (Level.Marked).
	Mark        string
	Align       Alignment
	Indent      float64 // points, beside that of quotes
	RightToLeft bool
	NewPage     bool // it begins a page
	Runs        []Run
	Table       *Table // in place of all else
}

// An Alignment is that of lines; empty: as the template has it. Start and end depend on
// the direction of the paragraph, left and right do not.
type Alignment string

// The alignments.
const (
	AlignStart     Alignment = "START"
	AlignCenter    Alignment = "CENTER"
	AlignEnd       Alignment = "END"
	AlignJustified Alignment = "JUSTIFIED"
	AlignLeft      Alignment = "LEFT"
	AlignRight     Alignment = "RIGHT"
)

// In is the alignment as the APIs name it, in a paragraph of a direction.
func (a Alignment) In(isRightToLeft bool) string {
	if a != AlignLeft && a != AlignRight {
		return string(a)
	}
	if (a == AlignRight) != isRightToLeft {
		return string(AlignEnd)
	}
	return string(AlignStart)
}

// A Level is a list at one depth.
type Level struct {
	ID      int // tells lists apart
	Ordered bool
	Letter  bool // its numbers are capital letters
	Roman   bool // its numbers are capital Roman ones
	// Marked says that its entries bring their signs: no list of a drive has such
	// numbers.
	Marked bool
}

// A Run is text of one style, or a picture. A \n in it breaks the line and no paragraph.
type Run struct {
	Text                       string
	Bold, Italic, Strike, Code bool
	Underline, Super, Sub      bool
	Color, Background          string  // six hexadecimal digits; empty: as the template has it
	Size                       float64 // points; 0: as the template has it
	Scale                      float64 // of the template's size, unless there is a Size; 0: 1
	Link                       string  // the address that it leads to, as it was written; empty: none
	Picture                    *Picture
}

// A Picture stands in a line. Of its sizes each may be 0: nothing is said of it.
type Picture struct {
	Source        string  // a data URI or an address
	Alt           string  // its alternative text; empty: none
	Width, Height float64 // points
	Share         float64 // of the width that there is, from 0 to 1
}

// A Table has cells in columns. Cells that a merged one covers are not there.
type Table struct {
	Widths []Width // of each column
	Rows   []Row
	Header int  // how many rows are repeated on each page
	Bare   bool // it has no lines
}

// A Width is that of a column or a table: points, or a share of what there is; both 0: not
// said.
type Width struct{ Points, Share float64 }

// A Row has cells in the order of their columns.
type Row struct{ Cells []Cell }

// A Cell takes Span columns from Column on, and Rows rows.
type Cell struct {
	Column, Span, Rows int
	Background         string // as that of a Run
	Vertical           string // TOP, MIDDLE or BOTTOM; empty: TOP
	Content            Document
}

// Text is the paragraph's text without its styles, of a table a line for each row.
func (p Paragraph) Text() string {
	if p.Table != nil {
		return p.Table.Lines().Text()
	}
	var b strings.Builder
	if b.WriteString(p.Mark); p.Mark != "" {
		b.WriteByte(' ')
	}
	for _, r := range p.Runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

// Text is the document's text without its styles, a line for each paragraph.
func (d Document) Text() string {
	lines := make([]string, len(d))
	for i, p := range d {
		lines[i] = p.Text()
	}
	return strings.Join(lines, "\n")
}

// Inline is the document as a part of a line: marks of text stay, and paragraphs are
// breaks of the line. Entries of numbered lists have their numbers as text.
func (d Document) Inline() []Run {
	var all []Run
	entries := map[int]int{} // of each list
	for i, p := range d.Flat() {
		if i > 0 {
			all = append(all, Run{Text: "\n"})
		}
		if mark := p.mark(entries); mark != "" {
			all = append(all, Run{Text: mark + " "})
		}
		all = append(all, p.Runs...)
	}
	return all
}

// mark is what stands in front of a paragraph where it can be no entry of a list. entries
// counts those of each list.
func (p Paragraph) mark(entries map[int]int) string {
	depth := len(p.Lists) - 1
	if p.Mark != "" || depth < 0 || p.Lists[depth].Marked || !p.Lists[depth].Ordered {
		return p.Mark
	}
	l := p.Lists[depth]
	entries[l.ID]++
	return Numeral(entries[l.ID], l.sign(depth)) + "."
}

// sign is the first number of an ordered list at a depth, as lists of drives have it.
func (l Level) sign(depth int) byte {
	switch {
	case l.Letter:
		return 'A'
	case l.Roman:
		return 'I'
	}
	return "1ai"[depth%3]
}

// Flat is the document with a paragraph for each row in the place of tables.
func (d Document) Flat() Document {
	flat := make(Document, 0, len(d))
	for _, p := range d {
		if p.Table == nil {
			flat = append(flat, p)
			continue
		}
		flat = append(flat, p.Table.Lines()...)
	}
	return flat
}

// breaks are those of lines, as they are read and as documents have them.
var breaks = strings.NewReplacer("\n", " ", "\v", " ")

// Lines are a paragraph for each row, with tabs between its cells.
func (t *Table) Lines() Document {
	lines := make(Document, len(t.Rows))
	for i, r := range t.Rows {
		for j, c := range r.Cells {
			if j > 0 {
				lines[i].Runs = append(lines[i].Runs, Run{Text: "\t"})
			}
			for k, p := range c.Content.Flat() {
				if k > 0 {
					lines[i].Runs = append(lines[i].Runs, Run{Text: " "})
				}
				if p.Mark != "" {
					lines[i].Runs = append(lines[i].Runs, Run{Text: p.Mark + " "})
				}
				for _, run := range p.Runs {
					run.Text = breaks.Replace(run.Text)
					lines[i].Runs = append(lines[i].Runs, run)
				}
			}
		}
	}
	return lines
}

// Each visits all runs, those of tables included.
func (d Document) Each(do func(*Run)) {
	for i := range d {
		for j := range d[i].Runs {
			do(&d[i].Runs[j])
		}
		if t := d[i].Table; t != nil {
			for _, r := range t.Rows {
				for _, c := range r.Cells {
					c.Content.Each(do)
				}
			}
		}
	}
}
