package console

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/einvoice"
)

// A mapRow is one entry of the map of an e-invoice.
type mapRow struct {
	Pointer string // /BG-25/BT-129: the name of the field, too
	Term    string // BT-129
	Name    string // Invoiced quantity
	Group   string // Lines; empty for the whole invoice
	Text    string
	Wrong   []saying
	// Open says that the profile asks for the term and that nothing fills it.
	Open bool
}

// ID is that of the row's field.
func (r mapRow) ID() string { return "map" + strings.ReplaceAll(r.Pointer, "/", "-") }

// Fault is what is wrong with the row.
func (r mapRow) Fault() besideField {
	return besideField{ID: "fault-" + r.ID(), Text: sentences(r.Wrong...)}
}

// A mapGroup are the rows of the whole invoice, or of a group of terms in it.
type mapGroup struct {
	Name   string // in the words of the standard; empty: the whole invoice
	Rows   []mapRow
	ToFill int // rows that nothing fills
	Wrong  bool
}

// Inner is the group of a row below that of all, empty where it is in none.
func (g mapGroup) Inner(r mapRow) string {
	if r.Group == g.Name {
		return ""
	}
	return strings.TrimPrefix(r.Group, g.Name+", ")
}

// IsOpen tells whether somebody is to look at the group.
func (g mapGroup) IsOpen() bool { return g.Name == "" || g.ToFill > 0 || g.Wrong }

// mapGroups are rows by the group of the standard that they are in, in the order of the rows.
func mapGroups(rows []mapRow) (groups []mapGroup) {
	for _, row := range rows {
		name := ""
		if top, _, _ := strings.Cut(strings.TrimPrefix(row.Pointer, "/"), "/"); strings.HasPrefix(top, "BG-") {
			name = groupName("", top)
		}
		i := slices.IndexFunc(groups, func(g mapGroup) bool { return g.Name == name })
		if i < 0 {
			i, groups = len(groups), append(groups, mapGroup{Name: name})
		}
		g := &groups[i]
		g.Rows, g.Wrong = append(g.Rows, row), g.Wrong || len(row.Wrong) > 0
		if row.Open {
			g.ToFill++
		}
	}
	return groups
}

// mapRows are the entries of a map in the order of the standard. What is no map has none.
func mapRows(object []byte) []mapRow {
	var m map[string]any
	_ = json.Unmarshal(object, &m)
	return termRows(m, einvoice.Outlined(), "", "")
}

func termRows(m map[string]any, o *einvoice.Outline, pointer, group string) []mapRow {
	var rows []mapRow
	for _, name := range slices.SortedFunc(maps.Keys(m), einvoice.CompareTerms) {
		at := pointer + "/" + name
		switch value := m[name].(type) {
		case string:
			rows = append(rows, mapRow{Pointer: at, Term: name, Name: termName(name, o), Group: group, Text: value})
		case map[string]any:
			rows = append(rows, termRows(value, inner(o, name), at, groupName(group, name))...)
		case []any:
			for i, one := range value {
				item, _ := one.(map[string]any)
				n := strconv.Itoa(i)
				rows = append(rows, termRows(item, inner(o, name), at+"/"+n, groupName(group, name)+" "+strconv.Itoa(i+1))...)
			}
		}
	}
	return rows
}

func inner(o *einvoice.Outline, group string) *einvoice.Outline {
	if found := o.Groups[group]; found != nil {
		return found
	}
	return &einvoice.Outline{}
}

func groupName(outer, group string) string {
	name := einvoice.TermName(group)
	if name == "" {
		name = group
	}
	return strings.TrimPrefix(outer+", "+name, ", ")
}

func termName(name string, o *einvoice.Outline) string {
	switch name {
	case "each":
		return "List of the event, one item for each"
	case "when":
		return "Only if this is true of the event"
	}
	if term, ok := o.Terms[name]; ok {
		return term.Name
	}
	return einvoice.TermName(name)
}

// pointerOf is where in a map a term stands that somebody adds: BT-129 as /BG-25/BT-129, and
// each of a group as it is typed in, BG-25/each.
func pointerOf(typed string) string {
	typed = strings.Trim(strings.TrimSpace(typed), "/")
	if strings.Contains(typed, "/") {
		return "/" + typed
	}
	path := pathTo(einvoice.Outlined(), typed)
	if path == "" {
		return "/" + typed
	}
	return path
}

func pathTo(o *einvoice.Outline, number string) string {
	if _, ok := o.Terms[number]; ok {
		return "/" + number
	}
	for name, group := range o.Groups {
		if below := pathTo(group, number); below != "" {
			return "/" + name + below
		}
	}
	return ""
}

// mapOf is the map of rows, as JSON. Rows without text are left out.
func mapOf(rows []mapRow) json.RawMessage {
	root := map[string]any{}
	for _, row := range rows {
		if strings.TrimSpace(row.Text) != "" {
			put(root, strings.Split(strings.TrimPrefix(row.Pointer, "/"), "/"), row.Text)
		}
	}
	out, _ := json.Marshal(listed(root)) // texts always marshal
	return out
}

func put(into map[string]any, path []string, text string) {
	if len(path) == 1 {
		into[path[0]] = text
		return
	}
	below, ok := into[path[0]].(map[string]any)
	if !ok {
		below = map[string]any{}
		into[path[0]] = below
	}
	put(below, path[1:], text)
}

// listed makes lists of objects whose members are all numbers.
func listed(value any) any {
	m, ok := value.(map[string]any)
	if !ok {
		return value
	}
	numbered := len(m) > 0
	for name, one := range m {
		m[name] = listed(one)
		if _, err := strconv.Atoi(name); err != nil {
			numbered = false
		}
	}
	if !numbered {
		return m
	}
	var list []any
	for _, name := range slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	}) {
		list = append(list, m[name])
	}
	return list
}
