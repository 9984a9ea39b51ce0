package chart

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// Tolerances of scales, in steps.
const (
	rounding = 1e-9 // what computing may add to a value that falls on a step
	beyond   = 1e-6 // how far the last step may lie behind the end
)

// chartScale is a value axis: where it begins and ends, and its steps.
type chartScale struct{ low, high, step float64 }

// part is where a value stands between the ends, 0 to 1.
func (s chartScale) part(v float64) float64 {
	return pdf.Clamp((v-s.low)/(s.high-s.low), -0.05, 1.05)
}

// scales finds the value axes' ends. Stacked values count as their sums.
func (p *chartPainter) scales() {
	for _, second := range []bool{false, true} {
		low, high, hasValues, isPercent := math.Inf(1), math.Inf(-1), false, false
		take := func(v float64) {
			if !math.IsNaN(v) {
				low, high, hasValues = math.Min(low, v), math.Max(high, v), true
			}
		}
		for _, plot := range p.Plots {
			if plot.IsSecondary != second {
				continue
			}
			switch plot.Kind {
			case dml.PlotScatter, dml.PlotLine, dml.PlotBubble, dml.PlotStock:
			default:
				take(0)
			}
			isPercent = isPercent || plot.Grouping == "percentStacked"
			sums := newStack(plot)
			for i := range plot.Series {
				for j := range plot.Series[i].Values {
					_, to := sums.next(i, j)
					take(to)
				}
				for _, bars := range plot.Series[i].Errors {
					if !bars.IsLevel && plot.Grouping != "stacked" && plot.Grouping != "percentStacked" {
						for j := range bars.From {
							take(bars.From[j])
							take(bars.To[j])
						}
					}
				}
			}
			if plot.Kind == dml.PlotBubble && hasValues {
				low, high = roomForBubbles(low, high)
			}
		}
		axis := &p.Value
		if second {
			axis = p.Secondary
		}
		if axis == nil {
			axis = &dml.ChartAxis{}
		}
		if !hasValues {
			low, high = 0, 1
		}
		scale := niceScale(low, high, axis)
		if isPercent && axis.Max == nil {
			scale.high = 1
		}
		if second {
			p.second = scale
		} else {
			p.value = scale
		}
	}
}

// niceScale takes steps of 1, 2 or 5 and leaves some room at the ends, as
// office suites do.
func niceScale(low, high float64, axis *dml.ChartAxis) chartScale {
	if low > 0 && (high-low) > high/6 || low > 0 && low == high {
		low = 0
	}
	if high < 0 {
		high = 0
	}
	if low == high {
		high = low + 1
	}
	const most, room = 10, 0.05
	lowest, highest := low, high
	if low != 0 {
		lowest -= (high - low) * room
	}
	if high != 0 {
		highest += (high - low) * room
	}
	if axis.Min != nil {
		lowest = *axis.Min
	}
	if axis.Max != nil {
		highest = *axis.Max
	}
	if highest <= lowest {
		highest = lowest + 1
	}
	step := math.Pow(10, math.Floor(math.Log10((highest-lowest)/most)))
	for _, k := range []float64{1, 2, 5, 10} {
		if (highest-lowest)/(step*k) <= most {
			step *= k
			break
		}
	}
	if axis.Step != nil && *axis.Step > 0 && (highest-lowest) / *axis.Step <= 200 {
		step = *axis.Step
	}
	if axis.Min == nil {
		lowest = math.Floor(lowest/step+rounding) * step
	}
	if axis.Max == nil {
		highest = math.Ceil(highest/step-rounding) * step
	}
	if !(highest-lowest > 0) || math.IsInf(highest-lowest, 0) {
		return chartScale{0, 1, 0.2}
	}
	return chartScale{lowest, highest, step}
}

// steps are the values that have a label.
func (s chartScale) steps() []float64 {
	var out []float64
	const most = 250
	for i := 0; i < most; i++ {
		v := s.low + float64(i)*s.step
		if v > s.high+s.step*beyond {
			break
		}
		if math.Abs(v) < s.step*rounding {
			v = 0
		}
		out = append(out, v)
	}
	return out
}

// isHorizontal says whether categories run down the side.
func (p *chartPainter) isHorizontal() bool {
	return p.Plots[0].Kind == dml.PlotBar && p.Plots[0].Horizontal
}

func (p *chartPainter) isScatter() bool { return p.Plots[0].Kind.IsCloud() }

// groups is the number of places along the category axis.
func (p *chartPainter) groups() int {
	n := len(p.Categories)
	for _, plot := range p.Plots {
		for _, s := range plot.Series {
			n = max(n, len(s.Values))
		}
	}
	return max(n, 1)
}

func (p *chartPainter) category(i int) string {
	if i < len(p.Categories) {
		return p.Categories[i]
	}
	return ""
}

func (p *chartPainter) valueText(v float64, axis *dml.ChartAxis) string {
	format := axis.Format
	if format == "" {
		for _, plot := range p.Plots {
			if plot.Grouping == "percentStacked" {
				return dml.FormatValue(v, "0%")
			}
			if format == "" && len(plot.Series) > 0 {
				format = plot.Series[0].Format
			}
		}
	}
	return dml.FormatValue(v, format)
}

// frame finds the plot's place: where it was put, or what labels leave.
func (p *chartPainter) frame() {
	if p.Inner != nil {
		p.inner = p.place(p.Inner)
		return
	}
	left, bottom, right := 0.0, 0.0, 0.0
	valueWidth := func(axis *dml.ChartAxis, scale chartScale) float64 {
		w := 0.0
		if isShown(axis) {
			for _, v := range scale.steps() {
				w = math.Max(w, p.width(p.valueText(v, axis), &axis.Style))
			}
			w += outside(axis)
		}
		return w
	}
	if p.isHorizontal() {
		if isShown(&p.Category) {
			for i := range p.groups() {
				left = math.Max(left, p.width(p.category(i), &p.Category.Style))
			}
			left = math.Min(left, p.area.W*0.4) + outside(&p.Category)
		}
		if isShown(&p.Value) {
			bottom = lineHeight(&p.Value.Style) + outside(&p.Value)
		}
	} else {
		left = valueWidth(&p.Value, p.value)
		if p.Secondary != nil {
			right = valueWidth(p.Secondary, p.second)
		}
		if isShown(&p.Category) {
			bottom = p.categoryHeight((p.area.W - left - right) / float64(p.groups()))
			left, right = p.besideNames(left, right)
		}
	}
	for _, axis := range []*dml.ChartAxis{&p.Category, &p.Value} {
		if axis.Title == nil || axis.Deleted {
			continue
		}
		room := lineHeight(&axis.Title.Style) * 1.2
		if (axis == &p.Category) != p.isHorizontal() {
			bottom += room
		} else {
			left += room
		}
	}
	top := lineHeight(&p.Value.Style) / 2
	p.inner = dml.Rect{X: p.area.X + left, Y: p.area.Y + top, W: math.Max(p.area.W-left-right, 5), H: math.Max(p.area.H-bottom-top, 5)}
}

// labelGap parts the labels of an axis from it, and from each other; tickLength is how
// long its marks are. Both are LibreOffice's: 1 and 1.5 millimetres.
const (
	labelGap   = 0.1 / 2.54 * 72
	tickLength = 0.15 / 2.54 * 72
)

// outside is the room between the labels of an axis and the plot.
func outside(axis *dml.ChartAxis) float64 {
	if axis.HasTicks {
		return labelGap + tickLength
	}
	return labelGap
}

// besideNames is the room at the left and at the right of the plot which slanted
// names take that would reach out of the chart; the plot keeps half of it.
func (p *chartPainter) besideNames(left, right float64) (float64, float64) {
	turn := p.turn((p.area.W-left-right)/float64(p.groups())) * math.Pi / 180
	if turn == 0 || p.isScatter() {
		return left, right
	}
	n, width := float64(p.groups()), p.area.W
	most := math.Max(width/2, left+right) // of room beside the plot
	for i := range p.groups() {
		reach := p.width(p.category(i), &p.Category.Style)*math.Cos(turn) + lineHeight(&p.Category.Style)/2*math.Abs(math.Sin(turn))
		at := (float64(i) + 0.5) / n // of the plot's width
		if p.Category.Reversed {
			at = 1 - at
		}
		if turn < 0 { // left + at·(width-left-right) is reach at least
			left = math.Max(left, (reach-at*(width-right))/(1-at))
		} else {
			right = math.Max(right, (reach-(1-at)*(width-left))/at)
		}
	}
	left = math.Min(left, most-right)
	return left, math.Min(right, most-left)
}

func isShown(axis *dml.ChartAxis) bool { return !axis.Deleted && axis.HasLabels && axis.Style.Size > 0 }

// turn is how category labels stand: level where each word has room, else
// slanted, or as the file says.
func (p *chartPainter) turn(room float64) float64 {
	if p.Category.Rotation != nil {
		return *p.Category.Rotation
	}
	for i := range p.groups() {
		if _, fits := p.wrap(p.category(i), &p.Category.Style, room-labelGap); !fits {
			return -45
		}
	}
	return 0
}

func (p *chartPainter) categoryHeight(room float64) float64 {
	style := &p.Category.Style
	if p.isScatter() {
		return lineHeight(style) + outside(&p.Category)
	}
	turn := p.turn(room) * math.Pi / 180
	height := 0.0
	for i := range p.groups() {
		if turn == 0 {
			lines, _ := p.wrap(p.category(i), style, room-labelGap)
			height = math.Max(height, float64(len(lines))*lineHeight(style))
			continue
		}
		height = math.Max(height, p.width(p.category(i), style)*math.Abs(math.Sin(turn))+lineHeight(style)*math.Cos(turn))
	}
	return math.Min(height+outside(&p.Category), p.area.H*0.6)
}

// axes draws grid, axes and their labels.
func (p *chartPainter) axes() {
	r := p.inner
	for _, v := range p.value.steps() {
		at := p.value.part(v)
		if p.isHorizontal() {
			x := r.X + at*r.W
			p.rule(x+p.depth, r.Y-p.depth*rise, x+p.depth, r.Y+r.H-p.depth*rise, p.Value.Grid)
			if isShown(&p.Value) {
				p.text([]string{p.valueText(v, &p.Value)}, &p.Value.Style, x, r.Y+r.H+outside(&p.Value), 0)
			}
			continue
		}
		y := r.Y + (1-at)*r.H
		if p.depth > 0 {
			p.rule(r.X, y, r.X+p.depth, y-p.depth*rise, p.Value.Grid)
		}
		p.rule(r.X+p.depth, y-p.depth*rise, r.X+r.W+p.depth, y-p.depth*rise, p.Value.Grid)
		if isShown(&p.Value) {
			p.text([]string{p.valueText(v, &p.Value)}, &p.Value.Style, r.X-outside(&p.Value), y-lineHeight(&p.Value.Style)/2, 1)
		}
	}
	if s := p.Secondary; s != nil && isShown(s) && !p.isHorizontal() {
		for _, v := range p.second.steps() {
			p.text([]string{p.valueText(v, s)}, &s.Style, r.X+r.W+outside(s), r.Y+(1-p.second.part(v))*r.H-lineHeight(&s.Style)/2, -1)
		}
	}
	p.axisLines()
	p.categoryLabels()
	p.axisTitles()
}

// axisLines draws the axes with their marks.
func (p *chartPainter) axisLines() {
	r, zero := p.inner, pdf.Clamp(p.value.part(0), 0, 1)
	if p.isHorizontal() {
		p.ticks(&p.Value, p.value.parts(), r.X, r.Y+r.H, r.W, 0, 0, 1)
		p.ticks(&p.Category, p.groupEnds(), r.X+zero*r.W, r.Y, 0, r.H, -1, 0)
		p.axisLine(r.X, r.Y+r.H, r.X+r.W, r.Y+r.H, &p.Value)
		p.axisLine(r.X+zero*r.W, r.Y, r.X+zero*r.W, r.Y+r.H, &p.Category)
	} else {
		p.ticks(&p.Value, p.value.parts(), r.X, r.Y+r.H, 0, -r.H, -1, 0)
		p.ticks(&p.Category, p.groupEnds(), r.X, r.Y+(1-zero)*r.H, r.W, 0, 0, 1)
		p.axisLine(r.X, r.Y, r.X, r.Y+r.H, &p.Value)
		p.axisLine(r.X, r.Y+(1-zero)*r.H, r.X+r.W, r.Y+(1-zero)*r.H, &p.Category)
		if s := p.Secondary; s != nil {
			p.ticks(s, p.second.parts(), r.X+r.W, r.Y+r.H, 0, -r.H, 1, 0)
			p.axisLine(r.X+r.W, r.Y, r.X+r.W, r.Y+r.H, s)
		}
	}
}

// ticks draws the marks of an axis that begins at x and y and runs by w or h, at parts
// of its length, towards one side.
func (p *chartPainter) ticks(axis *dml.ChartAxis, parts []float64, x, y, w, h, toX, toY float64) {
	if !axis.HasTicks {
		return
	}
	for _, part := range parts {
		x, y := x+part*w, y+part*h
		p.axisLine(x, y, x+toX*tickLength, y+toY*tickLength, axis)
	}
}

// parts are the places of the steps on a scale's axis.
func (s chartScale) parts() []float64 {
	var out []float64
	for _, v := range s.steps() {
		out = append(out, s.part(v))
	}
	return out
}

// groupEnds are the places on the category axis where groups begin and end.
func (p *chartPainter) groupEnds() []float64 {
	if p.isScatter() {
		return p.xScale().parts()
	}
	n, out := p.groups(), []float64{0}
	for i := range n {
		out = append(out, float64(i+1)/float64(n))
	}
	return out
}

func (p *chartPainter) rule(x1, y1, x2, y2 float64, l *dml.ShapeLine) {
	if l != nil {
		p.c.StrokeLine(x1, y1, x2, y2, shape.StrokeOf(l))
	}
}

func (p *chartPainter) axisLine(x1, y1, x2, y2 float64, axis *dml.ChartAxis) {
	if !axis.Deleted {
		p.rule(x1, y1, x2, y2, axis.Line)
	}
}

func (p *chartPainter) categoryLabels() {
	if !isShown(&p.Category) {
		return
	}
	r, style := p.inner, &p.Category.Style
	if p.isScatter() {
		scale := p.xScale()
		for _, v := range scale.steps() {
			p.text([]string{dml.FormatValue(v, p.Category.Format)}, style, r.X+scale.part(v)*r.W, r.Y+r.H+outside(&p.Category), 0)
		}
		return
	}
	room := r.W / float64(p.groups())
	turn := p.turn(room)
	every := 1
	if !p.isHorizontal() && turn != 0 {
		every = max(1, int(math.Ceil(style.Size/math.Max(room, 0.1))))
	}
	for i := 0; i < p.groups(); i += every {
		text := p.category(i)
		if p.isHorizontal() {
			y := p.along(i)
			p.text([]string{text}, style, r.X-outside(&p.Category), y-lineHeight(style)/2, 1)
			continue
		}
		x, y := p.along(i), r.Y+r.H+outside(&p.Category)
		if turn == 0 {
			lines, _ := p.wrap(text, style, room-labelGap)
			p.text(lines, style, x, y, 0)
			continue
		}
		p.slanted(text, turn, x, y)
	}
}

// slanted draws a name whose last letter, or its first, stands below x.
func (p *chartPainter) slanted(text string, turn, x, y float64) {
	// middle is that of small letters above their baseline, drop how far a name that is
	// level would stand below y by it.
	const middle, drop = 0.27, 0.51 // of the size
	style := &p.Category.Style
	y += drop * style.Size * math.Cos(turn*math.Pi/180)
	align := -1
	if turn < 0 {
		align = 1
	}
	p.c.Rotate(turn, x, y)
	p.text([]string{text}, style, x, y-(ascent-middle)*style.Size, align)
	p.c.Restore()
}

// along is the middle of a category on its axis.
func (p *chartPainter) along(i int) float64 {
	n := float64(p.groups())
	at := (float64(i) + 0.5) / n
	if p.Category.Reversed != p.isHorizontal() { // names that run down the side begin at the bottom
		at = 1 - at
	}
	if p.isHorizontal() {
		return p.inner.Y + at*p.inner.H
	}
	return p.inner.X + at*p.inner.W
}

func (p *chartPainter) axisTitles() {
	for _, axis := range []*dml.ChartAxis{&p.Category, &p.Value} {
		t := axis.Title
		if t == nil || axis.Deleted {
			continue
		}
		if (axis == &p.Category) != p.isHorizontal() {
			p.text(t.Lines, &t.Style, p.inner.X+p.inner.W/2, p.area.Y+p.area.H-lineHeight(&t.Style)*float64(len(t.Lines)), 0)
			continue
		}
		x, y := p.area.X, p.inner.Y+p.inner.H/2
		p.c.Rotate(-90, x, y)
		p.text(t.Lines, &t.Style, x, y, 0)
		p.c.Restore()
	}
}
