package chart

import (
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestScalesAreRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ low, high, wantLow, wantHigh, wantStep float64 }{
		{0, 0.29, 0, 0.35, 0.05}, {0, 59, 0, 70, 10}, {14.2, 21.3, 0, 25, 5}, {-2.1, 3.3, -3, 4, 1}, {0, 0, 0, 1.2, 0.2},
	} {
		s := niceScale(c.low, c.high, &dml.ChartAxis{})
		rendertest.Near(t, "low", s.low, c.wantLow, 1e-9)
		rendertest.Near(t, "high", s.high, c.wantHigh, 1e-9)
		rendertest.Near(t, "step", s.step, c.wantStep, 1e-9)
	}
}
