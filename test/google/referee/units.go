package referee

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// A Kind says what an index unit of a document is.
type Kind byte

// The kinds of units. A table takes one unit before its rows and one behind
// them, each row and each cell one before its content.
const (
	Char Kind = iota
	Object
	ObjectRest // the further units of an object
	SectionBreak
	TableStart
	RowStart
	CellStart
	TableEnd
	ContentsStart
	ContentsEnd
)

// A Unit is one index of a segment.
type Unit struct {
	Kind Kind
	Code uint16 // of a Char, in UTF-16
	// Style is the run of a Char without its content, as canonical JSON.
	Style string
	// Raw is what the answer says beside content and indexes: of a line feed its
	// paragraph, else the object, table, row, cell or break.
	Raw map[string]any
	// Made tells of what a batch put in.
	Made bool
}

// Is tells of a character.
func (u Unit) Is(code uint16) bool { return u.Kind == Char && u.Code == code }

// inParagraph tells of a unit that a paragraph can hold.
func (u Unit) inParagraph() bool { return u.Kind <= ObjectRest }

// Text is units for characters of one style. Line feeds get the paragraph.
func Text(text, style string, paragraph map[string]any) []Unit {
	var out []Unit
	for _, code := range utf16.Encode([]rune(text)) {
		u := Unit{Code: code, Style: style}
		if code == '\n' {
			u.Raw = paragraph
		}
		out = append(out, u)
	}
	return out
}

var indexKeys = []string{"startIndex", "endIndex"}

// readContent reads the structural elements of a segment or a cell.
func readContent(elements []any) []Unit {
	var out []Unit
	for _, e := range elements {
		e, _ := e.(object)
		switch {
		case e["paragraph"] != nil:
			out = append(out, readParagraph(child(e, "paragraph"))...)
		case e["table"] != nil:
			t := child(e, "table")
			out = append(out, Unit{Kind: TableStart, Raw: without(t, "tableRows")})
			for _, r := range list(t, "tableRows") {
				r, _ := r.(object)
				out = append(out, Unit{Kind: RowStart, Raw: without(r, "tableCells", "startIndex", "endIndex")})
				for _, c := range list(r, "tableCells") {
					c, _ := c.(object)
					out = append(out, Unit{Kind: CellStart, Raw: without(c, "content", "startIndex", "endIndex")})
					out = append(out, readContent(list(c, "content"))...)
				}
			}
			out = append(out, Unit{Kind: TableEnd})
		case e["tableOfContents"] != nil:
			t := child(e, "tableOfContents")
			out = append(out, Unit{Kind: ContentsStart, Raw: without(t, "content")})
			out = append(append(out, readContent(list(t, "content"))...), Unit{Kind: ContentsEnd})
		default:
			out = append(out, Unit{Kind: SectionBreak, Raw: without(e, indexKeys...)})
		}
	}
	return out
}

func readParagraph(p object) []Unit {
	var out []Unit
	paragraph := without(p, "elements")
	for _, e := range list(p, "elements") {
		e, _ := e.(object)
		if run := child(e, "textRun"); run != nil {
			content, _ := run["content"].(string)
			out = append(out, Text(content, canonical(without(run, "content")), paragraph)...)
			continue
		}
		start, _ := e["startIndex"].(float64)
		end, _ := e["endIndex"].(float64)
		out = append(out, NewObject(without(e, indexKeys...), int(end-start))...)
	}
	return out
}

// NewObject is the units of an element that is no text.
func NewObject(element map[string]any, length int) []Unit {
	out := []Unit{{Kind: Object, Raw: element}}
	for range length - 1 {
		out = append(out, Unit{Kind: ObjectRest})
	}
	return out
}

// contentWriter writes units as an answer shows them.
type contentWriter struct {
	units []Unit
	at    int
}

// place puts the indexes around a value; Google leaves out a start of 0.
func place(o object, start, end int) object {
	if start > 0 {
		o["startIndex"] = start
	}
	o["endIndex"] = end
	return o
}

// content writes structural elements up to the end of their container.
func (w *contentWriter) content() []any {
	out := []any{}
	for w.at < len(w.units) {
		start, u := w.at, w.units[w.at]
		switch u.Kind {
		case SectionBreak:
			w.at++
			out = append(out, place(without(u.Raw), start, w.at))
		case ContentsStart:
			w.at++
			inner := with(u.Raw, "content", w.content())
			w.at++
			out = append(out, place(object{"tableOfContents": inner}, start, w.at))
		case TableStart:
			table := w.table()
			out = append(out, place(object{"table": table}, start, w.at))
		case Char, Object, ObjectRest:
			paragraph := w.paragraph()
			out = append(out, place(object{"paragraph": paragraph}, start, w.at))
		default:
			return out
		}
	}
	return out
}

func (w *contentWriter) table() object {
	raw, rows := w.units[w.at].Raw, []any{}
	for w.at++; w.units[w.at].Kind == RowStart; {
		start, row, cells := w.at, w.units[w.at].Raw, []any{}
		for w.at++; w.units[w.at].Kind == CellStart; {
			start, cell := w.at, w.units[w.at].Raw
			w.at++
			cells = append(cells, place(with(cell, "content", w.content()), start, w.at))
		}
		rows = append(rows, place(with(row, "tableCells", cells), start, w.at))
	}
	w.at++
	return with(with(raw, "tableRows", rows), "rows", len(rows))
}

func (w *contentWriter) paragraph() object {
	elements := []any{}
	for {
		start, u := w.at, w.units[w.at]
		if u.Kind == Object {
			for w.at++; w.units[w.at].Kind == ObjectRest; w.at++ {
			}
			elements = append(elements, place(without(u.Raw), start, w.at))
			continue
		}
		var codes []uint16
		for w.units[w.at].Kind == Char && w.units[w.at].Style == u.Style {
			codes = append(codes, w.units[w.at].Code)
			if w.at++; codes[len(codes)-1] == '\n' {
				break
			}
		}
		run := must(u.Style)
		run["content"] = string(utf16.Decode(codes))
		elements = append(elements, place(object{"textRun": run}, start, w.at))
		if codes[len(codes)-1] == '\n' {
			return with(w.units[w.at-1].Raw, "elements", elements)
		}
	}
}

// Plain shows units as text: objects as ￼, tables with a line for each row.
func Plain(units []Unit) string {
	var b strings.Builder
	var codes []uint16
	flush := func() {
		b.WriteString(string(utf16.Decode(codes)))
		codes = codes[:0]
	}
	for _, u := range units {
		if u.Kind == Char {
			codes = append(codes, u.Code)
			continue
		}
		flush()
		switch u.Kind {
		case Object:
			b.WriteString("￼")
		case ObjectRest:
		case SectionBreak:
			b.WriteString("§")
		default:
			fmt.Fprint(&b, map[Kind]string{TableStart: "⟦", RowStart: "│", CellStart: "¦", TableEnd: "⟧", ContentsStart: "⟪", ContentsEnd: "⟫"}[u.Kind])
		}
	}
	flush()
	return b.String()
}
