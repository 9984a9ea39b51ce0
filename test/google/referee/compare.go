package referee

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference says where a document is not what was expected, "" where it is.
// Texts, objects, tables with their merged cells, styles and lists count. What a
// batch made has no ids to be compared, and new cells no style.
func Difference(got, want *Document) string {
	if len(got.Segments) != len(want.Segments) {
		return fmt.Sprintf("%d segments, want %d", len(got.Segments), len(want.Segments))
	}
	for i, s := range got.Segments {
		if at := difference(s, want.Segments[i]); at != "" {
			return fmt.Sprintf("%s %q of tab %s: %s", s.Group, s.ID, s.Tab, at)
		}
	}
	return ""
}

func difference(got, want *Segment) string {
	g, w := newNorm(got), newNorm(want)
	for i := range max(len(got.Units), len(want.Units)) {
		if i >= len(got.Units) || i >= len(want.Units) {
			return around(got, want, i, "its length")
		}
		made := got.Units[i].Made || want.Units[i].Made
		if what := g.compare(got, w, want, i, made); what != "" {
			return around(got, want, i, what)
		}
	}
	return ""
}

func around(got, want *Segment, at int, what string) string {
	cut := func(s *Segment) string {
		return Plain(s.Units[min(max(at-60, 0), len(s.Units)):min(at+60, len(s.Units))])
	}
	return fmt.Sprintf("at %d %s\n got …%s…\nwant …%s…", at, what, cut(got), cut(want))
}

// A norm writes styles without what they say and inherit anyway.
type norm struct {
	named map[string]object // the text and paragraph styles of each named style
	texts map[[2]string]string
	feed  []string // of each unit, the named style of its paragraph
	lists object   // of the tab
}

func newNorm(s *Segment) *norm {
	n := &norm{named: map[string]object{}, texts: map[[2]string]string{}, feed: make([]string, len(s.Units)), lists: child(s.tab, "lists")}
	for _, style := range list(child(s.tab, "namedStyles"), "styles") {
		style, _ := style.(object)
		name, _ := style["namedStyleType"].(string)
		n.named[name] = style
	}
	name := ""
	for i, u := range slices.Backward(s.Units) {
		if u.Is('\n') {
			name, _ = child(u.Raw, "paragraphStyle")["namedStyleType"].(string)
		}
		n.feed[i] = name
	}
	return n
}

var textDefaults = object{"bold": false, "italic": false, "underline": false, "strikethrough": false, "smallCaps": false, "baselineOffset": "NONE"}

// inherited is what a paragraph's named style gives its text or itself.
func (n *norm) inherited(name, which string) object {
	out := object{}
	if which == "textStyle" {
		maps.Copy(out, textDefaults)
	} else {
		maps.Copy(out, object{"avoidWidowAndOrphan": false, "keepWithNext": false, "keepLinesTogether": false, "pageBreakBefore": false, "spacingMode": "NEVER_COLLAPSE", "direction": "LEFT_TO_RIGHT"})
	}
	maps.Copy(out, child(n.named["NORMAL_TEXT"], which))
	maps.Copy(out, child(n.named[name], which))
	return out
}

func (n *norm) style(of object, name, which string) object {
	style, parent := without(child(of, which), "headingId", "tabStops"), n.inherited(name, which)
	for key, value := range style {
		if reflect.DeepEqual(value, parent[key]) || reflect.DeepEqual(value, object{}) {
			delete(style, key)
		}
	}
	if style == nil {
		style = object{} // a paragraph of our own drive may say nothing of its style
	}
	if style["namedStyleType"] == nil && which == "paragraphStyle" {
		style["namedStyleType"] = "NORMAL_TEXT"
	}
	return style
}

func (n *norm) text(style string, at int) string {
	key := [2]string{style, n.feed[at]}
	if _, ok := n.texts[key]; !ok {
		run := must(style)
		n.texts[key] = canonical(with(run, "textStyle", n.style(run, n.feed[at], "textStyle")))
	}
	return n.texts[key]
}

// compare says what differs at an index.
func (n *norm) compare(got *Segment, w *norm, want *Segment, at int, made bool) string {
	a, b := got.Units[at], want.Units[at]
	switch {
	case a.Kind != b.Kind || a.Code != b.Code:
		return "the text"
	case a.Kind == Char:
		if x, y := n.text(a.Style, at), w.text(b.Style, at); x != y && (!a.Is('\n') || !made && isEmpty(got, at)) {
			return fmt.Sprintf("the style of %q\n got %s\nwant %s", rune(a.Code), x, y)
		}
		if a.Code == '\n' {
			return n.compareParagraph(a.Raw, w, b.Raw, n.feed[at], made)
		}
	case made && (a.Kind == CellStart || a.Kind == RowStart):
		x, y := child(a.Raw, "tableCellStyle"), child(b.Raw, "tableCellStyle")
		if !reflect.DeepEqual([]any{x["rowSpan"], x["columnSpan"]}, []any{y["rowSpan"], y["columnSpan"]}) {
			return fmt.Sprintf("the cell: spans %v × %v, want %v × %v", x["rowSpan"], x["columnSpan"], y["rowSpan"], y["columnSpan"])
		}
	case made && a.Kind == Object:
		if x, y := child(a.Raw, "inlineObjectElement")["uri"], child(b.Raw, "inlineObjectElement")["uri"]; x != y {
			return fmt.Sprintf("the picture: %v, want %v", x, y)
		}
	case !reflect.DeepEqual(without(a.Raw, "rows"), without(b.Raw, "rows")):
		return "what is no text\n got " + canonical(a.Raw) + "\nwant " + canonical(b.Raw)
	}
	return ""
}

// isEmpty tells of a paragraph with nothing but its line feed, which has that one's height.
func isEmpty(s *Segment, feed int) bool {
	return feed == 0 || !s.Units[feed-1].inParagraph() || s.Units[feed-1].Is('\n')
}

func (n *norm) compareParagraph(a object, w *norm, b object, name string, made bool) string {
	styleA, styleB := n.style(a, name, "paragraphStyle"), w.style(b, name, "paragraphStyle")
	if x, y := canonical(styleA), canonical(styleB); x != y {
		return "the paragraph's style\n got " + x + "\nwant " + y
	}
	x, y := child(a, "bullet"), child(b, "bullet")
	if n.listOf(x, y) != w.listOf(y, x) {
		return fmt.Sprintf("the paragraph's list: %q, want %q", n.listOf(x, y), w.listOf(y, x))
	}
	if !made && !reflect.DeepEqual(a["positionedObjectIds"], b["positionedObjectIds"]) {
		return fmt.Sprintf("the paragraph's floating objects: %v, want %v", a["positionedObjectIds"], b["positionedObjectIds"])
	}
	return ""
}

// listOf is a paragraph's list with its level, of a list that a batch made, or
// that is compared with one, the kind of list.
func (n *norm) listOf(bullet, other object) string {
	if bullet == nil {
		return ""
	}
	id, _ := bullet["listId"].(string)
	against, _ := other["listId"].(string)
	level, _ := bullet["nestingLevel"].(float64)
	if preset, made := strings.CutPrefix(id, madeList); made {
		id = preset
	} else if strings.HasPrefix(against, madeList) {
		id = listKind(child(n.lists, id))
	}
	return fmt.Sprint(id, " ", level)
}

// madeList begins the ids of lists that a batch made; the preset follows.
const madeList = "made."

// listKind is the preset that a list looks most like on its first level, as far as
// its kind goes: numbers, letters, a box to tick or a sign.
func listKind(list object) string {
	levels := listOfMaps(child(list, "listProperties"), "nestingLevels")
	if len(levels) == 0 {
		return "BULLET_DISC_CIRCLE_SQUARE"
	}
	format, _ := levels[0]["glyphFormat"].(string)
	switch levels[0]["glyphType"] {
	case "DECIMAL", "ALPHA", "ROMAN":
		if strings.HasSuffix(format, ")") && levels[0]["glyphType"] == "DECIMAL" {
			return "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS"
		}
		if len(levels) > 1 && strings.Contains(fmt.Sprint(levels[1]["glyphFormat"]), "%0") && levels[0]["glyphType"] == "DECIMAL" {
			return "NUMBERED_DECIMAL_NESTED"
		}
		return "NUMBERED_DECIMAL_ALPHA_ROMAN"
	case "UPPER_ALPHA":
		return "NUMBERED_UPPERALPHA_ALPHA_ROMAN"
	case "UPPER_ROMAN":
		return "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL"
	case "ZERO_DECIMAL":
		return "NUMBERED_ZERODECIMAL_ALPHA_ROMAN"
	case "NONE":
		return "BULLET_DISC_CIRCLE_SQUARE"
	}
	switch sign := levels[0]["glyphSymbol"]; sign {
	case nil, "☐", "❏":
		return "BULLET_CHECKBOX"
	default:
		signs := map[any]string{"❖": "BULLET_DIAMONDX_ARROW3D_SQUARE", "➔": "BULLET_ARROW_DIAMOND_DISC", "★": "BULLET_STAR_CIRCLE_SQUARE",
			"➢": "BULLET_ARROW3D_CIRCLE_SQUARE", "◄": "BULLET_LEFTTRIANGLE_DIAMOND_DISC", "◆": "BULLET_DIAMOND_CIRCLE_SQUARE"}
		return cmp.Or(signs[sign], "BULLET_DISC_CIRCLE_SQUARE")
	}
}

func listOfMaps(o object, key string) []object {
	var out []object
	for _, v := range list(o, key) {
		v, _ := v.(object)
		out = append(out, v)
	}
	return out
}
