package referee

import (
	"fmt"
	"reflect"
	"strings"
)

// DifferenceOf says where a presentation is not what was expected, "" where it
// is. Pages, elements, pictures, tables and texts with their styles and lists
// count; autofit does not, for every change of text sets it to NONE. An id that is
// AnyID may be any.
func DifferenceOf(got, want *Presentation) string {
	for _, group := range []string{"slides", "layouts", "masters"} {
		a, b := list(got.raw, group), list(want.raw, group)
		if len(a) != len(b) {
			return fmt.Sprintf("%d %s, want %d", len(a), group, len(b))
		}
		for i := range a {
			if at := differenceOf(a[i], b[i], group); at != "" {
				return at
			}
		}
	}
	return ""
}

// AnyID stands for an id that nobody knows.
const AnyID = "*"

func differenceOf(a, b any, path string) string {
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		if !ok {
			return path + ": an object, want none"
		}
		if id, ok := a["objectId"].(string); ok {
			path += " " + id
		}
		if a["text"] != nil || b["text"] != nil {
			if at := textDifference(readText(a), readText(b)); at != "" {
				return path + ": " + at
			}
		}
		a, b = without(a, "text", "autofit", "revisionId", "tableRowProperties", "rowHeight", "tableCellProperties", newID), without(b, "text", "autofit", "revisionId", "tableRowProperties", "rowHeight", "tableCellProperties", newID)
		for key := range a {
			if at := differenceOf(a[key], b[key], path+"."+key); at != "" {
				return at
			}
		}
		for key := range b {
			if a[key] == nil && b[key] != nil {
				return path + "." + key + " is not there"
			}
		}
	case []any:
		b, _ := b.([]any)
		if len(a) != len(b) {
			return fmt.Sprintf("%s: %d of them, want %d", path, len(a), len(b))
		}
		for i := range a {
			if at := differenceOf(a[i], b[i], fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
	default:
		if b != AnyID && !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("%s: %v, want %v", path, a, b)
		}
	}
	return ""
}

func textDifference(got, want *TextOf) string {
	// An empty text is the same as none.
	a, b := got.Units, want.Units
	if len(a) <= 1 && len(b) <= 1 {
		return ""
	}
	if x, y := Plain(a), Plain(b); x != y {
		return fmt.Sprintf("the text\n got %q\nwant %q", x, y)
	}
	for i := range a {
		if a[i].Kind == Char && !a[i].Is('\n') && a[i].Style != b[i].Style {
			return fmt.Sprintf("the style of %q at %d of %q\n got %s\nwant %s", rune(a[i].Code), i, Plain(a), a[i].Style, b[i].Style)
		}
		if a[i].Is('\n') {
			if x, y := canonical(child(a[i].Raw, "style")), canonical(child(b[i].Raw, "style")); x != y && !(i > 0 && a[i-1].Is('\n')) {
				return fmt.Sprintf("the style of the paragraph at %d of %q\n got %s\nwant %s", i, Plain(a), x, y)
			}
			x, y := child(a[i].Raw, "bullet"), child(b[i].Raw, "bullet")
			level := func(o object) int { n, _ := o["nestingLevel"].(float64); return int(n) }
			madeOne := strings.HasPrefix(fmt.Sprint(x["listId"]), madeList)
			if (x == nil) != (y == nil) || level(x) != level(y) || !madeOne && x["listId"] != y["listId"] {
				return fmt.Sprintf("the list of the paragraph at %d of %q: %v, want %v", i, Plain(a), x, y)
			}
		}
	}
	return ""
}

// EachText calls change with the text of every shape and cell, and puts back what
// it returns. kind is
// shape, cell, note or layout.
func (p *Presentation) EachText(change func(kind string, units []Unit) []Unit) {
	p.eachText(func(e pageElement, t *TextOf) {
		kind := "shape"
		switch {
		case e.group != "slides":
			kind = "layout"
		case e.notes:
			kind = "note"
		case e.object["table"] != nil:
			kind = "cell"
		}
		t.Units = change(kind, t.Units)
		t.write()
	})
}

// Slides are the pages, as JSON.
func (p *Presentation) Slides() []map[string]any {
	var out []map[string]any
	for _, s := range list(p.raw, "slides") {
		out = append(out, s.(object))
	}
	return out
}

// SetSlides replaces the pages.
func (p *Presentation) SetSlides(slides []map[string]any) {
	var out []any
	for _, s := range slides {
		out = append(out, s)
	}
	p.raw["slides"] = out
}
