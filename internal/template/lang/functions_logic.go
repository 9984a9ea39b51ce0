package lang

// logicFunctions decide between values.
func logicFunctions() []function {
	return []function{
		{name: "IF", usage: `IF(Total > 100, "much", "little")`, min: 2, max: 3, apply: context.choose},
		{name: "AND", usage: "AND(Paid, Total > 100)", min: 1, max: manyArguments, apply: func(c context, args []expr) (value, *Finding) { return c.every(args, true) }},
		{name: "OR", usage: "OR(Paid, Total > 100)", min: 1, max: manyArguments, apply: func(c context, args []expr) (value, *Finding) { return c.every(args, false) }},
		{name: "NOT", usage: "NOT(Paid)", min: 1, max: 1, apply: context.not},
		{name: "DEFAULT", usage: `DEFAULT(Name, "nobody")`, min: 2, max: 2, apply: context.fallback},
	}
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
