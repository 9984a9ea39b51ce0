package dml

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// axes reads the category axis, the value axis and the secondary one.
func (r *chartReader) axes(plot *etree.Element) {
	values := 0
	isScatter := Child(plot, "scatterChart") != nil || Child(plot, "bubbleChart") != nil
	for _, e := range ChildElements(plot) {
		switch e.Tag {
		case "catAx", "dateAx":
			if r.chart.Category.Style.Size == 0 {
				r.chart.Category = r.axis(e)
			}
		case "valAx":
			if at := attrText(Child(e, "axPos"), ""); isScatter && values == 0 && (at == "b" || at == "t") && r.chart.Category.Style.Size == 0 {
				r.chart.Category = r.axis(e)
				continue
			}
			if values++; values == 1 {
				r.chart.Value = r.axis(e)
				continue
			}
			axis := r.axis(e)
			r.chart.Secondary = &axis
			r.secondary[attrText(Child(e, "axId"), "")] = true
		}
	}
}

func (r *chartReader) axis(e *etree.Element) ChartAxis {
	a := ChartAxis{Deleted: isTrue(Child(e, "delete")), HasLabels: attrText(Child(e, "tickLblPos"), "nextTo") != "none"}
	scaling := Child(e, "scaling")
	a.Reversed = attrText(Find(scaling, "orientation"), "") == "maxMin"
	a.Min, a.Max, a.Step = number(Find(scaling, "min")), number(Find(scaling, "max")), number(Child(e, "majorUnit"))
	if format := Child(e, "numFmt"); format != nil && !Bool(format, "sourceLinked", false) {
		a.Format = format.SelectAttrValue("formatCode", "")
	}
	a.Style = r.restyle(r.base, Child(e, "txPr"))
	if body := Find(e, "txPr", "bodyPr"); body != nil && body.SelectAttr("rot") != nil {
		if turn := float64(Int(body, "rot", 0)) / 60000; math.Abs(turn) <= 90 {
			a.Rotation = &turn
		}
	}
	mark := attrText(Child(e, "majorTickMark"), "")
	a.HasTicks = mark != "none" && mark != "in"
	grey := &ShapeLine{Width: 0.75, Color: RGB{0x86, 0x86, 0x86}, Alpha: 1, Dash: "solid"}
	a.Line = r.line(e, grey)
	if grid := Child(e, "majorGridlines"); grid != nil {
		a.Grid = r.line(grid, grey)
	}
	if title := Child(e, "title"); title != nil {
		if a.Title = r.text(title, 1); a.Title == nil && Child(title, "tx") == nil {
			base := r.base
			base.Bold = true
			a.Title = &ChartText{Lines: []string{"Axis Title"}, Style: r.restyle(base, Child(title, "txPr")), IsAutomatic: true}
		}
	}
	return a
}

// plot reads a group of series, where e is one that can be drawn.
func (r *chartReader) plot(e *etree.Element) {
	name, ok := strings.CutSuffix(e.Tag, "Chart")
	if !ok {
		return
	}
	kind := PlotKind(strings.TrimSuffix(name, "3D"))
	if !slices.Contains(plotKinds, kind) {
		r.chart.Losses = append(r.chart.Losses, LossPlot)
		return
	}
	p := &ChartPlot{Kind: kind, Grouping: attrText(Child(e, "grouping"), "standard"), Gap: 1.5, Hole: 0.5}
	p.HasDepth = strings.HasSuffix(name, "3D") && (kind == PlotBar || kind == PlotPie)
	p.Horizontal = attrText(Child(e, "barDir"), "") == "bar"
	if v := number(Child(e, "gapWidth")); v != nil {
		p.Gap = Clamp(*v/100, 0, 5)
	}
	if v := number(Child(e, "overlap")); v != nil {
		p.Overlap = Clamp(*v/100, -1, 1)
	}
	if v := number(Child(e, "holeSize")); v != nil {
		p.Hole = Clamp(*v/100, 0.1, 0.9)
	}
	if v := number(Child(e, "firstSliceAng")); v != nil {
		p.Angle = Clamp(*v, 0, 360)
	}
	r.plotMarks(e, p)
	for _, id := range ChildrenNamed(e, "axId") {
		p.IsSecondary = p.IsSecondary || r.secondary[attrText(id, "")]
	}
	isVaried := isTrue(Child(e, "varyColors"))
	for _, ser := range ChildrenNamed(e, "ser") {
		if r.series >= maxChartSeries || r.values >= maxChartValues {
			break
		}
		s := r.readSeries(ser, e, p, isVaried)
		p.Series = append(p.Series, s)
		r.series, r.values = r.series+1, r.values+len(s.Values)
	}
	if len(p.Series) > 0 {
		r.chart.Plots = append(r.chart.Plots, p)
	}
}

// plotMarks reads what bubbles, radars and stocks have.
func (r *chartReader) plotMarks(e *etree.Element, p *ChartPlot) {
	if p.Kind == PlotBubble {
		p.BubbleScale, p.SizesAreWidths = 1, attrText(Child(e, "sizeRepresents"), "area") == "w"
		if v := number(Child(e, "bubbleScale")); v != nil {
			p.BubbleScale = Clamp(*v/100, 0, 3)
		}
	}
	p.IsFilled = attrText(Child(e, "radarStyle"), "") == "filled"
	black := &ShapeLine{Width: 0.75, Color: r.base.Color, Alpha: 1, Dash: "solid"}
	if lines := Child(e, "hiLowLines"); lines != nil {
		p.HighLow = r.line(lines, black)
	}
	if bars := Child(e, "upDownBars"); bars != nil {
		p.HasUpDown, p.UpDownGap = true, 1.5
		if v := number(Child(bars, "gapWidth")); v != nil {
			p.UpDownGap = Clamp(*v/100, 0, 5)
		}
		if p.Up = r.d.Fill(Find(bars, "upBars", "spPr"), nil); p.Up == nil {
			p.Up = &ShapeFill{Kind: FillSolid, Color: RGB{255, 255, 255}, Alpha: 1}
		}
		if p.Down = r.d.Fill(Find(bars, "downBars", "spPr"), nil); p.Down == nil {
			p.Down = &ShapeFill{Kind: FillSolid, Color: r.base.Color, Alpha: 1}
		}
	}
}

// readSeries reads one series of a group.
func (r *chartReader) readSeries(e, group *etree.Element, p *ChartPlot, isVaried bool) *ChartSeries {
	s := &ChartSeries{Points: map[int]*ShapeFill{}}
	if names := cachedTexts(Find(e, "tx", "strRef", "strCache")); len(names) > 0 {
		s.Name = names[0]
	} else {
		s.Name = ElementText(Find(e, "tx", "v"))
	}
	s.Values, s.Format = numbers(FirstChild(e, "val", "yVal"))
	s.X, _ = numbers(Child(e, "xVal"))
	s.Sizes, _ = numbers(Child(e, "bubbleSize"))
	r.readErrors(e, s)
	if names := categories(FirstChild(e, "cat", "xVal")); len(names) > len(r.chart.Categories) {
		r.chart.Categories = names
	}
	at := Int(Child(e, "idx"), "val", r.series)
	hasShares := p.Kind.HasShares()
	own := r.d.Fill(Child(e, "spPr"), nil)
	if s.Fill = own; s.Fill == nil {
		s.Fill = r.automatic(at)
	}
	switch {
	case p.Kind == PlotStock:
		s.Line = r.line(e, nil)
		r.marker(s, e, group, p, at)
	case p.Kind == PlotLine || p.Kind == PlotScatter || p.Kind == PlotRadar && !p.IsFilled:
		s.Line = r.line(e, &ShapeLine{Width: 2.25, Color: r.automatic(at).Color, Alpha: 1, Dash: "solid"})
		r.marker(s, e, group, p, at)
	default:
		s.Line = r.line(e, nil)
	}
	if (hasShares || isVaried && len(p.Series) == 0) && own == nil && (hasShares || p.Kind == PlotBar) {
		for i := range s.Values {
			s.Points[i] = r.automatic(i)
		}
	}
	for _, pt := range ChildrenNamed(e, "dPt") {
		if f := r.d.Fill(Child(pt, "spPr"), nil); f != nil && len(s.Points) < maxChartPoints {
			s.Points[Int(Child(pt, "idx"), "val", 0)] = f
		}
	}
	labels := Child(e, "dLbls")
	if labels == nil {
		labels = Child(group, "dLbls")
	}
	s.Labels = r.labels(labels, s.Format)
	for _, own := range ChildrenNamed(labels, "dLbl") {
		if at := Int(Child(own, "idx"), "val", -1); at >= 0 && at < len(s.Values) && !isMoved(own) {
			if s.PointLabels == nil {
				s.PointLabels = map[int]*ChartLabels{}
			}
			s.PointLabels[at] = r.pointLabel(own, &s.Labels)
		}
	}
	return s
}

func (r *chartReader) marker(s *ChartSeries, e, group *etree.Element, p *ChartPlot, at int) {
	marker := Child(e, "marker")
	if attrText(Find(marker, "symbol"), "") == "none" || marker == nil && !hasMarkers(group, p.Kind) {
		return
	}
	s.MarkerSize = 5
	if size := number(Find(marker, "size")); size != nil {
		s.MarkerSize = Clamp(*size, 2, 72)
	}
	if s.Marker = r.d.Fill(Find(marker, "spPr"), nil); s.Marker == nil {
		s.Marker = r.automatic(at)
	}
}

// hasMarkers says whether the rows of a group have markers where they say nothing of them.
func hasMarkers(group *etree.Element, kind PlotKind) bool {
	switch kind {
	case PlotLine:
		return isTrue(Child(group, "marker"))
	case PlotRadar:
		return attrText(Child(group, "radarStyle"), "") == "marker"
	}
	return kind != PlotStock
}

// automatic is the fill of a series that names none: the accents of the theme
// in turn, or what the chart's style asks for (ECMA-376 part 1, 21.2.2.227).
func (r *chartReader) automatic(i int) *ShapeFill {
	f := &ShapeFill{Kind: FillSolid, Alpha: 1}
	i = max(i, 0)
	switch family := (r.style - 1) % 8; family {
	case 0:
		grey := []uint8{0x62, 0xB2, 0x82, 0x45, 0x9A, 0xC6}[i%6]
		f.Color = RGB{grey, grey, grey}
	case 1:
		f.Color, _ = r.d.Theme.Color("accent" + strconv.Itoa(i%6+1))
		if round := i / 6; round > 0 {
			f.Color = mix(f.Color, RGB{}, math.Min(0.2*float64(round), 0.6))
		}
	default:
		f.Color, _ = r.d.Theme.Color("accent" + strconv.Itoa(family-1))
		f.Color = mix(f.Color, RGB{255, 255, 255}, math.Min(0.12*float64(i), 0.7))
	}
	return f
}

func (r *chartReader) labels(e *etree.Element, format string) ChartLabels {
	l := ChartLabels{Style: r.base, Format: format}
	if e == nil || isTrue(Child(e, "delete")) {
		return l
	}
	l.HasValue, l.HasPercent = isTrue(Child(e, "showVal")), isTrue(Child(e, "showPercent"))
	l.HasCategory, l.HasSeries = isTrue(Child(e, "showCatName")), isTrue(Child(e, "showSerName"))
	if f := Child(e, "numFmt"); f != nil && !Bool(f, "sourceLinked", false) {
		l.Format = f.SelectAttrValue("formatCode", format)
	}
	l.Style = r.restyle(l.Style, Child(e, "txPr"))
	return l
}

// isMoved tells of a label that has a place of its own and says nothing else.
func isMoved(e *etree.Element) bool {
	for _, tag := range []string{"delete", "tx", "showVal", "showCatName", "showSerName", "showPercent"} {
		if Child(e, tag) != nil {
			return false
		}
	}
	return true
}

// hasField tells of a text with fields, which show what the label's flags ask for.
func hasField(e *etree.Element) bool {
	for _, p := range ChildrenNamed(Find(e, "tx", "rich"), "p") {
		if Child(p, "fld") != nil {
			return true
		}
	}
	return false
}

// pointLabel reads the label of one point, in the style of its series.
func (r *chartReader) pointLabel(e *etree.Element, of *ChartLabels) *ChartLabels {
	l := r.labels(e, of.Format)
	l.Style = r.restyle(of.Style, Child(e, "txPr"))
	if text := r.text(e, 1); text != nil && !hasField(e) {
		l.Lines = text.Lines
	}
	return &l
}

// numbers reads the cached values of a reference, and how they are written.
func numbers(e *etree.Element) ([]float64, string) {
	cache := Find(e, "numRef", "numCache")
	if cache == nil {
		if cache = Find(e, "numLit"); cache == nil {
			return nil, ""
		}
	}
	out := make([]float64, pointCount(cache))
	for i := range out {
		out[i] = math.NaN()
	}
	for _, pt := range ChildrenNamed(cache, "pt") {
		i := Int(pt, "idx", -1)
		v, err := strconv.ParseFloat(strings.TrimSpace(ElementText(Child(pt, "v"))), 64)
		if err == nil && i >= 0 && i < len(out) && math.Abs(v) < 1e300 {
			out[i] = v
		}
	}
	return out, ElementText(Child(cache, "formatCode"))
}

func pointCount(cache *etree.Element) int {
	return max(0, min(Int(Child(cache, "ptCount"), "val", len(ChildrenNamed(cache, "pt"))), maxChartPoints))
}

// cachedTexts reads cached texts.
func cachedTexts(cache *etree.Element) []string {
	if cache == nil {
		return nil
	}
	out := make([]string, pointCount(cache))
	for _, pt := range ChildrenNamed(cache, "pt") {
		if i := Int(pt, "idx", -1); i >= 0 && i < len(out) {
			out[i] = ElementText(Child(pt, "v"))
		}
	}
	return out
}

// categories reads the names along an axis: texts, the last of several levels
// of them, or numbers as they are written.
func categories(e *etree.Element) []string {
	if cache := Find(e, "strRef", "strCache"); cache != nil {
		return cachedTexts(cache)
	}
	if cache := Find(e, "strLit"); cache != nil {
		return cachedTexts(cache)
	}
	if cache := Find(e, "multiLvlStrRef", "multiLvlStrCache"); cache != nil {
		level := Child(cache, "lvl")
		if level == nil {
			return nil
		}
		out := make([]string, pointCount(cache))
		for _, pt := range ChildrenNamed(level, "pt") {
			if i := Int(pt, "idx", -1); i >= 0 && i < len(out) {
				out[i] = ElementText(Child(pt, "v"))
			}
		}
		return out
	}
	values, format := numbers(e)
	out := make([]string, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			out[i] = FormatValue(v, format)
		}
	}
	return out
}
