package lang

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// Data is the JSON object of a source event: its values in the order and the
// spelling in which they were sent.
type Data struct {
	root node
	// hasLists says that there is a list of objects, or an empty one.
	hasLists bool
	// An Evaluator has a Data of its own, in which visits counts what looking
	// names up cost, and known keeps what was found in the whole of the data.
	visits int
	known  map[seekKey]sought
	used   bool // a name led to something
	// dots is the largest number of dots in one key, so that a path is only
	// cut where a key can end.
	dots int
}

// A node is a scalar, a number, a boolean, null, a list or an *object.
type node any

type (
	scalar  string // a string's text
	number  string // a number as it was written
	boolean bool
	null    struct{}
	list    []node
)

// leafText is how a node without members reads in a document, and false for
// one that has some.
func leafText(n node) (string, bool) {
	switch n := n.(type) {
	case scalar:
		return string(n), true
	case number:
		return string(n), true
	case boolean:
		return strconv.FormatBool(bool(n)), true
	case null:
		return "", true
	}
	return "", false
}

// An object keeps its members in order.
type object struct {
	members []member
	index   map[string]int // by the key as sent; only where there are many

	// canonical and folded are the members by their other names, the last of
	// those that share one; only where there are very many. Of a folded name
	// that stands for several it is ambiguous.
	canonical, folded map[string]int
}

const ambiguous = -1

type member struct {
	key   *key
	value node
}

// A key is shared by all objects that have it: lists repeat the same few keys.
type key struct {
	sent      string // as in the JSON
	canonical string
	folded    string
}

// indexedFrom is the number of members from which a map beats going through
// them; searchedFrom the one from which names that are not there, or are in
// another case, would take too long to look for in a hostile template.
const (
	indexedFrom  = 16
	searchedFrom = 64
)

// ParseData reads one JSON object. Of duplicate keys the last value counts;
// invalid UTF-8 becomes U+FFFD; numbers keep their digits. The error has
// KindInvalid when body is not one JSON object or nests deeper than
// platen.MaxSourceDepth, and quotes nothing of it.
func ParseData(body []byte) (*Data, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	p := parser{
		decoder: jsontext.NewDecoder(bytes.NewReader(body),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		keys: map[string]*key{},
	}
	if p.decoder.PeekKind() != '{' {
		return nil, platen.Errorf(platen.KindInvalid, "source_not_object", "the source data is not a JSON object")
	}
	root, err := p.parseValue()
	if err == nil {
		_, err = p.decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return &Data{root: root, hasLists: p.hasLists, dots: p.dots}, nil
		}
	}
	if e, ok := errors.AsType[*platen.Error](err); ok {
		return nil, e
	}
	return nil, &platen.Error{
		Kind: platen.KindInvalid, Code: "source_not_json",
		Message: fmt.Sprintf("the source data is not one valid JSON object: see byte %d", p.decoder.InputOffset()),
	}
}

type parser struct {
	decoder  *jsontext.Decoder
	keys     map[string]*key
	hasLists bool
	dots     int
}

func (p *parser) parseValue() (node, error) {
	token, err := p.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	if p.decoder.StackDepth() > platen.MaxSourceDepth {
		return nil, platen.Errorf(platen.KindInvalid, "source_too_deep", "the source data nests objects and lists deeper than %d levels", platen.MaxSourceDepth)
	}
	switch token.Kind() {
	case '{':
		return p.parseObject()
	case '[':
		return p.parseList()
	case 'n':
		return null{}, nil
	case 't', 'f':
		return boolean(token.Kind() == 't'), nil
	case '0':
		return number(token.String()), nil
	}
	return scalar(token.String()), nil
}

func (p *parser) parseList() (node, error) {
	var items list
	for p.decoder.PeekKind() != ']' {
		item, err := p.parseValue()
		if err != nil {
			return nil, err
		}
		if _, ok := item.(*object); ok {
			p.hasLists = true
		}
		items = append(items, item)
	}
	p.hasLists = p.hasLists || len(items) == 0
	_, err := p.decoder.ReadToken()
	return items, err
}

func (p *parser) parseObject() (node, error) {
	o := &object{}
	for p.decoder.PeekKind() != '}' {
		name, err := p.decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		k := p.internKey(name.String())
		value, err := p.parseValue()
		if err != nil {
			return nil, err
		}
		o.set(k, value)
	}
	if len(o.members) >= searchedFrom {
		o.indexNames()
	}
	_, err := p.decoder.ReadToken()
	return o, err
}

func (o *object) indexNames() {
	o.canonical, o.folded = make(map[string]int, len(o.members)), make(map[string]int, len(o.members))
	for i, m := range o.members {
		o.canonical[m.key.canonical] = i
		before, taken := o.folded[m.key.folded]
		if taken && (before == ambiguous || o.members[before].key.canonical != m.key.canonical) {
			o.folded[m.key.folded] = ambiguous
			continue
		}
		o.folded[m.key.folded] = i
	}
}

func (p *parser) internKey(sent string) *key {
	if k, ok := p.keys[sent]; ok {
		return k
	}
	canonical := syntax.Canonical(sent)
	k := &key{sent: sent, canonical: canonical, folded: syntax.Fold(canonical)}
	p.keys[sent] = k
	p.dots = max(p.dots, strings.Count(canonical, "."))
	return k
}

// set adds a member; a duplicate keeps its first place and gets the last value.
func (o *object) set(k *key, value node) {
	if o.index == nil && len(o.members) >= indexedFrom {
		o.index = make(map[string]int, 2*indexedFrom)
		for i, m := range o.members {
			o.index[m.key.sent] = i
		}
	}
	at, found := o.index[k.sent]
	if o.index == nil {
		for i, m := range o.members {
			if m.key == k {
				at, found = i, true
			}
		}
	}
	if found {
		o.members[at].value = value
		return
	}
	if o.index != nil {
		o.index[k.sent] = len(o.members)
	}
	o.members = append(o.members, member{k, value})
}

// get finds a member by its canonical name: the key that was sent so, else the
// last one whose canonical name it is; with anyCase also the only key that differs in
// nothing but case.
func (o *object) get(name string, anyCase bool) (node, bool) {
	if at, ok := o.index[name]; ok {
		return o.members[at].value, true
	}
	if o.canonical != nil {
		at, ok := o.canonical[name]
		if !ok && anyCase {
			at, ok = o.folded[syntax.Fold(name)]
		}
		if !ok || at == ambiguous {
			return nil, false
		}
		return o.members[at].value, true
	}
	var found node
	ok := false
	for _, m := range o.members {
		if m.key.canonical == name {
			found, ok = m.value, true
			if m.key.sent == name {
				return found, true
			}
		}
	}
	if ok || !anyCase {
		return found, ok
	}
	folded, canonical := syntax.Fold(name), ""
	for _, m := range o.members {
		if m.key.folded != folded {
			continue
		}
		if ok && m.key.canonical != canonical {
			return nil, false // two keys that differ in case only: no guessing
		}
		found, ok, canonical = m.value, true, m.key.canonical
	}
	return found, ok
}

// Empty are the paths, without indexes, of the parts that are null, "", [] or {} wherever
// they stand in the data: they may be anything in another event.
func (d *Data) Empty() []string {
	filled := map[string]bool{}
	var all []string
	var walk func(path string, n node)
	walk = func(path string, n node) {
		isEmpty := false
		switch n := n.(type) {
		case *object:
			isEmpty = len(n.members) == 0
			for _, m := range n.members {
				below := m.key.sent
				if path != "" {
					below = path + "." + below
				}
				walk(below, m.value)
			}
		case list:
			if isEmpty = len(n) == 0; !isEmpty {
				for _, item := range n {
					walk(path, item)
				}
				return
			}
		case scalar:
			isEmpty = n == ""
		case null:
			isEmpty = true
		}
		if before, known := filled[path]; known {
			filled[path] = before || !isEmpty
			return
		}
		filled[path] = !isEmpty
		all = append(all, path)
	}
	walk("", d.root)
	return slices.DeleteFunc(all, func(path string) bool { return path == "" || filled[path] })
}
