package pml

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// tableStyle is a style of ppt/tableStyles.xml, or one of the built-in styles
// that programs name without writing them into the file.
type tableStyle struct {
	s *slideParts
	d *dml.Reader
	e *etree.Element
}

func (s *slideParts) tableStyle(id string, d *dml.Reader) *tableStyle {
	st := &tableStyle{s: s, d: d}
	if id == "" {
		return st
	}
	for _, rel := range d.Package.Relationships(s.pres.Part) {
		if rel.Type != "tableStyles" {
			continue
		}
		doc, err := d.Package.XML(rel.Target)
		if err != nil || doc.Root() == nil {
			continue
		}
		for _, e := range dml.ChildrenNamed(doc.Root(), "tblStyle") {
			if strings.EqualFold(e.SelectAttrValue("styleId", ""), id) {
				st.e = e
				return st
			}
		}
	}
	doc := etree.NewDocument()
	if doc.ReadFromString(builtInTableStyle(id)) == nil {
		st.e = doc.Root()
	}
	return st
}

// builtInTableStyle writes out the built-in styles that are in wide use:
// "Medium Style 2" in its accents, "No Style" with and without grid. The ids
// are fixed and the same in every program. Of the others it has what all have: the
// theme's font for text.
func builtInTableStyle(id string) string {
	medium := map[string]string{
		"{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}": "accent1", "{21E4AEA4-8DFA-4A89-87EB-49C32662AFE0}": "accent2",
		"{F5AB1C69-6EDB-4FF4-983F-18BD219EF322}": "accent3", "{00A15C55-8517-42AA-B614-E9B94910E393}": "accent4",
		"{7DF18680-E054-41AD-8BC1-D1AEF772440D}": "accent5", "{93296810-A885-4BE3-A3E7-6D5BEEA58F35}": "accent6",
		"{073A0DAA-6AF3-43AB-8588-CEC1D06C72B9}": "dk1",
	}
	clr := func(name, mod string) string {
		return `<a:solidFill><a:schemeClr val="` + name + `">` + mod + `</a:schemeClr></a:solidFill>`
	}
	line := func(side, color string) string {
		return `<a:` + side + `><a:ln w="12700">` + clr(color, "") + `</a:ln></a:` + side + `>`
	}
	all := func(color string) string {
		return line("left", color) + line("right", color) + line("top", color) + line("bottom", color) + line("insideH", color) + line("insideV", color)
	}
	if accent, ok := medium[strings.ToUpper(id)]; ok {
		head := func(part, border string) string {
			return `<a:` + part + `><a:tcTxStyle b="on"><a:fontRef idx="minor"/><a:schemeClr val="lt1"/></a:tcTxStyle><a:tcStyle><a:tcBdr>` + border + `</a:tcBdr><a:fill>` + clr(accent, "") + `</a:fill></a:tcStyle></a:` + part + `>`
		}
		band := `<a:tcStyle><a:fill>` + clr(accent, `<a:tint val="40000"/>`) + `</a:fill></a:tcStyle>`
		return `<a:tblStyle><a:wholeTbl><a:tcTxStyle><a:fontRef idx="minor"/><a:schemeClr val="dk1"/></a:tcTxStyle><a:tcStyle><a:tcBdr>` + all("lt1") +
			`</a:tcBdr><a:fill>` + clr(accent, `<a:tint val="20000"/>`) + `</a:fill></a:tcStyle></a:wholeTbl>` +
			`<a:band1H>` + band + `</a:band1H><a:band1V>` + band + `</a:band1V>` +
			head("lastCol", "") + head("firstCol", "") +
			head("lastRow", strings.ReplaceAll(line("top", "lt1"), "12700", "38100")) +
			head("firstRow", strings.ReplaceAll(line("bottom", "lt1"), "12700", "38100")) + `</a:tblStyle>`
	}
	grid := ""
	if strings.EqualFold(id, "{5940675A-B579-460E-94D1-54222C63F5DA}") {
		grid = `<a:tcStyle><a:tcBdr>` + all("tx1") + `</a:tcBdr></a:tcStyle>`
	}
	return `<a:tblStyle><a:wholeTbl><a:tcTxStyle><a:fontRef idx="minor"/><a:schemeClr val="tx1"/></a:tcTxStyle>` + grid + `</a:wholeTbl></a:tblStyle>`
}

// parts lists the parts of the style that apply to a cell, the strongest first.
func (st *tableStyle) parts(f tableFlags, row, col, rows, cols int) []*etree.Element {
	if st.e == nil {
		return nil
	}
	var out []*etree.Element
	add := func(applies bool, tag string) {
		if e := dml.Child(st.e, tag); applies && e != nil {
			out = append(out, e)
		}
	}
	isFirst, isLast := f.hasFirstRow && row == 0, f.hasLastRow && row == rows-1
	isLeft, isRight := f.hasFirstCol && col == 0, f.hasLastCol && col == cols-1
	add(isFirst && isLeft, "nwCell")
	add(isFirst && isRight, "neCell")
	add(isLast && isLeft, "swCell")
	add(isLast && isRight, "seCell")
	add(isFirst, "firstRow")
	add(isLast, "lastRow")
	add(isLeft, "firstCol")
	add(isRight, "lastCol")
	if f.hasFirstRow {
		row--
	}
	if f.hasFirstCol {
		col--
	}
	add(f.hasBandRows && !isFirst && !isLast && row%2 == 0, "band1H")
	add(f.hasBandRows && !isFirst && !isLast && row%2 == 1, "band2H")
	add(f.hasBandCols && !isLeft && !isRight && col%2 == 0, "band1V")
	add(f.hasBandCols && !isLeft && !isRight && col%2 == 1, "band2V")
	add(true, "wholeTbl")
	return out
}

func (st *tableStyle) fill(parts []*etree.Element) *dml.ShapeFill {
	for _, p := range parts {
		style := dml.Child(p, "tcStyle")
		if f := st.d.Fill(dml.Find(style, "fill"), nil); f != nil {
			return f
		}
		if ref := dml.Find(style, "fillRef"); ref != nil {
			if f := st.d.ThemeFill(ref, st.s.themed); f != nil {
				return f
			}
		}
	}
	return nil
}

// border finds a side's line. The bands and rows of a style name only outer
// sides of their own; those count where they touch the cell.
func (st *tableStyle) border(parts []*etree.Element, outer, inner string, isEdge bool) *dml.ShapeLine {
	for _, p := range parts {
		borders := dml.Find(p, "tcStyle", "tcBdr")
		side := dml.FirstChild(borders, outer)
		if p.Tag == "wholeTbl" && !isEdge {
			side = dml.FirstChild(borders, inner)
		}
		if side == nil {
			continue
		}
		if ln := dml.Child(side, "ln"); ln != nil {
			return st.d.Line([]*etree.Element{ln}, nil, st.s.themed)
		}
		if ref := dml.Child(side, "lnRef"); ref != nil {
			return st.d.Line(nil, ref, st.s.themed)
		}
	}
	return nil
}

// text applies what the style asks of a cell's text, the weakest part first.
func (st *tableStyle) text(parts []*etree.Element, r *dml.TextRun) {
	for i := len(parts) - 1; i >= 0; i-- {
		tx := parts[i].SelectElement("tcTxStyle")
		if tx == nil {
			continue
		}
		r.Bold, r.Italic = dml.Bool(tx, "b", r.Bold), dml.Bool(tx, "i", r.Italic)
		if font := st.d.NamedFont(tx); font != "" {
			r.Font = font
		}
		if c, _, ok := st.d.Color(tx, nil); ok {
			r.Color = c
		}
	}
}
