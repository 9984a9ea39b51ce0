package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestScalesAreRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ low, high, wantLow, wantHigh, wantStep float64 }{
		{0, 0.29, 0, 0.35, 0.05}, {0, 59, 0, 70, 10}, {14.2, 21.3, 0, 25, 5}, {-2.1, 3.3, -3, 4, 1}, {0, 0, 0, 1.2, 0.2},
		// With 5 % of room, 10 needs more than ten steps of 1, and 9.5 needs ten.
		{0, 10, 0, 12, 2}, {0, 9.5, 0, 10, 1}, {0, 4.7, 0, 5, 0.5}, {0, 4000, 0, 4500, 500},
		// Values that lie within a sixth of the highest leave out zero.
		{100, 110, 98, 112, 2}, {100, 120, 95, 125, 5}, {100, 121, 0, 140, 20},
		{5, 5, 0, 6, 1}, {-21.3, -14.2, -25, 0, 5}, {-5, -5, -6, 0, 1}, {-10, 0, -12, 0, 2},
	} {
		s := niceScale(c.low, c.high, &dml.ChartAxis{})
		if !isScale(s, chartScale{c.wantLow, c.wantHigh, c.wantStep}) {
			t.Errorf("%g to %g: got %+v, want %g to %g by %g", c.low, c.high, s, c.wantLow, c.wantHigh, c.wantStep)
		}
	}
}

// isScale tells whether two scales are the same but for what computing adds.
func isScale(a, b chartScale) bool {
	return math.Abs(a.low-b.low) < rounding && math.Abs(a.high-b.high) < rounding && math.Abs(a.step-b.step) < rounding
}

func TestScalesEndAndStepAsTheFileSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		low, high      float64
		min, max, step *float64
		want           chartScale
	}{
		{"all that it may say", 0, 9, number(1), number(8.5), number(2.5), chartScale{1, 8.5, 2.5}},
		{"the lowest", 3, 9, number(-0.5), nil, nil, chartScale{-0.5, 10, 1}},
		{"the highest", 0, 9, nil, number(8.5), nil, chartScale{0, 8.5, 1}},
		{"the step", 0, 9, nil, nil, number(4), chartScale{0, 12, 4}},
		{"a highest below the lowest", 0, 9, number(7), number(3), nil, chartScale{7, 8, 0.1}},
		{"a step of nothing", 0, 9, nil, nil, number(0), chartScale{0, 10, 1}},
		{"a step below nothing", 0, 9, nil, nil, number(-2), chartScale{0, 10, 1}},
		{"two hundred steps", 0, 9, number(0), number(200), number(1), chartScale{0, 200, 1}},
		{"more than two hundred", 0, 9, number(0), number(201), number(1), chartScale{0, 201, 50}},
		{"no end of values", -1.7e308, 1.7e308, nil, nil, nil, chartScale{0, 1, 0.2}},
	} {
		if got := niceScale(c.low, c.high, &dml.ChartAxis{Min: c.min, Max: c.max, Step: c.step}); !isScale(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestStepsOfAScaleReachItsEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scale chartScale
		want  []float64
	}{
		{chartScale{0, 1, 0.25}, []float64{0, 0.25, 0.5, 0.75, 1}},
		{chartScale{0, 0.3, 0.1}, []float64{0, 0.1, 0.2, 0.3}}, // three times 0.1 is a little more than 0.3
		{chartScale{1, 8.5, 2.5}, []float64{1, 3.5, 6, 8.5}},
		{chartScale{0, 9, 4}, []float64{0, 4, 8}},
		{chartScale{-0.3, 0.1, 0.1}, []float64{-0.3, -0.2, -0.1, 0, 0.1}},
	} {
		got := c.scale.steps()
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < rounding }) {
			t.Errorf("%+v: got %v, want %v", c.scale, got, c.want)
		}
		if i := slices.IndexFunc(got, func(v float64) bool { return v != 0 && math.Abs(v) < rounding }); i >= 0 {
			t.Errorf("%+v: got %g for zero", c.scale, got[i])
		}
	}
	if got := len(chartScale{0, 1000, 1}.steps()); got != 250 {
		t.Errorf("got %d steps, want 250 at most", got)
	}
}

func TestValuesBehindTheEndsStandAlmostAtThem(t *testing.T) {
	t.Parallel()
	s := chartScale{-10, 30, 10}
	for v, want := range map[float64]float64{-10: 0, 0: 0.25, 30: 1, 31: 1.025, 32: 1.05, 1e9: 1.05, -11: -0.025, -1e9: -0.05} {
		rendertest.Near(t, "the place", s.part(v), want, rounding)
	}
	rendertest.Near(t, "the place of no number", s.part(math.NaN()), -0.05, rounding)
}

func TestScalesTakeInWhatIsDrawn(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	plot := func(kind dml.PlotKind, grouping string, rows ...[]float64) *dml.ChartPlot {
		p := &dml.ChartPlot{Kind: kind, Grouping: grouping}
		for _, values := range rows {
			p.Series = append(p.Series, series(red, values...))
		}
		return p
	}
	high := []float64{100, 110}
	for _, c := range []struct {
		name  string
		plots []*dml.ChartPlot
		axis  dml.ChartAxis
		want  chartScale
	}{
		{"lines without zero", []*dml.ChartPlot{plot(dml.PlotLine, "standard", high)}, dml.ChartAxis{}, chartScale{98, 112, 2}},
		{"points without zero", []*dml.ChartPlot{plot(dml.PlotScatter, "", high)}, dml.ChartAxis{}, chartScale{98, 112, 2}},
		{"bars from zero", []*dml.ChartPlot{plot(dml.PlotBar, "clustered", high)}, dml.ChartAxis{}, chartScale{0, 120, 20}},
		{"areas from zero", []*dml.ChartPlot{plot(dml.PlotArea, "standard", high)}, dml.ChartAxis{}, chartScale{0, 120, 20}},
		{"lines and bars together", []*dml.ChartPlot{plot(dml.PlotLine, "standard", []float64{300}), plot(dml.PlotBar, "clustered", high)}, dml.ChartAxis{}, chartScale{0, 350, 50}},
		{"sums of what is stacked", []*dml.ChartPlot{plot(dml.PlotBar, "stacked", []float64{3, 8}, []float64{4, nan}, []float64{-2, -5})}, dml.ChartAxis{}, chartScale{-6, 10, 2}},
		{"shares of what is stacked to a whole", []*dml.ChartPlot{plot(dml.PlotBar, "percentStacked", []float64{30, 80}, []float64{40, 10})}, dml.ChartAxis{}, chartScale{0, 1, 0.2}},
		{"shares to an end that the file says", []*dml.ChartPlot{plot(dml.PlotBar, "percentStacked", []float64{30})}, dml.ChartAxis{Max: number(0.8)}, chartScale{0, 0.8, 0.1}},
		{"no values", []*dml.ChartPlot{plot(dml.PlotLine, "standard", []float64{nan})}, dml.ChartAxis{}, chartScale{0, 1.2, 0.2}},
	} {
		p := painter(&dml.Chart{Plots: c.plots, Value: c.axis})
		p.scales()
		if !isScale(p.value, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, p.value, c.want)
		}
		if want := (chartScale{0, 1.2, 0.2}); !isScale(p.second, want) {
			t.Errorf("%s: got the second scale %+v, want %+v", c.name, p.second, want)
		}
		for _, plot := range c.plots {
			plot.IsSecondary = true
		}
		p.Secondary = &c.axis
		p.scales()
		if !isScale(p.second, c.want) {
			t.Errorf("%s on the second axis: got %+v, want %+v", c.name, p.second, c.want)
		}
	}
}

func TestThereAreAsManyGroupsAsTheLongestRowHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		categories []string
		values     []float64
		want       int
	}{{nil, nil, 1}, {[]string{"a", "b"}, []float64{1}, 2}, {[]string{"a"}, []float64{1, 2, 3}, 3}} {
		p := painter(&dml.Chart{Categories: c.categories, Plots: []*dml.ChartPlot{{Series: []*dml.ChartSeries{series(red), series(red, c.values...)}}}})
		if got := p.groups(); got != c.want {
			t.Errorf("%v with %v: got %d, want %d", c.categories, c.values, got, c.want)
		}
		if got := p.category(len(c.categories)); got != "" {
			t.Errorf("a category behind the last is %q, want none", got)
		}
	}
}

func TestValuesAreWrittenAsTheirAxisOrTheirSeriesSays(t *testing.T) {
	t.Parallel()
	euro := &dml.ChartPlot{Series: []*dml.ChartSeries{{Format: "0.00"}, {Format: "0%"}}}
	for _, c := range []struct {
		name   string
		format string
		plots  []*dml.ChartPlot
		want   string
	}{
		{"the axis", "0.0", []*dml.ChartPlot{euro}, "0.5"},
		{"the first series", "", []*dml.ChartPlot{{}, euro, {Series: []*dml.ChartSeries{{Format: "0"}}}}, "0.50"},
		{"shares", "", []*dml.ChartPlot{euro, {Grouping: "percentStacked"}}, "50%"},
		{"nobody", "", []*dml.ChartPlot{{}}, "0.5"},
	} {
		if got := painter(&dml.Chart{Plots: c.plots}).valueText(0.5, &dml.ChartAxis{Format: c.format}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestThePlotTakesWhatLabelsAndTitlesLeave(t *testing.T) {
	t.Parallel()
	title := &dml.ChartText{Lines: []string{"mm"}, Style: textStyle()}
	// Half a line above the plot is for the label at its upper end.
	const halfLine = 5
	const label, titled = labelGap, 1.2 * 10 // of room beside labels, and for titles
	digits := wide("00") + label
	for _, c := range []struct {
		name                string
		change              func(*dml.Chart)
		left, bottom, right float64
	}{
		{"nothing else", func(ch *dml.Chart) { ch.Category.Deleted, ch.Value.Deleted = true, true }, 0, 0, 0},
		{"values at the left", func(ch *dml.Chart) { ch.Category.Deleted = true }, digits, 0, 0},
		{"values that are not shown", func(ch *dml.Chart) { ch.Category.HasLabels, ch.Value.HasLabels = false, false }, 0, 0, 0},
		{"text without a size", func(ch *dml.Chart) { ch.Category.Style.Size, ch.Value.Deleted = 0, true }, 0, 0, 0},
		{"values on both sides", func(ch *dml.Chart) { second := axis(); ch.Category.Deleted, ch.Secondary = true, &second }, digits, 0, wide("0.0") + label},
		{"names below", func(ch *dml.Chart) { ch.Value.Deleted = true }, 0, 10 + labelGap, 0},
		{"names in two lines", func(ch *dml.Chart) {
			ch.Value.Deleted, ch.Categories = true, []string{"mmmmmmmmmmmmmmmm mmmmmmmmmmmmmmmm mmmm", "mm"}
		}, 0, 20 + labelGap, 0},
		{"a title below", func(ch *dml.Chart) { ch.Value.Deleted, ch.Category.HasLabels, ch.Category.Title = true, false, title }, 0, titled, 0},
		{"a title at the left", func(ch *dml.Chart) { ch.Category.Deleted, ch.Value.HasLabels, ch.Value.Title = true, false, title }, titled, 0, 0},
		{"titles of axes that are not there", func(ch *dml.Chart) {
			ch.Category.Deleted, ch.Value.Deleted, ch.Category.Title, ch.Value.Title = true, true, title, title
		}, 0, 0, 0},
		{"bars to the right, with their names", func(ch *dml.Chart) { ch.Plots[0].Horizontal, ch.Value.Deleted = true, true }, wide("mm") + label, 0, 0},
		{"bars to the right, with long names", func(ch *dml.Chart) {
			ch.Plots[0].Horizontal, ch.Value.Deleted, ch.Categories[0] = true, true, "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
		}, 0.4*400 + label, 0, 0},
		{"bars to the right, with values", func(ch *dml.Chart) { ch.Plots[0].Horizontal, ch.Category.Deleted = true, true }, 0, 10 + labelGap, 0},
		{"bars to the right, with titles", func(ch *dml.Chart) {
			ch.Plots[0].Horizontal, ch.Category.HasLabels, ch.Value.HasLabels, ch.Category.Title, ch.Value.Title = true, false, false, title, title
		}, titled, titled, 0},
	} {
		ch := &dml.Chart{Plots: []*dml.ChartPlot{{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 42, 7)}}}, Categories: []string{"mm", "n"}, Category: axis(), Value: axis()}
		c.change(ch)
		p := painter(ch)
		p.scales()
		p.frame()
		rendertest.WantRect(t, c.name, p.inner, dml.Rect{X: 50 + c.left, Y: 40 + halfLine, W: 400 - c.left - c.right, H: 300 - halfLine - c.bottom})
	}
}

func TestThePlotHasTheFilesPlaceOrSomeRoomAtLeast(t *testing.T) {
	t.Parallel()
	ch := &dml.Chart{Plots: []*dml.ChartPlot{{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 1)}}}, Inner: &dml.Rect{X: 0.1, Y: 0.2, W: 0.5, H: 0.25}, Category: axis(), Value: axis()}
	p := painter(ch)
	p.frame()
	rendertest.WantRect(t, "the file's place", p.inner, dml.Rect{X: 90, Y: 100, W: 200, H: 75})
	ch.Inner = nil
	p.area = dml.Rect{X: 50, Y: 40, W: 10, H: 10}
	p.scales()
	p.frame()
	if p.inner.W != 5 || p.inner.H != 5 {
		t.Errorf("in no room: got %+v, want 5 by 5", p.inner)
	}
}

func TestNamesTurnWhereAWordHasNoRoom(t *testing.T) {
	t.Parallel()
	ch := &dml.Chart{Plots: []*dml.ChartPlot{{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 1, 2)}}}, Categories: []string{"n n n", "mmmm"}, Category: axis()}
	p := painter(ch)
	word := wide("mmmm")
	for _, c := range []struct {
		name         string
		room         float64
		rotation     *float64
		turn, height float64
	}{
		{"room for each word", word + labelGap, nil, 0, 10 + labelGap},
		{"room for words, not for names", word + labelGap - 1, nil, -45, (word+10)*math.Sqrt2/2 + labelGap},
		{"turned by the file", word, number(90), 90, word + labelGap},
		{"turned back by the file", 1, number(-30), -30, word/2 + 10*math.Sqrt(3)/2 + labelGap},
	} {
		ch.Category.Rotation = c.rotation
		rendertest.Near(t, c.name+": turn", p.turn(c.room), c.turn, rounding)
		rendertest.Near(t, c.name+": height", p.categoryHeight(c.room), c.height, near)
	}
	ch.Category.Rotation = nil
	rendertest.Near(t, "names in one line", p.categoryHeight(word+labelGap), 10+labelGap, near)
	ch.Categories[0] = "mmmm mmmm mmmm"
	rendertest.Near(t, "a name in three lines", p.categoryHeight(word+labelGap+1), 3*10+labelGap, near)
	p.area.H = 20
	rendertest.Near(t, "three fifths of the chart at most", p.categoryHeight(word+1), 12, near)
	p.area.H, ch.Plots[0].Kind = 300, dml.PlotScatter
	rendertest.Near(t, "numbers in one line", p.categoryHeight(1), 10+labelGap, near)
}

func TestColumnsHaveTheirScaleAtTheLeft(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5, 5)}})
	ch.Categories = []string{"mm", "n"}
	ch.Inner = &dml.Rect{X: 0.25, Y: 0.1, W: 0.5, H: 0.5} // 150, 70, 200 × 150
	ch.Category, ch.Value = axis(), axis()
	ch.Value.Min, ch.Value.Max, ch.Value.Step = number(-10), number(20), number(10)
	ch.Value.Grid, ch.Value.Line, ch.Category.Line = stroke(blue), stroke(green), stroke(grey)
	second := axis()
	second.Min, second.Max, second.Step, second.Format = number(0), number(2), number(1), `0"s"`
	ch.Secondary = &second
	got := drawn(t, ch)
	wantLines(t, "the grid", lines(got, blue), [4]float64{150, 220, 350, 220}, [4]float64{150, 170, 350, 170}, [4]float64{150, 120, 350, 120}, [4]float64{150, 70, 350, 70})
	wantLines(t, "the value axis", lines(got, green), [4]float64{150, 70, 150, 220})
	wantLines(t, "the category axis, at zero", lines(got, grey), [4]float64{150, 170, 350, 170})
	// Labels are a millimetre from the plot, in the middle of their lines.
	for text, at := range map[string]float64{"-10": 220, "0": 170, "10": 120, "20": 70} {
		rendertest.WantText(t, got, text, 150-labelGap-wide(text), at-5+8)
	}
	for text, at := range map[string]float64{"0s": 220, "1s": 145, "2s": 70} {
		rendertest.WantText(t, got, text, 350+labelGap, at-5+8)
	}
	rendertest.WantText(t, got, "mm", 200-wide("mm")/2, 220+labelGap+8)
	rendertest.WantText(t, got, "n", 300-wide("n")/2, 220+labelGap+8)

	ch.Value.Deleted, ch.Category.Deleted, second.Deleted = true, true, true
	got = drawn(t, ch)
	if l := append(lines(got, green), lines(got, grey)...); len(l) > 0 || len(rendertest.Texts(got)) > 0 {
		t.Errorf("axes that are deleted: got the lines %v and the texts %v", l, rendertest.Texts(got))
	}
	if l := lines(got, blue); len(l) != 4 {
		t.Errorf("the grid of a deleted axis: got %v, want four lines", l)
	}
}

func TestBarsToTheRightHaveTheirScaleBelow(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Horizontal: true, Series: []*dml.ChartSeries{series(red, 5, 5)}})
	ch.Categories = []string{"mm", "n"}
	ch.Inner = &dml.Rect{X: 0.25, Y: 0.1, W: 0.5, H: 0.5} // 150, 70, 200 × 150
	ch.Category, ch.Value = axis(), axis()
	ch.Value.Min, ch.Value.Max, ch.Value.Step = number(-10), number(10), number(10)
	ch.Value.Grid, ch.Value.Line, ch.Category.Line = stroke(blue), stroke(green), stroke(grey)
	second := axis()
	ch.Secondary = &second
	got := drawn(t, ch)
	wantLines(t, "the grid", lines(got, blue), [4]float64{150, 70, 150, 220}, [4]float64{250, 70, 250, 220}, [4]float64{350, 70, 350, 220})
	wantLines(t, "the value axis", lines(got, green), [4]float64{150, 220, 350, 220})
	wantLines(t, "the category axis, at zero", lines(got, grey), [4]float64{250, 70, 250, 220})
	for text, at := range map[string]float64{"-10": 150, "0": 250, "10": 350} {
		rendertest.WantText(t, got, text, at-wide(text)/2, 220+labelGap+8)
	}
	// The first name is the lowest.
	rendertest.WantText(t, got, "mm", 150-labelGap-wide("mm"), 182.5-5+8)
	rendertest.WantText(t, got, "n", 150-labelGap-wide("n"), 107.5-5+8)
	if len(rendertest.Texts(got)) != 5 {
		t.Errorf("got the texts %v, want three values and two names", rendertest.Texts(got))
	}
	ch.Category.Reversed = true
	got = drawn(t, ch)
	rendertest.WantText(t, got, "mm", 150-labelGap-wide("mm"), 107.5-5+8)
}

func TestTheCategoryAxisStaysInsideThePlot(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5)}})
	ch.Category = dml.ChartAxis{Line: stroke(grey)}
	for _, c := range []struct{ low, high, at float64 }{{10, 20, 340}, {-20, -10, 40}} {
		ch.Value.Min, ch.Value.Max = number(c.low), number(c.high)
		wantLines(t, "the axis", lines(drawn(t, ch), grey), [4]float64{50, c.at, 450, c.at})
	}
}

func TestNamesRunBackwardsOnAReversedAxis(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotLine, Series: []*dml.ChartSeries{series(red, 1, 2)}})
	ch.Category.Reversed = true
	p := painter(ch)
	p.frame()
	if first, second := p.along(0), p.along(1); math.Abs(first-350) > near || math.Abs(second-150) > near {
		t.Errorf("got %g and %g, want 350 and 150", first, second)
	}
}

func TestSlantedNamesEndUnderTheirGroup(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 1, 2)}})
	ch.Categories = []string{"mm", "n"}
	ch.Inner = &dml.Rect{W: 1, H: 0.5} // the bottom is at 190
	ch.Category = axis()
	const x = 150 // the middle of the first group
	for _, c := range []struct {
		name  string
		turn  float64
		along float64 // where the text begins in its own direction
	}{
		{"upwards", -45, -wide("mm")},
		{"gently upwards", -22.5, -wide("mm")},
		{"upright", -90, -wide("mm")},
		{"downwards", 45, 0},
	} {
		// The middle of its last letter, or of its first, is under the middle of the group.
		const below = 2.7
		y := 190 + labelGap + 5.1*math.Cos(c.turn*math.Pi/180)
		ch.Category.Rotation = number(c.turn)
		m := rendertest.TextOf(t, drawn(t, ch), "mm")
		sin, cos := math.Sincos(c.turn * math.Pi / 180)
		rendertest.Near(t, c.name+": the start", m.X[0], x+c.along*cos-below*sin, near)
		rendertest.Near(t, c.name+": the baseline", m.Y[0], y+c.along*sin+below*cos, near)
		rendertest.Near(t, c.name+": the angle", m.Angle, c.turn, near)
	}
}

func TestSlantedNamesStayInsideTheirChart(t *testing.T) {
	t.Parallel()
	const long = "mmmm mmmmmmmmmmmmmmmmmmmm"
	for _, turn := range []float64{-45, 45} {
		ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 1, 2, 3)}})
		ch.Inner, ch.Category, ch.Categories = nil, axis(), []string{long, "n", long}
		ch.Category.Rotation = number(turn)
		m := rendertest.Texts(drawn(t, ch))
		if len(m) != 3 {
			t.Fatalf("got the names %v, want three", m)
		}
		reach := (wide(long) + 10/2) * math.Sqrt2 / 2
		p := painter(ch)
		p.scales()
		p.frame()
		if turn < 0 {
			rendertest.Near(t, "upwards: the first name reaches to the left edge", p.along(0)-reach, box.X, near)
			rendertest.Near(t, "upwards: the plot ends at the right edge", p.inner.X+p.inner.W, box.X+box.W, near)
			continue
		}
		rendertest.Near(t, "downwards: the last name reaches to the right edge", p.along(2)+reach, box.X+box.W, near)
		rendertest.Near(t, "downwards: the plot begins at the left edge", p.inner.X, box.X, near)
	}
}

func TestVeryLongSlantedNamesLeaveHalfOfTheChartToThePlot(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 1, 2)}})
	ch.Inner, ch.Category, ch.Categories = nil, axis(), []string{strings.Repeat("m", 300), "n"}
	p := painter(ch)
	p.scales()
	p.frame()
	rendertest.Near(t, "the plot's width", p.inner.W, box.W/2, near)
}

func TestAxesHaveMarksBesideTheirLabels(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5, 5)}})
	ch.Categories = []string{"mm", "n"}
	ch.Inner = &dml.Rect{X: 0.25, Y: 0.1, W: 0.5, H: 0.5} // 150, 70, 200 × 150
	ch.Category, ch.Value = axis(), axis()
	ch.Value.Min, ch.Value.Max, ch.Value.Step = number(0), number(20), number(10)
	ch.Value.Line, ch.Category.Line = stroke(green), stroke(grey)
	ch.Value.HasTicks, ch.Category.HasTicks = true, true
	second := ch.Value
	second.Line = stroke(blue)
	ch.Secondary = &second
	got := drawn(t, ch)
	const left, right, below = 150 - tickLength, 350 + tickLength, 220 + tickLength
	wantLines(t, "the value axis", lines(got, green), [4]float64{150, 220, left, 220}, [4]float64{150, 145, left, 145}, [4]float64{150, 70, left, 70}, [4]float64{150, 70, 150, 220})
	wantLines(t, "the category axis", lines(got, grey), [4]float64{150, 220, 150, below}, [4]float64{250, 220, 250, below}, [4]float64{350, 220, 350, below}, [4]float64{150, 220, 350, 220})
	wantLines(t, "the second axis", lines(got, blue), [4]float64{350, 220, right, 220}, [4]float64{350, 145, right, 145}, [4]float64{350, 70, right, 70}, [4]float64{350, 70, 350, 220})
	rendertest.WantText(t, got, "mm", 200-wide("mm")/2, below+labelGap+8)
}

func TestSlantedNamesAreLeftOutWhereTheyWouldTouch(t *testing.T) {
	t.Parallel()
	values := make([]float64, 100)
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, values...)}})
	for range values {
		ch.Categories = append(ch.Categories, "m")
	}
	ch.Inner = &dml.Rect{W: 1, H: 0.5}
	ch.Category = axis()
	// A group has 4 points, a line of text 10: every third name has room.
	for turn, want := range map[float64]int{-45: 34, 0: 100} {
		ch.Category.Rotation = number(turn)
		if got := len(rendertest.Texts(drawn(t, ch))); got != want {
			t.Errorf("turned by %g degrees: got %d names, want %d", turn, got, want)
		}
	}
}

func TestNumbersStandUnderACloudOfPoints(t *testing.T) {
	t.Parallel()
	s := series(red, 1, 2)
	s.X = []float64{0, 9}
	ch := bare(&dml.ChartPlot{Kind: dml.PlotScatter, Series: []*dml.ChartSeries{s}})
	ch.Inner = &dml.Rect{W: 1, H: 0.5}
	ch.Category = axis()
	ch.Category.Step, ch.Category.Max, ch.Category.Format = number(5), number(20), "0.0"
	got := drawn(t, ch)
	for text, at := range map[string]float64{"0.0": 50, "5.0": 150, "10.0": 250, "20.0": 450} {
		rendertest.WantText(t, got, text, at-wide(text)/2, 190+labelGap+8)
	}
}

func TestTitlesOfAxesRunAlongThem(t *testing.T) {
	t.Parallel()
	title := func(lines ...string) *dml.ChartText { return &dml.ChartText{Lines: lines, Style: textStyle()} }
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5)}})
	ch.Inner = &dml.Rect{X: 0.25, Y: 0.1, W: 0.5, H: 0.5} // its middle is at 250, 145
	ch.Category = dml.ChartAxis{Title: title("mm", "n")}
	ch.Value.Deleted, ch.Value.Title = false, title("nn")
	p := painter(ch)
	p.scales()
	p.frame()
	got := drawnBy(t, p, (*chartPainter).axisTitles)
	rendertest.WantText(t, got, "mm", 250-wide("mm")/2, 340-20+8)
	rendertest.WantText(t, got, "n", 250-wide("n")/2, 340-10+8)
	rendertest.WantText(t, got, "nn", 50+8, 145+wide("nn")/2)
	rendertest.Near(t, "the angle", rendertest.TextOf(t, got, "nn").Angle, -90, near)

	ch.Plots[0].Horizontal = true
	p = painter(ch)
	p.scales()
	p.frame()
	got = drawnBy(t, p, (*chartPainter).axisTitles)
	rendertest.WantText(t, got, "nn", 250-wide("nn")/2, 340-10+8)
	rendertest.Near(t, "the angle", rendertest.TextOf(t, got, "mm").Angle, -90, near)

	ch.Category.Deleted, ch.Value.Deleted = true, true
	if got := drawnBy(t, painter(ch), (*chartPainter).axisTitles); len(rendertest.Texts(got)) > 0 {
		t.Errorf("titles of deleted axes: %v", rendertest.Texts(got))
	}

	ch.Category.Deleted = false
	// All that a chart draws keeps 2 % of its lesser side, 6 points, from its edges.
	rendertest.WantText(t, drawn(t, ch), "mm", 56+8, 145+wide("mm")/2)
}
