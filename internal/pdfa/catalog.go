package pdfa

import (
	"maps"
	"regexp"
	"slices"
)

// catalog checks what is said of the file as a whole.
func (c *checker) catalog(root dict) {
	if root["AA"] != nil {
		c.fault("6.5.2", "actions begin when something is done with the file")
	}
	if root["Requirements"] != nil {
		c.fault("6.11", "it asks something of its reader")
	}
	if c.get(root["NeedsRendering"]) == true {
		c.fault("6.4.2", "it is drawn from a form of XFA")
	}
	names := c.dict(root["Names"])
	if names["AlternatePresentations"] != nil {
		c.fault("6.10", "it can be shown in other ways")
	}
	c.nameTree(names["JavaScript"], map[int]bool{}, func(o any) { c.action(o, map[int]bool{}) })
	c.nameTree(names["EmbeddedFiles"], map[int]bool{}, func(any) {})
	c.action(root["OpenAction"], map[int]bool{})
	c.outline(c.dict(root["Outlines"])["First"], map[int]bool{})
	perms := c.dict(root["Perms"])
	for _, key := range slices.Sorted(maps.Keys(perms)) {
		if key != "UR3" && key != "DocMDP" {
			c.fault("6.1.12", "its permissions have an entry %s", key)
		}
	}
	if perms["DocMDP"] != nil {
		for _, one := range c.array(c.dict(perms["DocMDP"])["Reference"]) {
			signed := c.dict(one)
			if signed["DigestLocation"] != nil || signed["DigestMethod"] != nil || signed["DigestValue"] != nil {
				c.fault("6.1.12", "its permissions say how a digest is made")
			}
		}
	}
	form := c.dict(root["AcroForm"])
	if form["XFA"] != nil {
		c.fault("6.4.2", "its form is one of XFA")
	}
	if c.get(form["NeedAppearances"]) == true {
		c.fault("6.4.1", "readers draw the fields of its form")
	}
	c.fields(form["Fields"], map[int]bool{})
	c.layers(c.dict(root["OCProperties"]))
	c.embedded()
	c.metadata(root)
}

func (c *checker) fields(list any, seen map[int]bool) {
	defer c.leave()
	if !c.enter() {
		return
	}
	for _, one := range c.array(list) {
		if r, ok := one.(reference); ok {
			if seen[r.number] {
				continue
			}
			seen[r.number] = true
		}
		field := c.dict(one)
		if field["AA"] != nil || c.name(field["Subtype"]) == "Widget" && field["A"] != nil {
			c.fault("6.4.1", "a field of its form has an action")
		}
		if c.name(field["FT"]) == "Sig" {
			c.signature(c.dict(field["V"]))
		}
		c.fields(field["Kids"], seen)
	}
}

// signature checks that one covers the whole file (6.4.3).
func (c *checker) signature(s dict) {
	covered := c.array(s["ByteRange"])
	if len(covered) != 4 {
		return
	}
	if c.integer(covered[0]) != 0 || c.integer(covered[2])+c.integer(covered[3]) != len(c.data) {
		c.fault("6.4.3", "a signature does not cover the file")
	}
}

// nameTree calls each for the values of a tree of names.
func (c *checker) nameTree(o any, seen map[int]bool, each func(any)) {
	defer c.leave()
	if !c.enter() {
		return
	}
	if r, ok := o.(reference); ok {
		if seen[r.number] {
			return
		}
		seen[r.number] = true
	}
	node := c.dict(o)
	list := c.array(node["Names"])
	for i := 1; i < len(list); i += 2 {
		each(list[i])
	}
	for _, kid := range c.array(node["Kids"]) {
		c.nameTree(kid, seen, each)
	}
}

func (c *checker) outline(o any, seen map[int]bool) {
	defer c.leave()
	if !c.enter() {
		return
	}
	for range maxObjects {
		r, ok := o.(reference)
		if !ok || seen[r.number] {
			return
		}
		seen[r.number] = true
		item := c.dict(o)
		c.action(item["A"], map[int]bool{})
		c.outline(item["First"], seen)
		o = item["Next"]
	}
}

var (
	actions      = []name{"GoTo", "GoToR", "GoToE", "Thread", "URI", "Named", "SubmitForm"}
	namedActions = []name{"NextPage", "PrevPage", "FirstPage", "LastPage"}
)

// action checks one with those that follow it (6.5.1).
func (c *checker) action(o any, seen map[int]bool) {
	defer c.leave()
	const step = 1 << 6
	if !c.enter() || !c.spend(step) {
		return
	}
	if r, ok := o.(reference); ok {
		if seen[r.number] {
			return
		}
		seen[r.number] = true
	}
	d, isDict := c.get(o).(dict)
	if !isDict {
		return
	}
	kind := c.name(d["S"])
	if !slices.Contains(actions, kind) {
		c.fault("6.5.1", "it has an action %s", kind)
	}
	if kind == "Named" && !slices.Contains(namedActions, c.name(d["N"])) {
		c.fault("6.5.1", "it has an action %s", c.name(d["N"]))
	}
	for _, next := range c.list(d["Next"]) {
		c.action(next, seen)
	}
}

// allActions checks those that an entry AA holds.
func (c *checker) allActions(o any) {
	for _, one := range c.dict(o) {
		c.action(one, map[int]bool{})
	}
}

// layers checks optional content (6.9).
func (c *checker) layers(properties dict) {
	if properties == nil {
		return
	}
	all := map[int]bool{}
	for _, one := range c.array(properties["OCGs"]) {
		if r, ok := one.(reference); ok {
			all[r.number] = true
		}
	}
	names := map[string]bool{}
	for _, one := range append(array{properties["D"]}, c.array(properties["Configs"])...) {
		config := c.dict(one)
		if config == nil {
			continue
		}
		called := c.text(config["Name"])
		if called == "" {
			c.fault("6.9", "a setting of its layers has no name")
		} else if names[called] {
			c.fault("6.9", "two settings of its layers have one name")
		}
		names[called] = true
		if config["AS"] != nil {
			c.fault("6.9", "its layers show by themselves")
		}
		if config["Order"] != nil {
			missing := maps.Clone(all)
			c.ordered(config["Order"], missing, 0)
			if len(missing) > 0 {
				c.fault("6.9", "the order of its layers lacks some")
			}
		}
	}
}

func (c *checker) ordered(o any, missing map[int]bool, depth int) {
	if r, ok := o.(reference); ok {
		delete(missing, r.number)
	}
	if depth < maxDepth && c.spend(1) {
		for _, one := range c.array(o) {
			c.ordered(one, missing, depth+1)
		}
	}
}

var mimeType = regexp.MustCompile(`^[-\w+.]+/[-\w+.]+$`)

// embedded checks the files in the file (6.8).
func (c *checker) embedded() {
	for _, n := range slices.Sorted(maps.Keys(c.places)) {
		c.specifications(c.load(n), n, 0)
	}
}

// specifications finds those of files in an object.
func (c *checker) specifications(o any, n, depth int) {
	if depth > maxDepth {
		return
	}
	switch o := o.(type) {
	case array:
		for _, one := range o {
			c.specifications(one, 0, depth+1)
		}
	case *stream:
		c.specifications(o.dict, 0, depth+1)
	case dict:
		if held := c.dict(o["EF"]); held != nil {
			c.specification(o, held, n)
		}
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if key != "EF" {
				c.specifications(o[key], 0, depth+1)
			}
		}
	}
}

func (c *checker) specification(d, held dict, n int) {
	if d["F"] == nil || d["UF"] == nil {
		c.fault("6.8", "a file in it has no name under F and UF")
	}
	for _, key := range slices.Sorted(maps.Keys(held)) {
		s := c.stream(held[key])
		if s == nil {
			continue
		}
		if c.part == Part3 {
			if !mimeType.MatchString(string(c.name(s.dict["Subtype"]))) {
				c.fault("6.8", "a file in it does not say of what type it is")
			}
			continue
		}
		if !c.isArchive(s) {
			c.fault("6.8", "a file in it is no PDF/A")
		}
	}
	if c.part == Part3 {
		if c.name(d["AFRelationship"]) == "" {
			c.fault("6.8", "a file in it does not say how it belongs to it")
		}
		if !c.associated[n] {
			c.fault("6.8", "a file in it belongs to nothing of it")
		}
	}
}

// isArchive judges a file in the file once, within what is left of the limits.
func (c *checker) isArchive(s *stream) bool {
	const deepest = 2
	if found, isKnown := c.inside[s]; isKnown || c.level == deepest {
		return found
	}
	content, err := c.unpack(s)
	if err == nil {
		var faults []Fault
		faults, err = check(content, Part2, c.level+1, c.budget)
		c.inside[s] = err == nil && len(faults) == 0
	}
	return c.inside[s]
}
