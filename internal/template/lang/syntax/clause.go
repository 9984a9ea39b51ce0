package syntax

import (
	"slices"
	"strings"
)

// maxClauses is how many clauses an {{#each}} may have.
const maxClauses = 8

// A Clause of an {{#each}} takes the items that the clause before it left.
type Clause struct {
	Word string    // where, sort, group or limit
	Keys []SortKey // of sort; of the others one
	Text string    // as the tag has it
}

// A SortKey is what items are sorted by.
type SortKey struct {
	By         Expr
	Descending bool
}

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
func (r *Reader) readEach(rest string) *Statement {
	name, text := cutClauses(rest)
	if r.fields.IsList(rest) {
		name, text = rest, ""
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if name == "" {
		return &Statement{Kind: Faulty, Mistake: mistakef("each_without_list", "{{#each}} names the list to go through: {{#each Items}}.")}
	}
	clauses, err := r.readClauses(text)
	if err != nil {
		return &Statement{Kind: Faulty, Mistake: err}
	}
	return &Statement{Kind: Each, Name: name, Clauses: clauses}
}

func (r *Reader) readClauses(text string) ([]Clause, *Mistake) {
	p := &formulaParser{lexer: lexer{text: text}, functions: r.functions, inClause: true}
	var all []Clause
	for p.advance(); p.token.kind != endToken; {
		c, err := p.parseClause()
		if err != nil {
			return nil, err
		}
		if len(all) == maxClauses {
			return nil, mistakef("too_many_clauses", "{{#each}} takes at most %d clauses.", maxClauses)
		}
		all = append(all, c)
	}
	return all, nil
}

func (p *formulaParser) parseClause() (Clause, *Mistake) {
	c := Clause{Word: clauseWord(p.token)}
	start := p.token.start
	if c.Word == "" {
		return c, mistakef("clause_unexpected", "%q does not belong here: behind a list stand where, sort, group and limit, such as {{#each Items where Qty > 1 sort Name desc limit 10}}.", p.lexer.text[p.token.start:p.token.end])
	}
	p.advance()
	if (c.Word == "sort" || c.Word == "group") && p.token.kind == wordToken && strings.EqualFold(p.token.text, "by") {
		p.advance()
	}
	for {
		if p.token.kind == endToken || clauseWord(p.token) != "" {
			return c, mistakef("clause_incomplete", "Behind %s stands %s.", c.Word, map[string]string{
				"where": "a condition, such as where Qty > 1", "sort": "what to sort by, such as sort Name desc",
				"group": "what the items of a group share, such as group Country", "limit": "a number, such as limit 10",
			}[c.Word])
		}
		by, err := p.parseLevel(0)
		if err != nil {
			return c, err
		}
		key := SortKey{By: by}
		if word := strings.ToLower(p.token.text); c.Word == "sort" && p.token.kind == wordToken && (word == "asc" || word == "desc") {
			key.Descending = word == "desc"
			p.advance()
		}
		c.Keys = append(c.Keys, key)
		if c.Word != "sort" || p.token.kind != operatorToken || p.token.text != "," && p.token.text != ";" {
			c.Text = p.lexer.text[start:p.last]
			return c, nil
		}
		p.advance()
	}
}

// ClauseNames are the names that the clauses of an Each look up in each item.
func (s *Statement) ClauseNames(isName func(*Binary) bool) []string {
	var names []string
	for _, c := range s.Clauses {
		for _, key := range c.Keys {
			names = NamesIn(key.By, true, isName, names)
		}
	}
	return names
}

// GroupName is the name of the list that an Each groups; empty where it does not.
func (s *Statement) GroupName() string {
	if slices.ContainsFunc(s.Clauses, func(c Clause) bool { return c.Word == "group" }) {
		return s.Name
	}
	return ""
}
