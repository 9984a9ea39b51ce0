package flow

import (
	"math"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// guideBox is a phonetic guide above glyphs that stay together in a line.
type guideBox struct {
	align  string
	raise  float64
	ascent float64
	glyphs []glyph
	xs     []float64 // of the glyphs, from the guide's left edge
	below  int       // glyphs that follow the guide's own
}

// guided makes the glyphs of the runs that share the guide of the first one, and says
// how many those are.
func (b *glyphBuilder) guided(runs []*wml.Run) (n int) {
	guide := runs[0].Guide
	box := &guideBox{align: guide.Align, raise: guide.Raise}
	at := len(b.out)
	b.begin(&runs[0].RunProperties, runs[0].Link)
	b.object(&object{guide: box})
	for n < len(runs) && runs[n].Guide == guide {
		b.run(runs[n])
		n++
	}
	above := &glyphBuilder{composer: b.composer, env: b.env}
	for _, run := range guide.Runs {
		above.run(run)
	}
	if above.needsShaping {
		above.shape(false)
	}
	above.kern()
	for _, g := range above.out {
		if g.object == nil {
			box.glyphs = append(box.glyphs, g)
			box.ascent = math.Max(box.ascent, g.style.ascent+g.style.raise)
		}
	}
	for i := at + 1; i < len(b.out); i++ {
		b.out[i].isHeld = true
	}
	if box.below = len(b.out) - at - 1; box.below > 0 {
		b.out[at].r = b.out[at+1].r // where lines may end
	}
	return n
}

// spreadGuides gives guides and the text below them the same width.
func (b *glyphBuilder) spreadGuides() {
	for i := range b.out {
		if o := b.out[i].object; o != nil && o.guide != nil {
			o.guide.spread(&b.out[i], b.out[i+1:i+1+o.guide.below])
		}
	}
}

func (box *guideBox) spread(start *glyph, text []glyph) {
	room := math.Max(widthOf(box.glyphs), widthOf(text))
	if free := room - widthOf(text); free > 0 && len(text) > 0 {
		lead, step := spreadOver(free, len(text), box.align)
		start.width = lead
		for i := range text {
			text[i].width += step
		}
		text[len(text)-1].width += free - lead - step*float64(len(text))
	}
	x, step := spreadOver(room-widthOf(box.glyphs), len(box.glyphs), box.align)
	for _, g := range box.glyphs {
		box.xs = append(box.xs, x)
		x += g.width + step
	}
}

// spreadOver shares free room among n glyphs: what comes in front of the first, and
// behind each.
func spreadOver(free float64, n int, align string) (lead, step float64) {
	switch {
	case align == "left":
		return 0, 0
	case align == "right":
		return free, 0
	case align == "distributeSpace" && n > 0:
		step = free / float64(n)
		return step / 2, step
	case align == "distributeLetter" && n > 1:
		return 0, free / float64(n-1)
	}
	return free / 2, 0
}

func widthOf(glyphs []glyph) float64 {
	width := 0.0
	for i := range glyphs {
		width += glyphs[i].width
	}
	return width
}

// guide draws a phonetic guide above the text that begins at x.
func (p *painter) guide(box *guideBox, x, baseline float64) {
	for from := 0; from < len(box.glyphs); {
		first := &box.glyphs[from]
		var xs []float64
		var runes []rune
		var clusters []*pdf.Cluster
		to := from
		for ; to < len(box.glyphs) && box.glyphs[to].isDrawnWith(first); to++ {
			g := &box.glyphs[to]
			xs, runes, clusters = append(xs, x+box.xs[to]), append(runes, g.r), append(clusters, g.cluster)
		}
		s, y := first.style, baseline-box.raise-first.style.raise
		if first.cluster != nil {
			p.canvas.Clusters(xs, y, clusters, s.size, s.scale, s.color)
		} else {
			p.canvas.TextStretched(xs, y, runes, s.face, s.size, s.scale, s.color)
		}
		from = to
	}
}
