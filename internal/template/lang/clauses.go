package lang

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// maxClauses is how many clauses an {{#each}} may have.
const maxClauses = 8

// maxKey is how many bytes of a text are looked at to sort by it.
const maxKey = 1000

// A clause of an {{#each}} takes the items that the clause before it left.
type clause struct {
	word string    // where, sort, group or limit
	keys []sortKey // of sort; of the others one
	text string    // as the tag has it
}

type sortKey struct {
	by         expr
	descending bool
}

// itemsKey is the name of a group's items inside the group.
const itemsKey = "@items"

func clauseWord(t token) string {
	if t.kind != wordToken {
		return ""
	}
	switch word := strings.ToLower(t.text); word {
	case "where", "sort", "group", "limit":
		return word
	}
	return ""
}

// cutClauses parts the name of a list from its clauses. A word that begins the name
// is none of a clause.
func cutClauses(text string) (name, clauses string) {
	l := lexer{text: text}
	for first := true; ; first = false {
		t := l.next()
		switch {
		case t.kind == endToken || t.kind == badToken:
			return text, ""
		case clauseWord(t) != "" && !first:
			return strings.TrimSpace(text[:t.start]), text[t.start:]
		}
	}
}

// readEach reads what stands behind #each. Where the data has a list of just that name,
// it has no clauses.
func (e *Evaluator) readEach(rest string) *Statement {
	name, text := cutClauses(rest)
	if _, ok := e.data.seek(rest, nil); ok {
		name, text = rest, ""
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if name == "" {
		return &Statement{Kind: Faulty, finding: findingf("each_without_list", "{{#each}} names the list to go through: {{#each Items}}.")}
	}
	clauses, err := e.readClauses(text)
	if err != nil {
		return &Statement{Kind: Faulty, finding: err}
	}
	return &Statement{Kind: Each, name: name, clauses: clauses}
}

func (e *Evaluator) readClauses(text string) ([]clause, *Finding) {
	p := &formulaParser{lexer: lexer{text: text}, functions: e.allFunctions(), inClause: true}
	var all []clause
	for p.advance(); p.token.kind != endToken; {
		c, err := p.parseClause()
		if err != nil {
			return nil, err
		}
		if len(all) == maxClauses {
			return nil, findingf("too_many_clauses", "{{#each}} takes at most %d clauses.", maxClauses)
		}
		all = append(all, c)
	}
	return all, nil
}

func (p *formulaParser) parseClause() (clause, *Finding) {
	c := clause{word: clauseWord(p.token)}
	start := p.token.start
	if c.word == "" {
		return c, findingf("clause_unexpected", "%q does not belong here: behind a list stand where, sort, group and limit, such as {{#each Items where Qty > 1 sort Name desc limit 10}}.", p.lexer.text[p.token.start:p.token.end])
	}
	p.advance()
	if (c.word == "sort" || c.word == "group") && p.token.kind == wordToken && strings.EqualFold(p.token.text, "by") {
		p.advance()
	}
	for {
		if p.token.kind == endToken || clauseWord(p.token) != "" {
			return c, findingf("clause_incomplete", "Behind %s stands %s.", c.word, map[string]string{
				"where": "a condition, such as where Qty > 1", "sort": "what to sort by, such as sort Name desc",
				"group": "what the items of a group share, such as group Country", "limit": "a number, such as limit 10",
			}[c.word])
		}
		by, err := p.parseLevel(0)
		if err != nil {
			return c, err
		}
		key := sortKey{by: by}
		if word := strings.ToLower(p.token.text); c.word == "sort" && p.token.kind == wordToken && (word == "asc" || word == "desc") {
			key.descending = word == "desc"
			p.advance()
		}
		c.keys = append(c.keys, key)
		if c.word != "sort" || p.token.kind != operatorToken || p.token.text != "," && p.token.text != ";" {
			c.text = p.lexer.text[start:p.last]
			return c, nil
		}
		p.advance()
	}
}

// apply carries a clause out on items of a list.
func (e *Evaluator) apply(c clause, items []*Scope, outer *Scope) ([]*Scope, *Finding) {
	e.steps += len(items)
	switch c.word {
	case "where":
		return e.applyWhere(c, items)
	case "sort":
		return e.applySort(c, items)
	case "group":
		return e.applyGroup(c, items)
	}
	v, err := env{e: e, scope: outer}.eval(c.keys[0].by)
	if err != nil {
		return nil, err
	}
	n, ok := numberOf(v)
	if !ok || isEmpty(v) || !n.IsInteger() || n.IsNegative() {
		return nil, blame(c.keys[0].by, findingf("wrong_limit", "limit takes a whole number from 0 on, such as limit 10."))
	}
	if n.LessThan(decimal.NewFromInt(int64(len(items)))) {
		items = items[:n.IntPart()]
	}
	return items, nil
}

func (e *Evaluator) applyWhere(c clause, items []*Scope) ([]*Scope, *Finding) {
	var kept []*Scope
	for _, item := range items {
		v, err := env{e: e, scope: item, quiet: true}.eval(c.keys[0].by)
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
func (e *Evaluator) evalKey(c clause, by expr, item *Scope) (value, *Finding) {
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
		if c.word == "sort" {
			v = cut(v, maxKey)
		}
		e.steps += len(v) / 8
		return v, nil
	default:
		return v, nil
	}
	return nil, findingf("wrong_clause", "%s takes a single value of each item, such as %s: this one has several, or fields of its own.",
		c.word, map[string]string{"sort": "sort Name", "group": "group Country"}[c.word])
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
func (e *Evaluator) applySort(c clause, items []*Scope) ([]*Scope, *Finding) {
	collator, buffer := collate.New(language.Und, collate.IgnoreCase), &collate.Buffer{}
	type ranked struct {
		item  *Scope
		ranks []rank
	}
	all := make([]ranked, len(items))
	for i, item := range items {
		all[i] = ranked{item: item}
		for _, key := range c.keys {
			v, err := e.evalKey(c, key.by, item)
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
		for i, key := range c.keys {
			if order := a.ranks[i].compare(b.ranks[i], key.descending); order != 0 {
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
func (e *Evaluator) applyGroup(c clause, items []*Scope) ([]*Scope, *Finding) {
	var groups []*Scope
	known := map[string]*Scope{}
	for _, item := range items {
		v, err := e.evalKey(c, c.keys[0].by, item)
		if err != nil {
			return nil, err
		}
		name := "text " + fold(textOf(v))
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
func newGroup(c clause, first *Scope, by value) *Scope {
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
		parent: first.parent, paths: []string{first.List() + " " + c.text}, source: first.source, relative: true,
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

// clauseNames are the names that the clauses of an Each look up in each item.
func (s *Statement) clauseNames(isName func(*binary) bool) []string {
	var names []string
	for _, c := range s.clauses {
		for _, key := range c.keys {
			names = namesIn(key.by, true, isName, names)
		}
	}
	return names
}

// groupName is the name of the list that an Each groups; empty where it does not.
func (s *Statement) groupName() string {
	if slices.ContainsFunc(s.clauses, func(c clause) bool { return c.word == "group" }) {
		return s.name
	}
	return ""
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
func (in *requirementReader) readClauses(s *Statement) {
	list := in.findPath(s.name)
	for _, c := range s.clauses {
		if c.word == "limit" {
			in.readFormula(c.keys[0].by, use{})
			continue
		}
		in.lists, in.groups = append(in.lists, list), append(in.groups, s.groupName())
		for _, key := range c.keys {
			in.readFormula(key.by, use{})
		}
		in.lists, in.groups = in.lists[:len(in.lists)-1], in.groups[:len(in.groups)-1]
	}
}
