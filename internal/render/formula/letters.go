package formula

import (
	"math"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// letter is a character as it is drawn: by a face, under the code that the face has it, and as
// what programs that read the PDF find it.
type letter struct {
	face  *pdf.Face
	shown rune
	text  string
}

// An alphabet is a row of letters in Unicode's block of mathematical letters.
type alphabet struct {
	upper, lower, digits rune // first of each, 0 for none
	style, script        string
}

var alphabets = []alphabet{
	{0x1D400, 0x1D41A, 0x1D7CE, "b", "roman"}, {0x1D434, 0x1D44E, 0, "i", "roman"}, {0x1D468, 0x1D482, 0, "bi", "roman"},
	{0x1D49C, 0x1D4B6, 0, "p", "script"}, {0x1D4D0, 0x1D4EA, 0, "b", "script"}, {0x1D504, 0x1D51E, 0, "p", "fraktur"},
	{0x1D538, 0x1D552, 0x1D7D8, "p", "double-struck"}, {0x1D56C, 0x1D586, 0, "b", "fraktur"},
	{0x1D5A0, 0x1D5BA, 0x1D7E2, "p", "sans-serif"}, {0x1D5D4, 0x1D5EE, 0x1D7EC, "b", "sans-serif"}, {0x1D608, 0x1D622, 0, "i", "sans-serif"},
	{0x1D63C, 0x1D656, 0, "bi", "sans-serif"}, {0x1D670, 0x1D68A, 0x1D7F6, "p", "monospace"},
}

// elsewhere are letters of the alphabets that Unicode has in another block.
var elsewhere = map[rune]rune{
	0x1D455: 'ℎ', 0x1D49D: 'ℬ', 0x1D4A0: 'ℰ', 0x1D4A1: 'ℱ', 0x1D4A3: 'ℋ', 0x1D4A4: 'ℐ', 0x1D4A7: 'ℒ', 0x1D4A8: 'ℳ', 0x1D4AD: 'ℛ', 0x1D4BA: 'ℯ', 0x1D4BC: 'ℊ', 0x1D4C4: 'ℴ',
	0x1D506: 'ℭ', 0x1D50B: 'ℌ', 0x1D50C: 'ℑ', 0x1D515: 'ℜ', 0x1D51D: 'ℨ', 0x1D53A: 'ℂ', 0x1D53F: 'ℍ', 0x1D545: 'ℕ', 0x1D547: 'ℙ', 0x1D548: 'ℚ', 0x1D549: 'ℝ', 0x1D551: 'ℤ',
}

// Greek letters of formulas: where the capital and the small letters of a style begin.
var greek = map[string]rune{"b": 0x1D6A8, "i": 0x1D6E2, "bi": 0x1D71C}

const (
	greekLetters = 58 // of a style
	capitalAlpha = 'Α'
	smallAlpha   = 'α'
	smallAt      = 26 // of the small alpha, from the capital one
)

// plain takes a letter of one of Unicode's mathematical alphabets apart: the usual letter, and
// how it is written.
func plain(r rune) (letter rune, style, script string, isMathematical bool) {
	const first, last, greekFirst, greekLast = 0x1D400, 0x1D7FF, 0x1D6A8, 0x1D755
	if r == 'ℎ' {
		return 'h', "i", "roman", true
	}
	if r < first || r > last {
		return r, "", "", false
	}
	for _, a := range alphabets {
		for _, part := range []struct {
			from, to rune
			many     rune
		}{{a.upper, 'A', 26}, {a.lower, 'a', 26}, {a.digits, '0', 10}} {
			if part.from > 0 && r >= part.from && r < part.from+part.many {
				return part.to + r - part.from, a.style, a.script, true
			}
		}
	}
	if r >= greekFirst && r <= greekLast {
		style := []string{"b", "i", "bi"}[(r-greekFirst)/greekLetters]
		switch at := (r - greekFirst) % greekLetters; {
		case at < 25:
			return capitalAlpha + at, style, "roman", true
		case at >= smallAt && at < smallAt+25:
			return smallAlpha + at - smallAt, style, "roman", true
		}
	}
	return r, "", "", false
}

// inAlphabet is a usual letter in an alphabet of Unicode, false where that has none.
func inAlphabet(r rune, style, script string) (rune, bool) {
	for _, a := range alphabets {
		if a.script != script || a.style != style {
			continue
		}
		shown := rune(0)
		switch {
		case r >= 'A' && r <= 'Z':
			shown = a.upper + r - 'A'
		case r >= 'a' && r <= 'z':
			shown = a.lower + r - 'a'
		case r >= '0' && r <= '9' && a.digits > 0:
			shown = a.digits + r - '0'
		}
		if other, ok := elsewhere[shown]; ok {
			return other, true
		}
		return shown, shown != 0
	}
	return 0, false
}

// usual are signs that formulas write in another way.
var usual = map[rune]rune{'-': '−', '*': '∗', '\'': '′', '\u2010': '−'}

const letterFont = "Cambria Math"

// letter finds how a character of a run is drawn. Letters and figures are those of the font that
// has Cambria's widths, Greek ones and signs those of the face of formulas.
func (s *setter) letter(p *dml.FormulaPart, r rune) letter {
	style, script := p.Style, p.Script
	if base, own, of, ok := plain(r); ok {
		r, style, script = base, own, of
	}
	if other, ok := usual[r]; ok {
		r = other
	}
	isBold, isItalic := strings.Contains(style, "b"), strings.Contains(style, "i")
	family := letterFont
	switch script {
	case "script", "fraktur", "double-struck":
		for _, weight := range []string{style, "p"} {
			if weight == "i" || weight == "bi" { // these alphabets have no slope
				weight = strings.TrimSuffix(weight, "i")
			}
			if shown, ok := inAlphabet(r, weight, script); ok && s.face.Has(shown) {
				return letter{s.face, shown, string(shown)}
			}
		}
	case "sans-serif":
		family = "Arial"
	case "monospace":
		family = "Courier New"
	}
	isLetter := unicode.IsLetter(r)
	if isLetter || unicode.IsDigit(r) {
		if from, ok := greek[style]; ok && script == "roman" {
			switch {
			case r >= capitalAlpha && r <= 'Ω':
				return letter{s.face, from + r - capitalAlpha, string(r)}
			case r >= smallAlpha && r <= 'ω':
				return letter{s.face, from + smallAt + r - smallAlpha, string(r)}
			}
		}
		if face := s.Fonts.Face(family, isBold, isItalic && isLetter); face.Has(r) {
			return letter{face, r, string(r)}
		}
	}
	if s.face.Has(r) {
		return letter{s.face, r, string(r)}
	}
	face := s.Fonts.Face(family, isBold, isItalic && isLetter)
	face.Report(s.Findings, r)
	face, shown := pdf.FaceFor(face, r)
	return letter{face, shown, string(shown)}
}

// sign sets one character; nil for one that shows nothing.
func (s *setter) sign(p *dml.FormulaPart, r rune, l level) *box {
	if pdf.Invisible(r) {
		return nil
	}
	of := s.letter(p, r)
	b := s.drawn(of, l.em(), 1, s.colorOf(p.Look))
	shown, _ := usual[r]
	if shown == 0 {
		shown = r
	}
	b.class, b.isLetter = classOf(shown), true
	b.breaks = b.class == binary || b.class == relation
	return b
}

// drawn is a box with one letter, stretch times as wide. Its room is that of its outline.
func (s *setter) drawn(of letter, size, stretch float64, color dml.RGB) *box {
	width, _ := of.face.Advance(of.shown, size)
	b := &box{width: width * stretch}
	_, bottom, right, top, ok := of.face.Extent(of.shown, size)
	if ok {
		b.ascent, b.descent, b.overhang = math.Max(top, 0), math.Max(-bottom, 0), math.Max(right-width, 0)*stretch
	}
	b.marks = []mark{{0, 0, func(c *pdf.Canvas, x, y float64) {
		c.Sign(x, y, of.shown, of.text, of.face, size, stretch, color)
	}}}
	return b
}

// words sets text as it stands in a sentence.
func (s *setter) words(p *dml.FormulaPart, l level) *box {
	face, size, color, text := s.Fonts.Face(p.Look.Font, p.Look.Bold, p.Look.Italic), l.em(), s.colorOf(p.Look), p.Text
	b := &box{width: pdf.Measure(text, face, size, pdf.TextOptions{})}
	for _, r := range text {
		face.Report(s.Findings, r)
		if _, bottom, _, top, ok := face.Extent(r, size); ok {
			b.ascent, b.descent = math.Max(b.ascent, top), math.Max(b.descent, -bottom)
		}
	}
	b.marks = []mark{{0, 0, func(c *pdf.Canvas, x, y float64) { c.Text(x, y, text, face, size, color) }}}
	return b
}

// space is what programs that read the PDF find between two words.
func (s *setter) space(p *dml.FormulaPart, l level) []mark {
	face, size, color := s.Fonts.Face(letterFont, false, false), l.em(), s.colorOf(p.Look)
	return []mark{{0, 0, func(c *pdf.Canvas, x, y float64) { c.Text(x, y, " ", face, size, color) }}}
}

// grown sets a sign that is at least so high: the smallest of its forms that is, else the
// largest one made higher. It is centred on the axis.
func (s *setter) grown(sign string, height float64, l level, color dml.RGB) *box {
	runes := []rune(sign)
	if len(runes) == 0 {
		return &box{}
	}
	r, em := runes[0], l.em()
	if other, ok := brackets[r]; ok {
		r = other
	}
	of := letter{s.face, r, sign}
	if !s.face.Has(r) {
		face, shown := pdf.FaceFor(s.Fonts.Face(letterFont, false, false), r)
		of = letter{face, shown, sign}
	}
	for n := 1; heightOf(of, em) < height; n++ {
		larger, ok := s.face.Grown(r, n)
		if !ok || of.face != s.face {
			break
		}
		of.shown = larger
	}
	size, stretch := em, 1.0
	if own := heightOf(of, em); own > 0 && own < height {
		size *= height / own
		stretch = own / height
	}
	b := s.drawn(of, size, stretch, color)
	if _, bottom, _, top, ok := of.face.Extent(of.shown, size); ok {
		middle := (top + bottom) / 2
		up := axis*em - middle
		b = shifted(b, -up)
		b.ascent, b.descent = math.Max(top+up, 0), math.Max(-bottom-up, 0)
	}
	return b
}

// brackets are signs that a sign of formulas stands for.
var brackets = map[rune]rune{'〈': '⟨', '〉': '⟩', '⟪': '⟪', '\u2329': '⟨', '\u232A': '⟩', '∣': '|', '∥': '‖'}

func heightOf(of letter, size float64) float64 {
	_, bottom, _, top, _ := of.face.Extent(of.shown, size)
	return top - bottom
}

// shifted is a box moved down.
func shifted(b *box, down float64) *box {
	out := &box{width: b.width, overhang: b.overhang, class: b.class}
	out.put(b, 0, down)
	return out
}

// widened sets a sign that is about so wide: the widest of its forms that is not wider, and with
// isFilled that one stretched.
func (s *setter) widened(r rune, width float64, isFilled bool, l level, color dml.RGB) *box {
	of, em := letter{s.face, r, string(r)}, l.em()
	if !s.face.Has(r) {
		face, shown := pdf.FaceFor(s.Fonts.Face(letterFont, false, false), r)
		of = letter{face, shown, string(r)}
	}
	for n := 1; of.face == s.face; n++ {
		wider, ok := s.face.Grown(r, n)
		if !ok || widthOf(letter{s.face, wider, ""}, em) > width {
			break
		}
		of.shown = wider
	}
	own, stretch := widthOf(of, em), 1.0
	if isFilled && own > 0 && own < width {
		stretch = width / own
	}
	b := s.drawn(of, em, stretch, color)
	left, bottom, right, top, _ := of.face.Extent(of.shown, em)
	out := &box{width: (right - left) * stretch, ascent: top, descent: -bottom}
	out.marks = []mark{{-left * stretch, 0, b.draw}}
	return out
}

func widthOf(of letter, size float64) float64 {
	left, _, right, _, _ := of.face.Extent(of.shown, size)
	return right - left
}
