package lang

import (
	"strings"

	"github.com/shopspring/decimal"
)

// A function of formulas, in the manner of spreadsheets.
type function struct {
	name     string
	usage    string // as the specification writes it
	min, max int    // number of arguments
	// aggregate functions take all items of a list, also where the rest of a
	// formula stands for one of them.
	aggregate bool
	apply     func(c context, args []expr) (value, *Finding)
}

const manyArguments = 30

// allFunctions returns every function by its name in upper case.
func allFunctions() map[string]function {
	all := []function{
		{"SUM", "SUM(Items.Price)", 1, manyArguments, true, context.sum},
		{"AVERAGE", "AVERAGE(Items.Price)", 1, manyArguments, true, context.average},
		{"MIN", "MIN(Items.Price)", 1, manyArguments, true, func(c context, args []expr) (value, *Finding) { return c.extreme(args, -1) }},
		{"MAX", "MAX(Items.Price)", 1, manyArguments, true, func(c context, args []expr) (value, *Finding) { return c.extreme(args, 1) }},
		{"COUNT", "COUNT(Items)", 1, manyArguments, true, context.count},
		{"JOIN", `JOIN(Items.Name, ", ")`, 1, 2, true, context.join},
		{"ROUND", "ROUND(Total, 2)", 1, 2, false, context.round},
		{"ABS", "ABS(Total)", 1, 1, false, context.abs},
		{"IF", `IF(Total > 100, "much", "little")`, 2, 3, false, context.choose},
		{"AND", "AND(Paid, Total > 100)", 1, manyArguments, false, func(c context, args []expr) (value, *Finding) { return c.every(args, true) }},
		{"OR", "OR(Paid, Total > 100)", 1, manyArguments, false, func(c context, args []expr) (value, *Finding) { return c.every(args, false) }},
		{"NOT", "NOT(Paid)", 1, 1, false, context.not},
		{"DEFAULT", `DEFAULT(Name, "nobody")`, 2, 2, false, context.fallback},
	}
	all = append(all, textFunctions()...)
	all = append(all, formatFunctions()...)
	byName := make(map[string]function, len(all))
	for _, f := range all {
		byName[f.name] = f
	}
	return byName
}

// items works out all arguments of a function over lists.
func (c context) items(args []expr) (values, *Finding) {
	var all values
	for _, arg := range args {
		items, err := c.each(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
	}
	return all, nil
}

// numbers works out all arguments of a function over numbers; empty ones do
// not count.
func (c context) numbers(args []expr) ([]numeric, *Finding) {
	items, err := c.items(args)
	if err != nil {
		return nil, err
	}
	var all []numeric
	for _, item := range items {
		if isEmpty(item) {
			continue
		}
		n, ok := numberOf(item)
		if !ok {
			_, err := c.number(args[0], item)
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func (c context) sum(args []expr) (value, *Finding) {
	all, err := c.numbers(args)
	if err != nil {
		return nil, err
	}
	total := decimal.Zero
	for _, n := range all {
		total = total.Add(n.Decimal)
	}
	if !reckonable(total) {
		return nil, findingf("number_too_large", "A number of the formula has more than %d digits.", maxDigits)
	}
	return computed(total), nil
}

// average of nothing is nothing.
func (c context) average(args []expr) (value, *Finding) {
	all, err := c.numbers(args)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	total, err := c.sum(args)
	if err != nil {
		return nil, err
	}
	return calculate("/", total.(numeric), computed(decimal.NewFromInt(int64(len(all)))))
}

func (c context) extreme(args []expr, sign int) (value, *Finding) {
	all, err := c.numbers(args)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	best := all[0]
	for _, n := range all[1:] {
		if n.Cmp(best.Decimal) == sign {
			best = n
		}
	}
	return best, nil
}

func (c context) count(args []expr) (value, *Finding) {
	all, err := c.items(args)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for _, item := range all {
		if !isEmpty(item) {
			n++
		}
	}
	return computed(decimal.NewFromInt(n)), nil
}

func (c context) join(args []expr) (value, *Finding) {
	all, err := c.items(args[:1])
	if err != nil {
		return nil, err
	}
	separator := ", "
	if len(args) > 1 {
		if separator, err = c.text(args[1]); err != nil {
			return nil, err
		}
	}
	var texts []string
	size := 0
	for _, item := range all {
		if t := textOf(item); t != "" {
			texts = append(texts, t)
			if size += len(t) + len(separator); size > MaxExpanded {
				return nil, tooLong()
			}
		}
	}
	return strings.Join(texts, separator), nil
}

func tooLong() *Finding {
	return findingf("text_too_long", "The formula makes a text of more than %d KiB.", MaxExpanded>>10)
}

// text works an argument out as a text.
func (c context) text(arg expr) (string, *Finding) {
	v, err := c.eval(arg)
	return textOf(v), err
}

// textAt is the text of an optional argument.
func (c context) textAt(args []expr, i int, otherwise string) (string, *Finding) {
	if i >= len(args) {
		return otherwise, nil
	}
	return c.text(args[i])
}

// numberArg works an argument out as a number.
func (c context) numberArg(arg expr) (numeric, *Finding) {
	v, err := c.eval(arg)
	if err != nil {
		return numeric{}, err
	}
	return c.number(arg, v)
}

// places is the optional argument that says how many digits to show or keep,
// from -20 to 20.
func (c context) places(args []expr, i int, otherwise int32) (int32, *Finding) {
	if i >= len(args) {
		return otherwise, nil
	}
	n, err := c.numberArg(args[i])
	if err != nil {
		return 0, err
	}
	if !n.IsInteger() || n.Abs().GreaterThan(decimal.NewFromInt(20)) {
		return 0, findingf("wrong_places", "The number of digits must be a whole number of at most 20.")
	}
	return int32(n.IntPart()), nil
}

// round rounds halves away from zero, as spreadsheets do.
func (c context) round(args []expr) (value, *Finding) {
	n, err := c.numberArg(args[0])
	if err != nil {
		return nil, err
	}
	places, err := c.places(args, 1, 0)
	if err != nil {
		return nil, err
	}
	return computed(n.Round(places)), nil
}

func (c context) abs(args []expr) (value, *Finding) {
	n, err := c.numberArg(args[0])
	return computed(n.Abs()), err
}

func (c context) choose(args []expr) (value, *Finding) {
	condition, err := context{c.e, c.scope, true}.eval(args[0])
	switch {
	case err != nil:
		return nil, err
	case isTrue(condition):
		return c.eval(args[1])
	case len(args) > 2:
		return c.eval(args[2])
	}
	return nil, nil
}

// every tells whether all arguments hold, or with all false whether any does.
func (c context) every(args []expr, all bool) (value, *Finding) {
	for _, arg := range args {
		v, err := c.eval(arg)
		if err != nil {
			return nil, err
		}
		if isTrue(v) != all {
			return !all, nil
		}
	}
	return all, nil
}

func (c context) not(args []expr) (value, *Finding) {
	v, err := c.eval(args[0])
	return !isTrue(v), err
}

func (c context) fallback(args []expr) (value, *Finding) {
	v, err := context{c.e, c.scope, true}.eval(args[0])
	if err != nil || !isEmpty(v) {
		return v, err
	}
	return c.eval(args[1])
}
