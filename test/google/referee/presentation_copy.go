package referee

import (
	"fmt"
	"regexp"
	"slices"
)

// idRule is how ids are written that a client chooses (DuplicateObjectRequest).
var idRule = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9_:-]{4,49}$`)

// ids are those of all pages and elements.
func (p *Presentation) ids() map[string]bool {
	all := map[string]bool{}
	for _, group := range []string{"slides", "layouts", "masters"} {
		for _, page := range list(p.raw, group) {
			eachID(page, func(o object) { all[o["objectId"].(string)] = true })
		}
	}
	return all
}

// eachID visits the objects below a value that have an id of their own.
func eachID(v any, visit func(object)) {
	switch v := v.(type) {
	case object:
		if _, ok := v["objectId"].(string); ok {
			visit(v)
		}
		for _, inner := range v {
			eachID(inner, visit)
		}
	case []any:
		for _, inner := range v {
			eachID(inner, visit)
		}
	}
}

// duplicateObject copies a slide right behind itself. What is on its notes page gets ids
// that nobody has chosen: the reference says of no key that it may be one of those.
func (p *Presentation) duplicateObject(q object) object {
	check(q, "objectId!", "objectIds")
	slides := list(p.raw, "slides")
	at := slices.IndexFunc(slides, func(s any) bool { return s.(object)["objectId"] == q["objectId"] })
	if at < 0 {
		refuse("The slide (%v) could not be found.", q["objectId"])
	}
	taken := p.ids()
	for key, id := range child(q, "objectIds") {
		id, _ := id.(string)
		switch {
		case !taken[key]:
			refuse("The object (%s) could not be found.", key)
		case !idRule.MatchString(id):
			refuse("The object ID (%s) is not valid.", id)
		case taken[id]:
			refuse("The object ID (%s) should be unique among all pages and page elements in the presentation.", id)
		}
		taken[id] = true
	}
	copied, err := decode([]byte(canonical(slides[at])))
	if err != nil {
		panic(err) // it was read from JSON
	}
	notes := map[string]bool{}
	eachID(child(copied, "slideProperties"), func(o object) { notes[o["objectId"].(string)] = true })
	eachID(copied, func(o object) {
		old := o["objectId"].(string)
		id, _ := child(q, "objectIds")[old].(string)
		for n := 0; id == "" || notes[old] && n == 0; n++ {
			if id = fmt.Sprintf("random_%d_%d", len(taken), n); taken[id] {
				id = ""
			}
		}
		taken[id] = true
		o["objectId"] = id
	})
	p.raw["slides"] = slices.Insert(slices.Clone(slides), at+1, any(copied))
	return object{"duplicateObject": object{"objectId": copied["objectId"]}}
}

// updateSlidesPosition moves slides, which are named in their order.
func (p *Presentation) updateSlidesPosition(q object) {
	check(q, "slideObjectIds!", "insertionIndex!")
	slides, to := list(p.raw, "slides"), integer(q, "insertionIndex")
	if to > len(slides) {
		refuse("The insertion index (%d) is beyond the slides.", to)
	}
	var moved, before, behind []any
	for i, s := range slides {
		switch named := slices.Contains(list(q, "slideObjectIds"), s.(object)["objectId"]); {
		case named:
			if len(moved) == len(list(q, "slideObjectIds")) || list(q, "slideObjectIds")[len(moved)] != s.(object)["objectId"] {
				refuse("The slides must be in their order, without duplicates.")
			}
			moved = append(moved, s)
		case i < to:
			before = append(before, s)
		default:
			behind = append(behind, s)
		}
	}
	if len(moved) != len(list(q, "slideObjectIds")) || len(moved) == 0 {
		refuse("A slide could not be found.")
	}
	p.raw["slides"] = slices.Concat(before, moved, behind)
}
