package lang

import (
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A function of formulas, in the manner of spreadsheets. Functions stand in
// tables, a file for each group: functions_list.go, functions_number.go,
// functions_logic.go, functions_text.go, functions_format.go, functions_date.go and
// functions_payment.go. A new one takes an entry in the table of its group, its method
// below that, its row in docs/templates.md, and its cases in the test of its group;
// requirements.go knows the few whose arguments are not plain values.
//
// A function that takes a list whole sets aggregate and reads its arguments with
// evalItems; others use evalText or evalNumber. One that can lengthen a text
// checks MaxExpanded itself.
type function struct {
	name     string // in upper case; formulas may write it in any
	usage    string // as the specification writes it
	min, max int    // number of arguments
	// aggregate functions take all items of a list, also where the rest of a
	// formula stands for one of them.
	aggregate bool
	// reckons says that the first argument, or all of an aggregate, are numbers:
	// the schema of a template's data says so then.
	reckons bool
	// check says what is wrong with the arguments for any data; nil: nothing can be.
	check func(args []syntax.Expr) *syntax.Mistake
	// apply works it out; it evaluates those arguments that it needs.
	apply func(in env, args []syntax.Expr) (value, *Finding)
}

// functions are all there are, by name; made when a formula needs them.
type functions struct{ byName map[string]function }

func (f *functions) all() map[string]function {
	if f.byName == nil {
		f.byName = map[string]function{}
		for _, group := range [][]function{listFunctions(), numberFunctions(), logicFunctions(), textFunctions(), formatFunctions(), dateFunctions(), paymentFunctions()} {
			for _, one := range group {
				f.byName[one.name] = one
			}
		}
	}
	return f.byName
}

// Signature tells how a function is written.
func (f *functions) Signature(name string) (syntax.Signature, bool) {
	one, ok := f.all()[name]
	return syntax.Signature{Usage: one.usage, Min: one.min, Max: one.max, TakesLists: one.aggregate, Check: one.check}, ok
}

// Names are those of all functions, sorted.
func (f *functions) Names() []string { return slices.Sorted(maps.Keys(f.all())) }

const manyArguments = 30

// evalItems works out all arguments of a function over lists.
func (in env) evalItems(args []syntax.Expr) (values, *Finding) {
	var all values
	for _, arg := range args {
		items, err := in.evalEach(arg, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
	}
	return all, nil
}

// evalNumbers works out all arguments of a function over numbers; empty ones do
// not count.
func (in env) evalNumbers(args []syntax.Expr) ([]syntax.Number, *Finding) {
	var all []syntax.Number
	for _, arg := range args {
		_, err := in.evalEach(arg, func(item value) *Finding {
			if isEmpty(item) {
				return nil
			}
			n, err := in.toNumber(arg, item)
			all = append(all, n)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// evalText works an argument out as a text.
func (in env) evalText(arg syntax.Expr) (string, *Finding) {
	v, err := in.eval(arg)
	return textOf(v), err
}

// evalTextAt returns the text of an optional argument.
func (in env) evalTextAt(args []syntax.Expr, i int, otherwise string) (string, *Finding) {
	if i >= len(args) {
		return otherwise, nil
	}
	return in.evalText(args[i])
}

// evalNumber works an argument out as a number.
func (in env) evalNumber(arg syntax.Expr) (syntax.Number, *Finding) {
	v, err := in.eval(arg)
	if err != nil {
		return syntax.Number{}, err
	}
	return in.toNumber(arg, v)
}

// evalPlaces returns the optional argument that says how many digits to show or
// keep, from -20 to 20.
func (in env) evalPlaces(args []syntax.Expr, i int, otherwise int32) (int32, *Finding) {
	if i >= len(args) {
		return otherwise, nil
	}
	n, err := in.evalNumber(args[i])
	if err != nil {
		return 0, err
	}
	if !n.IsInteger() || n.Abs().GreaterThan(decimal.NewFromInt(20)) {
		return 0, blame(args[i], findingf("wrong_places", "The number of digits must be a whole number of at most 20."))
	}
	return int32(n.IntPart()), nil
}
