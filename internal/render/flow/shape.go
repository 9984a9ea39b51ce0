package flow

import (
	"math"
	"unicode"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/bidi"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// settle gives the glyphs what they take from their neighbours: direction and form, kerning,
// the space between scripts, and the width below phonetic guides.
func (b *glyphBuilder) settle(p *wml.Paragraph) {
	if b.needsShaping || p.RTL {
		b.shape(p.RTL)
	}
	b.kern()
	if !p.IsTight {
		b.scriptSpace()
	}
	b.spreadGuides()
}

// shape gives the glyphs their direction, and those that the font shapes their
// form and width.
func (b *glyphBuilder) shape(isRTL bool) {
	runes := make([]rune, len(b.out))
	faces := make([]*pdf.Face, len(b.out))
	for i := range b.out {
		g := &b.out[i]
		switch {
		case g.object != nil:
			runes[i] = objectRune
			switch {
			case g.object.isTab():
				runes[i] = '\t'
			case g.object.formula != nil: // runs from left to right, as all its pieces do
				runes[i] = 'x'
			}
		case pdf.Invisible(g.r) && i > 0: // joiners and marks of direction
			runes[i], faces[i] = g.r, faces[i-1]
		default:
			runes[i] = g.r
			var before *pdf.Face
			if i > 0 {
				before = faces[i-1]
			}
			faces[i], _ = pdf.FaceBehind(before, g.style.face, g.r)
		}
	}
	levels := bidi.Levels(runes, isRTL)
	for from := 0; from < len(runes); { // sizes part what is shaped together, and nothing else does
		to := from + 1
		for to < len(runes) && b.out[to].style.size == b.out[from].style.size {
			to++
		}
		for i, cluster := range pdf.Shape(runes[from:to], faces[from:to], levels[from:to]) {
			b.out[from+i].setCluster(cluster)
		}
		from = to
	}
	for i := range b.out {
		b.out[i].level = levels[i]
	}
}

func (g *glyph) setCluster(c *pdf.Cluster) {
	if c == nil {
		return
	}
	g.cluster, g.width = c, 0
	if !c.IsJoined() {
		g.width = c.Advance*g.style.size*g.style.scale + g.style.spacing
	}
}

// kern narrows pairs of letters where the text asks for kerning.
func (b *glyphBuilder) kern() {
	for i := 1; i < len(b.out); i++ {
		prev, at := &b.out[i-1], &b.out[i]
		s := prev.style
		if !s.isKerned || at.object != nil || prev.object != nil || at.cluster != nil || prev.cluster != nil ||
			at.style.face != s.face || at.style.size != s.size {
			continue
		}
		prev.width += s.face.Kern(prev.r, at.r, s.size) * s.scale
	}
}

// scriptSpace parts East Asian characters from the Latin letters and figures
// beside them by a fifth of their size (ECMA-376 part 1, 17.3.1.2 and 17.3.1.3;
// the width is LibreOffice's).
func (b *glyphBuilder) scriptSpace() {
	const part = 0.2
	for i := 1; i < len(b.out); i++ {
		prev, at := &b.out[i-1], &b.out[i]
		if prev.object != nil || at.object != nil {
			continue
		}
		if isHan(prev.r) && isWesternWord(at.r) || isWesternWord(prev.r) && isHan(at.r) {
			prev.width += prev.style.size * part
		}
	}
}

// isHan is true for East Asian letters, without their punctuation.
func isHan(r rune) bool {
	return linebreak.IsIdeographic(r) && (unicode.IsLetter(r) || unicode.IsDigit(r)) && (r < 0xFF00 || r > 0xFFEF)
}

func isWesternWord(r rune) bool {
	return r < 0x2000 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

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
