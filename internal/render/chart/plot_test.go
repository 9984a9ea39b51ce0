package chart

import (
	"math"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestStacksGoUpAndDownFromZero(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	rows := []*dml.ChartSeries{{Values: []float64{3, -1, nan}}, {Values: []float64{-2, -3}}, {Values: []float64{5, 4, 0}}}
	for _, c := range []struct {
		grouping string
		want     [][][2]float64 // of each row, where each value begins and ends
	}{
		{"clustered", [][][2]float64{{{0, 3}, {0, -1}, {0, nan}}, {{0, -2}, {0, -3}}, {{0, 5}, {0, 4}, {0, 0}}}},
		{"standard", [][][2]float64{{{0, 3}, {0, -1}, {0, nan}}, {{0, -2}, {0, -3}}, {{0, 5}, {0, 4}, {0, 0}}}},
		{"stacked", [][][2]float64{{{0, 3}, {0, -1}, {0, nan}}, {{0, -2}, {-1, -4}}, {{3, 8}, {0, 4}, {0, 0}}}},
		// The values of the first group are 10 together, of the second 8, of the third nothing.
		{"percentStacked", [][][2]float64{{{0, 0.3}, {0, -0.125}, {0, nan}}, {{0, -0.2}, {-0.125, -0.5}}, {{0.3, 0.8}, {0, 0.5}, {0, 0}}}},
	} {
		stack := newStack(&dml.ChartPlot{Grouping: c.grouping, Series: rows})
		for i, row := range c.want {
			for j, want := range row {
				from, to := stack.next(i, j)
				if math.Abs(from-want[0]) > rounding || !(math.Abs(to-want[1]) <= rounding || math.IsNaN(to) && math.IsNaN(want[1])) {
					t.Errorf("%s, value %d of row %d: got %g to %g, want %g to %g", c.grouping, j, i, from, to, want[0], want[1])
				}
			}
		}
	}
}

// Gap and overlap are in widths of a bar (ECMA-376 part 1, 21.2.2.75 and
// 21.2.2.131). The plot is 400 by 300 points at 50, 40, and 10 reaches its top.
func TestColumnsShareTheRoomOfTheirGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                 string
		plot                 dml.ChartPlot
		reds, greens         []float64
		wantReds, wantGreens []dml.Rect
	}{
		{"side by side", dml.ChartPlot{Grouping: "clustered", Gap: 2}, []float64{5, 10}, []float64{2, 0},
			[]dml.Rect{{X: 100, Y: 190, W: 50, H: 150}, {X: 300, Y: 40, W: 50, H: 300}}, []dml.Rect{{X: 150, Y: 280, W: 50, H: 60}, {X: 350, Y: 340, W: 50, H: 0}}},
		{"overlapping by half", dml.ChartPlot{Grouping: "clustered", Gap: 0.5, Overlap: 0.5}, []float64{5, 10}, []float64{2, 1},
			[]dml.Rect{{X: 75, Y: 190, W: 100, H: 150}, {X: 275, Y: 40, W: 100, H: 300}}, []dml.Rect{{X: 125, Y: 280, W: 100, H: 60}, {X: 325, Y: 310, W: 100, H: 30}}},
		{"apart by a bar's width", dml.ChartPlot{Grouping: "clustered", Gap: 1, Overlap: -1}, []float64{5}, []float64{2},
			[]dml.Rect{{X: 100, Y: 190, W: 100, H: 150}}, []dml.Rect{{X: 300, Y: 280, W: 100, H: 60}}},
		{"stacked", dml.ChartPlot{Grouping: "stacked", Gap: 1, Overlap: -1}, []float64{5, 2}, []float64{2, 3},
			[]dml.Rect{{X: 100, Y: 190, W: 100, H: 150}, {X: 300, Y: 280, W: 100, H: 60}}, []dml.Rect{{X: 100, Y: 130, W: 100, H: 60}, {X: 300, Y: 190, W: 100, H: 90}}},
		{"without values", dml.ChartPlot{Grouping: "clustered"}, []float64{math.NaN(), 10}, []float64{2},
			[]dml.Rect{{X: 250, Y: 40, W: 100, H: 300}}, []dml.Rect{{X: 150, Y: 280, W: 100, H: 60}}},
	} {
		c.plot.Kind, c.plot.Series = dml.PlotBar, []*dml.ChartSeries{series(red, c.reds...), series(green, c.greens...)}
		got := drawn(t, bare(&c.plot))
		rendertest.WantRects(t, c.name+", the first row", rendertest.Areas(got, red), c.wantReds...)
		rendertest.WantRects(t, c.name+", the second row", rendertest.Areas(got, green), c.wantGreens...)
	}
}

func TestBarsToTheRightBeginBelow(t *testing.T) {
	t.Parallel()
	plot := &dml.ChartPlot{Kind: dml.PlotBar, Horizontal: true, Grouping: "clustered", Gap: 1, Series: []*dml.ChartSeries{series(red, 5, 10), series(green, 2)}}
	// A group has 150 points, a bar 50. The first row is the lower one of its group.
	got := drawn(t, bare(plot))
	rendertest.WantRects(t, "the first row", rendertest.Areas(got, red), dml.Rect{X: 50, Y: 265, W: 200, H: 50}, dml.Rect{X: 50, Y: 115, W: 400, H: 50})
	rendertest.WantRects(t, "the second row", rendertest.Areas(got, green), dml.Rect{X: 50, Y: 215, W: 80, H: 50})
	plot.Grouping = "percentStacked"
	ch := bare(plot)
	ch.Value.Max = number(1)
	got = drawn(t, ch)
	rendertest.WantRects(t, "shares of the first row", rendertest.Areas(got, red), dml.Rect{X: 50, Y: 227.5, W: 400.0 * 5 / 7, H: 75}, dml.Rect{X: 50, Y: 77.5, W: 400, H: 75})
	rendertest.WantRects(t, "shares of the second row", rendertest.Areas(got, green), dml.Rect{X: 50 + 400.0*5/7, Y: 227.5, W: 400.0 * 2 / 7, H: 75})
}

func TestColumnsStandOnZeroOrOnTheNearestEnd(t *testing.T) {
	t.Parallel()
	plot := &dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5, -5)}}
	ch := bare(plot)
	ch.Value.Min = number(-10) // a unit has 15 points
	rendertest.WantRects(t, "around zero", rendertest.Areas(drawn(t, ch), red), dml.Rect{X: 50, Y: 115, W: 200, H: 75}, dml.Rect{X: 250, Y: 190, W: 200, H: 75})
	ch.Value.Min, ch.Value.Max = number(2), number(8) // a unit has 50 points
	plot.Series[0].Values = []float64{5, 7}
	rendertest.WantRects(t, "above the lowest", rendertest.Areas(drawn(t, ch), red), dml.Rect{X: 50, Y: 190, W: 200, H: 150}, dml.Rect{X: 250, Y: 90, W: 200, H: 250})
	ch.Value.Min, ch.Value.Max = number(-8), number(-2)
	plot.Series[0].Values = []float64{-5, -7}
	rendertest.WantRects(t, "below the highest", rendertest.Areas(drawn(t, ch), red), dml.Rect{X: 50, Y: 40, W: 200, H: 150}, dml.Rect{X: 250, Y: 40, W: 200, H: 250})
}

func TestPlotsOfTheSecondAxisFollowIt(t *testing.T) {
	t.Parallel()
	ch := bare(
		&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5)}},
		&dml.ChartPlot{Kind: dml.PlotBar, IsSecondary: true, Series: []*dml.ChartSeries{series(green, 5)}},
	)
	ch.Secondary = &dml.ChartAxis{Deleted: true, Min: number(0), Max: number(50)}
	got := drawn(t, ch)
	rendertest.WantRects(t, "on the first axis", rendertest.Areas(got, red), dml.Rect{X: 50, Y: 190, W: 400, H: 150})
	rendertest.WantRects(t, "on the second", rendertest.Areas(got, green), dml.Rect{X: 50, Y: 310, W: 400, H: 30})
}

func TestAValueMayHaveItsOwnColour(t *testing.T) {
	t.Parallel()
	s := series(red, 5, 5)
	s.Points, s.Line = map[int]*dml.ShapeFill{1: solid(green)}, stroke(blue)
	got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{s}}))
	rendertest.WantRects(t, "the series", rendertest.Areas(got, red), dml.Rect{X: 50, Y: 190, W: 200, H: 150})
	rendertest.WantRects(t, "the value", rendertest.Areas(got, green), dml.Rect{X: 250, Y: 190, W: 200, H: 150})
	outlines := 0
	for _, m := range got {
		if m.Kind == rendertest.MarkOutline && m.Color == blue {
			outlines++
		}
	}
	if outlines != 2 {
		t.Errorf("got %d outlines, want one for each value", outlines)
	}
}

func TestLabelsSayWhatTheFileAsksFor(t *testing.T) {
	t.Parallel()
	p := painter(&dml.Chart{Categories: []string{"Berth"}})
	s := &dml.ChartSeries{Name: "Summer", Values: []float64{0.125, 3}}
	for _, c := range []struct {
		labels dml.ChartLabels
		value  int
		want   []string
	}{
		{dml.ChartLabels{}, 0, nil},
		{dml.ChartLabels{HasValue: true}, 0, []string{"0.125"}},
		{dml.ChartLabels{HasValue: true, Format: "0.0%"}, 0, []string{"12.5%"}},
		{dml.ChartLabels{HasPercent: true, Format: "0.0"}, 0, []string{"25%"}},
		{dml.ChartLabels{HasPercent: true, Format: "0.00%"}, 0, []string{"25.00%"}},
		{dml.ChartLabels{HasSeries: true, HasCategory: true, HasValue: true, HasPercent: true}, 0, []string{"Summer", "Berth", "0.125", "25%"}},
		{dml.ChartLabels{HasCategory: true, HasValue: true}, 1, []string{"", "3"}},
	} {
		s.Labels = c.labels
		if got := p.labelLines(s, c.value, 0.25); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.labels, got, c.want)
		}
	}
}

func TestAPointMayHaveALabelOfItsOwn(t *testing.T) {
	t.Parallel()
	p := painter(&dml.Chart{Categories: []string{"North", "South"}})
	s := &dml.ChartSeries{Name: "Summer", Values: []float64{5, 3}, Labels: dml.ChartLabels{HasSeries: true},
		PointLabels: map[int]*dml.ChartLabels{0: {HasCategory: true, HasValue: true}}}
	for point, want := range [][]string{{"North", "5"}, {"Summer"}} {
		if got := p.labelLines(s, point, 0); !slices.Equal(got, want) {
			t.Errorf("point %d: got %q, want %q", point, got, want)
		}
	}
	s.PointLabels[0].Lines = []string{"typed"}
	if got := p.labelLines(s, 0, 0); !slices.Equal(got, []string{"typed"}) {
		t.Errorf("got %q, want the typed text", got)
	}
}

func TestLabelsStandAtTheEndsOfBars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		plot     dml.ChartPlot
		x, y     float64 // of the label "5": its middle, start or end, and the top of its line
		x2, y2   float64 // of the label "-3"
		align    float64 // how much of its width is in front of x
		negative float64 // the same for "-3"
	}{
		// A group has 200 points, a unit 15, and zero is at 190; labels are 1.5 points away.
		{"above and below columns", dml.ChartPlot{}, 150, 190 - 75 - 10 - 1.5, 350, 190 + 45 + 1.5, 0.5, 0.5},
		{"inside what is stacked", dml.ChartPlot{Grouping: "stacked"}, 150, 190 - 37.5 - 5, 350, 190 + 22.5 - 5, 0.5, 0.5},
		// A group has 150 points, a unit 20, and zero is at 250; labels are 3 points away.
		{"beside bars", dml.ChartPlot{Horizontal: true}, 250 + 100 + 3, 265 - 5, 250 - 60 - 3, 115 - 5, 0, 1},
		{"inside bars that are stacked", dml.ChartPlot{Horizontal: true, Grouping: "stacked"}, 250 + 50, 265 - 5, 250 - 30, 115 - 5, 0.5, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := series(red, 5, -3)
			s.Labels = dml.ChartLabels{HasValue: true, Style: textStyle()}
			c.plot.Kind, c.plot.Series = dml.PlotBar, []*dml.ChartSeries{s}
			ch := bare(&c.plot)
			ch.Value.Min = number(-10)
			got := drawn(t, ch)
			rendertest.WantText(t, got, "5", c.x-c.align*wide("5"), c.y+8)
			rendertest.WantText(t, got, "-3", c.x2-c.negative*wide("-3"), c.y2+8)
			s.Labels.HasValue = false
			if got := rendertest.Texts(drawn(t, ch)); len(got) > 0 {
				t.Errorf("without labels: got %v", got)
			}
		})
	}
}

func TestLinesAreInterruptedWhereAValueIsMissing(t *testing.T) {
	t.Parallel()
	s := &dml.ChartSeries{Values: []float64{0, 10, math.NaN(), 5, math.NaN(), 5, 0, 10}, Line: stroke(blue), Marker: solid(red), MarkerSize: 6}
	got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotLine, Series: []*dml.ChartSeries{s}}))
	// A group has 50 points. The last stretch has three points.
	wantLines(t, "the first stretch", lines(got, blue), [4]float64{75, 340, 125, 40})
	var bends []rendertest.Mark
	for _, m := range got {
		if m.Kind == rendertest.MarkOutline && m.Color == blue {
			bends = append(bends, m)
		}
	}
	if len(bends) != 1 || !slices.Equal(bends[0].X, []float64{325, 375, 425}) || !slices.Equal(bends[0].Y, []float64{190, 340, 40}) {
		t.Errorf("the last stretch: got %+v, want one from 325, 190 over 375, 340 to 425, 40", bends)
	}
	rendertest.WantRects(t, "the markers", rendertest.Areas(got, red), dml.Rect{X: 72, Y: 337, W: 6, H: 6}, dml.Rect{X: 122, Y: 37, W: 6, H: 6}, dml.Rect{X: 222, Y: 187, W: 6, H: 6},
		dml.Rect{X: 322, Y: 187, W: 6, H: 6}, dml.Rect{X: 372, Y: 337, W: 6, H: 6}, dml.Rect{X: 422, Y: 37, W: 6, H: 6})
	s.Line, s.Marker = nil, nil
	if got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotLine, Series: []*dml.ChartSeries{s}})); len(got) > 0 {
		t.Errorf("without line and markers: got %v", got)
	}
}

func TestLabelsStandAboveThePointsOfALine(t *testing.T) {
	t.Parallel()
	s := &dml.ChartSeries{Name: "mm", Values: []float64{5}, Labels: dml.ChartLabels{HasValue: true, HasSeries: true, Style: textStyle()}}
	got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotLine, Series: []*dml.ChartSeries{s}}))
	rendertest.WantText(t, got, "mm", 250-wide("mm")/2, 190-20-3+8)
	rendertest.WantText(t, got, "5", 250-wide("5")/2, 190-10-3+8)
}

func TestAreasReachDownToWhatTheyStandOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		grouping string
		want     []rendertest.Mark // of both rows
	}{
		// A group has 200 points.
		{"standard", []rendertest.Mark{
			{X: []float64{150, 350, 350, 150}, Y: []float64{280, 190, 340, 340}}, {X: []float64{150, 350, 350, 150}, Y: []float64{310, 250, 340, 340}},
		}},
		{"stacked", []rendertest.Mark{
			{X: []float64{150, 350, 350, 150}, Y: []float64{280, 190, 340, 340}}, {X: []float64{150, 350, 350, 150}, Y: []float64{250, 100, 190, 280}},
		}},
	} {
		plot := &dml.ChartPlot{Kind: dml.PlotArea, Grouping: c.grouping, Series: []*dml.ChartSeries{series(red, 2, 5), series(red, 1, 3), series(green, 4, math.NaN())}}
		var got []rendertest.Mark
		for _, m := range drawn(t, bare(plot)) {
			if m.Kind == rendertest.MarkArea {
				got = append(got, m)
			}
		}
		if len(got) != 2 {
			t.Fatalf("%s: got %d areas, want two: a point is none", c.grouping, len(got))
		}
		for i, want := range c.want {
			if !slices.Equal(got[i].X, want.X) || !slices.Equal(got[i].Y, want.Y) {
				t.Errorf("%s, row %d: got %v, %v; want %v, %v", c.grouping, i, got[i].X, got[i].Y, want.X, want.Y)
			}
		}
	}
	outlined := series(red, 2, 5)
	outlined.Line = stroke(blue)
	ch := bare(&dml.ChartPlot{Kind: dml.PlotArea, Series: []*dml.ChartSeries{outlined}})
	ch.Value.Min, ch.Value.Max = number(1), number(7) // a unit has 50 points
	got := drawn(t, ch)
	rendertest.WantRect(t, "above the lowest value", got[0].Box(), dml.Rect{X: 150, Y: 140, W: 200, H: 200})
	if len(got) != 2 || got[1].Kind != rendertest.MarkOutline || got[1].Color != blue {
		t.Errorf("got %+v, want an area with a blue outline", got)
	}
}

func TestPointsStandAtTheirNumbers(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		x       []float64
		values  []float64
		low     float64
		want    []float64 // the middles of the markers, in tenths of the axis
		heights []float64 // the same of the other axis
	}{
		{"with numbers", []float64{0, 5, 10}, []float64{1, 2, 3}, 0, []float64{0, 5, 10}, []float64{1, 2, 3}},
		{"without numbers they are counted", nil, []float64{1, 2, 3}, 0, []float64{1, 2, 3}, []float64{1, 2, 3}},
		{"a number or a value is missing", []float64{0, nan, 4, 6}, []float64{1, 2, nan, 3}, 0, []float64{0, 6}, []float64{1, 3}},
		{"fewer numbers than values", []float64{8}, []float64{1, 2}, 0, []float64{8}, []float64{1}},
		{"from another number on", []float64{105, 110}, []float64{1, 2}, 100, []float64{5, 10}, []float64{1, 2}},
	} {
		s := series(grey, c.values...)
		s.X, s.Marker, s.MarkerSize = c.x, solid(red), 4
		ch := bare(&dml.ChartPlot{Kind: dml.PlotScatter, Series: []*dml.ChartSeries{s}})
		ch.Category.Min, ch.Category.Max = number(c.low), number(c.low+10)
		var want []dml.Rect
		for i, at := range c.want {
			want = append(want, dml.Rect{X: 50 + at*40 - 2, Y: 340 - c.heights[i]*30 - 2, W: 4, H: 4})
		}
		rendertest.WantRects(t, c.name, rendertest.Areas(drawn(t, ch), red), want...)
	}
}

func TestTheScaleOfNumbersTakesInAllPlots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rows []*dml.ChartSeries
		want chartScale
	}{
		{"numbers", []*dml.ChartSeries{{X: []float64{100, 110}, Values: []float64{1, 2}}}, chartScale{98, 112, 2}},
		{"of several series", []*dml.ChartSeries{{X: []float64{100, 105}, Values: []float64{1, 2}}, {X: []float64{math.NaN(), 110}, Values: []float64{1, 2}}}, chartScale{98, 112, 2}},
		{"counted", []*dml.ChartSeries{{Values: []float64{7, 8, 9}}}, chartScale{0, 3.5, 0.5}},
		{"no values", nil, chartScale{0, 1.2, 0.2}},
	} {
		p := painter(&dml.Chart{Plots: []*dml.ChartPlot{{Kind: dml.PlotScatter}, {Kind: dml.PlotScatter, Series: c.rows}}})
		if got := p.xScale(); !isScale(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// size is the area of a polygon, by the shoelace formula.
func size(m rendertest.Mark) float64 {
	sum := 0.0
	for i := range m.X {
		next := (i + 1) % len(m.X)
		sum += m.X[i]*m.Y[next] - m.X[next]*m.Y[i]
	}
	return math.Abs(sum) / 2
}

func TestPiesBeginAtTheTopAndRunClockwise(t *testing.T) {
	t.Parallel()
	s := series(grey, 1, 0, -4, math.NaN(), 1, 2)
	s.Points = map[int]*dml.ShapeFill{0: solid(red), 4: solid(green), 5: solid(blue)}
	plot := &dml.ChartPlot{Kind: dml.PlotPie, Series: []*dml.ChartSeries{s, series(grey, 1)}}
	// The radius is half of the lesser side, 150, around 250, 190.
	got := drawn(t, bare(plot))
	rendertest.WantRects(t, "the first quarter", rendertest.Areas(got, red), dml.Rect{X: 250, Y: 40, W: 150, H: 150})
	rendertest.WantRects(t, "the second quarter", rendertest.Areas(got, green), dml.Rect{X: 250, Y: 190, W: 150, H: 150})
	rendertest.WantRects(t, "the half", rendertest.Areas(got, blue), dml.Rect{X: 100, Y: 40, W: 150, H: 300})
	if len(got) != 3 {
		t.Errorf("got %d slices, want 3: only what is more than nothing has one", len(got))
	}
	whole := math.Pi * 150 * 150
	for i, share := range []float64{0.25, 0.25, 0.5} {
		rendertest.Near(t, "the share", size(got[i])/whole, share, 0.001)
	}
	plot.Angle = 90
	rendertest.WantRects(t, "the first quarter, turned by 90°", rendertest.Areas(drawn(t, bare(plot)), red), dml.Rect{X: 250, Y: 190, W: 150, H: 150})
	ch := bare(plot)
	ch.Inner = nil
	// Without a place of its own the pie has 2 % of the lesser side around it.
	rendertest.WantRects(t, "in what is left", rendertest.Areas(drawn(t, ch), red), dml.Rect{X: 250, Y: 190, W: 144, H: 144})
}

func TestPiesOfNothingAreNotDrawn(t *testing.T) {
	t.Parallel()
	for _, values := range [][]float64{{}, {0, -1}, {math.NaN()}, {1.7e308, 1.7e308}} {
		if got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotPie, Series: []*dml.ChartSeries{series(red, values...)}})); len(got) > 0 {
			t.Errorf("%v: got %v", values, got)
		}
	}
}

func TestRingsOfADoughnutShareWhatTheHoleLeaves(t *testing.T) {
	t.Parallel()
	plot := &dml.ChartPlot{Kind: dml.PlotDoughnut, Hole: 0.4, Series: []*dml.ChartSeries{series(red, 1), series(green, 1)}}
	got := drawn(t, bare(plot))
	// 90 of 150 points are left: 45 for each ring, the first one inside.
	rendertest.WantRects(t, "the inner ring", rendertest.Areas(got, red), dml.Rect{X: 250 - 105, Y: 190 - 105, W: 210, H: 210})
	rendertest.WantRects(t, "the outer ring", rendertest.Areas(got, green), dml.Rect{X: 100, Y: 40, W: 300, H: 300})
	for i, radii := range [][2]float64{{60, 105}, {105, 150}} {
		want := math.Pi * (radii[1]*radii[1] - radii[0]*radii[0])
		rendertest.Near(t, "the part that is painted", size(got[i])/want, 1, 0.002)
	}
	plot.Hole = 0
	if got := drawn(t, bare(plot)); !slices.Contains(got[0].X, 250) || slices.Contains(got[1].X, 250) && got[1].Y[len(got[1].Y)-1] == 190 {
		t.Errorf("without a hole: got %v, want the inner ring to be a pie", got[0])
	}
}

func TestSharesStandInsideTheirSlicesOrBesideThem(t *testing.T) {
	t.Parallel()
	labelled := func(kind dml.PlotKind, values ...float64) []rendertest.Mark {
		s := series(red, values...)
		s.Labels = dml.ChartLabels{HasPercent: true, Style: textStyle()}
		return drawn(t, bare(&dml.ChartPlot{Kind: kind, Hole: 0.95, Series: []*dml.ChartSeries{s}}))
	}
	middle := func(m rendertest.Mark) (x, y float64) { return m.X[0] + wide(m.Text)/2 - 250, m.Y[0] - 8 + 5 - 190 }
	// Inside: half of the label's diagonal, and 3 points more, from the edge.
	x, y := middle(rendertest.TextOf(t, labelled(dml.PlotPie, 1, 3), "25%"))
	at := 150 - math.Hypot(wide("25%"), 10)/2 - 3
	rendertest.Near(t, "25%: x", x, at*math.Sqrt2/2, near)
	rendertest.Near(t, "25%: y", y, -at*math.Sqrt2/2, near)
	// A slice of one percent is less than a line wide; a ring of 7.5 points has no room for a label.
	for text, marks := range map[string][]rendertest.Mark{"1%": labelled(dml.PlotPie, 1, 99), "20%": labelled(dml.PlotDoughnut, 1, 4)} {
		x, y := middle(rendertest.TextOf(t, marks, text))
		share := map[string]float64{"1%": 0.01, "20%": 0.2}[text]
		sin, cos := math.Sincos(share*math.Pi - math.Pi/2)
		at := 150 + 3 + math.Abs(cos)*wide(text)/2 + math.Abs(sin)*5
		rendertest.Near(t, text+": x", x, at*cos, near)
		rendertest.Near(t, text+": y", y, at*sin, near)
	}
}

// A label that is wider than its slice stands outside, even if one line of it is not higher.
func TestNamesStandBesideSlicesThatAreTooNarrow(t *testing.T) {
	t.Parallel()
	s := series(red, 4, 96)
	s.Labels = dml.ChartLabels{HasCategory: true, Style: textStyle()}
	ch := bare(&dml.ChartPlot{Kind: dml.PlotPie, Series: []*dml.ChartSeries{s}})
	ch.Categories = []string{"mmmmm", "n"}
	got := drawn(t, ch)
	if m := rendertest.TextOf(t, got, "mmmmm"); m.Y[0] > 40 {
		t.Errorf("got the baseline at %g, want it above the pie, which begins at 40", m.Y[0])
	}
	if m := rendertest.TextOf(t, got, "n"); m.Y[0] < 200 || m.Y[0] > 340 {
		t.Errorf("the large slice: got the baseline at %g, want it inside", m.Y[0])
	}
}

func TestAPieLeavesRoomForTheLabelsBesideIt(t *testing.T) {
	t.Parallel()
	pie := func(size float64, values ...float64) []rendertest.Mark {
		s := series(red, values...)
		s.Labels = dml.ChartLabels{HasCategory: true, HasValue: true, Style: textStyle()}
		s.Labels.Style.Size = size
		ch := bare(&dml.ChartPlot{Kind: dml.PlotPie, Series: []*dml.ChartSeries{s}})
		ch.Inner, ch.Categories = nil, []string{"mmmmm", "n"}
		return drawn(t, ch)
	}
	// All that a chart draws keeps 6 points from its edges: 46 is the upper one, 334 the lower.
	rendertest.WantRects(t, "labels inside", rendertest.Areas(pie(10, 100), red), dml.Rect{X: 250 - 144, Y: 190 - 144, W: 288, H: 288})
	got := pie(10, 4, 96)
	if m := rendertest.TextOf(t, got, "mmmmm"); math.Abs(m.Y[0]-8-46) > 1 {
		t.Errorf("a label above: got its baseline at %g, want its upper edge at 46", m.Y[0])
	}
	large := rendertest.Areas(got, red)[1]
	rendertest.Near(t, "a label above: the pie ends at the lower edge", large.Y+large.H, 334, 1)
	large = rendertest.Areas(pie(80, 4, 96), red)[1]
	rendertest.Near(t, "labels that are too large: two thirds of the pie stay", large.H, 2*96, 1)
}
