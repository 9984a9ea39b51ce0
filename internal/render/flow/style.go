package flow

import (
	"cmp"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// textStyle is how characters are drawn and what room they ask for.
type textStyle struct {
	face                    *pdf.Face
	size                    float64
	ascent, descent         float64 // what the line needs above and below its baseline
	raise                   float64
	spacing, scale          float64
	isKerned                bool
	color                   dml.RGB
	back                    *dml.RGB
	underline               string
	underlineColor          dml.RGB
	isStruck, isStruckTwice bool
	border                  *wml.Border
	// isHollow leaves the inside of letters open. Where shade is not nil, an area in the form
	// of the letters lies under them, moved to the right and down, or to the left and up.
	isHollow bool
	shade    *dml.RGB
	shift    float64
	link     *wml.Link
	// eastAsianLang is the language of East Asian characters.
	eastAsianLang string
	// lang is that of the others.
	lang string
	// lineSize is the size that underlines are measured by.
	lineSize float64
}

const (
	// Super- and subscripts have this part of the size, as LibreOffice draws
	// what Word calls automatic.
	scriptSize = 0.58
	smallCaps  = 0.8
)

func (c *composer) newStyle(p *wml.RunProperties, face *pdf.Face, isSmall bool, env environment) *textStyle {
	s := &textStyle{face: face, size: p.Size, spacing: p.Spacing, scale: p.Scale,
		isKerned: p.IsKerned(), underline: p.Underline, isStruck: p.Strike || p.DoubleStrike, isStruckTwice: p.DoubleStrike, border: p.Border, lineSize: p.Size, eastAsianLang: p.EastAsianLang, lang: p.Lang}
	if s.size <= 0 {
		s.size = 10
	}
	if s.scale <= 0 {
		s.scale = 1
	}
	s.ascent, s.descent = lineMetrics(s.face, s.size)
	full := s.size
	switch p.VertAlign {
	case "superscript":
		s.size *= scriptSize
		s.raise = s.face.Ascent(full) - s.face.Ascent(s.size)
	case "subscript":
		s.size *= scriptSize
		s.raise = s.face.Descent(s.size) - s.face.Descent(full)
	}
	if isSmall {
		s.size *= smallCaps
	}
	if p.Raise != 0 {
		s.raise += p.Raise
		s.ascent = math.Max(s.ascent+p.Raise, 0)
		s.descent = math.Max(s.descent-p.Raise, 0)
	}
	s.back = p.Highlight
	if s.back == nil {
		s.back = p.Shading
	}
	s.color = c.textColor(p.Color, s.back, env)
	s.addEffects(p, env)
	s.underlineColor = s.color
	if p.UnderlineColor != nil {
		s.underlineColor = *p.UnderlineColor
	}
	return s
}

// Shadows of letters, and the sides of those that are raised or pressed in: how far they reach,
// in parts of the size, and their colours. Word's differ from font to font.
const shadowShift = 1.0 / 20

var (
	shadowColor = dml.RGB{R: 192, G: 192, B: 192}
	reliefColor = dml.RGB{R: 128, G: 128, B: 128}
)

// addEffects gives letters what w:outline, w:shadow, w:emboss and w:imprint ask for (ECMA-376
// part 1, 17.3.2.23, 31, 13 and 18). Letters in relief have the colour of what they stand on
// unless the text has one.
func (s *textStyle) addEffects(p *wml.RunProperties, env environment) {
	if p.Emboss || p.Imprint {
		s.shade, s.shift = &reliefColor, s.size*shadowShift
		if p.Imprint {
			s.shift = -s.shift
		}
		if p.Color == nil {
			s.color = dml.RGB{R: 255, G: 255, B: 255}
			if back := cmp.Or(s.back, env.background); back != nil {
				s.color = *back
			}
		}
		return
	}
	s.isHollow = p.Outline
	if p.Shadow {
		s.shade, s.shift = &shadowColor, s.size*shadowShift
	}
}

// textColor resolves the automatic colour: black, or white on what is dark.
func (c *composer) textColor(color, own *dml.RGB, env environment) dml.RGB {
	if color != nil {
		return *color
	}
	back := own
	if back == nil {
		back = env.background
	}
	if back != nil && isDark(*back) {
		return dml.RGB{R: 255, G: 255, B: 255}
	}
	return dml.RGB{}
}

// isDark uses the luminance below which LibreOffice turns automatic text white.
func isDark(c dml.RGB) bool {
	return (int(c.B)*29+int(c.G)*151+int(c.R)*76)>>8 <= 60
}

// lineMetrics is what a face asks of a line, in whole twentieths of a point, in
// which word processors reckon.
func lineMetrics(f *pdf.Face, size float64) (ascent, descent float64) {
	return twips(f.Ascent(size) + f.LineGap(size)), twips(f.Descent(size))
}
