package lang

import (
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// logicFunctions decide between values.
func logicFunctions() []function {
	return []function{
		{name: "IF", usage: `IF(Total > 100, "much", "little")`, min: 2, max: 3, apply: env.choose},
		{name: "AND", usage: "AND(Paid, Total > 100)", min: 1, max: manyArguments, apply: func(in env, args []syntax.Expr) (value, *Finding) { return in.every(args, true) }},
		{name: "OR", usage: "OR(Paid, Total > 100)", min: 1, max: manyArguments, apply: func(in env, args []syntax.Expr) (value, *Finding) { return in.every(args, false) }},
		{name: "NOT", usage: "NOT(Paid)", min: 1, max: 1, apply: env.not},
		{name: "DEFAULT", usage: `DEFAULT(Name, "nobody")`, min: 2, max: 2, apply: env.fallback},
	}
}

func (in env) choose(args []syntax.Expr) (value, *Finding) {
	condition, err := env{in.e, in.scope, in.quiet || !in.e.isCautious}.eval(args[0])
	switch {
	case err != nil:
		return nil, err
	case isTrue(condition):
		return in.eval(args[1])
	case len(args) > 2:
		return in.eval(args[2])
	}
	return nil, nil
}

// every tells whether all arguments hold, or with all false whether any does.
func (in env) every(args []syntax.Expr, all bool) (value, *Finding) {
	for _, arg := range args {
		v, err := in.eval(arg)
		if err != nil {
			return nil, err
		}
		if isTrue(v) != all {
			return !all, nil
		}
	}
	return all, nil
}

func (in env) not(args []syntax.Expr) (value, *Finding) {
	v, err := in.eval(args[0])
	return !isTrue(v), err
}

func (in env) fallback(args []syntax.Expr) (value, *Finding) {
	v, err := env{in.e, in.scope, true}.eval(args[0])
	if err != nil || !isEmpty(v) {
		return v, err
	}
	return in.eval(args[1])
}
