package lang

// numberFunctions reckon with one number.
func numberFunctions() []function {
	return []function{
		{name: "ROUND", usage: "ROUND(Total, 2)", min: 1, max: 2, reckons: true, apply: context.round},
		{name: "ABS", usage: "ABS(Total)", min: 1, max: 1, reckons: true, apply: context.abs},
	}
}

// round rounds halves away from zero, as spreadsheets do.
func (c context) round(args []expr) (value, *Finding) {
	n, err := c.evalNumber(args[0])
	if err != nil {
		return nil, err
	}
	places, err := c.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	return newNumeric(n.Round(places)), nil
}

func (c context) abs(args []expr) (value, *Finding) {
	n, err := c.evalNumber(args[0])
	return newNumeric(n.Abs()), err
}
