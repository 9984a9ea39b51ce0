package lang

import (
	"slices"
	"strconv"
	"strings"
)

// A Scope is the item of a list that a part of a template is filled for, inside
// those of the lists around it. A nil Scope is the whole of the data.
type Scope struct {
	parent *Scope
	// paths are the names of the list: in full, and as it was written.
	paths []string
	// loose says that the data spells the list in another case than paths.
	loose bool
	item  node
	index int // from 1
	sent  int // its number in the data, before clauses; 0 for a group
	count int
	// source is the path of the list in the data, which paths are not inside of groups.
	source string
	group  *group // nil for an item of the data
	// relative makes the item's own fields names that need no path.
	relative bool
}

// List is the path of the list in the data.
func (s *Scope) List() string { return s.paths[0] }

// number is that of the item as it was sent; of a group, that of its place.
func (s *Scope) number() int {
	if s.sent > 0 {
		return s.sent
	}
	return s.index
}

// where says which item of the data it is: Orders, item 2, Lines, item 1.
func (s *Scope) where() string {
	name, before := s.paths[0], ""
	for p := s.parent; p != nil; p = p.parent {
		if rest, ok := strings.CutPrefix(name, p.paths[0]+"."); ok {
			name, before = rest, p.where()+", "
			break
		}
	}
	return before + name + ", item " + strconv.Itoa(s.number())
}

// cutInside returns what of a name lies inside the item, and false for a name
// that does not begin with the list's.
func (s *Scope) cutInside(name string, anyCase bool) (string, bool) {
	if s.relative {
		if name == "this" {
			return "", true
		}
		if rest, ok := strings.CutPrefix(name, "this."); ok {
			return rest, true
		}
	}
	for _, path := range s.paths {
		if len(name) < len(path) {
			continue
		}
		head, rest := name[:len(path)], name[len(path):]
		if head != path && (!anyCase && !s.loose || !strings.EqualFold(head, path)) {
			continue
		}
		if rest == "" {
			return "", true
		}
		if first, _, _ := strings.Cut(strings.TrimPrefix(rest, "."), "."); rest[0] == '.' && strings.Trim(first, "0123456789") != "" {
			return rest[1:], true
		}
	}
	return "", false
}

// A sought is what a name leads to.
type sought struct {
	nodes []node
	loops []string // the paths of the lists of objects that it goes through
	base  *Scope   // the item that it stands in, nil for the whole data
	loose bool     // it was found in another case
	inner bool     // it was found by the path of base's list
}

// seek finds the nodes that a name leads to from a scope: the innermost item
// first, the whole of the data last, in the exact case first, then in any.
func (d *Data) seek(name string, scope *Scope) (sought, bool) {
	found, ok := d.seekFrom(name, scope)
	d.used = d.used || ok
	return found, ok
}

func (d *Data) seekFrom(name string, scope *Scope) (sought, bool) {
	for _, anyCase := range []bool{false, true} {
		for s := scope; s != nil; s = s.parent {
			if rest, ok := s.cutInside(name, anyCase); ok {
				if found, ok := d.seekIn(s.item, s.spellItems(rest), anyCase); ok {
					found.base, found.inner, found.loose = s, true, anyCase
					found.loops = prefixLoops(s.paths[0], found.loops)
					return found, true
				}
				// The other items have it: this one's is empty.
				if _, ok := d.seekAll(s.source+"."+rest, anyCase); ok {
					return sought{nodes: []node{null{}}, base: s, inner: true}, true
				}
			}
			if !s.relative {
				continue
			}
			if found, ok := d.seekIn(s.item, s.spellItems(name), anyCase); ok {
				found.base, found.loose = s, anyCase
				found.loops = prefixLoops(s.paths[0], found.loops)
				return found, true
			}
		}
		if found, ok := d.seekAll(name, anyCase); ok {
			found.loose = anyCase
			return found, true
		}
		for s := scope; s != nil; s = s.parent {
			if !s.relative {
				continue
			}
			if _, ok := d.seekAll(s.source+"."+name, anyCase); ok { // other items have it
				return sought{nodes: []node{null{}}, base: s}, true
			}
		}
	}
	return sought{}, false
}

// seekKey is a name as it is looked up in the whole of the data.
type seekKey struct {
	name    string
	anyCase bool
}

// seekAll seeks in the whole of the data, for an Evaluator each name once.
func (d *Data) seekAll(name string, anyCase bool) (sought, bool) {
	key := seekKey{name, anyCase}
	if found, ok := d.known[key]; ok {
		return found, found.nodes != nil
	}
	found, ok := d.seekIn(d.root, name, anyCase)
	if ok && found.nodes == nil {
		found.nodes = []node{}
	}
	if d.known != nil {
		d.known[key] = found
	}
	return found, ok
}

func prefixLoops(path string, loops []string) []string {
	for i, l := range loops {
		loops[i] = path + "." + l
	}
	return loops
}

func (d *Data) seekIn(from node, name string, anyCase bool) (sought, bool) {
	if name == "" {
		return sought{nodes: []node{from}}, true
	}
	if o, is := from.(*object); is && !strings.ContainsAny(name, ".[") {
		// So are most names of a row's item.
		d.visits += 2
		value, ok := o.get(strings.TrimSpace(name), anyCase)
		if !ok {
			return sought{}, false
		}
		return sought{nodes: []node{value}}, true
	}
	for _, spelling := range spell(name) {
		path := strings.Split(spelling, ".")
		w := pathWalker{anyCase: anyCase, dots: d.dots, whole: true, length: len(path)}
		ok := w.walk(from, path)
		d.visits += w.visits
		if !ok {
			continue
		}
		found := sought{nodes: w.found}
		for _, n := range w.loops {
			found.loops = append(found.loops, strings.Join(path[:n], "."))
		}
		return found, true
	}
	return sought{}, false
}

// findItems returns one scope for each item of the list that a name leads to,
// and false when there is no such list.
func (d *Data) findItems(name string, scope *Scope, relative bool) ([]*Scope, bool) {
	found, ok := d.seek(name, scope)
	for ok && found.inner && slices.Contains(found.base.paths, name) {
		// Inside its own items, the name of a list means the list once more.
		found, ok = d.seek(name, found.base.parent)
	}
	if !ok {
		return nil, false
	}
	paths, source := namesOf(name, found)
	loose := found.loose || found.base != nil && found.base.group != nil
	var all list
	for _, n := range found.nodes {
		switch n := n.(type) {
		case list:
			all = append(all, n...)
		case null:
		default:
			return nil, false
		}
	}
	scopes := make([]*Scope, len(all))
	backing := make([]Scope, len(all))
	for i, item := range all {
		backing[i] = Scope{parent: scope, paths: paths, source: source, loose: loose, item: item, index: i + 1, sent: i + 1, count: len(all), relative: relative}
		scopes[i] = &backing[i]
	}
	return scopes, true
}

// namesOf returns the paths that the items of a list are known by: in full, and
// from the items around it that let their own fields be named alone. source is its
// path in the data.
func namesOf(name string, found sought) (paths []string, source string) {
	full, source := name, name
	var grouped []string
	if found.base != nil {
		inside := name
		if found.inner {
			inside, _ = found.base.cutInside(name, found.loose)
		}
		if inside != "" {
			inside = found.base.spellItems(inside)
			full, source = found.base.List()+"."+inside, found.base.source+"."+inside
		}
		if rest, ok := strings.CutPrefix(inside, itemsKey); ok && found.base.group != nil {
			source = found.base.source + rest
			for _, list := range found.base.group.names {
				grouped = append(grouped, list+rest)
			}
		}
	}
	paths = append([]string{full}, grouped...)
	for s := found.base; s != nil; s = s.parent {
		if rest, ok := strings.CutPrefix(full, s.paths[0]+"."); ok && s.relative {
			paths = append(paths, rest)
		}
	}
	if !slices.Contains(paths, name) {
		paths = append(paths, name)
	}
	return paths, source
}

// unroll returns one scope for each combination of items of the lists, which
// lie one inside the other, outermost first.
func (d *Data) unroll(lists []string, scope *Scope) []*Scope {
	if len(lists) == 0 {
		return []*Scope{scope}
	}
	outer, _ := d.findItems(lists[0], scope, false)
	if len(lists) == 1 {
		return outer
	}
	var all []*Scope
	for _, s := range outer {
		all = append(all, d.unroll(lists[1:], s)...)
	}
	return all
}

// findLists returns the lists that the names go through, outermost first; other
// is the first list that is not one of the same chain.
func (d *Data) findLists(names []string, scope *Scope) (chain []string, other string) {
	for _, name := range names {
		found, ok := d.seek(name, scope)
		if !ok {
			continue
		}
		for i, l := range found.loops {
			switch {
			case i >= len(chain):
				chain = append(chain, l)
			case !strings.EqualFold(chain[i], l) && other == "":
				other = l
			}
			if other != "" {
				break
			}
		}
	}
	return chain, other
}
