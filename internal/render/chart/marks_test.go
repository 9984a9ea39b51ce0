package chart

import (
	"math"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// The areas of bubbles are their values (sizeRepresents, 21.2.2.193), or their widths are.
func TestBubblesAreAsLargeAsTheirValues(t *testing.T) {
	t.Parallel()
	for areWidths, want := range map[bool]float64{false: 2, true: 4} {
		large, small := series(red, 5), series(blue, 5)
		large.X, small.X, large.Sizes, small.Sizes = []float64{1}, []float64{9}, []float64{8}, []float64{2}
		got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotBubble, BubbleScale: 1, SizesAreWidths: areWidths, Series: []*dml.ChartSeries{large, small}}))
		a, b := rendertest.Areas(got, red), rendertest.Areas(got, blue)
		if len(a) != 1 || len(b) != 1 {
			t.Fatalf("got %v and %v, want two bubbles", a, b)
		}
		if width := (a[0].W) / (b[0].W); math.Abs(width-want) > 0.05 || a[0].X >= b[0].X {
			t.Errorf("the large one is %.2f times as wide, want %.2f", width, want)
		}
		if diameter := largestBubble * math.Min(box.W, box.H); math.Abs(a[0].W-diameter) > 0.1 {
			t.Errorf("the largest is %.1f points wide, want %.1f", a[0].W, diameter)
		}
	}
}

// The first category of a radar stands above its centre, the next ones clockwise.
func TestARadarRunsAroundItsCentre(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotRadar, IsFilled: true, Series: []*dml.ChartSeries{series(red, 10, 10, 10, 10)}})
	w := painter(ch).web()
	areas := rendertest.Areas(drawn(t, ch), red)
	if len(areas) != 1 || math.Abs(areas[0].W-2*w.radius) > near || math.Abs(areas[0].H-2*w.radius) > near {
		t.Fatalf("got %v, want a square on its corner, %.1f points wide", areas, 2*w.radius)
	}
	if top, right := w.at(0, 1), w.at(1, 1); math.Abs(top.X-w.cx) > near || top.Y >= w.cy || right.X <= w.cx || math.Abs(right.Y-w.cy) > near {
		t.Errorf("got the first place at %v, the second one at %v", top, right)
	}
	s := series(red, 10, math.NaN(), 5, 5)
	s.Line = stroke(blue)
	ch = bare(&dml.ChartPlot{Kind: dml.PlotRadar, Series: []*dml.ChartSeries{s}})
	if got := drawn(t, ch); len(rendertest.Areas(got, red)) != 0 || len(lines(got, blue)) != 1 {
		t.Errorf("got %v, want a line that is open where a value is missing", got)
	}
}

// A stock has a line from its highest to its lowest price, and a bar from the first to the last
// one: white where it rose.
func TestStocksShowTheirPrices(t *testing.T) {
	t.Parallel()
	row := func(values ...float64) *dml.ChartSeries { return &dml.ChartSeries{Values: values} }
	got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotStock, HighLow: stroke(blue), HasUpDown: true, Up: solid(green), Down: solid(red), UpDownGap: 1,
		Series: []*dml.ChartSeries{row(2, 8), row(9, 10), row(1, 3), row(6, 4)}}))
	up, down, all := rendertest.Areas(got, green), rendertest.Areas(got, red), lines(got, blue)
	if len(up) != 1 || len(down) != 1 || len(all) != 2 {
		t.Fatalf("got %v, %v and %v, want a bar up, one down and two lines", up, down, all)
	}
	unit := box.H / 10
	if math.Abs(up[0].H-4*unit) > near || math.Abs(down[0].H-4*unit) > near || math.Abs(up[0].Y-(box.Y+4*unit)) > near || math.Abs(up[0].W-box.W/4) > near {
		t.Errorf("got the bars %v and %v", up, down)
	}
}

func TestErrorBarsStandAtTheirValues(t *testing.T) {
	t.Parallel()
	with := func(s *dml.ChartSeries) *dml.ChartSeries {
		s.Errors = []dml.ChartErrors{{From: []float64{3}, To: []float64{7}, HasCaps: true, Line: stroke(blue)}}
		return s
	}
	for _, plot := range []*dml.ChartPlot{
		{Kind: dml.PlotBar, Series: []*dml.ChartSeries{with(series(red, 5))}}, {Kind: dml.PlotLine, Series: []*dml.ChartSeries{with(&dml.ChartSeries{Values: []float64{5}})}},
		{Kind: dml.PlotBubble, BubbleScale: 1, Series: []*dml.ChartSeries{with(series(red, 5))}}, {Kind: dml.PlotBar, Horizontal: true, Series: []*dml.ChartSeries{with(series(red, 5))}},
	} {
		if got := lines(drawn(t, bare(plot)), blue); len(got) != 4 {
			t.Errorf("%s: got %v, want two lines, each with a cap", plot.Kind, got)
		}
	}
}
