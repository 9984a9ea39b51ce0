package pdfa

import (
	"maps"
	"slices"
)

// pages goes through the tree of pages.
func (c *checker) pages(o any, inherited dict, seen map[int]bool) {
	defer c.leave()
	if !c.enter() {
		return
	}
	r, ok := o.(reference)
	if !ok || seen[r.number] {
		return
	}
	seen[r.number] = true
	node := c.dict(o)
	kids := c.array(node["Kids"])
	if kids == nil || c.name(node["Type"]) == "Page" {
		c.page(node, inherited)
		return
	}
	own := maps.Clone(inherited)
	for _, key := range []name{"Resources", "MediaBox", "CropBox"} {
		if node[key] != nil {
			own[key] = node[key]
		}
	}
	for _, kid := range kids {
		c.pages(kid, own, seen)
	}
}

func (c *checker) page(page, inherited dict) {
	for _, key := range []name{"MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"} {
		box := page[key]
		if box == nil {
			box = inherited[key]
		}
		if a := c.array(box); len(a) == 4 {
			for i := range 2 {
				side := c.float(a[i+2]) - c.float(a[i])
				if side = max(side, -side); side < 3 || side > 14400 {
					c.fault("6.1.13", "a page is smaller than 3 or larger than 14400 points")
				}
			}
		}
	}
	if page["AA"] != nil {
		c.fault("6.5.2", "actions begin when a page is opened or closed")
	}
	if page["PresSteps"] != nil {
		c.fault("6.10", "a page is shown in steps")
	}
	c.mixes = false
	g := newGraphics()
	resources := scope{own: c.dict(page["Resources"]), above: c.dict(inherited["Resources"])}
	var content []byte
	for _, one := range c.list(page["Contents"]) {
		if s := c.stream(one); s != nil {
			part := c.drawing(s)
			if len(content)+len(part) > maxStream {
				c.isOver = true
				return
			}
			content = append(append(content, part...), '\n')
		}
	}
	group := c.dict(page["Group"])
	if group != nil && c.name(group["S"]) == "Transparency" {
		c.mixes = true
		if group["CS"] != nil {
			c.paint(c.space(group["CS"], resources, 0), false, 0)
		}
	}
	c.content(content, resources, g)
	for _, one := range c.array(page["Annots"]) {
		c.annotation(c.dict(one), resources)
	}
	if c.mixes && c.intent == "" && (group == nil || group["CS"] == nil) {
		c.fault("6.2.10", "a page mixes colours and does not say in which space")
	}
}

var annotations = []name{"Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Popup",
	"FileAttachment", "Widget", "PrinterMark", "TrapNet", "Watermark", "Redact"}

// annotation checks one (6.3, 6.4.1), with what it looks like.
func (c *checker) annotation(a dict, resources scope) {
	const step = 1 << 7
	if a == nil || !c.spend(step) {
		return
	}
	kind := c.name(a["Subtype"])
	if !slices.Contains(annotations, kind) {
		c.fault("6.3.1", "it has an annotation %s", kind)
	}
	c.action(a["A"], map[int]bool{})
	c.allActions(a["AA"])
	if kind == "Widget" && (a["A"] != nil || a["AA"] != nil) {
		c.fault("6.4.1", "a field of its form has an action")
	}
	flags, hasFlags := c.get(a["F"]).(number)
	const invisible, hidden, print, noView, toggle = 1, 2, 4, 32, 256
	switch {
	case !hasFlags && kind != "Popup":
		c.fault("6.3.2", "an annotation %s does not say whether it is printed", kind)
	case hasFlags && int(flags.value)&(invisible|hidden|noView|toggle|print) != print:
		c.fault("6.3.2", "an annotation %s is hidden or not printed", kind)
	}
	looks := c.dict(a["AP"])
	if looks == nil {
		box := c.array(a["Rect"])
		isNothing := len(box) == 4 && c.float(box[0]) == c.float(box[2]) && c.float(box[1]) == c.float(box[3])
		if kind != "Popup" && kind != "Link" && !isNothing {
			c.fault("6.3.3", "an annotation %s does not say what it looks like", kind)
		}
		return
	}
	if len(looks) != 1 || looks["N"] == nil {
		c.fault("6.3.3", "an annotation %s looks different when something is done with it", kind)
	}
	isButton := kind == "Widget" && c.inheritedName(a, "FT") == "Btn"
	switch shown := c.get(looks["N"]).(type) {
	case *stream:
		if isButton && len(looks) == 1 {
			c.fault("6.3.3", "a button has one look for all its states")
		}
		c.form(shown, resources, newGraphics())
	case dict:
		if !isButton && len(looks) == 1 {
			c.fault("6.3.3", "an annotation %s has looks for states", kind)
		}
		if !c.spend(len(shown) * step) {
			return
		}
		for _, state := range slices.Sorted(maps.Keys(shown)) {
			if s := c.stream(shown[state]); s != nil {
				c.form(s, resources, newGraphics())
			}
		}
	}
}

// inheritedName is an entry of a field, or of one above it.
func (c *checker) inheritedName(d dict, key name) name {
	for range 20 {
		if d[key] != nil {
			return c.name(d[key])
		}
		if d = c.dict(d["Parent"]); d == nil {
			break
		}
	}
	return ""
}
