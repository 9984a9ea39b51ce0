package slide

import (
	"math"
	"strconv"
	"unicode"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// slideGlyph is a character of a slide's text with its style and width.
type slideGlyph struct {
	r     rune
	run   *dml.TextRun
	face  *pdf.Face
	size  float64 // of the letter: smaller for raised text and small capitals
	width float64
	// cluster is set for what the font shapes; level is odd for what runs from right
	// to left (package bidi).
	cluster *pdf.Cluster
	level   uint8
	// place is where it is read in a line of two directions, counted from its begin.
	place int
	// formula is set in place of a character.
	formula *slideFormula
}

// slideLine is a line of a paragraph.
type slideLine struct {
	glyphs []slideGlyph
	// left is where the line begins, width how wide its visible part is, room
	// how wide it may be.
	left, width, room float64
	ascent, height    float64
	// ownAscent and ownHeight are without line spacing.
	ownAscent, ownHeight float64
	isLast               bool // of its paragraph, or before a forced break
	isBroken             bool // before a forced break
	align                string
	isRTL                bool
	before               float64 // distance to the line above
	bullet               *slideBullet
	paragraph            *dml.TextParagraph
}

// slideBullet is a paragraph's bullet, ready to be drawn.
type slideBullet struct {
	x      float64
	raised float64 // of its baseline above the line's
	glyphs []slideGlyph
}

// textLayout is a body's text set in lines at one scale.
type textLayout struct {
	lines         []slideLine
	height, width float64
	// filled is the height without empty paragraphs at the end.
	filled float64
}

// fixedMetrics is how LibreOffice sets the text of shapes in every font: a line
// reaches one em above its baseline and a fifth of an em below.
func fixedMetrics(slideGlyph) (ascent, descent float64) { return 1, 0.2 }

// fontMetrics is how it sets the text of tables: by the font, without line gap.
func fontMetrics(g slideGlyph) (ascent, descent float64) { return g.face.Ascent(1), g.face.Descent(1) }

// text draws a body of text in a box.
func (pr *slidePrinter) text(t *dml.TextBody, box dml.Rect, isUpsideDown bool) {
	if len(t.Paragraphs) == 0 || !pr.mayShow(t) {
		return
	}
	turn := t.Rotation
	switch t.Vertical {
	case "vert", "eaVert", "mongolianVert", "wordArtVertRtl", "wordArtVert":
		turn += 90
	case "vert270":
		turn += 270
	}
	if isUpsideDown {
		turn += 180
	}
	cx, cy := box.X+box.W/2, box.Y+box.H/2
	in := dml.Rect{X: box.X + t.Left, Y: box.Y + t.Top, W: box.W - t.Left - t.Right, H: box.H - t.Top - t.Bottom}
	if turn = math.Mod(turn, 360); turn != 0 {
		pr.Canvas.Rotate(turn, cx, cy)
		defer pr.Canvas.Restore()
		if side := math.Mod(math.Abs(turn), 180); side > 45 && side < 135 {
			w, h := box.H-t.Left-t.Right, box.W-t.Top-t.Bottom
			in = dml.Rect{X: cx - box.H/2 + t.Left, Y: cy - box.W/2 + t.Top, W: w, H: h}
		}
	}
	pr.textIn(t, in)
}

// textIn draws text inside its insets.
func (pr *slidePrinter) textIn(t *dml.TextBody, in dml.Rect) {
	edge := in
	if in.W < 1 {
		in.X, in.W = in.X+in.W/2-0.5, 1
	}
	l := pr.fit(t, in)
	y := in.Y
	switch t.Anchor {
	case "ctr":
		y += (in.H - l.height) / 2
	case "b":
		y += in.H - l.height
	}
	x, width := in.X, in.W
	switch {
	case t.Centered:
		x, width = in.X+(in.W-l.width)/2, l.width
	case t.NoWrap && t.Grow:
		x, width = edge.X+(edge.W-l.width)*keptEdge(t), l.width
	case t.NoWrap:
		x, width = edge.X, edge.W
	}
	for i := range l.lines {
		line := &l.lines[i]
		y += line.before
		pr.line(line, x, y+line.ascent, width, t.NoWrap || t.Centered)
		if height := pr.pres.Height; y > height && in.Y < height && len(line.glyphs) > 0 {
			pr.isOver = true
			pr.Findings.At(render.FindingTruncated, "text that is longer than its box reaches over the lower edge", pr.Unit, pr.Number)
		}
		y += line.height
	}
}

// keptEdge says where a box that follows unwrapped text keeps its place, as a share of
// its width: PowerPoint keeps the left edge of text that is aligned left, the middle of
// text that is centred, the right edge of what is aligned right.
func keptEdge(t *dml.TextBody) float64 {
	if t.Centered {
		return 0.5
	}
	switch t.Paragraphs[0].Align {
	case "ctr":
		return 0.5
	case "r":
		return 1
	}
	return 0
}

// fitTolerance lets text fit that fills its box to the very end: a hundredth of
// a millimetre, to which LibreOffice rounds.
const fitTolerance = 0.03

// fit sets the text, smaller and smaller where the body asks for that, as
// LibreOffice 7.4 does (SdrTextObj::ImpAutoFitText): from full size it goes by
// the square root of what is missing or left over, in whole percent that are
// cut off, and takes the largest scale that fits. What the file says of scale
// and line spacing (fontScale, lnSpcReduction) counts for nothing there: it
// belongs to the text that the file was saved with, which values replace.
func (pr *slidePrinter) fit(t *dml.TextBody, in dml.Rect) textLayout {
	l := pr.set(t, in.W, 1, 1)
	room := in.H + fitTolerance
	if !t.Shrink || in.H <= 0 || l.filled <= room {
		return l
	}
	scale, best := 1.0, 0.0
	for range 10 {
		factor := math.Sqrt(room / math.Max(l.filled, 0.1))
		if factor >= 1 {
			best = math.Max(best, scale)
		}
		next := pdf.Clamp(math.Floor(scale*factor*100)/100, 0.1, 1)
		if next == scale || best > 0 && next <= best || pr.typeset > maxTypeset {
			break
		}
		scale = next
		l = pr.set(t, in.W, scale, scale)
	}
	if best == 0 {
		best = scale
	}
	return pr.set(t, in.W, best, best)
}

// set breaks a body into lines at a scale of its letters and of its spacing.
func (pr *slidePrinter) set(t *dml.TextBody, width, scale, spacing float64) textLayout {
	metrics := fixedMetrics
	if t.InCell {
		metrics = fontMetrics
	}
	var out textLayout
	var counters [9]int
	for i, own := range t.Paragraphs {
		p := indented(t, own, scale)
		glyphs := pr.glyphs(p, scale)
		number := 0
		if len(glyphs) > 0 || p.Bullet.Number == "" { // an empty point has no number, and the next one goes on
			number = countParagraph(&counters, p)
		}
		if p.HasEnd && len(glyphs) == 1 && glyphs[0].r == '\n' { // a paragraph without text is as high as its end says
			glyphs[0].run, glyphs[0].face, glyphs[0].size = &p.End, pr.fonts.Face(p.End.Font, p.End.Bold, p.End.Italic), p.End.Size*scale
		}
		pr.typeset += len(glyphs) + 1
		lines := breakParagraph(p, glyphs, width, t.NoWrap, scale)
		lines[0].bullet = pr.bullet(p, glyphs, number, scale)
		if b := lines[0].bullet; b != nil && len(b.glyphs) > 0 {
			if end := b.x + glyphsWidth(b.glyphs); end > lines[0].left && len(lines[0].glyphs) > 0 {
				lines[0].left = end
			}
		}
		for j := range lines {
			lines[j].paragraph, lines[j].isBroken = own, lines[j].isLast && j+1 < len(lines)
			pr.lineHeight(&lines[j], p, scale, spacing, metrics)
			if b := lines[j].bullet; b != nil && len(b.glyphs) > 0 && p.Bullet.Number == "" { // a sign stands in the middle of its line, a number on its baseline
				g := b.glyphs[0]
				up, down := g.face.Ascent(g.size), g.face.Descent(g.size)
				b.raised = lines[j].ownAscent - (lines[j].ownHeight-up-down)/2 - up
			}
			if j == 0 && i > 0 {
				above := t.Paragraphs[i-1]
				lines[j].before = (spaceAbove(t, p, len(glyphs)) + paragraphSpace(above.After, above)) * spacing
			}
			out.height += lines[j].before + lines[j].height
			out.width = math.Max(out.width, lines[j].left+lines[j].width)
		}
		if len(glyphs) > 0 {
			out.filled = out.height
		}
		out.lines = append(out.lines, lines...)
	}
	return out
}

// indented is a paragraph with the indents that it has at a scale of its letters. In
// text that shrinks, LibreOffice takes those of the file for indents of letters that
// were made smaller already.
func indented(t *dml.TextBody, p *dml.TextParagraph, scale float64) *dml.TextParagraph {
	const smallest = 0.25 // that PowerPoint makes
	if !t.Shrink {
		return p
	}
	made := 1.0
	if t.FontScale > 0 {
		made = pdf.Clamp(t.FontScale, smallest, 1)
	}
	own := *p
	own.Left, own.Indent = p.Left*scale/made, p.Indent*scale/made
	return &own
}

// spaceAbove is the space above a paragraph of so many characters. LibreOffice takes
// the bullet from an empty point of a slide's outline, and with it the point's level:
// half a centimetre stands above it.
func spaceAbove(t *dml.TextBody, p *dml.TextParagraph, characters int) float64 {
	const outline = 0.5 / 2.54 * 72
	if t.IsOutline && characters == 0 && p.Level > 0 && (p.Bullet.Char != "" || p.Bullet.Number != "") {
		return outline
	}
	return paragraphSpace(p.Before, p)
}

// lineMetricsOf gives ascent and descent of a letter in em.
type lineMetricsOf func(g slideGlyph) (ascent, descent float64)

// lineHeight sets ascent and height of a line. Spacing in percent moves a line
// from the one above it; below one line, four fifths of what is left are above
// the baseline, as LibreOffice has it.
func (pr *slidePrinter) lineHeight(l *slideLine, p *dml.TextParagraph, scale, spacing float64, metrics lineMetricsOf) {
	glyphs := l.glyphs
	if len(glyphs) == 0 {
		run := &p.End
		if len(p.Runs) > 0 && !p.HasEnd {
			run = p.Runs[len(p.Runs)-1]
		}
		glyphs = []slideGlyph{{run: run, face: pr.fonts.Face(run.Font, run.Bold, run.Italic)}}
	}
	var descent float64
	for _, g := range glyphs {
		a, d := metrics(g)
		l.ascent, descent = math.Max(l.ascent, a*g.run.Size*scale), math.Max(descent, d*g.run.Size*scale)
		if g.formula != nil {
			l.ascent, descent = math.Max(l.ascent, g.formula.Ascent), math.Max(descent, g.formula.Descent)
		}
	}
	l.height = l.ascent + descent
	l.ownAscent, l.ownHeight = l.ascent, l.height
	switch s := p.LineSpacing; {
	case s.Points > 0:
		h := s.Points * spacing
		l.ascent, l.height = l.ascent-(l.height-h), h
	case s.Percent > 0 && s.Percent < 1:
		l.height *= s.Percent
		l.ascent = math.Min(l.ascent, l.height*0.8)
	case s.Percent > 1:
		more := l.height * (s.Percent - 1)
		l.ascent, l.height = l.ascent+more, l.height+more
	}
}

// paragraphSpace is a space before or after in points; percentages are of the
// text's size before it shrinks.
func paragraphSpace(s dml.Spacing, p *dml.TextParagraph) float64 {
	if s.Points > 0 || s.Percent == 0 {
		return s.Points
	}
	size := p.End.Size
	if len(p.Runs) > 0 {
		size = p.Runs[0].Size
	}
	return s.Percent * size
}

// glyphs turns a paragraph's runs into characters with widths.
func (pr *slidePrinter) glyphs(p *dml.TextParagraph, scale float64) []slideGlyph {
	var out []slideGlyph
	for _, run := range p.Runs {
		if isDisplayed(out) && !run.IsBreak {
			out = endLine(out, run, out[len(out)-1].face, scale)
		}
		switch {
		case run.Formula != nil:
			out = pr.appendFormula(out, run, scale)
		case run.IsBreak:
			out = append(out, slideGlyph{r: '\n', run: run, face: pr.fonts.Face(run.Font, run.Bold, run.Italic), size: run.Size * scale})
		case run.Field == "slidenum":
			out = pr.appendGlyphs(out, strconv.Itoa(pr.Number), run, scale)
		default:
			out = pr.appendGlyphs(out, run.Text, run, scale)
		}
	}
	scriptSpace(out)
	shapeGlyphs(out, p.RightToLeft, scale)
	return out
}

func (pr *slidePrinter) appendGlyphs(out []slideGlyph, text string, run *dml.TextRun, scale float64) []slideGlyph {
	family := run.Font
	if converted, ok := dml.SymbolText(family, text); ok {
		text, family = converted, pdf.SymbolFamily
	}
	face := pr.fonts.Face(family, run.Bold, run.Italic)
	size := run.Size * scale
	if run.Baseline != 0 {
		size *= 0.58
	}
	start := len(out)
	for _, r := range text {
		if pdf.Invisible(r) {
			if len(out) > start && mayShape(r, out[len(out)-1].r) {
				out = append(out, slideGlyph{r: r, run: run, size: size, face: out[len(out)-1].face})
			}
			continue
		}
		g := slideGlyph{r: r, run: run, size: size}
		if run.Caps != "" && unicode.IsLower(r) {
			g.r = unicode.ToUpper(r)
			if run.Caps == "small" {
				g.size *= 0.8
			}
		}
		if g.r == '\v' || g.r == '\n' {
			out = append(out, slideGlyph{r: '\n', run: run, face: face, size: size})
			continue
		}
		face.Report(pr.Findings, g.r)
		var before *pdf.Face
		if len(out) > start {
			before = out[len(out)-1].face
		}
		g.face, g.r = pdf.FaceBehind(before, face, g.r)
		if r == ' ' && len(out) > start && pdf.NeedsShaping(out[len(out)-1].r) { // a script's font has its spaces, too
			g.face, g.r = pdf.FaceFor(out[len(out)-1].face, r)
		}
		if r == '\t' {
			g.r = r
		} else {
			w, _ := g.face.Advance(g.r, g.size)
			g.width = w + run.Spacing*scale
		}
		if len(out) > start {
			if prev := &out[len(out)-1]; prev.face == g.face && prev.size == g.size {
				prev.width += g.face.Kern(prev.r, g.r, g.size)
			}
		}
		out = append(out, g)
	}
	return out
}

// mayShape says whether what takes no room keeps the letters beside it from joining, or
// makes one picture of the emoji beside it.
func mayShape(r, before rune) bool {
	const joiner, firstEmoji = '\u200D', 0x2000
	return pdf.NeedsShaping(before) || r == joiner && before >= firstEmoji
}

// scriptSpace parts East Asian characters from the Latin letters and figures beside
// them by a fifth of their line, as LibreOffice does.
func scriptSpace(glyphs []slideGlyph) {
	const part = 0.24 // of the size
	isWord := func(r rune) bool { return r < 0x2000 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	for i := 1; i < len(glyphs); i++ {
		a, b := glyphs[i-1].r, glyphs[i].r
		if a < linebreak.FirstIdeographic && b < linebreak.FirstIdeographic {
			continue
		}
		if linebreak.IsIdeographic(a) && isWord(b) || isWord(a) && linebreak.IsIdeographic(b) {
			glyphs[i-1].width += glyphs[i-1].size * part
		}
	}
}

func glyphsWidth(glyphs []slideGlyph) float64 {
	var sum float64
	for _, g := range glyphs {
		sum += g.width
	}
	return sum
}

// bullet makes what stands before a paragraph; nil when nothing does.
func (pr *slidePrinter) bullet(p *dml.TextParagraph, glyphs []slideGlyph, number int, scale float64) *slideBullet {
	if len(glyphs) == 0 || p.Bullet.Char == "" && p.Bullet.Number == "" {
		return nil
	}
	run := *glyphs[0].run
	run.Underline, run.Strike, run.Baseline, run.Spacing, run.Link, run.Caps, run.Highlight = "", false, 0, 0, "", "", nil
	if p.Bullet.Color != nil {
		run.Color = *p.Bullet.Color
	}
	if p.Bullet.Scale > 0 {
		run.Size *= pdf.Clamp(p.Bullet.Scale, 0.25, 4)
	}
	if p.Bullet.Points > 0 {
		run.Size = p.Bullet.Points
	}
	text := p.Bullet.Char
	if p.Bullet.Number != "" {
		text = dml.AutoNumber(p.Bullet.Number, number)
	} else {
		run.Bold, run.Italic = false, false
	}
	if p.Bullet.Font != "" {
		run.Font = p.Bullet.Font
	}
	return &slideBullet{x: math.Max(0, p.Left+p.Indent), glyphs: pr.appendGlyphs(nil, text, &run, scale)}
}
