package docs

import (
	"strings"

	"github.com/beevik/etree"
)

// endFieldLink takes away the HYPERLINK field around a run whose code has tags: the run
// gets a link of its own, and a program that works the field out again would put the tags
// in its place (ECMA-376 part 1, 17.16.5.25).
func endFieldLink(run *etree.Element) {
	for e := run.Parent(); e != nil && e.Tag != "p"; e = e.Parent() {
		if e.Space == "w" && e.Tag == "fldSimple" && isTaggedLink(e.SelectAttrValue("w:instr", "")) {
			parent, at := e.Parent(), e.Index()
			for i, c := range e.ChildElements() {
				parent.InsertChildAt(at+i, c)
			}
			parent.RemoveChild(e)
			return
		}
	}
	for _, f := range fieldsAround(run) {
		if isTaggedLink(f.code.String()) && f.isWhole {
			for _, e := range f.marks {
				if holder := e.Parent(); holder != nil {
					holder.RemoveChild(e)
					if isBare(holder) && holder.Parent() != nil {
						holder.Parent().RemoveChild(holder)
					}
				}
			}
			return
		}
	}
}

// isBare tells of a run that has nothing but properties.
func isBare(run *etree.Element) bool {
	for _, c := range run.ChildElements() {
		if c.Tag != "rPr" {
			return false
		}
	}
	return run.Tag == "r"
}

func isTaggedLink(code string) bool {
	name, rest, _ := strings.Cut(strings.TrimSpace(code), " ")
	return strings.EqualFold(name, "HYPERLINK") && strings.Contains(rest, "{{")
}

// fieldAround is a field of a paragraph.
type fieldAround struct {
	code            strings.Builder
	marks           []*etree.Element // its w:fldChar and w:instrText
	isInResult      bool
	isAround        bool // the run is in its result, or begins with it
	isWhole         bool // it ends in the paragraph, and has no field in its code
	hasFieldsInCode bool
}

// fieldsAround finds the fields of a run's paragraph in whose result the run is, the
// innermost first.
func fieldsAround(run *etree.Element) []*fieldAround {
	p := run
	for p != nil && p.Tag != "p" {
		p = p.Parent()
	}
	if p == nil {
		return nil
	}
	var open, around []*fieldAround
	var walk func(*etree.Element)
	walk = func(e *etree.Element) {
		for _, c := range e.ChildElements() {
			n := len(open) - 1
			switch {
			case c == run:
				for _, f := range open {
					f.isAround = f.isInResult
				}
			case c.Space == "w" && c.Tag == "instrText" && n >= 0 && !open[n].isInResult:
				open[n].code.WriteString(c.Text())
				open[n].marks = append(open[n].marks, c)
			case c.Space == "w" && c.Tag == "fldChar":
				switch kind := c.SelectAttrValue("w:fldCharType", ""); {
				case kind == "begin":
					if n >= 0 && !open[n].isInResult {
						open[n].hasFieldsInCode = true
					}
					open = append(open, &fieldAround{marks: []*etree.Element{c}, isAround: e == run})
				case n < 0:
				case kind == "separate":
					open[n].isInResult = true
					open[n].marks = append(open[n].marks, c)
				case kind == "end":
					f := open[n]
					open = open[:n]
					f.marks = append(f.marks, c)
					f.isWhole = !f.hasFieldsInCode
					if f.isAround {
						around = append(around, f)
					}
				}
			}
			walk(c)
		}
	}
	walk(p)
	return around
}
