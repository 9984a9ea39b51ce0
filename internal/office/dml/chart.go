package dml

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// Chart is a chart as its part keeps it (DrawingML charts, ECMA-376 part 1,
// 21.2), with the values that the writing program cached.
type Chart struct {
	Title *ChartText // nil: none
	Plots []*ChartPlot
	// Categories are the names along the axis, of the series that has most.
	Categories []string
	Category   ChartAxis
	Value      ChartAxis
	// Secondary is the value axis of the plots that say so; nil: none does.
	Secondary *ChartAxis
	// Legend is its side: "r", "l", "t", "b" or "tr"; empty for none.
	Legend      string
	LegendStyle TextRun
	LegendPlace *Rect // in parts of the chart; nil: where the side puts it
	// Inner is the place of the plot without its labels, in parts of the chart; nil: what the rest leaves.
	Inner *Rect
	Fill  *ShapeFill
	Line  *ShapeLine
	// Losses are what the chart is drawn without.
	Losses []Loss
	// ThreeD says that its program draws it in three dimensions.
	ThreeD bool
}

// ChartText is a title.
type ChartText struct {
	Lines []string
	Style TextRun
	Place *Point2 // in parts of the chart; nil: above its middle
	// IsAutomatic says that the file has no text of its own for it.
	IsAutomatic bool
}

// Point2 is a place in parts of a whole.
type Point2 struct{ X, Y float64 }

// ChartAxis is one of a chart's axes.
type ChartAxis struct {
	Deleted   bool
	HasLabels bool
	Reversed  bool
	// Min, Max and Step are nil where the values decide.
	Min, Max, Step *float64
	Title          *ChartText
	Format         string
	Style          TextRun
	Rotation       *float64 // of the labels, degrees clockwise
	HasTicks       bool     // marks outside, where its steps or groups begin
	Grid           *ShapeLine
	Line           *ShapeLine
}

// PlotKind says how a plot draws its series. Its value is the name of the plot's
// element without "Chart" and "3D" at the end (ECMA-376 part 1, 21.2.2): c:barChart
// and c:bar3DChart are PlotBar.
//
// A new kind is a constant here and an entry of plotKinds. chartReader.plot and
// readSeries then take its element and ask for the kind where lines, markers and
// colours have rules of their own; package render/chart draws it. All kinds are
// listed by TestPlotsAreOfTheKindOfTheirElement and, where they are drawn, by
// TestEachPlotOfAChartIsDrawn and TestChartsWithAbsurdNumbersEnd.
type PlotKind string

// The kinds of plot. A chart may have several, such as lines over bars.
const (
	PlotBar      PlotKind = "bar" // columns, too: ChartPlot.Horizontal tells them apart
	PlotLine     PlotKind = "line"
	PlotArea     PlotKind = "area"
	PlotPie      PlotKind = "pie"
	PlotDoughnut PlotKind = "doughnut"
	PlotScatter  PlotKind = "scatter"
	PlotBubble   PlotKind = "bubble"
	PlotRadar    PlotKind = "radar"
	PlotStock    PlotKind = "stock"
)

// plotKinds are the kinds that are read; a plot of any other is a LossPlot.
var plotKinds = []PlotKind{PlotBar, PlotLine, PlotArea, PlotPie, PlotDoughnut, PlotScatter, PlotBubble, PlotRadar, PlotStock}

// HasShares tells plots that show shares of a circle: each value has a colour and
// an entry in the legend, and there are no axes.
func (k PlotKind) HasShares() bool { return k == PlotPie || k == PlotDoughnut }

// IsCloud tells plots that have numbers along both axes.
func (k PlotKind) IsCloud() bool { return k == PlotScatter || k == PlotBubble }

// ChartPlot is a group of series that are drawn alike.
type ChartPlot struct {
	Kind       PlotKind
	Horizontal bool
	// Grouping is "clustered", "standard", "stacked" or "percentStacked".
	Grouping    string
	Gap         float64 // between groups of bars, in widths of a bar
	Overlap     float64 // of the bars of a group, in widths of a bar
	Hole        float64 // of a doughnut, in parts of it
	Angle       float64 // where a pie begins, degrees clockwise from the top
	IsSecondary bool    // it counts along the chart's Secondary axis
	Series      []*ChartSeries
	// HasDepth says that its bars or slices are solids.
	HasDepth bool
	// IsFilled says that the rows of a radar are areas.
	IsFilled bool
	// BubbleScale is by how much bubbles are larger than usual; SizesAreWidths says that their
	// values are their widths and not their areas.
	BubbleScale    float64
	SizesAreWidths bool
	// HighLow joins the highest and the lowest value of a group; nil: none. Bars from the first
	// series to the last one are Up or Down, where HasUpDown says so, UpDownGap of their widths
	// apart.
	HighLow   *ShapeLine
	HasUpDown bool
	Up, Down  *ShapeFill
	UpDownGap float64
}

// ChartSeries is one row of values; NaN stands for one that is not there.
type ChartSeries struct {
	Name   string
	Values []float64
	X      []float64 // of a scatter plot
	Sizes  []float64 // of bubbles
	Errors []ChartErrors
	Format string
	Fill   *ShapeFill
	Line   *ShapeLine
	// Points have the fills of single values.
	Points map[int]*ShapeFill
	Marker *ShapeFill // nil: none
	// MarkerSize is in points.
	MarkerSize float64
	Labels     ChartLabels
	// PointLabels are those of single points, by the index of their value.
	PointLabels map[int]*ChartLabels
}

// Point is the fill of a value.
func (s *ChartSeries) Point(i int) *ShapeFill {
	if f, ok := s.Points[i]; ok {
		return f
	}
	return s.Fill
}

// ChartLabels say what stands beside values.
type ChartLabels struct {
	HasValue, HasPercent, HasCategory, HasSeries bool
	Format                                       string
	Style                                        TextRun
	// Lines are a text that somebody typed in the place of all this.
	Lines []string
}

// LabelsOf says what the label of a value shows: what the file says of its point, else
// of the series.
func (s *ChartSeries) LabelsOf(point int) *ChartLabels {
	if own := s.PointLabels[point]; own != nil {
		return own
	}
	return &s.Labels
}

// HasAny reports whether there are labels at all.
func (l *ChartLabels) HasAny() bool {
	return len(l.Lines) > 0 || l.HasValue || l.HasPercent || l.HasCategory || l.HasSeries
}

// Limits on what one chart may hold; more is left out.
const (
	maxChartSeries = 256
	maxChartPoints = 4096  // of a series
	maxChartValues = 20000 // of all
)

// chartReader reads one chart part.
type chartReader struct {
	d     *Reader
	style int
	base  TextRun
	chart *Chart
	// secondary has the ids of the value axes behind the first.
	secondary      map[string]bool
	series, values int
}

// ReadChart reads the chart that a part holds; nil where there is none.
func ReadChart(d *Reader, id string) *Chart {
	rel, ok := d.Package.Relationship(d.Part, id)
	if !ok || rel.External {
		return nil
	}
	doc, err := d.Package.XML(rel.Target)
	if err != nil || doc.Root() == nil {
		return nil
	}
	root := doc.Root()
	c, space := Child(root, "chart"), root
	plot := Find(c, "plotArea")
	if plot == nil {
		return nil
	}
	r := &chartReader{d: &Reader{Package: d.Package, Part: rel.Target, Theme: d.Theme, Colors: d.Colors}, chart: &Chart{}, secondary: map[string]bool{}}
	for _, rel := range d.Package.Relationships(rel.Target) {
		if rel.Type == "themeOverride" && !rel.External {
			if theme, err := ReadTheme(d.Package, rel.Target); err == nil {
				r.d.Theme = theme
			}
		}
	}
	if override := Child(space, "clrMapOvr"); override != nil {
		r.d.Colors = map[string]string{}
		ReadColorMap(r.d.Colors, override)
	}
	r.style = max(1, Int(Child(space, "style"), "val", 2))
	r.base = TextRun{Size: 10, Alpha: 1, Font: r.d.Theme.Font(false)}
	if dark, ok := r.d.Theme.Color("dk1"); ok {
		r.base.Color = dark
	}
	r.base = r.restyle(r.base, Child(space, "txPr"))
	r.chart.ThreeD = Child(c, "view3D") != nil
	r.chart.Fill, r.chart.Line = r.d.Fill(Child(space, "spPr"), nil), r.line(space, nil)
	r.axes(plot)
	for _, e := range ChildElements(plot) {
		r.plot(e)
	}
	if len(r.chart.Plots) == 0 { // then all of it is left out
		r.chart.Losses = nil
	}
	if Child(space, "userShapes") != nil {
		r.chart.Losses = append(r.chart.Losses, LossUserShapes)
	}
	r.chart.Inner = manualLayout(plot)
	r.title(c)
	if legend := Child(c, "legend"); legend != nil {
		r.chart.Legend = attrText(Child(legend, "legendPos"), "r")
		r.chart.LegendStyle = r.restyle(r.base, Child(legend, "txPr"))
		r.chart.LegendPlace = manualLayout(legend)
	}
	return r.chart
}

// attrText is the val attribute, which most elements of a chart have.
func attrText(e *etree.Element, absent string) string {
	if e == nil {
		return absent
	}
	return e.SelectAttrValue("val", absent)
}

// isTrue reads an element that means true by being there.
func isTrue(e *etree.Element) bool { return e != nil && Bool(e, "val", true) }

// number is the val attribute as a number; nil where there is none.
func number(e *etree.Element) *float64 {
	if e == nil {
		return nil
	}
	v, err := strconv.ParseFloat(e.SelectAttrValue("val", ""), 64)
	if err != nil || v != v || v > 1e300 || v < -1e300 {
		return nil
	}
	return &v
}

// restyle lays the first paragraph's properties of a txPr or rich text over base.
func (r *chartReader) restyle(base TextRun, text *etree.Element) TextRun {
	r.d.applyTextRun(&base, Find(text, "p", "pPr", "defRPr"))
	return base
}

// line is the outline that an element's spPr asks for; nil where it asks for none.
func (r *chartReader) line(e *etree.Element, absent *ShapeLine) *ShapeLine {
	ln := Find(e, "spPr", "ln")
	if ln == nil {
		return absent
	}
	if Child(ln, "noFill") != nil {
		return nil
	}
	l := r.d.Line([]*etree.Element{ln}, nil, r.d)
	if l == nil && absent != nil {
		thick := *absent
		if ln.SelectAttr("w") != nil {
			thick.Width = EMU(ln, "w")
		}
		return &thick
	}
	return l
}

// manualLayout is the place that somebody gave to a part of a chart.
func manualLayout(e *etree.Element) *Rect {
	m := Find(e, "layout", "manualLayout")
	x, y, w, h := number(Find(m, "x")), number(Find(m, "y")), number(Find(m, "w")), number(Find(m, "h"))
	if x == nil || y == nil || w == nil || h == nil || *w <= 0 || *h <= 0 {
		return nil
	}
	if attrText(Find(m, "xMode"), "factor") != "edge" || attrText(Find(m, "layoutTarget"), "inner") == "outer" {
		return nil
	}
	return &Rect{Clamp(*x, 0, 1), Clamp(*y, 0, 1), Clamp(*w, 0.01, 1), Clamp(*h, 0.01, 1)}
}

func (r *chartReader) title(c *etree.Element) {
	if title := Child(c, "title"); title != nil && !isTrue(Child(c, "autoTitleDeleted")) {
		r.chart.Title = r.text(title, 1.8)
		if r.chart.Title == nil && Child(title, "tx") == nil && r.series > 0 {
			base := r.base
			base.Bold, base.Size = true, base.Size*1.8
			name, isNamed := "Chart Title", false
			if r.series == 1 && r.chart.Plots[0].Series[0].Name != "" {
				name, isNamed = r.chart.Plots[0].Series[0].Name, true
			}
			r.chart.Title = &ChartText{Lines: []string{name}, Style: r.restyle(base, Child(title, "txPr")), IsAutomatic: !isNamed}
		}
	}
}

// text reads a title; enlarged is its size against other text where nothing is said.
func (r *chartReader) text(e *etree.Element, enlarged float64) *ChartText {
	rich := Find(e, "tx", "rich")
	t := &ChartText{Style: r.base}
	t.Style.Bold = true
	if t.Style.Size == 10 {
		t.Style.Size *= enlarged
	}
	t.Style = r.restyle(t.Style, rich)
	isFirst := true
	for _, p := range ChildrenNamed(rich, "p") {
		var line strings.Builder
		for _, run := range ChildrenNamed(p, "r") {
			if isFirst {
				r.d.applyTextRun(&t.Style, Child(run, "rPr"))
				isFirst = false
			}
			line.WriteString(ElementText(Child(run, "t")))
		}
		t.Lines = append(t.Lines, line.String())
	}
	if rich == nil {
		names := cachedTexts(Find(e, "tx", "strRef", "strCache"))
		t.Lines = names
		t.Style = r.restyle(t.Style, Child(e, "txPr"))
	}
	if strings.TrimSpace(strings.Join(t.Lines, "")) == "" {
		return nil
	}
	m := Find(e, "layout", "manualLayout")
	if x, y := number(Find(m, "x")), number(Find(m, "y")); x != nil && y != nil && attrText(Find(m, "xMode"), "") == "edge" {
		t.Place = &Point2{Clamp(*x, 0, 1), Clamp(*y, 0, 1)}
	}
	return t
}

// Texts are the titles of a chart and of its axes, line by line.
func (c *Chart) Texts() []string {
	var all []string
	add := func(t *ChartText) {
		if t != nil && !t.IsAutomatic {
			all = append(all, t.Lines...)
		}
	}
	add(c.Title)
	add(c.Category.Title)
	add(c.Value.Title)
	if c.Secondary != nil {
		add(c.Secondary.Title)
	}
	return all
}
