package office

import (
	"math"
	"strings"

	"github.com/beevik/etree"
)

// find walks down child elements by tag; nil when one is missing.
func find(e *etree.Element, tags ...string) *etree.Element {
	for _, tag := range tags {
		if e == nil {
			return nil
		}
		e = e.SelectElement(tag)
	}
	return e
}

// firstChild finds the first child with one of the tags.
func firstChild(e *etree.Element, tags ...string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, c := range e.ChildElements() {
		for _, tag := range tags {
			if c.Tag == tag {
				return c
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

func selectAll(e *etree.Element, tag string) []*etree.Element {
	if e == nil {
		return nil
	}
	return e.SelectElements(tag)
}

// limit keeps a number that came from a file between two that make sense.
func limit(v, low, high float64) float64 {
	if math.IsNaN(v) {
		return low
	}
	return math.Max(low, math.Min(high, v))
}
