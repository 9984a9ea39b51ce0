package lang

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// listFunctions work on all items of lists.
func listFunctions() []function {
	return []function{
		{name: "SUM", usage: "SUM(Items.Price)", min: 1, max: manyArguments, aggregate: true, reckons: true, apply: env.sum},
		{name: "AVERAGE", usage: "AVERAGE(Items.Price)", min: 1, max: manyArguments, aggregate: true, reckons: true, apply: env.average},
		{name: "MIN", usage: "MIN(Items.Price)", min: 1, max: manyArguments, aggregate: true, reckons: true, apply: func(in env, args []syntax.Expr) (value, *Finding) { return in.extreme(args, -1) }},
		{name: "MAX", usage: "MAX(Items.Price)", min: 1, max: manyArguments, aggregate: true, reckons: true, apply: func(in env, args []syntax.Expr) (value, *Finding) { return in.extreme(args, 1) }},
		{name: "COUNT", usage: "COUNT(Items)", min: 1, max: manyArguments, aggregate: true, apply: env.count},
		{name: "JOIN", usage: `JOIN(Items.Name, ", ")`, min: 1, max: 2, aggregate: true, apply: env.join},
	}
}

func (in env) sum(args []syntax.Expr) (value, *Finding) {
	all, err := in.evalNumbers(args)
	if err != nil {
		return nil, err
	}
	total := decimal.Zero
	for _, n := range all {
		total = total.Add(n.Decimal)
	}
	if !syntax.IsReckonable(total) {
		return nil, valueFindingf("number_too_large", "A number of the formula has more than %d digits.", syntax.MaxDigits)
	}
	return syntax.NewNumber(total), nil
}

// average of nothing is nothing.
func (in env) average(args []syntax.Expr) (value, *Finding) {
	all, err := in.evalNumbers(args)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	total, err := in.sum(args)
	if err != nil {
		return nil, err
	}
	return calculate("/", total.(syntax.Number), syntax.NewNumber(decimal.NewFromInt(int64(len(all)))))
}

func (in env) extreme(args []syntax.Expr, sign int) (value, *Finding) {
	all, err := in.evalNumbers(args)
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

func (in env) count(args []syntax.Expr) (value, *Finding) {
	all, err := in.evalItems(args)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for _, item := range all {
		if !isEmpty(item) {
			n++
		}
	}
	return syntax.NewNumber(decimal.NewFromInt(n)), nil
}

func (in env) join(args []syntax.Expr) (value, *Finding) {
	all, err := in.evalItems(args[:1])
	if err != nil {
		return nil, err
	}
	separator := ", "
	if len(args) > 1 {
		if separator, err = in.evalText(args[1]); err != nil {
			return nil, err
		}
	}
	var texts []string
	size := 0
	for _, item := range all {
		if t := textOf(item); t != "" {
			texts = append(texts, t)
			if size += len(t) + len(separator); size > MaxExpanded {
				return nil, newTooLong()
			}
		}
	}
	return strings.Join(texts, separator), nil
}

func newTooLong() *Finding {
	return valueFindingf("text_too_long", "The formula makes a text of more than %d KiB.", MaxExpanded>>10)
}
