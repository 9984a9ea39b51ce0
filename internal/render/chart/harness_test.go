package chart

import (
	"math"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// box is where tests draw charts; whole is all of it.
var (
	box   = dml.Rect{X: 50, Y: 40, W: 400, H: 300}
	whole = &dml.Rect{W: 1, H: 1}
)

var (
	red   = dml.RGB{R: 255}
	green = dml.RGB{G: 255}
	blue  = dml.RGB{B: 255}
	grey  = dml.RGB{R: 102, G: 102, B: 102}
)

// near is how far a place on a page may be from where it is wanted.
const near = rendertest.Precision

func solid(c dml.RGB) *dml.ShapeFill { return &dml.ShapeFill{Kind: dml.FillSolid, Color: c, Alpha: 1} }

func stroke(c dml.RGB) *dml.ShapeLine { return &dml.ShapeLine{Width: 1, Color: c, Alpha: 1} }

func number(v float64) *float64 { return &v }

// textStyle is text of 10 points, whose lines are as many apart and reach 8 above their baselines.
func textStyle() dml.TextRun { return dml.TextRun{Font: "Arial", Size: 10, Alpha: 1} }

// axis is an axis with labels and no line.
func axis() dml.ChartAxis { return dml.ChartAxis{HasLabels: true, Style: textStyle()} }

// bare is a chart that fills its box with the plot, without axes; values of 0 to
// 10 reach from its bottom to its top.
func bare(plots ...*dml.ChartPlot) *dml.Chart {
	return &dml.Chart{Plots: plots, Inner: whole, Category: dml.ChartAxis{Deleted: true}, Value: dml.ChartAxis{Deleted: true, Min: number(0), Max: number(10)}}
}

func series(c dml.RGB, values ...float64) *dml.ChartSeries {
	return &dml.ChartSeries{Fill: solid(c), Values: values}
}

// painter is about to draw a chart: its title and its legend have taken nothing yet.
func painter(ch *dml.Chart) *chartPainter {
	return &chartPainter{fonts: pdf.EmbeddedFonts(), findings: &render.Findings{}, Chart: ch, box: box, area: box, c: pdf.NewCanvas("", "")}
}

// drawn draws a chart and reads what came of it.
func drawn(t *testing.T, ch *dml.Chart) []rendertest.Mark {
	t.Helper()
	return drawnBy(t, painter(ch), func(p *chartPainter) { Draw(p.c, p.fonts, p.findings, ch, box) })
}

// drawnBy reads what one method of a painter draws.
func drawnBy(t *testing.T, p *chartPainter, draw func(*chartPainter)) []rendertest.Mark {
	t.Helper()
	p.c.AddPage(600, 500)
	draw(p)
	file, err := p.c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return rendertest.Drawn(t, file)[0]
}

// lines are the lines of one colour, each from its first point to its last.
func lines(marks []rendertest.Mark, c dml.RGB) [][4]float64 {
	var all [][4]float64
	for _, m := range marks {
		if m.Kind == rendertest.MarkLine && m.Color == c {
			all = append(all, [4]float64{m.X[0], m.Y[0], m.X[len(m.X)-1], m.Y[len(m.Y)-1]})
		}
	}
	return all
}

func wantLines(t *testing.T, what string, got [][4]float64, want ...[4]float64) {
	t.Helper()
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		for k := range got[i] {
			same = same && math.Abs(got[i][k]-want[i][k]) <= near
		}
	}
	if !same {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// wide is how wide a text of textStyle is.
func wide(text string) float64 {
	l := textStyle()
	return pdf.Measure(text, pdf.EmbeddedFonts().Face(l.Font, false, false), l.Size, pdf.TextOptions{Kern: true})
}
