package pdf

import (
	"math"
	"strconv"

	"github.com/platenhq/platen/internal/office/dml"
)

// TextOptions are what a run may ask of its letters beyond a font.
type TextOptions struct {
	CharSpacing float64 // added after each letter, points
	Kern        bool    // use the font's kerning
}

// Measure is the width in points that Text gives to a text: fallback fonts,
// spacing and kerning included.
func Measure(s string, f *Face, size float64, opts TextOptions) float64 {
	runes := []rune(s)
	if hasShaped(runes) {
		_, end := set(0, runes, f, size, opts)
		return end
	}
	_, end := Place(0, runes, f, size, opts)
	return end
}

// Place computes where each rune begins, and where the text ends; letters that need
// shaping stand as they are.
func Place(x float64, runes []rune, f *Face, size float64, opts TextOptions) ([]float64, float64) {
	xs := make([]float64, len(runes))
	for i, r := range runes {
		if opts.Kern && i > 0 {
			x += f.Kern(runes[i-1], r, size)
		}
		xs[i] = x
		if Invisible(r) {
			continue
		}
		face, shown := FaceFor(f, r)
		w, _ := face.Advance(shown, size)
		x += w + opts.CharSpacing
	}
	return xs, x
}

// Text draws a text from x on its baseline and returns where it ends. Every
// letter stands where the font's own metrics put it.
func (c *Canvas) Text(x, baseline float64, s string, f *Face, size float64, color dml.RGB) float64 {
	return c.TextWith(x, baseline, s, f, size, color, TextOptions{})
}

// TextWith is Text with letter spacing and kerning.
func (c *Canvas) TextWith(x, baseline float64, s string, f *Face, size float64, color dml.RGB, opts TextOptions) float64 {
	runes := []rune(s)
	if hasShaped(runes) {
		letters, end := set(x, runes, f, size, opts)
		c.letters(letters, baseline, f, size, color)
		return end
	}
	xs, end := Place(x, runes, f, size, opts)
	c.TextAt(xs, baseline, runes, f, size, color)
	return end
}

// textDrift is how far, in points, a letter may stand from its place before it
// is positioned anew. PDF widths are whole thousandths of an em, so long words drift.
const textDrift = 0.04

// TextAt draws each rune at its own x. Runs of letters that follow each other
// by their natural widths are written as one string, so that text stays searchable.
func (c *Canvas) TextAt(xs []float64, baseline float64, runes []rune, f *Face, size float64, color dml.RGB) {
	c.TextStretched(xs, baseline, runes, f, size, 1, color)
}

// TextStretched is TextAt with letters that are stretch times as wide. Words of
// boxes that are turned have their text beside them: programs that read a PDF would cut
// lines up that run uphill.
func (c *Canvas) TextStretched(xs []float64, baseline float64, runes []rune, f *Face, size, stretch float64, color dml.RGB) {
	if size <= 0 || len(c.pages) == 0 {
		return
	}
	const right = 90
	if math.Mod(c.state.turn, right) == 0 {
		c.pieces(xs, baseline, runes, f, size, stretch, color)
		return
	}
	for from := 0; from < len(runes); {
		to := from
		for to < len(runes) && runes[to] != ' ' {
			to++
		}
		if to > from {
			c.say("/ActualText <"+textString(string(runes[from:to]))+">", func() {
				c.pieces(xs[from:to], baseline, runes[from:to], f, size, stretch, color)
			})
		}
		from = to + 1
	}
}

// pieces draws a text in as many pieces as its letters' places ask for.
func (c *Canvas) pieces(xs []float64, baseline float64, runes []rune, f *Face, size, stretch float64, color dml.RGB) {
	var chunk []rune
	var face *Face
	var start, next float64
	flush := func() {
		if len(chunk) > 0 {
			c.showText(start, baseline, chunk, face, size, stretch, color)
		}
		chunk = chunk[:0]
	}
	for i, r := range runes {
		if Invisible(r) {
			continue
		}
		g, shown := FaceFor(f, r)
		if len(chunk) == 0 || g != face || math.Abs(xs[i]-next) > textDrift {
			flush()
			face, start, next = g, xs[i], xs[i]
		}
		chunk = append(chunk, shown)
		w, _ := g.Advance(shown, 1)
		if shown != ' ' {
			c.noteLetter(xs[i]+w*size*stretch/2, baseline, size)
		}
		next += math.Floor(w*1000) / 1000 * size * stretch
	}
	flush()
}

func (c *Canvas) showText(x, baseline float64, runes []rune, f *Face, size, stretch float64, color dml.RGB) {
	used := c.use(f)
	c.showCodes(x, baseline, used.codesOf(runes), used, size, stretch, color)
}

// Sign draws one character of a face, stretch times as wide. Programs that read the PDF find
// text in its place: a larger form of a bracket is found as the bracket.
func (c *Canvas) Sign(x, baseline float64, r rune, text string, f *Face, size, stretch float64, color dml.RGB) {
	gid, ok := f.glyph(r)
	if !ok || size <= 0 || len(c.pages) == 0 {
		return
	}
	c.noteLetter(x+f.advances[gid]*size*stretch/2, baseline, size)
	used := c.use(f)
	c.showCodes(x, baseline, []uint16{used.code(uint16(gid), text)}, used, size, stretch, color)
}

// How letters without a font of their own are made bold, in parts of their size, and
// sloped: as LibreOffice does.
const (
	boldLine = 1.0 / 30
	slant    = 1.0 / 3
)

// showCodes draws some of a font's codes (ISO 32000-1, 9.4), with their scaling (9.3.4),
// a line around letters that have no bold font (9.3.6), and the slant of those that have
// no sloped one (9.4.2). The line is undone with the graphics state.
func (c *Canvas) showCodes(x, baseline float64, codes []uint16, used *canvasFont, size, stretch float64, color dml.RGB) {
	const perMark = 8
	if !c.mayDraw(1 + len(codes)/perMark) {
		return
	}
	c.setFill(color)
	c.setFont(used, size)
	out := c.content
	if used.face.isEmboldened {
		out = append(appendColor(append(out, "q\n"...), color), " RG "...)
		out = append(strconv.AppendFloat(out, size*boldLine, 'f', 3, 64), " w 1 j [] 0 d 2 Tr\n"...)
	}
	out = append(out, "BT\n"...)
	if stretch != 1 {
		out = append(appendDecimal(out, stretch*100), " Tz\n"...)
	}
	if used.face.isSlanted {
		out = append(strconv.AppendFloat(append(out, "1 0 "...), slant, 'f', 4, 64), " 1 "...)
	}
	out = appendDecimal(append(appendDecimal(out, x), ' '), c.pageH-baseline)
	if used.face.isSlanted {
		out = append(out, " Tm\n<"...)
	} else {
		out = append(out, " Td\n<"...)
	}
	for _, code := range codes {
		out = append(out, hexDigits[code>>12], hexDigits[code>>8&0xF], hexDigits[code>>4&0xF], hexDigits[code&0xF])
	}
	out = append(out, "> Tj\n"...)
	if stretch != 1 {
		out = append(out, "100 Tz\n"...)
	}
	out = append(out, "ET\n"...)
	if used.face.isEmboldened {
		out = append(out, "Q\n"...)
	}
	c.content = out
}

// setFont has what follows written in a font.
func (c *Canvas) setFont(used *canvasFont, size float64) {
	if c.state.font == used && c.state.fontSize == size {
		return
	}
	c.state.font, c.state.fontSize = used, size
	const thousandths = 1000
	out := append(strconv.AppendInt(append(c.content, "/F"...), int64(used.number), 10), ' ')
	c.content = append(strconv.AppendFloat(out, math.Round(size*thousandths)/thousandths, 'f', -1, 64), " Tf\n"...)
}

const hexDigits = "0123456789ABCDEF"
