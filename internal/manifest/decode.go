package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/platenhq/platen/client"
)

// The tags of YAML's core schema that tell scalars apart.
const (
	nullTag   = "!!null"
	stringTag = "!!str"
	intTag    = "!!int"
	boolTag   = "!!bool"
)

// A decoding reads nodes into values, by the names that package json knows their fields
// by. It goes on after a fault, to find them all.
type decoding struct {
	file    string
	under   string // what pointers begin at, as people write it
	getenv  func(string) (string, bool)
	places  map[string]place
	secrets map[string]bool
	faults  []error
	left    int // nodes, aliases counted each time
	depth   int
}

func (d *decoding) fault(n *yaml.Node, what, format string, args ...any) {
	if d.under != "" {
		what = strings.TrimSuffix(d.under+"."+what, ".")
	}
	d.faults = append(d.faults, fmt.Errorf("%s:%d:%d: %s %s", d.file, n.Line, n.Column, what, fmt.Sprintf(format, args...)))
}

func reflectOf(to any) reflect.Value { return reflect.ValueOf(to).Elem() }

// value reads n, which stands at a JSON pointer.
func (d *decoding) value(n *yaml.Node, to reflect.Value, pointer string) {
	if !d.enter(n, pointer) {
		return
	}
	defer d.leave()
	n = resolved(n)
	d.places[pointer] = place{n.Line, n.Column}
	if n.Tag == nullTag {
		d.fault(n, dotted(pointer), "has no value: write one, or leave it out; a text that begins with # needs quotes")
		return
	}
	switch to.Interface().(type) {
	case json.RawMessage:
		if n.Kind == yaml.ScalarNode {
			d.fault(n, dotted(pointer), "must be members with values")
			return
		}
		sent, _ := json.Marshal(d.plain(n, pointer))
		to.SetBytes(sent)
		return
	case client.Needed:
		if n.Value == "all" {
			return
		}
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		d.value(n, to.Elem(), pointer)
	case reflect.Struct:
		d.object(n, to, pointer)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.fault(n, dotted(pointer), "must be a list: begin each of its lines with '- '")
			return
		}
		to.Set(reflect.MakeSlice(to.Type(), len(n.Content), len(n.Content)))
		for i, item := range n.Content {
			d.value(item, to.Index(i), pointer+"/"+strconv.Itoa(i))
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		for _, p := range d.pairs(n, dotted(pointer)) {
			item := reflect.New(to.Type().Elem()).Elem()
			d.value(p.value, item, pointer+"/"+escaped(p.name))
			to.SetMapIndex(reflect.ValueOf(p.name), item)
		}
	default:
		d.scalar(n, to, pointer)
	}
}

// enter counts a value, and tells whether it may be read: aliases make many of few, and one
// inside itself makes no end of them. What it lets in has to leave.
func (d *decoding) enter(n *yaml.Node, pointer string) bool {
	if d.left--; d.left >= 0 && d.depth < maxDepth {
		d.depth++
		return true
	}
	if d.left > -maxNodes { // said once
		d.fault(n, dotted(pointer), "makes more than %d values, or values deeper than %d: use fewer aliases", maxNodes, maxDepth)
		d.left = -maxNodes
	}
	return false
}

func (d *decoding) leave() { d.depth-- }

func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func (d *decoding) scalar(n *yaml.Node, to reflect.Value, pointer string) {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.fault(n, dotted(pointer), "must be one value, and no list or members")
	case to.Kind() == reflect.String && n.Tag != stringTag:
		d.fault(n, dotted(pointer), "must be text: write it in quotes, as in %q", n.Value)
	case to.Kind() == reflect.String:
		to.SetString(d.text(n, pointer))
	case to.Kind() == reflect.Bool:
		if n.Tag != boolTag {
			d.fault(n, dotted(pointer), "must be true or false")
			return
		}
		to.SetBool(strings.EqualFold(n.Value, "true"))
	default:
		whole, err := strconv.Atoi(n.Value)
		if n.Tag != intTag || err != nil {
			d.fault(n, dotted(pointer), "must be a whole number")
			return
		}
		to.SetInt(int64(whole))
	}
}

// object reads members into the fields of a struct.
func (d *decoding) object(n *yaml.Node, to reflect.Value, pointer string) {
	fields := map[string]reflect.Value{}
	var names []string
	for _, field := range reflect.VisibleFields(to.Type()) {
		if !field.Anonymous {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields[name], names = to.FieldByIndex(field.Index), append(names, name)
		}
	}
	read := d.members(n, dotted(pointer), names)
	if _, isDocument := to.Interface().(Document); isDocument && read != nil && read["template"] == nil {
		d.fault(n, dotted(pointer+"/template"), "is required: name a .docx or .pptx file, from the folder of this file")
	}
	for _, name := range names {
		if read[name] != nil {
			d.value(read[name], fields[name], pointer+"/"+name)
		}
	}
}

// members reads the members of n by name, and refuses those with other names; nil: there
// are none.
func (d *decoding) members(n *yaml.Node, what string, names []string) map[string]*yaml.Node {
	read := map[string]*yaml.Node{}
	pairs := d.pairs(n, what)
	if pairs == nil {
		return nil
	}
	for _, p := range pairs {
		if slices.Contains(names, p.name) {
			read[p.name] = p.value
			continue
		}
		cure := "leave it out; there are " + strings.Join(names, ", ")
		if meant := nearest(p.name, names); meant != "" {
			cure = "did you mean " + meant + "?"
		}
		d.fault(p.key, strings.TrimPrefix(what+"."+p.name, "."), "is no field here: %s", cure)
	}
	return read
}

type pair struct {
	name       string
	key, value *yaml.Node
}

// pairs are the members of n in their order; nil: n is a fault.
func (d *decoding) pairs(n *yaml.Node, what string) []pair {
	if n = resolved(n); n.Kind != yaml.MappingNode {
		d.fault(n, what, "must have members, as in 'name: value'")
		return nil
	}
	found, lines := []pair{}, map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolved(n.Content[i]), n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			d.fault(key, what, "has a member without a name")
		case key.Tag == "!!merge":
			d.fault(key, what, "has a merge key, which is not read: write the members out, or use an alias for all of them")
		case lines[key.Value] > 0:
			d.fault(key, strings.TrimPrefix(what+"."+key.Value, "."), "is there already, on line %d: leave one out", lines[key.Value])
		default:
			lines[key.Value] = key.Line
			found = append(found, pair{key.Value, key, value})
		}
	}
	return found
}

// plain is a node as package json writes it.
func (d *decoding) plain(n *yaml.Node, pointer string) any {
	if !d.enter(n, pointer) {
		return nil
	}
	defer d.leave()
	n = resolved(n)
	d.places[pointer] = place{n.Line, n.Column}
	switch n.Kind {
	case yaml.MappingNode:
		all := map[string]any{}
		for _, p := range d.pairs(n, dotted(pointer)) {
			all[p.name] = d.plain(p.value, pointer+"/"+escaped(p.name))
		}
		return all
	case yaml.SequenceNode:
		all := make([]any, len(n.Content))
		for i, item := range n.Content {
			all[i] = d.plain(item, pointer+"/"+strconv.Itoa(i))
		}
		return all
	}
	switch n.Tag {
	case nullTag:
		return nil
	case boolTag:
		return strings.EqualFold(n.Value, "true")
	case stringTag:
		return d.text(n, pointer)
	}
	if number := json.Number(n.Value); json.Valid([]byte(number)) {
		return number
	}
	d.fault(n, dotted(pointer), "must be text: write it in quotes, as in %q", n.Value)
	return nil
}

func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// A reference names a variable of the environment; a second dollar sign makes it text.
var reference = regexp.MustCompile(`\$?\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// text is a string with what the environment has for its references.
func (d *decoding) text(n *yaml.Node, pointer string) string {
	return reference.ReplaceAllStringFunc(n.Value, func(found string) string {
		if strings.HasPrefix(found, "$$") {
			return found[1:]
		}
		name := found[2 : len(found)-1]
		value, ok := d.getenv(name)
		if !ok || value == "" {
			d.fault(n, dotted(pointer), "needs the variable %s, which the environment does not have: set it, or write $${%s} for the text itself", name, name)
		}
		d.secrets[pointer] = true
		return value
	})
}

// literal is a text in which nothing is a reference.
func literal(text string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string { return "$" + found })
}

// nearest is the name that was meant, if one is near; else empty.
func nearest(name string, names []string) string {
	best, least := "", 1+len(name)/3
	for _, candidate := range names {
		if n := distance(strings.ToLower(name), strings.ToLower(candidate)); n < least || n == 0 {
			best, least = candidate, n
		}
	}
	return best
}

// distance is how many characters have to be put in, left out or replaced (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
