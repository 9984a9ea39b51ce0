package lang

import (
	"slices"
	"strconv"
	"strings"
)

// lookup finds the value of a path such as Customer.Address.City, Items.Name
// (of every item), Items.0.Name or Items[0].Name. A key may contain dots and
// brackets itself. Values of several places are joined by ", "; null and empty
// ones among them are left out. An object has no value unless it is empty.
func (d *Data) lookup(path string, anyCase bool) (string, bool) {
	if d == nil {
		return "", false
	}
	for _, spelling := range spell(path) {
		w := pathWalker{anyCase: anyCase, dots: d.dots}
		if w.walk(d.root, strings.Split(spelling, ".")) {
			return joinTexts(w.found), true
		}
	}
	return "", false
}

// joinTexts writes values one after the other, without the empty ones.
func joinTexts(nodes []node) string {
	if len(nodes) == 1 {
		text, _ := leafText(nodes[0])
		return text
	}
	var texts []string
	for _, n := range nodes {
		if text, _ := leafText(n); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// spell are the ways to cut a path into keys: first with brackets as a
// part of them.
func spell(path string) []string {
	if dotted := dotIndexes(path); dotted != path {
		return []string{path, dotted}
	}
	return []string{path}
}

// dotIndexes writes every [n] of a path as .n.
func dotIndexes(path string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(path, '[')
		end := strings.IndexByte(path[open+1:], ']') + open + 1
		if open < 0 || end == open {
			return b.String() + path
		}
		if _, err := strconv.ParseUint(path[open+1:end], 10, 31); err == nil {
			b.WriteString(path[:open] + "." + path[open+1:end])
		} else {
			b.WriteString(path[:end+1])
		}
		path = path[end+1:]
	}
}

// A pathWalker follows one path through the data.
type pathWalker struct {
	anyCase bool
	dots    int
	// whole takes what the path ends at, be it a list or an object; otherwise
	// the leaves of a list are taken one by one, and objects have no value.
	whole bool
	found []node
	// length is how many keys the path has; loops are the numbers of keys that
	// lead to the lists whose items it goes through, outermost first.
	length int
	loops  []int
	visits int
}

// walk collects what path names below n and tells whether there is such a
// thing. Every node is visited once at most, so the time is linear in the data.
func (w *pathWalker) walk(n node, path []string) bool {
	w.visits++
	if w.whole && len(path) == 0 {
		w.found = append(w.found, n)
		return true
	}
	switch n := n.(type) {
	case list:
		return w.walkList(n, path)
	case *object:
		return w.walkObject(n, path)
	}
	if len(path) > 0 {
		return false
	}
	w.found = append(w.found, n)
	return true
}

func (w *pathWalker) walkList(items list, path []string) bool {
	if len(path) > 0 {
		// A number is an index where there is such an item; else it may be a
		// key of the items.
		if i, err := strconv.Atoi(strings.TrimSpace(path[0])); err == nil && i >= 0 && i < len(items) {
			return w.walk(items[i], path[1:])
		}
		if at := w.length - len(path); !slices.Contains(w.loops, at) {
			w.loops = append(w.loops, at)
		}
	}
	found := len(items) == 0
	for _, item := range items {
		if w.walk(item, path) {
			found = true
		}
	}
	return found
}

func (w *pathWalker) walkObject(o *object, path []string) bool {
	if len(path) == 0 {
		return len(o.members) == 0
	}
	for n := min(len(path), w.dots+1); n > 0; n-- {
		value, ok := o.get(strings.TrimSpace(strings.Join(path[:n], ".")), w.anyCase)
		if ok && w.walk(value, path[n:]) {
			return true
		}
	}
	return false
}
