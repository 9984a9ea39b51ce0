package wml

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

const maxListLevel = 9

// numbering is numbering.xml with the counters as they stand while the
// document is read from its start to its end.
type numbering struct {
	lists    map[string]*list         // by numId
	abstract map[string]*abstractList // by abstractNumId
}

type abstractList struct {
	levels   [maxListLevel]*listLevel
	link     string // numStyleLink: the style that holds the levels
	counters [maxListLevel]int
	isUsed   [maxListLevel]bool
}

// list is one w:num. Lists of the same definition share its counters, unless
// an override gives them another start.
type list struct {
	id         string
	base       *abstractList
	levels     [maxListLevel]*listLevel // overrides
	start      [maxListLevel]int        // startOverride, -1 for none
	hasStarted [maxListLevel]bool
	isResolved bool
}

type listLevel struct {
	elem     *etree.Element
	start    int
	format   string
	text     string
	suffix   string
	align    string
	pStyle   string
	restart  int // lvlRestart, -1 when not given
	isLegal  bool
	pPr, rPr *etree.Element
}

func newNumbering(root *etree.Element) *numbering {
	n := &numbering{lists: map[string]*list{}, abstract: map[string]*abstractList{}}
	dml.EachChild(root, func(e *etree.Element) {
		if e.Tag != "abstractNum" {
			return
		}
		id, _ := wAttr(e, "abstractNumId")
		a := &abstractList{link: wVal(wChild(e, "numStyleLink"))}
		dml.EachChild(e, func(c *etree.Element) {
			if c.Tag == "lvl" {
				if i, ok := wInt(c, "ilvl"); ok && i >= 0 && i < maxListLevel {
					a.levels[i] = readLevel(c)
				}
			}
		})
		n.abstract[id] = a
	})
	dml.EachChild(root, func(e *etree.Element) {
		if e.Tag == "num" {
			n.readList(e)
		}
	})
	return n
}

func (n *numbering) readList(e *etree.Element) {
	id, _ := wAttr(e, "numId")
	l := &list{id: id, base: n.abstract[wVal(wChild(e, "abstractNumId"))]}
	if l.base == nil {
		return
	}
	for i := range l.start {
		l.start[i] = -1
	}
	dml.EachChild(e, func(c *etree.Element) {
		i, ok := wInt(c, "ilvl")
		if c.Tag != "lvlOverride" || !ok || i < 0 || i >= maxListLevel {
			return
		}
		if lvl := wChild(c, "lvl"); lvl != nil {
			l.levels[i] = readLevel(lvl)
		}
		if start, ok := wInt(wChild(c, "startOverride"), "val"); ok {
			l.start[i] = start
		}
	})
	n.lists[id] = l
}

func readLevel(e *etree.Element) *listLevel {
	l := &listLevel{elem: e, start: 0, format: "decimal", suffix: "tab", align: "left", restart: -1,
		pPr: wChild(e, "pPr"), rPr: wChild(e, "rPr"), pStyle: wVal(wChild(e, "pStyle"))}
	if v, ok := wInt(wChild(e, "start"), "val"); ok {
		l.start = v
	}
	if f := wChild(e, "numFmt"); f != nil {
		l.format = numberFormat(f)
	}
	l.text = wVal(wChild(e, "lvlText"))
	if v := wVal(wChild(e, "suff")); v != "" {
		l.suffix = v
	}
	switch v := wVal(wChild(e, "lvlJc")); v {
	case "right", "end":
		l.align = "right"
	case "center":
		l.align = "center"
	}
	if v, ok := wInt(wChild(e, "lvlRestart"), "val"); ok {
		l.restart = v
	}
	if e := wChild(e, "isLgl"); e != nil {
		l.isLegal = isOn(e)
	}
	return l
}

// findList returns a list by id, nil for none; links through styles are followed once.
func (r *resolver) findList(id string) *list {
	if id == "" || id == "0" {
		return nil
	}
	l := r.numbering.lists[id]
	if l == nil || l.isResolved {
		return l
	}
	l.isResolved = true
	if l.base.link == "" {
		return l
	}
	st := r.sheet.styles[l.base.link]
	if st == nil {
		return l
	}
	if other := r.numbering.lists[wVal(wPath(st.pPr, "numPr", "numId"))]; other != nil && other != l {
		l.base = other.base
	}
	return l
}

func (l *list) level(i int) *listLevel {
	if l == nil || i < 0 || i >= maxListLevel {
		return nil
	}
	if l.levels[i] != nil {
		return l.levels[i]
	}
	return l.base.levels[i]
}

// findStyleLevel finds the level that names a paragraph style.
func (l *list) findStyleLevel(styleID string) (int, bool) {
	for i := range maxListLevel {
		if lvl := l.level(i); lvl != nil && lvl.pStyle == styleID {
			return i, true
		}
	}
	return 0, false
}

// restart sets a level's counter to its start, which the list may override
// (ECMA-376 part 1, 17.9.26).
func (l *list) restart(level int) {
	l.base.isUsed[level] = true
	if l.start[level] >= 0 {
		l.base.counters[level] = l.start[level]
	} else if lvl := l.level(level); lvl != nil {
		l.base.counters[level] = lvl.start
	}
}

// count takes one paragraph at a level into account and returns its label's text, with
// the numbers that write makes of it.
func (l *list) count(level int, write func(n int, format string) string) string {
	a := l.base
	if !a.isUsed[level] || !l.hasStarted[level] && l.start[level] >= 0 {
		l.restart(level)
	} else {
		a.counters[level]++
	}
	l.hasStarted[level] = true
	for i := range level {
		if !a.isUsed[i] {
			l.restart(i)
		}
	}
	for i := level + 1; i < maxListLevel; i++ {
		lvl := l.level(i)
		if lvl == nil || lvl.restart == 0 || lvl.restart > 0 && level >= lvl.restart {
			continue
		}
		a.isUsed[i] = false
	}
	return l.formatLabel(level, write)
}

func (l *list) formatLabel(level int, write func(n int, format string) string) string {
	lvl := l.level(level)
	if lvl.format == "bullet" {
		return lvl.text
	}
	if lvl.format == "none" && !strings.Contains(lvl.text, "%") {
		return lvl.text
	}
	var b strings.Builder
	for i := 0; i < len(lvl.text); i++ {
		c := lvl.text[i]
		if c == '%' && i+1 < len(lvl.text) && lvl.text[i+1] >= '1' && lvl.text[i+1] <= '9' {
			i++
			at := int(lvl.text[i] - '1')
			if at > level {
				continue
			}
			if of := l.level(at); of != nil {
				format := of.format
				if lvl.isLegal && format != "bullet" && format != "none" {
					format = "decimal"
				}
				b.WriteString(write(l.base.counters[at], format))
			}
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
