package hypertext

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/platenhq/platen/internal/template/rich"
)

// A format is that of a list's numbers, as the attribute type has it; 0: nothing is said.
type format byte

const noSign format = '-'

// formatOf reads the format of a list, of its attribute or its style.
func formatOf(n *html.Node) format {
	css := declarations(n)
	word := css["list-style-type"]
	if word == "" {
		word, _, _ = strings.Cut(css["list-style"], " ")
	}
	switch word {
	case "decimal":
		return '1'
	case "lower-alpha", "lower-latin":
		return 'a'
	case "upper-alpha", "upper-latin":
		return 'A'
	case "lower-roman":
		return 'i'
	case "upper-roman":
		return 'I'
	case "none":
		return noSign
	}
	if t := attribute(n, "type"); len(t) == 1 && strings.Contains("1aAiI", t) {
		return format(t[0])
	}
	return 0
}

// natural is the format that lists of drives have at a depth.
func natural(depth int) format { return format("1ai"[depth%3]) }

// level is a list of a format at a depth. Drives have few formats, and their lists begin at
// 1; others bring their signs.
func (r *reader) level(isOrdered bool, f format, start, depth int) rich.Level {
	l := rich.Level{Ordered: isOrdered}
	switch {
	case f == noSign, isOrdered && start != 1:
		l.Marked = true
	case !isOrdered, f == 0, f == natural(depth):
	case depth == 0 && f == 'A':
		l.Letter = true
	case depth == 0 && f == 'I':
		l.Roman = true
	default:
		l.Marked = true
	}
	return r.newLevel(l)
}

// follows tells of numbers that stand directly behind others of the same format: lists of
// drives would be one, and its numbers go on.
func (r *reader) follows(outer []rich.Level, l rich.Level) bool {
	depth := len(outer)
	if len(r.made) == 0 || len(r.made[len(r.made)-1].Lists) <= depth {
		return false
	}
	before := r.made[len(r.made)-1].Lists
	if depth > 0 && before[depth-1].ID != outer[depth-1].ID {
		return false
	}
	b := before[depth]
	return l.Ordered && b.Ordered && !b.Marked && b.Letter == l.Letter && b.Roman == l.Roman
}

func (r *reader) newLevel(l rich.Level) rich.Level {
	r.lists++
	l.ID = r.lists
	return l
}

// list reads a ul or ol.
func (r *reader) list(n *html.Node, at place) {
	if hasQuillEntries(n) {
		r.quillList(n, at)
		return
	}
	at.entry = nil
	f, start, step := formatOf(n), 1, 1
	if f == 0 {
		if li := firstElement(n); li != nil && li.Data == "li" {
			if f = formatOf(li); f == noSign {
				f = 0 // of an entry that holds a list
			}
		}
	}
	if s, err := strconv.Atoi(attribute(n, "start")); err == nil && n.Data == "ol" && s > -10_000 && s < 1_000_000 {
		start = s
	}
	isOrdered, isTasks := n.Data == "ol", hasBoxes(n)
	if isReversed := isOrdered && hasAttribute(n, "reversed"); isReversed {
		step = -1
		if attribute(n, "start") == "" {
			start = countEntries(n)
		}
	}
	outer, depth := at.lists, len(at.lists)
	if depth < rich.MaxDepth {
		l := r.level(isOrdered, f, start, depth)
		l.Marked = l.Marked || isTasks || step < 0 || isOrdered && (hasValues(n) || r.follows(outer, l))
		at.lists = append(outer[:depth:depth], l)
	}
	own := at.lists[len(at.lists)-1]
	number := start
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || c.Data != "li" {
			r.node(c, at)
			r.end()
			continue
		}
		if v, err := strconv.Atoi(attribute(c, "value")); err == nil && isOrdered && v > -10_000 && v < 1_000_000 {
			number = v
		}
		e := &entry{}
		switch {
		case isTasks:
			e.mark = boxOf(c)
		case own.Marked && isOrdered && f != noSign:
			e.mark = rich.Numeral(number, byte(f)) + "."
		}
		number += step
		r.entry(c, at, at.lists, e)
	}
}

// entry reads a li. One that begins with a list has no sign.
func (r *reader) entry(n *html.Node, at place, levels []rich.Level, e *entry) {
	r.end()
	css := declarations(n)
	at.styleRun(n, css)
	at.shape(n, css)
	at.lists, at.entry = levels, e
	r.nodes(n, at)
	if first := firstElement(n); !e.isBegun && (first == nil || first.Data != "ul" && first.Data != "ol") {
		r.begin(at)
	}
	r.end()
}

func firstElement(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.ElementNode:
			return c
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return nil
		}
	}
	return nil
}

func entriesOf(n *html.Node) (all []*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == "li" {
			all = append(all, c)
		}
	}
	return all
}

func countEntries(n *html.Node) int { return len(entriesOf(n)) }

func hasValues(n *html.Node) bool {
	return slices.ContainsFunc(entriesOf(n), func(li *html.Node) bool { return attribute(li, "value") != "" })
}

// The signs of tasks.
const openBox, checkedBox = "☐", "☑"

// hasBoxes tells of a list of tasks, as TipTap, CKEditor and GitHub write them.
func hasBoxes(n *html.Node) bool {
	if attribute(n, "data-type") == "taskList" || hasClass(n, "todo-list") || hasClass(n, "contains-task-list") {
		return true
	}
	li := firstElement(n)
	return li != nil && li.Data == "li" && (attribute(li, "data-checked") != "" || boxIn(li) != nil)
}

// boxIn is the box in the line of an entry.
func boxIn(li *html.Node) *html.Node {
	for d := range li.Descendants() {
		switch {
		case d.Data == "ul" || d.Data == "ol":
			return nil
		case d.Data == "input" && strings.EqualFold(attribute(d, "type"), "checkbox"):
			return d
		}
	}
	return nil
}

func boxOf(li *html.Node) string {
	box := boxIn(li)
	if attribute(li, "data-checked") == "true" || box != nil && hasAttribute(box, "checked") {
		return checkedBox
	}
	return openBox
}

// A stack is lists that editors write without nesting them: each entry says how deep it is.
type stack struct {
	levels  []rich.Level
	numbers []int
}

// at is the lists of an entry at a depth, of the same kind as that before it or of a new
// one.
func (s *stack) at(depth int, fresh func(depth int) rich.Level) []rich.Level {
	depth = min(depth, rich.MaxDepth-1)
	s.levels, s.numbers = s.levels[:min(len(s.levels), depth+1)], s.numbers[:min(len(s.numbers), depth+1)]
	for len(s.levels) < depth {
		l := fresh(len(s.levels))
		s.levels, s.numbers = append(s.levels, l), append(s.numbers, 0)
	}
	l := fresh(depth)
	if len(s.levels) == depth {
		s.levels, s.numbers = append(s.levels, l), append(s.numbers, 0)
	} else if of := s.levels[depth]; of.Ordered != l.Ordered || of.Marked != l.Marked {
		s.levels[depth], s.numbers[depth] = l, 0
	}
	s.numbers[depth]++
	return slices.Clone(s.levels)
}

// hasQuillEntries tells of Quill's lists, which nest by classes and have their kind in
// each entry.
func hasQuillEntries(n *html.Node) bool {
	return slices.ContainsFunc(entriesOf(n), func(li *html.Node) bool {
		return attribute(li, "data-list") != "" || classAfter(li, "ql-indent-") != ""
	}) || attribute(n, "data-checked") != ""
}

func (r *reader) quillList(n *html.Node, at place) {
	var s stack
	at.entry = nil
	for _, li := range entriesOf(n) {
		depth, _ := strconv.Atoi(classAfter(li, "ql-indent-"))
		kind := attribute(li, "data-list")
		if kind == "" && attribute(n, "data-checked") != "" { // Quill 1
			kind = map[string]string{"true": "checked", "false": "unchecked"}[attribute(n, "data-checked")]
		}
		isOrdered, isTask := kind == "ordered" || kind == "" && n.Data == "ol", kind == "checked" || kind == "unchecked"
		levels := s.at(max(depth, 0), func(depth int) rich.Level {
			l := r.level(isOrdered, 0, 1, depth)
			l.Marked = isTask
			return l
		})
		e := &entry{}
		if isTask {
			if e.mark = openBox; kind == "checked" {
				e.mark = checkedBox
			}
		}
		r.entry(li, at, levels, e)
	}
}

var (
	wordLevel  = regexp.MustCompile(`level([1-9])`)
	wordNumber = regexp.MustCompile(`^\(?([0-9]{1,4}|[a-zA-Z]|[ivxIVX]{1,6})[.)]$`)
)

// wordEntry reads a paragraph of Word that is an entry of a list: its level is in a style,
// and its sign in a span. A sign that a list would not count to stays as it is.
func (r *reader) wordEntry(n *html.Node, list string, at place) {
	depth := 0
	if m := wordLevel.FindStringSubmatch(list); m != nil {
		depth = int(m[1][0] - '1')
	}
	sign := wordSign(n)
	number, f := "", format(0)
	if m := wordNumber.FindStringSubmatch(sign); m != nil {
		number, f = m[1], wordFormat(m[1])
	}
	isText := number == "" && (utf8.RuneCountInString(sign) > 1 || strings.ContainsAny(sign, "0123456789"))
	word := &r.word
	levels := word.at(depth, func(at int) rich.Level {
		isOrdered := number != "" || isText
		if at < depth {
			return r.level(isOrdered, 0, 1, at)
		}
		l := r.level(isOrdered, f, 1, at)
		switch {
		case isText:
			l.Marked = true
		case number == "":
		case at < len(word.levels):
			of := word.levels[at]
			l.Marked = l.Marked || of.Marked || of.Letter != l.Letter || of.Roman != l.Roman || rich.Numeral(word.numbers[at]+1, byte(f)) != number
		default:
			l.Marked = l.Marked || rich.Numeral(1, byte(f)) != number || r.follows(word.levels[:at], l)
		}
		return l
	})
	e := &entry{}
	if levels[len(levels)-1].Marked {
		e.mark = sign
	}
	at.indent = 0
	at.lists, at.entry = levels, e
	r.nodes(n, at)
	if !e.isBegun {
		r.begin(at)
	}
}

// wordSign is the sign of an entry, without what only shows in a font of symbols.
func wordSign(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && declarations(d)["mso-list"] == "ignore" {
			return strings.Join(strings.FieldsFunc(inside(d), func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsGraphic(c) }), " ")
		}
	}
	return ""
}

// wordFormat is the format of a number as Word shows it. A single letter of Roman numerals
// is Roman where a list can begin with it.
func wordFormat(text string) format {
	lower := strings.ToLower(text)
	switch {
	case text[0] <= '9':
		return '1'
	case lower == "i" || len(lower) > 1:
		if text == lower {
			return 'i'
		}
		return 'I'
	case text == lower:
		return 'a'
	}
	return 'A'
}
