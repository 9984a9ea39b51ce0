package opc

import (
	"strings"

	"github.com/beevik/etree"
)

// maxCopied is how many elements the copies of one run's properties may have together:
// a text with many breaks and a run with many properties must not grow without end.
const maxCopied = 4096

// holdOnlyText makes elements of text hold text and nothing else, as their schemas ask
// and as everything that reads them expects. Some programs write the break of a line, or
// a mark of their own, into a w:t or a:t. What takes a place in the line moves behind the
// text before it; of other elements the words stay.
func holdOnlyText(e *etree.Element) {
	for i := 0; i < len(e.Child); i++ {
		c, ok := e.Child[i].(*etree.Element)
		switch {
		case !ok:
		case len(c.Child) < 2 && len(c.ChildElements()) == 0 || !isText(c):
			holdOnlyText(c)
		case c.Space == "w" && c.Tag == "t" && e.Tag == "r":
			i += spread(e, c) - 1
		case c.Space == "a" && c.Tag == "t" && e.Tag == "r" && e.Parent() != nil:
			splitRun(e, c)
		default:
			join(c, partText(c))
		}
	}
}

func isText(e *etree.Element) bool {
	switch e.Space {
	case "w":
		return e.Tag == "t" || e.Tag == "instrText"
	case "a", "m":
		return e.Tag == "t"
	case "c":
		return e.Tag == "v" || e.Tag == "f" || e.Tag == "formatCode"
	}
	return false
}

// stretch is a text, or an element that takes a place in the line.
type stretch struct {
	text string
	elem *etree.Element
}

// partText parts what an element of text holds.
func partText(e *etree.Element) []stretch {
	var all []stretch
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			all = append(all, stretch{text: text.String()})
			text.Reset()
		}
	}
	var read func(*etree.Element)
	read = func(e *etree.Element) {
		for _, t := range e.Child {
			switch c := t.(type) {
			case *etree.CharData:
				text.WriteString(c.Data)
			case *etree.Element:
				switch c.Tag {
				case "rPr", "del", "moveFrom":
				case "drawing", "pict", "object", "AlternateContent", "ruby":
					flush()
					all = append(all, stretch{elem: c})
				default:
					if len(c.Child) > 0 {
						read(c)
						continue
					}
					flush()
					all = append(all, stretch{elem: c})
				}
			}
		}
	}
	read(e)
	flush()
	return all
}

// spread puts what a w:t holds into its run, and returns how many children that are.
func spread(run, text *etree.Element) int {
	parts := partText(text)
	at := text.Index()
	run.RemoveChildAt(at)
	for i, p := range parts {
		e := p.elem
		if e == nil {
			e = etree.NewElement("w:t")
			e.Attr = append(e.Attr, text.Attr...)
			e.CreateText(p.text)
		}
		run.InsertChildAt(at+i, e)
	}
	return len(parts)
}

// splitRun makes of an a:r whose text has breaks several, with an a:br between them.
func splitRun(run, text *etree.Element) {
	parts := partText(text)
	var properties *etree.Element
	for _, c := range run.ChildElements() {
		if c.Tag == "rPr" {
			properties = c
		}
	}
	if len(parts)*countElements(properties) > maxCopied {
		join(text, parts)
		return
	}
	parent, at := run.Parent(), run.Index()
	made := 0
	add := func(tag string) *etree.Element {
		e := etree.NewElement(tag)
		if properties != nil {
			e.AddChild(properties.Copy())
		}
		made++
		parent.InsertChildAt(at+made, e)
		return e
	}
	var first strings.Builder
	for ; len(parts) > 0 && !parts[0].isBreak(); parts = parts[1:] {
		first.WriteString(parts[0].shown())
	}
	setText(text, first.String())
	for _, p := range parts {
		if p.isBreak() {
			add("a:br")
		} else if shown := p.shown(); shown != "" {
			add("a:r").CreateElement("a:t").CreateText(shown)
		}
	}
}

func (s stretch) isBreak() bool { return s.elem != nil && (s.elem.Tag == "br" || s.elem.Tag == "cr") }

// shown is a stretch where there is only text.
func (s stretch) shown() string {
	switch {
	case s.elem == nil:
		return s.text
	case s.elem.Tag == "tab":
		return "\t"
	case s.isBreak():
		return " "
	}
	return ""
}

func join(e *etree.Element, parts []stretch) {
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.shown())
	}
	setText(e, text.String())
}

func setText(e *etree.Element, text string) {
	for i := len(e.Child) - 1; i >= 0; i-- {
		e.RemoveChildAt(i)
	}
	e.CreateText(text)
}

func countElements(e *etree.Element) int {
	if e == nil {
		return 0
	}
	n := 1
	for _, c := range e.ChildElements() {
		n += countElements(c)
	}
	return n
}
