package dml

import (
	"strings"

	"github.com/beevik/etree"
)

// Formula is an m:oMath, or an m:oMathPara with some of them (ECMA-376 part 1, 22.1), as
// documents and slides have them.
type Formula struct {
	Elem *etree.Element
	// Lines are those that the file itself parts: there is at least one.
	Lines []FormulaRow
	// IsDisplayed says that it stands on lines of its own (m:oMathPara). Align is where there:
	// "left", "right" or "center".
	IsDisplayed bool
	Align       string
	// Parts is how many parts and characters it has.
	Parts int
}

// FormulaRow is what stands side by side.
type FormulaRow []*FormulaPart

// FormulaPart is a text or an object of a formula. Fields of other kinds are empty.
type FormulaPart struct {
	// Kind is the name of its element: "r" for text, "f" for a fraction, "sSub" …
	Kind string
	Look FormulaLook

	// Text, and how it is written: m:sty ("p", "b", "i", "bi"), m:scr ("script", "fraktur",
	// "double-struck", "sans-serif", "monospace"), and whether it is text of words (m:nor).
	Text           string
	Style, Script  string
	IsNormal       bool
	BreaksInFront  bool
	Base, Name     FormulaRow
	Above, Below   FormulaRow // numerator, superscript, limit, degree; denominator, subscript, limit
	Cells          [][]FormulaRow
	Align          []string // of the columns of a matrix
	Begin, End     string   // of delimiters, and what stands between two of their parts
	Char           string
	Type           string // m:type, m:limLoc
	IsAbove        bool   // m:pos of a bar, an accent or a group character is "top"
	StandsOnAbove  bool   // m:vertJc of a group character is "top"
	DoesNotGrow    bool
	Hides, Strikes map[string]bool // sides of a box, and lines through it; of a phantom what takes no room
}

// FormulaLook is the formatting of a part, resolved.
type FormulaLook struct {
	Font         string
	Size         float64
	Bold, Italic bool
	Color        *RGB // nil is that of the text around it
	IsHidden     bool
}

// Size is that of its first letters, 0 for one without any.
func (f *Formula) Size() float64 {
	for _, line := range f.Lines {
		if size := line.size(); size > 0 {
			return size
		}
	}
	return 0
}

func (r FormulaRow) size() float64 {
	for _, p := range r {
		if p.Kind == "r" {
			return p.Look.Size
		}
		rows := []FormulaRow{p.Base, p.Name, p.Above, p.Below}
		for _, cells := range p.Cells {
			rows = append(rows, cells...)
		}
		for _, row := range rows {
			if size := row.size(); size > 0 {
				return size
			}
		}
	}
	return 0
}

// Text is the formula in a line, as it is read aloud.
func (f *Formula) Text() string {
	var b strings.Builder
	for i, line := range f.Lines {
		if i > 0 {
			b.WriteString("; ")
		}
		line.write(&b)
	}
	return strings.TrimSpace(b.String())
}

func (r FormulaRow) text() string {
	var b strings.Builder
	r.write(&b)
	return b.String()
}

func (r FormulaRow) write(b *strings.Builder) {
	for _, p := range r {
		p.write(b)
	}
}

// grouped is a row in brackets, where it is more than one character.
func (r FormulaRow) grouped() string {
	text := r.text()
	if len([]rune(text)) <= 1 {
		return text
	}
	return "(" + text + ")"
}

func (p *FormulaPart) write(b *strings.Builder) {
	switch p.Kind {
	case "r":
		b.WriteString(p.Text)
	case "f":
		sign := "/"
		if p.Type == "noBar" {
			sign = "¦"
		}
		b.WriteString(p.Above.grouped() + sign + p.Below.grouped())
	case "rad":
		b.WriteByte(' ')
		if len(p.Above) > 0 {
			b.WriteString(p.Above.text())
		}
		b.WriteString("√" + p.Base.grouped())
	case "func":
		b.WriteString(p.Name.text() + " " + p.Base.text())
	case "nary":
		b.WriteString(p.Char)
		p.writeScripts(b)
		b.WriteString(" " + p.Base.text())
	case "sPre":
		p.writeScripts(b)
		p.Base.write(b)
	case "d":
		b.WriteString(p.Begin)
		for i, cell := range p.Cells[0] {
			if i > 0 {
				b.WriteString(p.Char)
			}
			cell.write(b)
		}
		b.WriteString(p.End)
	case "m", "eqArr":
		p.writeCells(b)
	case "acc":
		b.WriteString(p.Base.text() + p.Char)
	case "phant":
		if !p.Hides["show"] {
			p.Base.write(b)
		}
	default:
		p.Base.write(b)
		p.writeScripts(b)
	}
}

func (p *FormulaPart) writeScripts(b *strings.Builder) {
	if len(p.Below) > 0 {
		b.WriteString("_" + p.Below.grouped())
	}
	if len(p.Above) > 0 {
		b.WriteString("^" + p.Above.grouped())
	}
}

func (p *FormulaPart) writeCells(b *strings.Builder) {
	for i, row := range p.Cells {
		if i > 0 {
			b.WriteString("; ")
		}
		for j, cell := range row {
			if j > 0 {
				b.WriteString(", ")
			}
			text := cell.text()
			if p.Kind == "eqArr" { // marks of alignment
				text = strings.ReplaceAll(text, "&", "")
			}
			b.WriteString(text)
		}
	}
}
