package office

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// Names are compared without their prefix, because files use prefixes of their
// own; the later Word namespaces (w14 and on) repeat local names with other
// meanings and are left out.

func wForeign(space string) bool {
	return len(space) > 2 && space[0] == 'w' && space[1] == '1' && space[2] >= '4'
}

// wChild returns the first child of that name. Like children it looks through
// mc:AlternateContent, which may stand around any element.
func wChild(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == tag && !wForeign(c.Space):
			return c
		case c.Tag == alternateContent:
			if found := wChild(alternative(c), tag); found != nil {
				return found
			}
		}
	}
	return nil
}

// wPath follows first children by name.
func wPath(e *etree.Element, tags ...string) *etree.Element {
	for _, tag := range tags {
		e = wChild(e, tag)
	}
	return e
}

func wAttr(e *etree.Element, key string) (string, bool) {
	if e == nil {
		return "", false
	}
	for i := range e.Attr {
		if a := &e.Attr[i]; a.Key == key && !wForeign(a.Space) {
			return a.Value, true
		}
	}
	return "", false
}

func wVal(e *etree.Element) string {
	v, _ := wAttr(e, "val")
	return v
}

func wInt(e *etree.Element, key string) (int, bool) {
	s, ok := wAttr(e, key)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1e9 {
		return 0, false
	}
	return int(math.Round(f)), true
}

// wPoints reads a measure in twentieths of a point, or with a unit behind it
// (ECMA-376 transitional and strict, ST_TwipsMeasure).
func wPoints(e *etree.Element, key string) (float64, bool) {
	s, ok := wAttr(e, key)
	if !ok {
		return 0, false
	}
	return parseMeasure(s, 1.0/20)
}

var measureUnits = []struct {
	suffix string
	points float64
}{{"pt", 1}, {"in", 72}, {"cm", 72 / 2.54}, {"mm", 72 / 25.4}, {"pc", 12}, {"pi", 12}, {"px", 0.75}}

// parseMeasure reads a number with an optional unit; a bare number counts bare
// points each. Nonsense and absurd sizes are not ok.
func parseMeasure(s string, bare float64) (float64, bool) {
	s = strings.TrimSpace(s)
	factor := bare
	for _, u := range measureUnits {
		if rest, found := strings.CutSuffix(s, u.suffix); found {
			s, factor = strings.TrimSpace(rest), u.points
			break
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.Abs(f*factor) > 1e5 {
		return 0, false
	}
	return f * factor, true
}

// wOn reads an on/off property: present without a value means on.
func wOn(e *etree.Element) bool {
	v, ok := wAttr(e, "val")
	return !ok || isOn(v)
}

func isOn(v string) bool {
	switch v {
	case "0", "false", "off", "none", "f":
		return false
	}
	return true
}

const emuPerPoint = 12700

func emu(e *etree.Element, key string) float64 {
	n, ok := wInt(e, key)
	if !ok {
		return 0
	}
	return float64(n) / emuPerPoint
}

// children calls do for each child element, for those of the chosen branch in
// place of an mc:AlternateContent.
func children(e *etree.Element, do func(*etree.Element)) {
	if e == nil {
		return
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Tag == alternateContent:
			children(alternative(c), do)
		default:
			do(c)
		}
	}
}

// alternative picks the branch of mc:AlternateContent to show: the first
// choice whose needs we know, else the fallback (ECMA-376 part 3, 7.5).
func alternative(e *etree.Element) *etree.Element {
	var fallback *etree.Element
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok {
			continue
		}
		if c.Tag == "Choice" && understood(c.SelectAttrValue("Requires", "")) {
			return c
		}
		if c.Tag == "Fallback" {
			fallback = c
		}
	}
	return fallback
}

// understood says whether we read all namespaces that a choice requires. wp14
// is not among them: its places in percent of the page stand beside a fallback
// in points, which Word keeps up to date.
func understood(requires string) bool {
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
