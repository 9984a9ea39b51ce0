package chart

import (
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// A bar of a chart in three dimensions shows its front, its top, and the darker side at the right.
func TestBarsHaveDepth(t *testing.T) {
	t.Parallel()
	ch := bare(&dml.ChartPlot{Kind: dml.PlotBar, HasDepth: true, Gap: 1, Series: []*dml.ChartSeries{series(red, 5)}})
	ch.ThreeD = true
	p := painter(ch)
	got := drawnBy(t, p, func(p *chartPainter) { Draw(p.c, p.fonts, p.findings, ch, box) })
	front := rendertest.Areas(got, red)
	side, top := rendertest.Areas(got, shaded(solid(red), dml.RGB{}).Color), rendertest.Areas(got, shaded(solid(red), dml.RGB{R: 255, G: 255, B: 255}).Color)
	if len(front) != 1 || len(side) != 1 || len(top) != 1 {
		t.Fatalf("got %v, %v and %v, want a front, a side and a top", front, side, top)
	}
	if f, s, u := front[0], side[0], top[0]; s.X < f.X+f.W-near || u.Y+u.H > f.Y+near || s.Y >= f.Y || u.X+u.W <= f.X+f.W {
		t.Errorf("got the front %v, the side %v and the top %v", f, s, u)
	}
	if all := p.findings.All(); len(all) > 0 {
		t.Errorf("got findings %v, want none", all)
	}
}

// A pie in three dimensions is seen from above, with the edge of the slices in front.
func TestPiesHaveDepth(t *testing.T) {
	t.Parallel()
	s := series(red, 1, 1)
	s.Points = map[int]*dml.ShapeFill{1: solid(blue)}
	got := drawn(t, bare(&dml.ChartPlot{Kind: dml.PlotPie, HasDepth: true, Series: []*dml.ChartSeries{s}}))
	slice, edge := rendertest.Areas(got, red), rendertest.Areas(got, shaded(solid(red), dml.RGB{}).Color)
	if len(slice) != 1 || len(edge) != 1 || slice[0].H >= 2*slice[0].W || edge[0].Y <= slice[0].Y {
		t.Errorf("got the slice %v and its edge %v", slice, edge)
	}
}
