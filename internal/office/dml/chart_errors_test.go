package dml

import (
	"math"
	"testing"
)

func TestErrorBarsReachAsFarAsTheFileSays(t *testing.T) {
	t.Parallel()
	custom := func(tag string, values string) string {
		return `<c:` + tag + `><c:numLit><c:ptCount val="2"/>` + values + `</c:numLit></c:` + tag + `>`
	}
	for source, want := range map[string][4]float64{
		`<c:errValType val="fixedVal"/><c:val val="1"/>`:                                     {1, 3, 5, 7},
		`<c:errValType val="percentage"/><c:val val="50"/>`:                                  {1, 3, 3, 9},
		`<c:errValType val="stdDev"/><c:val val="1"/>`:                                       {4 - 2*math.Sqrt2, 4 + 2*math.Sqrt2, 4 - 2*math.Sqrt2, 4 + 2*math.Sqrt2},
		`<c:errValType val="stdErr"/>`:                                                       {0, 4, 4, 8},
		`<c:errBarType val="plus"/><c:errValType val="fixedVal"/><c:val val="1"/>`:           {math.NaN(), 3, math.NaN(), 7},
		`<c:errBarType val="minus"/><c:errValType val="fixedVal"/><c:val val="1"/>`:          {1, math.NaN(), 5, math.NaN()},
		`<c:errValType val="cust"/>` + custom("plus", `<c:pt idx="0"><c:v>3</c:v></c:pt>`):   {2, 5, 6, 6},
		`<c:errValType val="cust"/>` + custom("minus", `<c:pt idx="1"><c:v>-3</c:v></c:pt>`): {2, 2, 3, 6},
	} {
		got := plotArea(t, `<c:barChart>`+series(0, `<c:errBars>`+source+`</c:errBars>`, "2", "6")+`</c:barChart>`).Plots[0].Series[0].Errors
		if len(got) != 1 || len(got[0].From) != 2 || !got[0].HasCaps || got[0].IsLevel {
			t.Errorf("%s: got %+v", source, got)
			continue
		}
		for i, v := range []float64{got[0].From[0], got[0].To[0], got[0].From[1], got[0].To[1]} {
			if math.Abs(v-want[i]) > 1e-9 || math.IsNaN(v) != math.IsNaN(want[i]) {
				t.Errorf("%s: got %v at %d, want %v", source, v, i, want[i])
			}
		}
	}
}
