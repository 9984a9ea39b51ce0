package lang

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// maxKey is how many bytes of a text are looked at to sort by it.
const maxKey = 1000

// itemsKey is the name of a group's items inside the group.
const itemsKey = "@items"

// apply carries a clause out on items of a list.
func (e *Evaluator) apply(c syntax.Clause, items []*Scope, outer *Scope) ([]*Scope, *Finding) {
	e.steps += len(items)
	switch c.Word {
	case "where":
		return e.applyWhere(c, items)
	case "sort":
		return e.applySort(c, items)
	case "group":
		return e.applyGroup(c, items)
	}
	v, err := env{e: e, scope: outer}.eval(c.Keys[0].By)
	if err != nil {
		return nil, err
	}
	n, ok := numberOf(v)
	if !ok || isEmpty(v) || !n.IsInteger() || n.IsNegative() {
		return nil, blame(c.Keys[0].By, findingf("wrong_limit", "limit takes a whole number from 0 on, such as limit 10."))
	}
	if n.LessThan(decimal.NewFromInt(int64(len(items)))) {
		items = items[:n.IntPart()]
	}
	return items, nil
}

func (e *Evaluator) applyWhere(c syntax.Clause, items []*Scope) ([]*Scope, *Finding) {
	var kept []*Scope
	for _, item := range items {
		v, err := env{e: e, scope: item, quiet: true}.eval(c.Keys[0].By)
		if err != nil {
			return nil, err
		}
		if isTrue(v) {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

// evalKey works out what an item is sorted or grouped by.
func (e *Evaluator) evalKey(c syntax.Clause, by syntax.Expr, item *Scope) (value, *Finding) {
	v, err := env{e: e, scope: item, quiet: true}.eval(by)
	if err != nil {
		return nil, err
	}
	if many, is := v.(values); is && len(many) == 1 {
		v = many[0]
	}
	switch v := v.(type) {
	case *object:
	case values:
		if len(v) == 0 {
			return nil, nil
		}
	case string:
		if c.Word == "sort" {
			v = cut(v, maxKey)
		}
		e.steps += len(v) / 8
		return v, nil
	default:
		return v, nil
	}
	return nil, findingf("wrong_clause", "%s takes a single value of each item, such as %s: this one has several, or fields of its own.",
		c.Word, map[string]string{"sort": "sort Name", "group": "group Country"}[c.Word])
}

// A rank is what a value is sorted by: numbers come before texts, and what is empty is
// last in either direction.
type rank struct {
	class  int
	number decimal.Decimal
	text   []byte
}

func (r rank) compare(other rank, descending bool) int {
	order := r.number.Cmp(other.number)
	if r.class != other.class {
		order = r.class - other.class
	} else if order == 0 {
		order = slices.Compare(r.text, other.text)
	}
	if descending && r.class != emptyRank && other.class != emptyRank {
		return -order
	}
	return order
}

const (
	numberRank = iota
	textRank
	emptyRank
)

// applySort orders by the rules of Unicode (UTS 10) without regard to case, so that Ä is
// beside A. Items that are alike stay as they were sent.
func (e *Evaluator) applySort(c syntax.Clause, items []*Scope) ([]*Scope, *Finding) {
	collator, buffer := collate.New(language.Und, collate.IgnoreCase), &collate.Buffer{}
	type ranked struct {
		item  *Scope
		ranks []rank
	}
	all := make([]ranked, len(items))
	for i, item := range items {
		all[i] = ranked{item: item}
		for _, key := range c.Keys {
			v, err := e.evalKey(c, key.By, item)
			if err != nil {
				return nil, err
			}
			r := rank{class: emptyRank}
			if n, ok := numberOf(v); ok && !isEmpty(v) {
				r = rank{class: numberRank, number: n.Decimal}
			} else if !isEmpty(v) {
				r = rank{class: textRank, text: collator.KeyFromString(buffer, textOf(v))}
			}
			all[i].ranks = append(all[i].ranks, r)
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		for i, key := range c.Keys {
			if order := a.ranks[i].compare(b.ranks[i], key.Descending); order != 0 {
				return order
			}
		}
		return 0
	})
	sorted := make([]*Scope, len(all))
	for i, r := range all {
		sorted[i] = r.item
	}
	return sorted, nil
}

// applyGroup makes one item of those that share a value, in the order in which the first
// of each was sent. Texts are the same without regard to case, numbers by their size.
func (e *Evaluator) applyGroup(c syntax.Clause, items []*Scope) ([]*Scope, *Finding) {
	var groups []*Scope
	known := map[string]*Scope{}
	for _, item := range items {
		v, err := e.evalKey(c, c.Keys[0].By, item)
		if err != nil {
			return nil, err
		}
		name := "text " + syntax.Fold(textOf(v))
		if n, ok := numberOf(v); ok && !isEmpty(v) {
			name = "number " + n.Decimal.String()
		}
		g := known[name]
		if g == nil {
			g = newGroup(c, item, v)
			known[name] = g
			groups = append(groups, g)
		}
		g.gather(item.item)
	}
	return groups, nil
}

// newGroup is a group whose fields are those of its first item.
func newGroup(c syntax.Clause, first *Scope, by value) *Scope {
	members := []member{{key: &key{sent: itemsKey, canonical: itemsKey, folded: itemsKey}, value: list{}}}
	if o, is := first.item.(*object); is {
		for _, m := range o.members {
			if m.key.canonical != itemsKey {
				members = append(members, m)
			}
		}
	}
	names := first.paths
	if first.group != nil {
		names = first.group.names
	}
	return &Scope{
		parent: first.parent, paths: []string{first.List() + " " + c.Text}, source: first.source, relative: true,
		item: &object{members: members}, group: &group{names: names, by: by},
	}
}

// gather adds an item to a group; of a group, its items.
func (s *Scope) gather(item node) {
	o := s.item.(*object)
	items := o.members[0].value.(list)
	if inner, is := item.(*object); is && len(inner.members) > 0 && inner.members[0].key.sent == itemsKey {
		items = append(items, inner.members[0].value.(list)...)
	} else {
		items = append(items, item)
	}
	o.members[0].value = items
}

// A group is what an item stands for that a group clause made.
type group struct {
	names []string // of the list that was grouped, which are those of its items here
	by    value    // what they share
}

// spellItems returns what of a name means the group's items as itemsKey, and the name where
// it is none of theirs.
func (s *Scope) spellItems(name string) string {
	if s == nil || s.group == nil {
		return name
	}
	for _, list := range s.group.names {
		if len(name) >= len(list) && strings.EqualFold(name[:len(list)], list) && (len(name) == len(list) || name[len(list)] == '.') {
			return itemsKey + name[len(list):]
		}
	}
	return name
}

// renumber counts items as they stand behind a clause.
func renumber(items []*Scope) []*Scope {
	backing := make([]Scope, len(items))
	all := make([]*Scope, len(items))
	for i, item := range items {
		backing[i] = *item
		backing[i].index, backing[i].count = i+1, len(items)
		all[i] = &backing[i]
	}
	return all
}

// cutList returns the steps of a name behind that of a list.
func cutList(name, list string) ([]string, bool) {
	if list == "" || len(name) < len(list) || !strings.EqualFold(name[:len(list)], list) {
		return nil, false
	}
	rest := name[len(list):]
	if rest == "" {
		return nil, true
	}
	return strings.Split(dotIndexes(rest[1:]), "."), rest[0] == '.'
}

// readClauses notes what the clauses of an Each ask for. Like a condition they do not
// require it.
func (in *requirementReader) readClauses(s *syntax.Statement) {
	list := in.findPath(s.Name)
	for _, c := range s.Clauses {
		if c.Word == "limit" {
			in.readFormula(c.Keys[0].By, use{})
			continue
		}
		in.lists, in.groups = append(in.lists, list), append(in.groups, s.GroupName())
		for _, key := range c.Keys {
			in.readFormula(key.By, use{})
		}
		in.lists, in.groups = in.lists[:len(in.lists)-1], in.groups[:len(in.groups)-1]
	}
}
