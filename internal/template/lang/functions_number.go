package lang

// numberFunctions reckon with one number.
func numberFunctions() []function {
	return []function{
		{name: "ROUND", usage: "ROUND(Total, 2)", min: 1, max: 2, reckons: true, apply: env.round},
		{name: "TRUNC", usage: "TRUNC(Total, 2)", min: 1, max: 2, reckons: true, apply: env.trunc},
		{name: "ABS", usage: "ABS(Total)", min: 1, max: 1, reckons: true, apply: env.abs},
	}
}

// round rounds halves away from zero, as spreadsheets do.
func (in env) round(args []expr) (value, *Finding) {
	n, err := in.evalNumber(args[0])
	if err != nil {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	return newNumeric(n.Round(places)), nil
}

// trunc cuts digits off, towards zero, as spreadsheets do.
func (in env) trunc(args []expr) (value, *Finding) {
	n, err := in.evalNumber(args[0])
	if err != nil {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	return newNumeric(n.RoundDown(places)), nil
}

func (in env) abs(args []expr) (value, *Finding) {
	n, err := in.evalNumber(args[0])
	return newNumeric(n.Abs()), err
}
