package lang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// env is what a formula is worked out in: an Evaluator, and the scope of its
// names.
type env struct {
	e     *Evaluator
	scope *Scope
	// quiet is set where a name without data is no fault of the sender.
	quiet bool
}

func (in env) eval(e syntax.Expr) (value, *Finding) {
	if in.e.steps++; in.e.isExhausted() {
		return nil, dataFindingf("template_too_costly", "The template's formulas take too many steps for this data.")
	}
	switch e := e.(type) {
	case *syntax.Literal:
		return e.Value, nil
	case *syntax.Name:
		v, _ := in.evalName(e.Name)
		return v, nil
	case *syntax.Unary:
		return in.evalUnary(e)
	case *syntax.Binary:
		return in.evalBinary(e)
	case *syntax.Call:
		return in.e.functions.all()[e.Function].apply(in, e.Args)
	}
	return nil, findingf("formula_empty", "There is nothing to work out.")
}

// evalName returns the value of a name, noting one without data.
func (in env) evalName(name string) (value, bool) {
	if v, ok := in.scope.evalCounter(name); ok {
		return v, true
	}
	if n, ok := in.e.builtins.number(name); ok {
		return n, true
	}
	found, ok := in.e.data.seek(name, in.scope)
	if !ok || found.loose {
		if text, is := in.e.builtins.get(name, !ok); is {
			return text, true
		}
	}
	if !ok {
		if !in.quiet {
			in.e.blanks++
			in.e.lack(name, in.scope)
		}
		return nil, false
	}
	return in.counted(found), true
}

// counted is valueOf, noting a blank.
func (in env) counted(found sought) value {
	v := in.valueOf(found)
	if text, isText := v.(string); !in.quiet && (v == nil || isText && strings.TrimSpace(text) == "") {
		in.e.blanks++
	}
	return v
}

// valueOf is the value of what a name leads to: of a name that goes through
// lists, all values.
func (in env) valueOf(found sought) value {
	if len(found.nodes) == 1 && len(found.loops) == 0 {
		return valueOf(found.nodes[0])
	}
	all := make(values, len(found.nodes))
	for i, n := range found.nodes {
		all[i] = valueOf(n)
	}
	in.e.steps += len(all)
	return all
}

// evalCounter returns the value of the names that tell where an item stands.
func (s *Scope) evalCounter(name string) (value, bool) {
	if s == nil || !strings.HasPrefix(name, "@") {
		return nil, false
	}
	switch strings.ToLower(name) {
	case "@index":
		return syntax.NewNumber(decimal.NewFromInt(int64(s.index))), true
	case "@count":
		return syntax.NewNumber(decimal.NewFromInt(int64(s.count))), true
	case "@first":
		return s.index == 1, true
	case "@last":
		return s.index == s.count, true
	case "@key":
		for ; s != nil; s = s.parent {
			if s.group != nil {
				return s.group.by, true
			}
		}
	}
	return nil, false
}

func (in env) evalUnary(e *syntax.Unary) (value, *Finding) {
	x, err := in.eval(e.X)
	if err != nil {
		return nil, err
	}
	if e.Op == "!" {
		return !isTrue(x), nil
	}
	n, err := in.toNumber(e.X, x)
	switch {
	case err != nil:
		return nil, err
	case e.Op == "-":
		return syntax.NewNumber(n.Neg()), nil
	case e.Op == "%":
		return syntax.NewNumber(n.Shift(-2)), nil
	}
	return n, nil
}

// toNumber reads a value as a number, or says which part of the formula is
// none.
func (in env) toNumber(e syntax.Expr, v value) (syntax.Number, *Finding) {
	n, ok := numberOf(v)
	if ok {
		in.doubt(e, v)
		return n, nil
	}
	if name, is := e.(*syntax.Name); is {
		if all, list := v.(values); list && len(all) > 1 {
			return n, findingf("not_a_number", "%s has several values here; SUM, MAX or another function makes one of them.", name.Name)
		}
	}
	return n, in.unfit(e, v)
}

// toCompare says of what is compared with a number that it is none for certain.
func (in env) toCompare(e syntax.Expr, v, with value) *Finding {
	if _, number := numberOf(with); isEmpty(with) || !number || !isDoubtful(v) {
		return nil
	}
	_, err := in.toNumber(e, v)
	return err
}

// blame makes a finding about an argument one of the data where that says what the
// argument is.
func blame(arg syntax.Expr, f *Finding) *Finding {
	if f == nil || len(syntax.NamesIn(arg, true, nil, nil)) == 0 {
		return f
	}
	f.Data, f.Value = true, true
	return ofField(arg, f)
}

// ofField has a finding say that it is about an argument's value, where the argument is a
// field.
func ofField(arg syntax.Expr, f *Finding) *Finding {
	if name, is := arg.(*syntax.Name); is && f != nil {
		f.name, f.said = name.Name, f.Message
	}
	return f
}

func (in env) evalBinary(e *syntax.Binary) (value, *Finding) {
	if found, ok := in.seekSigned(e); ok {
		return in.counted(found), nil
	}
	left, err := in.eval(e.L)
	if err != nil {
		return nil, err
	}
	switch {
	case e.Op == "and" && !isTrue(left):
		return false, nil
	case e.Op == "or" && isTrue(left):
		return true, nil
	}
	right, err := in.eval(e.R)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "and", "or":
		return isTrue(right), nil
	case "&":
		return in.concat(values{left, right})
	case "=", "<>", "<", "<=", ">", ">=":
		if err := cmp.Or(in.toCompare(e.L, left, right), in.toCompare(e.R, right, left)); err != nil {
			return nil, err
		}
		return satisfies(e.Op, compare(left, right)), nil
	}
	x, err := in.toNumber(e.L, left)
	if err != nil {
		return nil, err
	}
	y, err := in.toNumber(e.R, right)
	if err != nil {
		return nil, err
	}
	return calculate(e.Op, x, y)
}

func satisfies(op string, order int) bool {
	switch op {
	case "=":
		return order == 0
	case "<>":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func calculate(op string, x, y syntax.Number) (value, *Finding) {
	var result decimal.Decimal
	switch op {
	case "+":
		result = x.Add(y.Decimal)
	case "-":
		result = x.Sub(y.Decimal)
	case "*":
		result = x.Mul(y.Decimal)
	default:
		if y.IsZero() {
			return nil, valueFindingf("division_by_zero", "The formula divides by zero.")
		}
		result = x.DivRound(y.Decimal, divisionDigits)
	}
	if !syntax.IsReckonable(result) {
		return nil, valueFindingf("number_too_large", "A number of the formula has more than %d digits.", syntax.MaxDigits)
	}
	return syntax.NewNumber(result), nil
}

// A signedKey is what looks like reckoning, inside the items of a list.
type signedKey struct{ text, list string }

// seekSigned takes what looks like reckoning with two names for the one name
// that the data has, such as E-Mail, unless it has the two as well.
func (in env) seekSigned(e *syntax.Binary) (sought, bool) {
	key := signedKey{text: e.Text}
	if in.scope != nil {
		key.list = in.scope.List()
	}
	if !e.MayBeName() || in.e.reckoned[key] {
		return sought{}, false
	}
	found, ok := in.e.data.seek(e.Text, in.scope)
	for _, name := range syntax.NamesIn(e, true, nil, nil) {
		if !ok {
			break
		}
		if _, apart := in.e.data.seek(name, in.scope); !apart {
			return found, true
		}
	}
	in.e.reckoned[key] = true
	return sought{}, false
}

func (in env) isSigned(e *syntax.Binary) bool {
	_, ok := in.seekSigned(e)
	return ok
}

// evalEach works an argument out once for every item of the lists that its
// names go through, so that SUM(Items.Price * Items.Qty) multiplies item by
// item. fits, if any, is asked of each value whether it can be used.
func (in env) evalEach(arg syntax.Expr, fits func(value) *Finding) (values, *Finding) {
	lists := in.e.listsUnder(syntax.NamesIn(arg, false, in.isSigned, nil), in.scope)
	if lists.chain == nil {
		v, err := env{in.e, lists.scope, in.quiet}.eval(arg)
		all := flatten(nil, v)
		in.e.steps += len(all)
		for i := 0; i < len(all) && err == nil && fits != nil; i++ {
			err = fits(all[i])
		}
		return all, err
	}
	var all values
	for _, item := range in.e.data.unroll(lists.chain, lists.scope) {
		v, err := env{in.e, item, in.quiet}.eval(arg)
		before := len(all)
		all = flatten(all, v)
		for i := before; i < len(all) && err == nil && fits != nil; i++ {
			err = fits(all[i])
		}
		if err != nil {
			in.e.locate(err, item)
			return nil, err
		}
	}
	return all, nil
}

// under are lists with the scope that they are read from.
type under struct {
	chain []string
	scope *Scope
}

// listsUnder finds the lists that a function over whole lists means: in a row
// that is repeated for the items of a list, the list and not the row's item.
func (e *Evaluator) listsUnder(names []string, scope *Scope) under {
	for s := scope; len(names) > 0; s = s.parent {
		if chain, _ := e.data.findLists(names, s); chain != nil {
			return under{chain, s}
		}
		for _, name := range names {
			found, ok := e.data.seek(name, s)
			if ok && slices.ContainsFunc(found.nodes, func(n node) bool { _, is := n.(list); return is }) {
				return under{nil, s}
			}
		}
		if s == nil {
			break
		}
	}
	return under{nil, scope}
}
