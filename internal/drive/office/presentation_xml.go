package office

import (
	"math"
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// What reads DrawingML must not ask etree for children: mc:AlternateContent may
// stand around any element (ECMA-376 part 3, 7.5). The functions here look
// through it, and find nothing inside nil.

// Child returns the first child element of that name; nil for none.
func Child(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == tag:
			return c
		case c.Tag == alternateContent:
			if found := Child(slideAlternative(c), tag); found != nil {
				return found
			}
		}
	}
	return nil
}

// ChildElements returns the child elements in their order, those of the chosen
// branch in place of an mc:AlternateContent.
func ChildElements(e *etree.Element) []*etree.Element {
	if e == nil {
		return nil
	}
	out := make([]*etree.Element, 0, len(e.Child))
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == alternateContent:
			out = append(out, ChildElements(slideAlternative(c))...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// ChildrenNamed returns the child elements of that name.
func ChildrenNamed(e *etree.Element, tag string) []*etree.Element {
	if e == nil {
		return nil
	}
	var out []*etree.Element
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == tag:
			out = append(out, c)
		case c.Tag == alternateContent:
			out = append(out, ChildrenNamed(slideAlternative(c), tag)...)
		}
	}
	return out
}

const alternateContent = "AlternateContent"

// slideAlternative picks the branch of mc:AlternateContent that needs no newer
// program: the fallback, unless it is empty.
func slideAlternative(e *etree.Element) *etree.Element {
	var choice *etree.Element
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == "Fallback" && len(c.ChildElements()) > 0:
			return c
		case c.Tag == "Choice" && choice == nil:
			choice = c
		}
	}
	return choice
}

// find walks down child elements by tag; nil when one is missing.
func find(e *etree.Element, tags ...string) *etree.Element {
	for _, tag := range tags {
		e = Child(e, tag)
	}
	return e
}

// firstChild finds the first child with one of the tags.
func firstChild(e *etree.Element, tags ...string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case slices.Contains(tags, c.Tag):
			return c
		case c.Tag == alternateContent:
			if found := firstChild(slideAlternative(c), tags...); found != nil {
				return found
			}
		}
	}
	return nil
}

// emuAttr reads a length in English Metric Units as points; absurd ones count as 0.
func emuAttr(e *etree.Element, key string) float64 {
	v := float64(attrInt(e, key, 0)) / emuPerPoint
	if math.Abs(v) > 1e6 {
		return 0
	}
	return v
}

// relAttr reads an attribute of the relationships namespace (r:id, r:embed).
func relAttr(e *etree.Element, key string) string {
	if e == nil {
		return ""
	}
	for _, a := range e.Attr {
		if a.Key == key && a.Space != "" {
			return a.Value
		}
	}
	return ""
}

func boolAttr(e *etree.Element, key string, absent bool) bool {
	if e == nil {
		return absent
	}
	switch strings.ToLower(e.SelectAttrValue(key, "")) {
	case "1", "true", "on":
		return true
	case "0", "false", "off":
		return false
	}
	return absent
}

// limit keeps a number that came from a file between two that make sense.
func limit(v, low, high float64) float64 {
	if math.IsNaN(v) {
		return low
	}
	return math.Max(low, math.Min(high, v))
}
