package chart

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestAChartHasItsBackgroundAndItsFrame(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5)}})
	ch.Fill, ch.Line = &dml.ShapeFill{Kind: dml.FillSolid, Color: green, Alpha: 0.25}, &dml.ShapeLine{Width: 3, Color: blue, Alpha: 1, Dash: "sysDash"}
	got := drawn(t, ch)
	if got[0].Color != green || got[0].Alpha != 0.25 {
		t.Errorf("got the background %+v, want green, a quarter opaque", got[0])
	}
	rendertest.WantRect(t, "the background", got[0].Box(), box)
	if got[1].Kind != rendertest.MarkOutline || got[1].Color != blue || got[1].Width != 3 || got[1].Dash != "[9.00 3.00]" {
		t.Errorf("got the frame %+v, want a blue one of 3 points with dashes of 9", got[1])
	}
	rendertest.WantRect(t, "the frame", got[1].Box(), box)
	ch.Fill = &dml.ShapeFill{Kind: dml.FillNone, Color: green}
	if got := rendertest.Areas(drawn(t, ch), green); len(got) > 0 {
		t.Errorf("without a fill: got %v", got)
	}
}

func TestAChartInNoRoomIsNotDrawn(t *testing.T) {
	t.Parallel()
	for at, want := range map[dml.Rect]bool{{W: 10, H: 10}: true, {W: 9.9, H: 100}: false, {W: 100, H: 9.9}: false} {
		ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 5)}})
		ch.ThreeD = true
		p := painter(ch)
		got := drawnBy(t, p, func(p *chartPainter) { Draw(p.c, p.fonts, p.findings, ch, at) })
		if len(got) > 0 != want || len(p.findings.All()) > 0 != want {
			t.Errorf("in %g by %g: got %v and %v, want some of both: %t", at.W, at.H, got, p.findings.All(), want)
		}
	}
}

func TestEachPlotOfAChartIsDrawn(t *testing.T) {
	t.Parallel()
	line := &dml.ChartPlot{Kind: dml.PlotLine, Series: []*dml.ChartSeries{{Line: stroke(blue), Values: []float64{1, 2}}}}
	area := &dml.ChartPlot{Kind: dml.PlotArea, Series: []*dml.ChartSeries{series(green, 1, 2)}}
	bar := &dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{series(red, 1, 2)}}
	got := drawn(t, bare(area, bar, line))
	if a, b, l := rendertest.Areas(got, green), rendertest.Areas(got, red), lines(got, blue); len(a) != 1 || len(b) != 2 || len(l) != 1 {
		t.Errorf("got areas %v, bars %v and lines %v; want 1, 2 and 1", a, b, l)
	}
	ring := &dml.ChartPlot{Kind: dml.PlotDoughnut, Hole: 0.5, Series: []*dml.ChartSeries{series(red, 1, 2)}}
	for _, k := range []dml.PlotKind{dml.PlotPie, dml.PlotDoughnut} {
		ring.Kind = k
		ch := bare(ring, bar)
		ch.Value.Deleted, ch.Value.Line = false, stroke(blue)
		if got := drawn(t, ch); len(rendertest.Areas(got, red)) != 2 || len(lines(got, blue)) != 0 {
			t.Errorf("%s: got the areas %v and the lines %v, want two slices and no axis", k, rendertest.Areas(got, red), lines(got, blue))
		}
	}
}

func TestAChartWithoutPlotsHasItsTitle(t *testing.T) {
	t.Parallel()
	ch := &dml.Chart{Title: &dml.ChartText{Lines: []string{"mm"}, Style: textStyle()}, ThreeD: true, Value: axis()}
	p := painter(ch)
	got := drawnBy(t, p, func(p *chartPainter) { Draw(p.c, p.fonts, p.findings, ch, box) })
	if !slices.Equal(rendertest.Texts(got), []string{"mm"}) {
		t.Errorf("got %v, want its title", rendertest.Texts(got))
	}
	want := []render.Finding{
		{Code: render.FindingDrawing, Message: "a chart in three dimensions is drawn flat"}, {Code: render.FindingDrawing, Message: "a chart of a kind that cannot be drawn is left out"},
	}
	if got := p.findings.All(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTextIsAlignedToItsPlace(t *testing.T) {
	t.Parallel()
	l := textStyle()
	l.Size, l.Color = 20, blue
	width := 2 * wide("mm") // at twice the size
	for align, x := range map[int]float64{-1: 100, 0: 100 - width/2, 1: 100 - width} {
		got := drawnBy(t, painter(bare()), func(p *chartPainter) { p.text([]string{"mm", "n"}, &l, 100, 200, align) })
		rendertest.WantText(t, got, "mm", x, 200+0.8*20)
		rendertest.Near(t, "the second baseline", rendertest.TextOf(t, got, "n").Y[0], 200+0.8*20+20, near)
		if m := rendertest.TextOf(t, got, "mm"); m.Color != blue || m.Size != 20 {
			t.Errorf("got %v of %g points, want blue of 20", m.Color, m.Size)
		}
	}
	p := painter(bare())
	drawnBy(t, p, func(p *chartPainter) { p.text([]string{"a𪜀"}, &l, 0, 0, 0) })
	if got := p.findings.All(); len(got) != 1 || got[0].Code != render.FindingGlyph || !strings.Contains(got[0].Message, "𪜀") {
		t.Errorf("got the findings %v, want one for 𪜀", got)
	}
}

func TestTextWrapsAtSpacesAndHyphens(t *testing.T) {
	t.Parallel()
	p, l := painter(bare()), textStyle()
	for _, c := range []struct {
		name, text string
		room       float64
		want       []string
		fits       bool
	}{
		{"room for all", "mm  mm\tmm", wide("mm mm mm"), []string{"mm mm mm"}, true},
		{"room for two words", "mm mm mm", wide("mm mm") + 1, []string{"mm mm", "mm"}, true},
		{"room for a word", "mm mm", wide("mm"), []string{"mm", "mm"}, true},
		{"no room for a word", "n mm n", wide("mm") - 1, []string{"n", "mm", "n"}, false},
		{"a hyphen", "mm-mm n", wide("mm-"), []string{"mm-", "mm", "n"}, false},
		{"a hyphen with room for all", "mm-mm n", wide("mm-mm"), []string{"mm-mm", "n"}, true},
		{"a hyphen at the end", "mm- n", 1, []string{"mm-", "n"}, false},
		{"nothing", "", 1, []string{""}, true},
		{"spaces", "  ", 1, []string{""}, true},
	} {
		if got, fits := p.wrap(c.text, &l, c.room); !slices.Equal(got, c.want) || fits != c.fits {
			t.Errorf("%s: got %q, %t; want %q, %t", c.name, got, fits, c.want, c.fits)
		}
	}
}

func TestATitleTakesItsLinesFromTheTop(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("mmmm ", 9) // eight of them fit into 320 points
	first := strings.TrimSpace(strings.Repeat("mmmm ", 8))
	for _, c := range []struct {
		name  string
		title *dml.ChartText
		text  string
		x, y  float64
		top   float64 // of what is left
	}{
		{"none", nil, "", 0, 0, 40},
		{"a line", &dml.ChartText{Lines: []string{"mm"}}, "mm", 250 - wide("mm")/2, 46 + 8, 46 + 10 + 12},
		{"two lines", &dml.ChartText{Lines: []string{"n", "mm"}}, "mm", 250 - wide("mm")/2, 46 + 10 + 8, 46 + 20 + 12},
		{"a line that is too long", &dml.ChartText{Lines: []string{long}}, "mmmm", 250 - wide("mmmm")/2, 46 + 10 + 8, 46 + 20 + 12},
		{"somewhere", &dml.ChartText{Lines: []string{"mm", "n"}, Place: &dml.Point2{X: 0.25, Y: 0.1}}, "mm", 150, 70 + 8, 70 + 20 + 12},
		{"somewhere, a narrow line in front", &dml.ChartText{Lines: []string{"n", "mm"}, Place: &dml.Point2{X: 0.25, Y: 0.1}}, "n", 150 + (wide("mm")-wide("n"))/2, 70 + 8, 70 + 20 + 12},
		{"far below", &dml.ChartText{Lines: []string{"mm"}, Place: &dml.Point2{X: 0, Y: 0.9}}, "mm", 50, 310 + 8, 40 + 150},
	} {
		if wide(first) > 320 || wide(first+" mmmm") <= 320 {
			t.Fatalf("eight words are %g wide, which does not suit this test", wide(first))
		}
		ch := bare()
		if ch.Title = c.title; c.title != nil {
			ch.Title.Style = textStyle()
		}
		p := painter(ch)
		got := drawnBy(t, p, (*chartPainter).title)
		if c.title != nil {
			rendertest.WantText(t, got, c.text, c.x, c.y)
		}
		rendertest.WantRect(t, c.name+": what is left", p.area, dml.Rect{X: 50, Y: c.top, W: 400, H: 340 - c.top})
	}
}

func TestTheLegendNamesWhatHasAColour(t *testing.T) {
	t.Parallel()
	fill, marker, l := solid(red), solid(green), stroke(blue)
	named := func(name string) *dml.ChartSeries {
		return &dml.ChartSeries{Name: name, Fill: fill, Line: l, Marker: marker, Values: []float64{1, 2, 3}, Points: map[int]*dml.ShapeFill{1: marker}}
	}
	for _, c := range []struct {
		kind dml.PlotKind
		want []legendEntry
	}{
		{dml.PlotBar, []legendEntry{{"a", fill, nil}, {"b", fill, nil}}},
		{dml.PlotArea, []legendEntry{{"a", fill, nil}, {"b", fill, nil}}},
		{dml.PlotLine, []legendEntry{{"a", marker, l}, {"b", marker, l}}},
		{dml.PlotScatter, []legendEntry{{"a", marker, l}, {"b", marker, l}}},
		// The categories of its first series; the third value has none.
		{dml.PlotPie, []legendEntry{{"one", fill, nil}, {"two", marker, nil}}},
		{dml.PlotDoughnut, []legendEntry{{"one", fill, nil}, {"two", marker, nil}}},
	} {
		p := painter(&dml.Chart{Categories: []string{"one", "two"}, Plots: []*dml.ChartPlot{{Kind: c.kind, Series: []*dml.ChartSeries{named("a"), named("b")}}}})
		if got := p.entries(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.kind, got, c.want)
		}
	}
}

// withLegend is a chart of two entries, "mm" and "n".
func withLegend(side string) *dml.Chart {
	first, second := series(red, 1), series(green, 1)
	first.Name, second.Name = "mm", "n"
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, Series: []*dml.ChartSeries{first, second}})
	ch.Legend, ch.LegendStyle = side, textStyle()
	return ch
}

// What an entry has beside its name: a swatch of 7 points, 5 points behind it,
// and 10 to the next one. Entries are 1.2 lines high.
const (
	swatch, gap = 7.0, 5.0
	beside      = swatch + gap + 10
	entryHeight = 1.2 * 10
)

func TestALegendTakesItsSide(t *testing.T) {
	t.Parallel()
	first, second := wide("mm")+beside, wide("n")+beside
	const middle = 40 + (300-2*entryHeight)/2 // where a column of two begins
	row := 50 + (400-first-second)/2
	for _, c := range []struct {
		side string
		x, y float64 // of the first entry
		left dml.Rect
	}{
		{"r", 450 - first + gap, middle, dml.Rect{X: 50, Y: 40, W: 400 - first, H: 300}},
		{"tr", 450 - first + gap, middle, dml.Rect{X: 50, Y: 40, W: 400 - first, H: 300}},
		{"l", 50, middle, dml.Rect{X: 50 + first, Y: 40, W: 400 - first, H: 300}},
		{"b", row, 340 - entryHeight, dml.Rect{X: 50, Y: 40, W: 400, H: 300 - entryHeight - gap}},
		{"t", row, 40, dml.Rect{X: 50, Y: 40 + entryHeight + gap, W: 400, H: 300 - entryHeight - gap}},
	} {
		p := painter(withLegend(c.side))
		got := drawnBy(t, p, (*chartPainter).legend)
		rendertest.WantRect(t, c.side+": what is left", p.area, c.left)
		rendertest.WantText(t, got, "mm", c.x+swatch+gap, c.y+8)
		rendertest.WantRects(t, c.side+": the swatch", rendertest.Areas(got, red), dml.Rect{X: c.x, Y: c.y + 5 - swatch/2, W: swatch, H: swatch})
		x, y := c.x+first, c.y
		if c.side != "b" && c.side != "t" {
			x, y = c.x, c.y+entryHeight
		}
		rendertest.WantText(t, got, "n", x+swatch+gap, y+8)
	}
}

func TestALegendStandsWhereItWasPut(t *testing.T) {
	t.Parallel()
	total := wide("mm") + wide("n") + 2*beside
	for _, c := range []struct {
		name         string
		place        dml.Rect
		x, y, x2, y2 float64 // of both entries
	}{
		{"in a row", dml.Rect{X: 0.5, Y: 0.1, W: 0.4, H: 0.2}, 250 + (160-total)/2, 70 + (60-entryHeight)/2, 250 + (160-total)/2 + wide("mm") + beside, 70 + (60-entryHeight)/2},
		{"in a low row", dml.Rect{X: 0.5, Y: 0.1, W: 0.4, H: 0.01}, 250 + (160-total)/2, 70, 250 + (160-total)/2 + wide("mm") + beside, 70},
		{"in a column", dml.Rect{X: 0.5, Y: 0.1, W: 0.1, H: 0.2}, 250 + gap, 70, 250 + gap, 70 + 1.2*entryHeight},
		{"in a low column", dml.Rect{X: 0.5, Y: 0.1, W: 0.1, H: 0.05}, 250 + gap, 70, 250 + gap, 70 + 7.5},
	} {
		ch := withLegend("r")
		ch.LegendPlace = &c.place
		p := painter(ch)
		got := drawnBy(t, p, (*chartPainter).legend)
		rendertest.WantText(t, got, "mm", c.x+swatch+gap, c.y+8)
		rendertest.WantText(t, got, "n", c.x2+swatch+gap, c.y2+8)
		rendertest.WantRect(t, c.name+": what is left", p.area, dml.Rect{X: 50, Y: 40, W: 400 - wide("mm") - beside, H: 300})
	}
}

func TestALegendTakesHalfOfTheChartAtMost(t *testing.T) {
	t.Parallel()
	for side, want := range map[string]dml.Rect{
		"r": {X: 50, Y: 40, W: 200, H: 300}, "l": {X: 250, Y: 40, W: 200, H: 300}, "b": {X: 50, Y: 40, W: 400, H: 150}, "t": {X: 50, Y: 190, W: 400, H: 150},
	} {
		ch := withLegend(side)
		for range 40 {
			s := series(blue, 1)
			s.Name = strings.Repeat("m", 30)
			ch.Plots[0].Series = append(ch.Plots[0].Series, s)
		}
		p := painter(ch)
		drawnBy(t, p, (*chartPainter).legend)
		rendertest.WantRect(t, side, p.area, want)
	}
}

func TestALegendHasSixtyEntriesAtMost(t *testing.T) {
	t.Parallel()
	for entries, want := range map[int]int{59: 59, 60: 60, 61: 60} {
		ch := withLegend("r")
		ch.Plots[0].Series = slices.Repeat(ch.Plots[0].Series[:1], entries)
		if got := len(rendertest.Texts(drawnBy(t, painter(ch), (*chartPainter).legend))); got != want {
			t.Errorf("of %d: got %d, want %d", entries, got, want)
		}
	}
	for name, ch := range map[string]*dml.Chart{"no side": withLegend(""), "no entries": {Legend: "r", LegendStyle: textStyle()}} {
		p := painter(ch)
		if got := drawnBy(t, p, (*chartPainter).legend); len(got) > 0 || p.area != box {
			t.Errorf("%s: got %v and left %v, want nothing and all", name, got, p.area)
		}
	}
}

func TestRowsOfALegendBreakWhereTheyAreFull(t *testing.T) {
	t.Parallel()
	ch := withLegend("b")
	ch.Plots[0].Series = slices.Repeat(ch.Plots[0].Series[:1], 3)
	one := wide("mm") + beside
	for _, c := range []struct {
		name string
		room float64
		want [][2]float64 // where the names begin
	}{
		{"room for all, in the middle", 3*one + 20, [][2]float64{{110, 200}, {110 + one, 200}, {110 + 2*one, 200}}},
		{"room for two", 2 * one, [][2]float64{{100, 200}, {100 + one, 200}, {100, 200 + entryHeight}}},
		{"room for none", 1, [][2]float64{{100, 200}, {100, 200 + entryHeight}, {100, 200 + 2*entryHeight}}},
	} {
		var got [][2]float64
		for _, m := range drawnBy(t, painter(ch), func(p *chartPainter) { p.newLegend(p.entries()).rows(200, 100, c.room) }) {
			if m.Kind == rendertest.MarkText {
				got = append(got, [2]float64{m.X[0] - swatch - gap, m.Y[0] - 8})
			}
		}
		for i := range c.want {
			if len(got) != len(c.want) {
				t.Fatalf("%s: got %v, want %v", c.name, got, c.want)
			}
			rendertest.Near(t, c.name+": x", got[i][0], c.want[i][0], near)
			rendertest.Near(t, c.name+": y", got[i][1], c.want[i][1], near)
		}
	}
	p := painter(ch)
	p.area.W = 2 * one
	drawnBy(t, p, (*chartPainter).legend)
	rendertest.Near(t, "the height of what two rows leave", p.area.H, 300-2*entryHeight-gap, near)
}

func TestTheSignOfALineIsALineWithASmallMarker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		entry legendEntry
		boxes []dml.Rect
		lines [][4]float64
	}{
		{"a line with a marker", legendEntry{"n", solid(red), stroke(blue)}, []dml.Rect{{X: 101.75, Y: 203.25, W: 3.5, H: 3.5}}, [][4]float64{{100, 205, 107, 205}}},
		{"a line", legendEntry{"n", nil, stroke(blue)}, nil, [][4]float64{{100, 205, 107, 205}}},
		{"a marker", legendEntry{"n", solid(red), nil}, []dml.Rect{{X: 100, Y: 201.5, W: 7, H: 7}}, nil},
		{"neither", legendEntry{"n", nil, nil}, nil, nil},
	} {
		got := drawnBy(t, painter(withLegend("r")), func(p *chartPainter) { p.entry(c.entry, 100, 200, swatch, gap) })
		rendertest.WantRects(t, c.name, rendertest.Areas(got, red), c.boxes...)
		wantLines(t, c.name, lines(got, blue), c.lines...)
		rendertest.WantText(t, got, "n", 112, 208)
	}
}

func TestPartsOfAChartArePaintedInOneColour(t *testing.T) {
	t.Parallel()
	stops := []dml.GradientStop{{At: 0, Color: dml.RGB{}, Alpha: 1}, {At: 1, Color: dml.RGB{R: 200, G: 100, B: 50}, Alpha: 0.5}}
	square := corners(dml.Rect{X: 10, Y: 20, W: 30, H: 40})
	for _, c := range []struct {
		name  string
		fill  *dml.ShapeFill
		line  *dml.ShapeLine
		kinds []rendertest.MarkKind
		color dml.RGB
		alpha float64
	}{
		{"a colour", &dml.ShapeFill{Kind: dml.FillSolid, Color: red, Alpha: 0.5}, nil, []rendertest.MarkKind{rendertest.MarkArea}, red, 0.5},
		{"the middle of a gradient", &dml.ShapeFill{Kind: dml.FillGradient, Stops: stops}, nil, []rendertest.MarkKind{rendertest.MarkArea}, dml.RGB{R: 100, G: 50, B: 25}, 0.75},
		{"a picture", &dml.ShapeFill{Kind: dml.FillPicture}, nil, nil, dml.RGB{}, 0},
		{"no fill", nil, nil, nil, dml.RGB{}, 0},
		{"an outline", nil, stroke(blue), []rendertest.MarkKind{rendertest.MarkOutline}, blue, 1},
		{"a colour with an outline", solid(red), stroke(blue), []rendertest.MarkKind{rendertest.MarkArea, rendertest.MarkOutline}, red, 1},
	} {
		got := drawnBy(t, painter(bare()), func(p *chartPainter) { p.paint(square, c.fill, c.line) })
		var kinds []rendertest.MarkKind
		for _, m := range got {
			kinds = append(kinds, m.Kind)
			rendertest.WantRect(t, c.name, m.Box(), dml.Rect{X: 10, Y: 20, W: 30, H: 40})
		}
		if !slices.Equal(kinds, c.kinds) {
			t.Errorf("%s: got %v, want %v", c.name, kinds, c.kinds)
		} else if len(got) > 0 {
			if near := pdf.Clamp(got[0].Alpha, c.alpha-0.005, c.alpha+0.005); got[0].Color != c.color || got[0].Alpha != near {
				t.Errorf("%s: got %v at %g, want %v at %g", c.name, got[0].Color, got[0].Alpha, c.color, c.alpha)
			}
		}
	}
}
