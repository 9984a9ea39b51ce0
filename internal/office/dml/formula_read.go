package dml

import (
	"strings"

	"github.com/beevik/etree"
)

// FormulaLooks resolves the formatting of a text by its w:rPr or a:rPr; nil is for that of the
// paragraph. Objects without formatting of their own are as large as what they stand in.
type FormulaLooks func(properties *etree.Element) FormulaLook

// ReadFormula reads an m:oMath or an m:oMathPara; nil where it holds nothing. Display is the
// alignment of formulas that stand by themselves and do not say it.
func ReadFormula(e *etree.Element, display string, looks FormulaLooks) *Formula {
	f := &formulaReader{looks: looks, formula: &Formula{Elem: e}}
	switch {
	case e.Tag == "oMathPara":
		f.formula.IsDisplayed = true
		f.formula.Align = alignmentOf(property(e, "oMathParaPr", "jc", display))
		for _, one := range ChildrenNamed(e, "oMath") {
			f.line(one)
		}
	default:
		f.line(e)
	}
	if f.formula.Parts == 0 {
		return nil
	}
	return f.formula
}

// alignmentOf is where a formula on lines of its own stands. Those that are centred as a group
// (ECMA-376 part 1, 22.1.2.51) are centred here line by line.
func alignmentOf(jc string) string {
	if jc == "left" || jc == "right" {
		return jc
	}
	return "center"
}

type formulaReader struct {
	looks   FormulaLooks
	formula *Formula
	// breaks says that a line break stands behind the part that was read last.
	breaks bool
}

// line reads an m:oMath, in as many lines as the breaks between its parts ask for.
func (f *formulaReader) line(e *etree.Element) {
	var line FormulaRow
	for _, part := range f.row(e) {
		if part.BreaksInFront && len(line) > 0 {
			f.formula.Lines, line = append(f.formula.Lines, line), nil
		}
		line = append(line, part)
	}
	if len(line) > 0 {
		f.formula.Lines = append(f.formula.Lines, line)
	}
}

// row reads what stands side by side in an element.
func (f *formulaReader) row(e *etree.Element) FormulaRow {
	var row FormulaRow
	EachChild(e, func(c *etree.Element) {
		switch c.Tag {
		case "ins", "moveTo", "smartTag", "customXml", "hyperlink", "sdt", "sdtContent", "oMath":
			row = append(row, f.row(c)...)
			return
		case "del", "moveFrom", "rPr", "argPr", "ctrlPr":
			return
		}
		part := f.part(c)
		if part == nil {
			return
		}
		part.BreaksInFront = part.BreaksInFront || f.breaks
		f.breaks = false
		f.formula.Parts += 1 + len(part.Text)
		row = append(row, part)
		if c.Tag == "r" && Child(c, "br") != nil {
			f.breaks = true
		}
	})
	return row
}

func (f *formulaReader) arg(e *etree.Element, name string) FormulaRow { return f.row(Child(e, name)) }

// part reads one object; nil for what is none.
func (f *formulaReader) part(e *etree.Element) *FormulaPart {
	p := &FormulaPart{Kind: e.Tag}
	pr := Child(e, e.Tag+"Pr")
	if properties := formatting(Child(pr, "ctrlPr")); properties != nil {
		p.Look = f.looks(properties)
	}
	switch e.Tag {
	case "r":
		return f.text(e, p)
	case "f":
		p.Type = value(pr, "type", "bar")
		p.Above, p.Below = f.arg(e, "num"), f.arg(e, "den")
	case "sSub", "sSup", "sSubSup", "sPre":
		p.Base, p.Below, p.Above = f.arg(e, "e"), f.arg(e, "sub"), f.arg(e, "sup")
	case "rad":
		p.Base = f.arg(e, "e")
		if !isOn(pr, "degHide") {
			p.Above = f.arg(e, "deg")
		}
	case "nary":
		f.nary(e, pr, p)
	case "d":
		p.Begin, p.Char, p.End = value(pr, "begChr", "("), value(pr, "sepChr", "|"), value(pr, "endChr", ")")
		p.DoesNotGrow = isOff(pr, "grow")
		p.Cells = [][]FormulaRow{nil}
		for _, one := range ChildrenNamed(e, "e") {
			p.Cells[0] = append(p.Cells[0], f.row(one))
		}
	case "func":
		p.Name, p.Base = f.arg(e, "fName"), f.arg(e, "e")
	case "limLow":
		p.Base, p.Below = f.arg(e, "e"), f.arg(e, "lim")
	case "limUpp":
		p.Base, p.Above = f.arg(e, "e"), f.arg(e, "lim")
	case "m":
		f.matrix(e, pr, p)
	case "eqArr":
		for _, one := range ChildrenNamed(e, "e") {
			p.Cells = append(p.Cells, []FormulaRow{f.row(one)})
		}
	case "acc":
		p.Base, p.Char = f.arg(e, "e"), value(pr, "chr", "\u0302")
	case "bar":
		p.Base, p.IsAbove = f.arg(e, "e"), value(pr, "pos", "bot") == "top"
	case "groupChr":
		p.Base, p.Char = f.arg(e, "e"), value(pr, "chr", "\u23DF")
		p.IsAbove, p.StandsOnAbove = value(pr, "pos", "bot") == "top", value(pr, "vertJc", "top") == "top"
	case "box":
		p.Base = f.arg(e, "e")
	case "borderBox":
		p.Base, p.Hides, p.Strikes = f.arg(e, "e"), flags(pr, "hideTop", "hideBot", "hideLeft", "hideRight"), flags(pr, "strikeH", "strikeV", "strikeBLTR", "strikeTLBR")
	case "phant":
		p.Base, p.Hides = f.arg(e, "e"), flags(pr, "zeroWid", "zeroAsc", "zeroDesc")
		p.Hides["show"] = isOff(pr, "show")
	default:
		p.Base = f.row(e)
		if len(p.Base) == 0 {
			return nil
		}
	}
	return p
}

// text reads an m:r. Its words may be of the document's vocabulary, too.
func (f *formulaReader) text(e *etree.Element, p *FormulaPart) *FormulaPart {
	p.Look = f.looks(formatting(e))
	pr := FindChild(e, Alternative, func(c *etree.Element) bool { return c.Tag == "rPr" && c.Space == "m" })
	p.Style, p.Script, p.IsNormal = value(pr, "sty", "i"), value(pr, "scr", "roman"), isOn(pr, "nor")
	p.BreaksInFront = Child(pr, "brk") != nil
	var b strings.Builder
	EachChild(e, func(c *etree.Element) {
		switch c.Tag {
		case "t":
			b.WriteString(c.Text())
		case "tab":
			b.WriteByte(' ')
		}
	})
	if p.Text = b.String(); p.Text == "" {
		f.breaks = f.breaks || Child(e, "br") != nil
		return nil
	}
	return p
}

func (f *formulaReader) nary(e, pr *etree.Element, p *FormulaPart) {
	p.Char = value(pr, "chr", "∫")
	side := "undOvr"
	if strings.ContainsAny(p.Char, "∫∬∭∮∯∰∱∲∳") {
		side = "subSup"
	}
	p.Type = value(pr, "limLoc", side)
	p.Base = f.arg(e, "e")
	if !isOn(pr, "subHide") {
		p.Below = f.arg(e, "sub")
	}
	if !isOn(pr, "supHide") {
		p.Above = f.arg(e, "sup")
	}
}

// maxColumns bounds the columns that a matrix says the alignment of: no page has room for more.
const maxColumns = 256

func (f *formulaReader) matrix(e, pr *etree.Element, p *FormulaPart) {
	for _, column := range ChildrenNamed(Child(pr, "mcs"), "mc") {
		properties := Child(column, "mcPr")
		for range max(1, min(maxColumns-len(p.Align), Int(Child(properties, "count"), "val", 1))) {
			p.Align = append(p.Align, value(properties, "mcJc", "center"))
		}
	}
	for _, row := range ChildrenNamed(e, "mr") {
		var cells []FormulaRow
		for _, one := range ChildrenNamed(row, "e") {
			cells = append(cells, f.row(one))
		}
		p.Cells = append(p.Cells, cells)
	}
}

// formatting is the w:rPr or a:rPr in an element; nil for none.
func formatting(e *etree.Element) *etree.Element {
	return FindChild(e, Alternative, func(c *etree.Element) bool { return c.Tag == "rPr" && c.Space != "m" })
}

// property is value of the property of that name, in the properties of an element.
func property(e *etree.Element, properties, name, missing string) string {
	return value(Child(e, properties), name, missing)
}

// value is what a property says; missing where it is not there.
func value(pr *etree.Element, name, missing string) string {
	c := Child(pr, name)
	if c == nil {
		return missing
	}
	return c.SelectAttrValue("val", "")
}

// isOn says whether a property is there and is not switched off, isOff that it is switched off.
func isOn(pr *etree.Element, name string) bool {
	return Child(pr, name) != nil && !isOff(pr, name)
}

func isOff(pr *etree.Element, name string) bool {
	switch value(pr, name, "") {
	case "0", "off", "false":
		return true
	}
	return false
}

func flags(pr *etree.Element, names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = isOn(pr, name)
	}
	return out
}
