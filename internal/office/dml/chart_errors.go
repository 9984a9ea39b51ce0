package dml

import (
	"math"

	"github.com/beevik/etree"
)

// ChartErrors are the error bars of a series (ECMA-376 part 1, 21.2.2.55): where each begins and
// ends, NaN where it has no such end.
type ChartErrors struct {
	IsLevel  bool // along the axis of X
	From, To []float64
	HasCaps  bool
	Line     *ShapeLine
}

// readErrors reads the error bars of a series whose values are known.
func (r *chartReader) readErrors(e *etree.Element, s *ChartSeries) {
	for _, bars := range ChildrenNamed(e, "errBars") {
		out := ChartErrors{IsLevel: attrText(Child(bars, "errDir"), "y") == "x", HasCaps: !isTrue(Child(bars, "noEndCap")),
			Line: r.line(bars, &ShapeLine{Width: 0.75, Color: r.base.Color, Alpha: 1, Dash: "solid"})}
		values := s.Values
		if out.IsLevel {
			values = s.X
		}
		plus, minus := errorAmounts(bars, values)
		kind, mean := attrText(Child(bars, "errBarType"), "both"), math.NaN()
		if attrText(Child(bars, "errValType"), "") == "stdDev" { // which stand around the mean
			mean, _ = spread(values)
		}
		for i, v := range values {
			if !math.IsNaN(mean) && !math.IsNaN(v) {
				v = mean
			}
			from, to := v-minus(i), v+plus(i)
			if kind == "plus" {
				from = math.NaN()
			}
			if kind == "minus" {
				to = math.NaN()
			}
			out.From, out.To = append(out.From, from), append(out.To, to)
		}
		s.Errors = append(s.Errors, out)
	}
}

// errorAmounts are how far error bars reach above and below each value.
func errorAmounts(e *etree.Element, values []float64) (plus, minus func(i int) float64) {
	amount := 0.0
	if v := number(Child(e, "val")); v != nil {
		amount = math.Abs(*v)
	}
	same := func(f func(i int) float64) (func(int) float64, func(int) float64) { return f, f }
	_, deviation := spread(values)
	switch attrText(Child(e, "errValType"), "fixedVal") {
	case "percentage":
		return same(func(i int) float64 { return math.Abs(values[i]) * amount / 100 })
	case "stdDev":
		return same(func(int) float64 { return deviation * amount })
	case "stdErr":
		return same(func(int) float64 { return deviation / math.Sqrt(float64(len(values))) })
	case "cust":
		up, _ := numbers(Child(e, "plus"))
		down, _ := numbers(Child(e, "minus"))
		at := func(all []float64) func(int) float64 {
			return func(i int) float64 {
				if i >= len(all) || math.IsNaN(all[i]) {
					return 0
				}
				return math.Abs(all[i])
			}
		}
		return at(up), at(down)
	}
	return same(func(int) float64 { return amount })
}

// spread is the mean of values and their standard deviation, as a sample.
func spread(values []float64) (mean, deviation float64) {
	n := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			mean, n = mean+v, n+1
		}
	}
	if n < 2 {
		return mean, 0
	}
	mean /= n
	for _, v := range values {
		if !math.IsNaN(v) {
			deviation += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(deviation / (n - 1))
}
