package lang

import "github.com/shopspring/decimal"

// numberFunctions reckon with one number.
func numberFunctions() []function {
	return []function{
		{name: "ROUND", usage: "ROUND(Total, 2)", min: 1, max: 2, reckons: true, apply: env.round},
		{name: "TRUNC", usage: "TRUNC(Total, 2)", min: 1, max: 2, reckons: true, apply: env.trunc},
		{name: "ABS", usage: "ABS(Total)", min: 1, max: 1, reckons: true, apply: env.abs},
	}
}

// round rounds halves away from zero, as spreadsheets do.
func (in env) round(args []expr) (value, *Finding) { return in.toPlaces(args, decimal.Decimal.Round) }

// trunc cuts digits off, towards zero, as spreadsheets do.
func (in env) trunc(args []expr) (value, *Finding) {
	return in.toPlaces(args, decimal.Decimal.RoundDown)
}

func (in env) toPlaces(args []expr, cut func(decimal.Decimal, int32) decimal.Decimal) (value, *Finding) {
	n, err := in.evalNumber(args[0])
	if err != nil {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	return newNumeric(cut(n.Decimal, places)), nil
}

func (in env) abs(args []expr) (value, *Finding) {
	n, err := in.evalNumber(args[0])
	return newNumeric(n.Abs()), err
}
