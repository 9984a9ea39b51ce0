package lang

import (
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// Holds tells whether the condition of an If or ElseIf holds. A name without
// data makes it false and is not noted as missing: a condition may ask for it.
func (e *Evaluator) Holds(s *syntax.Statement, scope *Scope) bool {
	if s.Formula == nil {
		return s.Kind == syntax.Else
	}
	v, err := env{e: e, scope: scope, quiet: true}.eval(s.Formula)
	if err != nil {
		e.reportOf(s, scope, err)
		return false
	}
	return isTrue(v)
}

// Items returns a scope for each item of the list that an Each names and its
// clauses leave. A list that the data does not have has no items and is noted as
// missing; a value of another kind is a finding.
func (e *Evaluator) Items(s *syntax.Statement, scope *Scope) []*Scope {
	scopes, ok := e.data.findItems(s.Name, scope, true)
	if ok {
		return e.selectItems(s, scopes, scope)
	}
	if _, there := e.data.seek(s.Name, scope); there {
		e.reportOf(s, scope, valueFindingf("not_a_list", "%s is not a list.", s.Name))
	} else {
		e.noteMissing(s.Name, scope)
	}
	return nil
}

// selectItems returns the items that the clauses of an Each leave, in their order.
func (e *Evaluator) selectItems(s *syntax.Statement, items []*Scope, scope *Scope) []*Scope {
	e.countItems(items)
	for _, c := range s.Clauses {
		left, err := e.apply(c, items, scope)
		if err != nil {
			e.reportOf(s, scope, err)
			return nil
		}
		items = renumber(left)
	}
	return items
}

// Repeats returns a scope for each item of the list that statements go
// through, as in a row of a table, and false when they go through none. When
// they go through lists that do not lie one inside the other, the first counts
// and a finding says so.
func (e *Evaluator) Repeats(statements []*syntax.Statement, scope *Scope) ([]*Scope, bool) {
	if !e.data.hasLists {
		return nil, false
	}
	var names []string
	for _, s := range statements {
		if s.Kind != syntax.Each {
			names = append(names, s.Names(env{e: e, scope: scope}.isSigned)...)
		}
	}
	chain, other := e.data.findLists(names, scope)
	if chain == nil {
		return nil, false
	}
	if other != "" {
		e.Report(Finding{Code: "two_lists", Tag: statements[0].Tag, Message: "This row or line names fields of " + chain[0] + " and of " + other + ": it can be repeated for one list only."})
	}
	scopes := e.data.unroll(chain, scope)
	e.countItems(scopes)
	return scopes, true
}

// Entries returns a scope for each text of the list that a tag, which is all of an entry of
// a list, names: the name stands for the text there. It is false for any other tag, and for
// a list whose items have fields or lists of their own.
func (e *Evaluator) Entries(s *syntax.Statement, scope *Scope) ([]*Scope, bool) {
	if !e.data.hasLists || s.Kind != syntax.Field || s.Name == "this" || strings.HasPrefix(s.Name, "this.") {
		return nil, false
	}
	found, ok := e.data.seek(s.Name, scope)
	lists := 0
	for _, n := range found.nodes {
		switch n := n.(type) {
		case list:
			lists++
			for _, item := range n {
				switch item.(type) {
				case list, *object:
					return nil, false
				}
			}
		case null:
		default:
			return nil, false
		}
	}
	if !ok || lists == 0 {
		return nil, false
	}
	scopes := e.data.unroll(append(slices.Clone(found.loops), s.Name), scope)
	e.countItems(scopes)
	return scopes, true
}
