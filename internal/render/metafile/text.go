package metafile

import (
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/platenhq/platen/internal/office/dml"
)

// font is a logical font (MS-WMF 2.2.1.2, MS-EMF 2.2.13).
type font struct {
	Font
	height     float64 // logical: negative is that of letters, positive that of lines
	width      float64 // of the mean letter, logical; 0 is as the font has it
	escapement float64 // tenths of degrees, counterclockwise
	underline  bool
	strike     bool
	charset    uint8
}

const charsetSymbol = 2

func (f *font) setFamily(name string) {
	name, _, _ = strings.Cut(name, "\x00")
	f.Family = strings.TrimPrefix(name, "@") // letters for columns
}

// logFont reads a LogFont of EMF, which is wide, or the Font object of WMF.
func (r *record) logFont(isWide bool) font {
	const bold = 600
	number := r.i16
	if isWide {
		number = r.i32
	}
	f := font{height: number(), width: number(), escapement: number()}
	number() // the orientation of letters
	f.Bold = number() >= bold
	f.Italic, f.underline, f.strike, f.charset = r.u8() != 0, r.u8() != 0, r.u8() != 0, r.u8()
	r.take(4)
	const faceUnits = 32
	if isWide {
		f.setFamily(string(r.utf16(min(faceUnits, (len(r.data)-r.at)/2))))
	} else {
		f.setFamily(string(decode(r.take(min(faceUnits, len(r.data)-r.at)), 1, nil).runes))
	}
	return f
}

// codedText is a text with how far its letters reach, if that was told.
type codedText struct {
	runes []rune
	dx    []float64
}

// codePage is the encoding of a character set (MS-WMF 2.1.1.5).
func codePage(charset uint8) encoding.Encoding {
	switch charset {
	case 77:
		return charmap.Macintosh
	case 128:
		return japanese.ShiftJIS
	case 129, 130:
		return korean.EUCKR
	case 134:
		return simplifiedchinese.GBK
	case 136:
		return traditionalchinese.Big5
	case 161:
		return charmap.Windows1253
	case 162:
		return charmap.Windows1254
	case 163:
		return charmap.Windows1258
	case 177:
		return charmap.Windows1255
	case 178:
		return charmap.Windows1256
	case 186:
		return charmap.Windows1257
	case 204:
		return charmap.Windows1251
	case 222:
		return charmap.Windows874
	case 238:
		return charmap.Windows1250
	}
	return charmap.Windows1252
}

// decode turns bytes of a character set into letters. dx has one number for each byte.
func decode(b []byte, charset uint8, dx []float64) codedText {
	var out codedText
	page := codePage(charset).NewDecoder()
	_, isSingle := codePage(charset).(*charmap.Charmap)
	const lead = 0x81 // the least first byte of two
	for i := 0; i < len(b); {
		n := 1
		if !isSingle && b[i] >= lead && i+1 < len(b) {
			n = 2
		}
		r := rune(0xF000) + rune(b[i])
		if charset != charsetSymbol {
			text, err := page.Bytes(b[i : i+n])
			if r, _ = utf8.DecodeRune(text); err != nil {
				r = '?'
			}
		}
		width := 0.0
		for j := i; j < i+n && j < len(dx); j++ {
			width += dx[j]
		}
		out.runes = append(out.runes, r)
		if dx != nil {
			out.dx = append(out.dx, width)
		}
		i += n
	}
	return out
}

// glyphs are the letters that numbers of glyphs stand for in the usual fonts of
// Windows, which have those of ASCII in one order.
func (p *player) glyphs(t codedText) codedText {
	const first, last = 3, 97
	out := codedText{dx: t.dx}
	for _, r := range t.runes {
		if r < first || r > last {
			p.limits.note(noteGlyphs)
			r = '\u200B'
		} else {
			r += ' ' - first
		}
		out.runes = append(out.runes, r)
	}
	return out
}

// Text options (MS-EMF 2.1.11), and alignments (MS-WMF 2.1.2.3, 2.1.2.4).
const (
	textOpaque  = 0x2
	textClipped = 0x4
	textGlyphs  = 0x10
	textNoRect  = 0x100
	textSmall   = 0x200
	textPairs   = 0x2000

	alignUpdate   = 0x1
	alignRight    = 0x2
	alignCenter   = 0x6
	alignBottom   = 0x8
	alignBaseline = 0x18
)

// text draws a line of letters at a logical place. dx has how far each reaches,
// logical, or is nil; box is what options are about.
func (p *player) text(at Point, t codedText, options uint32, box *[4]float64) {
	p.flushMask()
	if options&textGlyphs != 0 {
		t = p.glyphs(t)
	}
	if p.dc.align&alignUpdate != 0 {
		at = p.dc.position
	}
	p.showClip()
	if box != nil && options&textOpaque != 0 {
		p.canvas.Fill(rectangle(box[0], box[1], box[2], box[3]).in(p.matrix()), false, p.dc.background)
	}
	if len(t.runes) == 0 || !p.spendPoints(len(t.runes)) {
		return
	}
	if box != nil && options&textClipped != 0 {
		p.inside(rectangle(box[0], box[1], box[2], box[3]).in(p.matrix()), false, func() { p.line(at, t) })
		return
	}
	p.line(at, t)
}

// textScale is what the font becomes on the canvas: how long units along and
// across the baseline are, and its angle, clockwise.
func (p *player) textScale() (along, across, angle float64) {
	page := p.page()
	if page.A == 0 || page.D == 0 {
		return 0, 0, 0
	}
	upright := Matrix{A: math.Abs(page.A), D: math.Abs(page.D)}
	m := p.dc.world.then(upright).then(Matrix{A: p.base.A, D: p.base.D})
	along, across = math.Hypot(m.A, m.B), math.Hypot(m.C, m.D)
	if m.A < 0 && math.Abs(m.B) < 1e-6*along { // mirrored letters stay upright
		m.A = -m.A
	}
	return along, across, math.Atan2(m.B, m.A) - p.dc.font.escapement/10*math.Pi/180
}

// line draws letters in one line.
func (p *player) line(at Point, t codedText) {
	const fallback, most = 12, 5000 // points
	f := p.dc.font
	along, across, angle := p.textScale()
	runes := t.runes
	if text, ok := dml.SymbolText(f.Family, string(runes)); ok && utf8.RuneCountInString(text) == len(runes) {
		runes = []rune(text)
	} else if f.charset == charsetSymbol {
		runes = plainSymbols(runes)
	}
	ascent, descent := p.canvas.Metrics(f.Font)
	size := math.Abs(f.height) * across
	if f.height > 0 && ascent+descent > 0 {
		size /= ascent + descent
	}
	if f.height == 0 {
		size = fallback
	}
	if !(size > 0.01) || size > most {
		return
	}
	stretch := 1.0
	if p.base.D != 0 {
		stretch = math.Abs(p.base.A / p.base.D)
	}
	if f.width != 0 {
		if mean := p.meanWidth(f.Font) * size; mean > 0 {
			stretch = math.Abs(f.width) * along / mean
		}
	}
	stretch = math.Max(0.1, math.Min(10, stretch))
	xs, width := p.places(runes, t.dx, size, stretch, along)
	place := p.matrix().apply(at)
	sin, cos := math.Sincos(angle)
	m := Matrix{cos, sin, -sin, cos, place.X, place.Y}
	var left, base float64
	switch p.dc.align & alignCenter {
	case alignCenter:
		left = -width / 2
	case alignRight:
		left = -width
	}
	switch p.dc.align & alignBaseline {
	case alignBaseline:
	case alignBottom:
		base = -descent * size
	default:
		base = ascent * size
	}
	m = translation(left, base).then(m)
	if p.dc.align&alignUpdate != 0 && along > 0 {
		p.dc.position = Point{at.X + width/along, at.Y}
	}
	p.letters(f, runes, xs, width, size, stretch, m)
}

// letters draws a line that is placed, with its background and decorations.
func (p *player) letters(f font, runes []rune, xs []float64, width, size, stretch float64, m Matrix) {
	if !m.isSound() {
		return
	}
	if p.dc.isOpaque {
		ascent, descent := p.canvas.Metrics(f.Font)
		p.canvas.Fill(rectangle(0, -ascent*size, width, descent*size).in(m), false, p.dc.background)
	}
	p.canvas.Text(Text{Font: f.Font, Size: size, Stretch: stretch, Color: p.dc.textColor, Runes: runes, X: xs, M: m})
	p.decorate(f.underline, f.strike, width, size, m, p.dc.textColor)
}

// decorate draws the lines under and through a text, whose baseline m maps.
func (p *player) decorate(isUnder, isThrough bool, width, size float64, m Matrix, c Color) {
	const thick, under, through = 0.06, 0.1, -0.28 // of the size
	for _, line := range []struct {
		isDrawn bool
		at      float64
	}{{isUnder, under}, {isThrough, through}} {
		if line.isDrawn {
			p.canvas.Fill(rectangle(0, line.at*size, width, (line.at+thick)*size).in(m), false, c)
		}
	}
}

// places computes where letters begin, and where the line ends.
func (p *player) places(runes []rune, dx []float64, size, stretch, along float64) ([]float64, float64) {
	xs, x := make([]float64, len(runes)), 0.0
	for i, r := range runes {
		xs[i] = x
		if i < len(dx) {
			x += dx[i] * along
			continue
		}
		x += p.canvas.Advance(p.dc.font.Font, r)*size*stretch + p.dc.charExtra*along
	}
	return xs, x
}

// plainSymbols brings letters of an unknown symbol font to where text has them.
func plainSymbols(runes []rune) []rune {
	out := make([]rune, len(runes))
	for i, r := range runes {
		if r >= 0xF020 && r <= 0xF0FF {
			r -= 0xF000
		}
		out[i] = r
	}
	return out
}

// meanWidth is that of a font's letters by their frequency, for a size of 1
// (OpenType, OS/2 table, xAvgCharWidth of versions 0 to 2).
func (p *player) meanWidth(f Font) float64 {
	weights := [...]float64{64, 14, 27, 35, 100, 20, 14, 42, 63, 3, 6, 35, 20, 56, 56, 17, 4, 49, 56, 71, 31, 10, 18, 3, 18, 2}
	const space, all = 166, 1000
	sum := space * p.canvas.Advance(f, ' ')
	for i, w := range weights {
		sum += w * p.canvas.Advance(f, 'a'+rune(i))
	}
	return sum / all
}
