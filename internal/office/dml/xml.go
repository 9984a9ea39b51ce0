// Package dml reads DrawingML, which documents and slides share (ECMA-376 part
// 1, chapters 20 and 21): themes and colours, fills, lines and geometry of
// shapes, their text, and charts. What is specific to one of the two formats
// belongs to wml or pml.
package dml

import (
	"math"
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// EMUPerPoint is how many English Metric Units a point has.
const EMUPerPoint = 12700

// EachChild calls do for each child element, for those of the chosen branch in
// place of an mc:AlternateContent.
func EachChild(e *etree.Element, do func(*etree.Element)) {
	if e == nil {
		return
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == AlternateContent:
			EachChild(Alternative(c), do)
		default:
			do(c)
		}
	}
}

// Alternative picks the branch of mc:AlternateContent to show: the first
// choice whose needs we know, else the fallback (ECMA-376 part 3, 7.5).
func Alternative(e *etree.Element) *etree.Element {
	var fallback *etree.Element
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok {
			continue
		}
		if c.Tag == "Choice" && isUnderstood(c.SelectAttrValue("Requires", "")) {
			return c
		}
		if c.Tag == "Fallback" {
			fallback = c
		}
	}
	return fallback
}

// isUnderstood says whether we read all namespaces that a choice requires. wp14
// is not among them: its places in percent of the page stand beside a fallback
// in points, which Word keeps up to date.
func isUnderstood(requires string) bool {
	prefixes := strings.Fields(requires)
	for _, prefix := range prefixes {
		switch prefix {
		case "wps", "wpg", "wpc", "w14", "w15", "a14", "w16se":
		default:
			return false
		}
	}
	return len(prefixes) > 0
}

// What reads DrawingML must not ask etree for children: mc:AlternateContent may
// stand around any element (ECMA-376 part 3, 7.5). The functions here look
// through it, and find nothing inside nil.

// Child returns the first child element of that name; nil for none.
func Child(e *etree.Element, tag string) *etree.Element {
	return FindChild(e, slideAlternative, func(c *etree.Element) bool { return c.Tag == tag })
}

// FindChild returns the first child element that matches accepts; nil for none.
// It looks through each mc:AlternateContent, into the branch that pick chooses.
func FindChild(e *etree.Element, pick func(*etree.Element) *etree.Element, matches func(*etree.Element) bool) *etree.Element {
	if e == nil {
		return nil
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case matches(c):
			return c
		case c.Tag == AlternateContent:
			if found := FindChild(pick(c), pick, matches); found != nil {
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
		case c.Tag == AlternateContent:
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
		case c.Tag == AlternateContent:
			out = append(out, ChildrenNamed(slideAlternative(c), tag)...)
		}
	}
	return out
}

// AlternateContent is the name of the element that holds what only some programs
// understand, and a fallback (ECMA-376 part 3, 7.5).
const AlternateContent = "AlternateContent"

// slideAlternative picks the branch of mc:AlternateContent that needs no newer
// program: the fallback, unless it is empty. Of a formula that is a picture, and the choice is
// taken.
func slideAlternative(e *etree.Element) *etree.Element {
	var choice *etree.Element
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == "Choice" && c.SelectAttrValue("Requires", "") == "a14" && holdsFormula(c):
			return c
		case c.Tag == "Fallback" && len(c.ChildElements()) > 0:
			return c
		case c.Tag == "Choice" && choice == nil:
			choice = c
		}
	}
	return choice
}

func holdsFormula(e *etree.Element) bool {
	return slices.ContainsFunc(e.ChildElements(), func(c *etree.Element) bool { return c.Tag == "oMath" || holdsFormula(c) })
}

// Find walks down child elements by tag; nil when one is missing.
func Find(e *etree.Element, tags ...string) *etree.Element {
	for _, tag := range tags {
		e = Child(e, tag)
	}
	return e
}

// FirstChild finds the first child with one of the tags.
func FirstChild(e *etree.Element, tags ...string) *etree.Element {
	return FindChild(e, slideAlternative, func(c *etree.Element) bool { return slices.Contains(tags, c.Tag) })
}

// EMU reads a length in English Metric Units as points; absurd ones count as 0.
func EMU(e *etree.Element, key string) float64 {
	v := float64(Int(e, key, 0)) / EMUPerPoint
	if math.Abs(v) > 1e6 {
		return 0
	}
	return v
}

// RelationshipID reads an attribute of the relationships namespace (r:id, r:embed).
func RelationshipID(e *etree.Element, key string) string {
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

// Bool reads an attribute of type xsd:boolean.
func Bool(e *etree.Element, key string, absent bool) bool {
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

// Clamp keeps a number that came from a file between two that make sense.
func Clamp(v, low, high float64) float64 {
	if math.IsNaN(v) {
		return low
	}
	return math.Max(low, math.Min(high, v))
}
