package lang

import "github.com/shopspring/decimal"

import (
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// numberFunctions reckon with one number.
func numberFunctions() []function {
	return []function{
		{name: "ROUND", usage: "ROUND(Total, 2)", min: 1, max: 2, reckons: true, apply: env.round},
		{name: "TRUNC", usage: "TRUNC(Total, 2)", min: 1, max: 2, reckons: true, apply: env.trunc},
		{name: "ABS", usage: "ABS(Total)", min: 1, max: 1, reckons: true, apply: env.abs},
	}
}

// round rounds halves away from zero, as spreadsheets do.
func (in env) round(args []syntax.Expr) (value, *Finding) {
	return in.toPlaces(args, decimal.Decimal.Round)
}

// trunc cuts digits off, towards zero, as spreadsheets do.
func (in env) trunc(args []syntax.Expr) (value, *Finding) {
	return in.toPlaces(args, decimal.Decimal.RoundDown)
}

func (in env) toPlaces(args []syntax.Expr, cut func(decimal.Decimal, int32) decimal.Decimal) (value, *Finding) {
	n, err := in.evalNumber(args[0])
	if err != nil {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	return syntax.NewNumber(cut(n.Decimal, places)), nil
}

func (in env) abs(args []syntax.Expr) (value, *Finding) {
	n, err := in.evalNumber(args[0])
	return syntax.NewNumber(n.Abs()), err
}
