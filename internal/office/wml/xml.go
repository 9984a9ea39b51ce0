package wml

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// Names are compared without their prefix, because files use prefixes of their
// own; the later Word namespaces (w14 and on) repeat local names with other
// meanings and are left out.

func isForeign(space string) bool {
	return len(space) > 2 && space[0] == 'w' && space[1] == '1' && space[2] >= '4'
}

// isIgnorable is true for an element of a namespace that programs which do not know it
// pass over, with all that stands in it (ECMA-376 part 3, 7.2).
func isIgnorable(e *etree.Element) bool {
	if isForeign(e.Space) {
		return true
	}
	for at := e; at != nil; at = at.Parent() {
		if a := at.SelectAttr("mc:Ignorable"); a != nil && slices.Contains(strings.Fields(a.Value), e.Space) {
			return true
		}
	}
	return false
}

// holds says whether an element of one of the names stands somewhere in e.
func holds(e *etree.Element, tags ...string) bool {
	found := false
	dml.EachChild(e, func(c *etree.Element) {
		found = found || slices.Contains(tags, c.Tag) && !isForeign(c.Space) || holds(c, tags...)
	})
	return found
}

// wChild returns the first child of that name; nil for none.
func wChild(e *etree.Element, tag string) *etree.Element {
	return dml.FindChild(e, dml.Alternative, func(c *etree.Element) bool { return c.Tag == tag && !isForeign(c.Space) })
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
		if a := &e.Attr[i]; a.Key == key && !isForeign(a.Space) {
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

// isOn reads an on/off property: present without a value means on.
func isOn(e *etree.Element) bool {
	v, ok := wAttr(e, "val")
	return !ok || isOnValue(v)
}

func isOnValue(v string) bool {
	switch v {
	case "0", "false", "off", "none", "f":
		return false
	}
	return true
}

func emu(e *etree.Element, key string) float64 {
	n, ok := wInt(e, key)
	if !ok {
		return 0
	}
	return float64(n) / dml.EMUPerPoint
}
