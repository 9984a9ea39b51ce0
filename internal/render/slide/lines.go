package slide

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Tolerances of lines.
const (
	// slack is how far, in points, text may reach over its room, or a tab stop lie
	// behind the text in front of it.
	slack = 0.01
	// stepSlack is the same in distances of default tab stops.
	stepSlack = 0.001
)

// breakParagraph sets a paragraph's characters in lines; there is always one.
func breakParagraph(p *dml.TextParagraph, glyphs []slideGlyph, width float64, noWrap bool, scale float64) []slideLine {
	var out []slideLine
	hasBullet := p.Bullet.Char != "" || p.Bullet.Number != ""
	start := 0
	for {
		left := p.Left
		if len(out) == 0 && !hasBullet {
			left = p.Left + p.Indent
		}
		left = math.Max(0, left)
		room := math.Max(1, width-left)
		var end, next int
		if noWrap {
			end, next = untilBreak(glyphs, start)
		} else {
			end, next = breakLine(p, glyphs, start, left, room)
		}
		line := slideLine{glyphs: glyphs[start:end:end], left: left, room: room, align: alignmentOf(glyphs[start:end], p.Align), isRTL: p.RightToLeft}
		line.isLast = next >= len(glyphs) || end > start && next > start && glyphs[next-1].r == '\n' || next == start+1 && glyphs[start].r == '\n'
		applyTabs(p, line.glyphs, left)
		line.width = visibleWidth(line.glyphs)
		line.glyphs = inVisualOrder(line.glyphs, line.isRTL)
		if len(line.glyphs) == 0 && start < len(glyphs) { // an empty line is as high as its break
			line.glyphs = glyphs[start : start+1 : start+1]
		}
		out = append(out, line)
		isForced := next > start && next <= len(glyphs) && next > 0 && glyphs[next-1].r == '\n'
		start = next
		if start >= len(glyphs) && !isForced {
			return out
		}
		if start >= len(glyphs) { // the text ends with a break: an empty line follows
			return append(out, slideLine{left: left, room: room, align: p.Align, isLast: true, isRTL: p.RightToLeft})
		}
	}
}

func untilBreak(glyphs []slideGlyph, start int) (end, next int) {
	for i := start; i < len(glyphs); i++ {
		if glyphs[i].r == '\n' {
			return i, i + 1
		}
	}
	return len(glyphs), len(glyphs)
}

// breakLine finds where a line ends and where the next begins.
func breakLine(p *dml.TextParagraph, glyphs []slideGlyph, start int, left, room float64) (end, next int) {
	x, at := 0.0, -1
	for i := start; i < len(glyphs); i++ {
		g := glyphs[i]
		if g.r == '\n' {
			return i, i + 1
		}
		if i > start && mayBreak(glyphs, i) {
			at = i
		}
		if g.r == '\t' {
			x = nextTab(p, left+x) - left
			continue
		}
		if x+g.width > room+slack && g.r != ' ' && i > start {
			if at <= start {
				at = i
				for at > start+1 && glyphs[at].cluster.IsJoined() {
					at--
				}
			}
			return at, at
		}
		x += g.width
	}
	return len(glyphs), len(glyphs)
}

// mayBreak reports whether a line may end in front of glyph i.
func mayBreak(glyphs []slideGlyph, i int) bool {
	if glyphs[i].cluster.IsJoined() {
		return false
	}
	if glyphs[i-1].formula != nil && glyphs[i].formula != nil {
		return true
	}
	a, b := glyphs[i-1].letter(), glyphs[i].letter()
	if a == '\t' || b == '\t' {
		return b != '\t' && b != ' '
	}
	before := rune(0)
	if i > 1 {
		before = glyphs[i-2].letter()
	}
	return linebreak.Allowed(before, a, b, linebreak.Policy{BreaksAfterSlash: true})
}

// letter is the character that lines end by: a formula is like a word.
func (g *slideGlyph) letter() rune {
	if g.formula != nil {
		return 'x'
	}
	return g.r
}

func nextTab(p *dml.TextParagraph, x float64) float64 {
	for _, t := range p.Tabs {
		if t.At > x+slack {
			return t.At
		}
	}
	step := p.DefaultTab
	if step < 1 {
		step = 72
	}
	if x < p.Left-slack && p.Indent < 0 {
		return p.Left
	}
	return (math.Floor(x/step+stepSlack) + 1) * step
}

// applyTabs gives tab characters their widths; text after a right or centred
// stop is moved back by its own.
func applyTabs(p *dml.TextParagraph, glyphs []slideGlyph, left float64) {
	x := left
	for i := range glyphs {
		if glyphs[i].r != '\t' {
			x += glyphs[i].width
			continue
		}
		to := nextTab(p, x)
		for _, t := range p.Tabs {
			if t.At != to || t.Align == "l" {
				continue
			}
			var after float64
			for _, g := range glyphs[i+1:] {
				if g.r == '\t' {
					break
				}
				after += g.width
			}
			if t.Align == "ctr" {
				after /= 2
			}
			to = math.Max(x, to-after)
		}
		glyphs[i].width = to - x
		x = to
	}
}

// visibleWidth is a line's width without the spaces at its end.
func visibleWidth(glyphs []slideGlyph) float64 {
	end := len(glyphs)
	for end > 0 && glyphs[end-1].r == ' ' {
		end--
	}
	return glyphsWidth(glyphs[:end])
}

// line draws a line of text; isInBlock aligns it in a block of the given width
// instead of the paragraph's room.
func (pr *slidePrinter) line(l *slideLine, x, baseline, width float64, isInBlock bool) {
	room := width - l.left
	gap, stretch := room-l.width, 0.0
	if l.isLast && !isInBlock && !l.isRTL && (l.align == "ctr" || l.align == "r") {
		gap -= pdf.Clamp(glyphsWidth(l.glyphs)-l.width, 0, math.Max(gap, 0)) // spaces that were typed at the end
	}
	left := x + l.left
	if l.isRTL {
		left = x
	}
	switch l.align {
	case "ctr":
		left += gap / 2
	case "r":
		left += gap
	case "just", "justLow", "dist", "thaiDist":
		if spaces := innerSpaces(l.glyphs); spaces > 0 && !l.isLast && !isInBlock && gap > 0 {
			stretch = gap / float64(spaces)
		}
	}
	if l.bullet != nil {
		shift := 0.0
		switch {
		case l.isRTL: // from the other side
			shift = left - x - gap + width - 2*l.bullet.x - glyphsWidth(l.bullet.glyphs)
		case l.align == "ctr" || l.align == "r":
			shift = left - x - l.left
		}
		pr.beginParagraph(l.paragraph, true)
		pr.glyphRun(l.bullet.glyphs, x+l.bullet.x+shift, baseline-l.bullet.raised, 0)
		pr.Canvas.End()
	}
	if len(l.glyphs) > 0 {
		pr.beginParagraph(l.paragraph, false)
		pr.glyphRun(l.glyphs, left, baseline, stretch)
		if last := l.glyphs[len(l.glyphs)-1]; l.isBroken {
			pr.Canvas.TextAt([]float64{left + l.width}, baseline, []rune{' '}, last.face, last.size, last.run.Color)
		}
		pr.Canvas.End()
	}
}

func innerSpaces(glyphs []slideGlyph) int {
	end := len(glyphs)
	for end > 0 && glyphs[end-1].r == ' ' {
		end--
	}
	n := 0
	for _, g := range glyphs[:end] {
		if g.r == ' ' {
			n++
		}
	}
	return n
}

// drawnRun is a stretch of characters that are drawn together: the first of them,
// where each stands, and where the stretch begins and ends.
type drawnRun struct {
	slideGlyph
	runes      []rune
	clusters   []*pdf.Cluster
	xs         []float64
	start, end float64
}

// isDrawnWith says whether two characters belong to one stretch.
func (g *slideGlyph) isDrawnWith(other *slideGlyph) bool {
	return g.formula == nil && other.formula == nil && g.run == other.run && g.face == other.face && g.size == other.size && g.level == other.level && (g.cluster == nil) == (other.cluster == nil)
}

// glyphRun draws characters from x on, run by run, in the order in which they are
// read: programs that read a PDF aloud, or copy from it, follow it.
func (pr *slidePrinter) glyphRun(glyphs []slideGlyph, x, baseline, stretch float64) {
	var runs []drawnRun
	for i := 0; i < len(glyphs); {
		run := drawnRun{slideGlyph: glyphs[i], start: x}
		j := i
		for ; j < len(glyphs) && (j == i || glyphs[j].isDrawnWith(&glyphs[i])); j++ {
			g := glyphs[j]
			r := g.r
			if r == '\t' { // readers tell words apart by spaces
				r = ' '
			}
			if r != '\n' && (r == g.r || g.cluster == nil) {
				run.runes, run.clusters, run.xs = append(run.runes, r), append(run.clusters, g.cluster), append(run.xs, x)
			}
			run.place = min(run.place, g.place)
			x += g.width
			if g.r == ' ' {
				x += stretch
			}
		}
		run.end = x
		if j == len(glyphs) { // lines under text end with its last letter
			for k := j - 1; k >= i && glyphs[k].r == ' '; k-- {
				run.end -= glyphs[k].width
			}
		}
		runs = append(runs, run)
		i = j
	}
	slices.SortStableFunc(runs, func(a, b drawnRun) int { return a.place - b.place })
	for i := range runs {
		pr.drawRun(&runs[i], baseline)
	}
}

func (pr *slidePrinter) drawRun(g *drawnRun, baseline float64) {
	run, start, end := g.run, g.start, g.end
	if run.Alpha <= 0 || len(g.runes) == 0 {
		return
	}
	color := run.Color
	if run.Alpha < 1 {
		color = dml.Mix(color, dml.RGB{R: 255, G: 255, B: 255}, 1-run.Alpha)
	}
	full := g.size
	if run.Baseline != 0 {
		full /= 0.58
	}
	if run.Highlight != nil {
		pr.Canvas.FillRect(start, baseline-full*0.95, end-start, full*1.2, *run.Highlight)
	}
	baseline -= run.Baseline * full
	if g.formula != nil {
		pr.drawFormula(g.formula, start, baseline)
		return
	}
	pr.Canvas.InLanguage(run.Lang, func() {
		if g.cluster != nil {
			pr.Canvas.Clusters(g.xs, baseline, g.clusters, g.size, 1, color)
		} else {
			pr.Canvas.TextAt(g.xs, baseline, g.runes, g.face, g.size, color)
		}
	})
	if run.Underline != "" && end > start {
		offset, thick := g.face.Underline(g.size)
		pr.Canvas.FillRect(start, baseline+offset-thick/2, end-start, thick, color)
		if run.Underline == "dbl" {
			pr.Canvas.FillRect(start, baseline+offset+thick*1.5, end-start, thick, color)
		}
	}
	if run.Strike && end > start {
		offset, thick := g.face.Strikethrough(g.size)
		pr.Canvas.FillRect(start, baseline-offset-thick/2, end-start, thick, color)
	}
	if run.Link != "" {
		pr.Canvas.LinkURL(start, baseline-full, end-start, full*1.2, run.Link)
	}
}
