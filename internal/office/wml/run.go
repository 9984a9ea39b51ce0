package wml

import (
	"strings"
	"unicode"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// RunProperties is the formatting of text, resolved.
type RunProperties struct {
	Fonts     Fonts
	Size      float64
	Bold      bool
	Italic    bool
	Caps      bool
	SmallCaps bool
	Strike    bool
	DoubleStrike,
	Hidden bool
	// Effects of letters: hollow, with a shadow, raised from the paper or pressed into it.
	Outline, Shadow, Emboss, Imprint bool
	// Underline is OOXML's name of the line ("single", "double", "wave" …), empty for none.
	Underline      string
	UnderlineColor *dml.RGB
	// Color is nil for automatic: black, or white on a dark background.
	Color     *dml.RGB
	Highlight *dml.RGB
	Shading   *dml.RGB
	Border    *Border
	// VertAlign is "superscript", "subscript" or empty.
	VertAlign string
	// Raise moves the text up (down when negative).
	Raise float64
	// Spacing is added after each character.
	Spacing float64
	// KernFrom is the size from which pairs are kerned, 0 for never.
	KernFrom float64
	// Scale is the width of the characters, 1 for normal.
	Scale float64
	RTL   bool
	CS    bool
	// Complex is the formatting of complex scripts, Arabic and Hebrew among them, which
	// a document sets apart; a Size of 0 is that of other scripts.
	Complex struct {
		Size         float64
		Bold, Italic bool
	}
	Lang string
	// EastAsianLang and ComplexLang are the languages of such scripts, "" for none given.
	EastAsianLang, ComplexLang string
	Style                      string // id of the character style
}

// maxSize is the largest size of letters, in points.
const maxSize = 1638

// Fonts are the families for the four classes of characters.
type Fonts struct {
	ASCII, HighANSI, EastAsia, ComplexScript string
	Hint                                     string
}

// IsKerned says whether pairs are kerned at this size.
func (p *RunProperties) IsKerned() bool { return p.KernFrom > 0 && p.Size >= p.KernFrom }

// complexScripts take the font of complex scripts; firstComplex is the first of them.
var complexScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Thai, unicode.Lao, unicode.Tibetan,
	unicode.Myanmar, unicode.Khmer,
}

const firstComplex = '\u0590'

// Font returns the family for a character (ECMA-376 part 1, 17.3.2.26).
func (p *RunProperties) Font(r rune) string {
	switch {
	case r < 0x80:
		if p.CS || p.RTL {
			return firstOf(p.Fonts.ComplexScript, p.Fonts.ASCII)
		}
		return p.Fonts.ASCII
	case isEastAsian(r):
		return firstOf(p.Fonts.EastAsia, p.Fonts.HighANSI)
	case r >= firstComplex && unicode.In(r, complexScripts...):
		return firstOf(p.Fonts.ComplexScript, p.Fonts.HighANSI)
	}
	return firstOf(p.Fonts.HighANSI, p.Fonts.ASCII)
}

// ForComplexScript is the formatting that text of a complex script has (ECMA-376
// part 1, 17.3.2.2, 17.3.2.17 and 17.3.2.39).
func (p *RunProperties) ForComplexScript() *RunProperties {
	own := *p
	own.Bold, own.Italic = p.Complex.Bold, p.Complex.Italic
	if p.Complex.Size > 0 {
		own.Size = p.Complex.Size
	}
	return &own
}

func isEastAsian(r rune) bool {
	return r >= 0x1100 && (r <= 0x11FF || r >= 0x2E80 && r <= 0xA4CF || r >= 0xAC00 && r <= 0xD7FF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0xFE30 && r <= 0xFE4F || r >= 0xFF00 && r <= 0xFFEF || r >= 0x20000 && r <= 0x3FFFF)
}

func firstOf(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// applyRun lays the properties that an rPr names over p.
func (r *resolver) applyRun(p *RunProperties, rPr *etree.Element) {
	dml.EachChild(rPr, func(e *etree.Element) {
		if !isForeign(e.Space) && !r.applyRunToggle(p, e) {
			r.applyRunValue(p, e)
		}
	})
}

func (r *resolver) applyRunToggle(p *RunProperties, e *etree.Element) bool {
	switch e.Tag {
	case "b":
		p.Bold = isOn(e)
	case "i":
		p.Italic = isOn(e)
	case "bCs":
		p.Complex.Bold = isOn(e)
	case "iCs":
		p.Complex.Italic = isOn(e)
	case "caps":
		p.Caps = isOn(e)
	case "smallCaps":
		p.SmallCaps = isOn(e)
	case "strike":
		p.Strike = isOn(e)
	case "dstrike":
		p.DoubleStrike = isOn(e)
	case "vanish":
		p.Hidden = isOn(e)
	case "outline":
		p.Outline = isOn(e)
	case "shadow":
		p.Shadow = isOn(e)
	case "emboss":
		p.Emboss = isOn(e)
	case "imprint":
		p.Imprint = isOn(e)
	case "rtl":
		p.RTL = isOn(e)
	case "cs":
		p.CS = isOn(e)
	default:
		return false
	}
	return true
}

func (r *resolver) applyRunValue(p *RunProperties, e *etree.Element) {
	switch e.Tag {
	case "rFonts":
		r.applyFonts(&p.Fonts, e)
	case "sz":
		if n, ok := parseMeasure(wVal(e), 0.5); ok && n > 0 && n <= maxSize {
			p.Size = n
		}
	case "szCs":
		if n, ok := parseMeasure(wVal(e), 0.5); ok && n > 0 && n <= maxSize {
			p.Complex.Size = n
		}
	case "color":
		p.Color = r.readColor(e, "val", "themeColor")
	case "u":
		p.Underline = wVal(e)
		if p.Underline == "none" {
			p.Underline = ""
		}
		p.UnderlineColor = r.readColor(e, "color", "themeColor")
	case "highlight":
		p.Highlight = highlightColor(wVal(e))
	case "shd":
		p.Shading = r.readShading(e)
	case "bdr":
		p.Border = r.readBorder(e)
	case "vertAlign":
		p.VertAlign = wVal(e)
		if p.VertAlign == "baseline" {
			p.VertAlign = ""
		}
	case "position":
		if n, ok := parseMeasure(wVal(e), 0.5); ok {
			p.Raise = n
		}
	case "spacing":
		if n, ok := wPoints(e, "val"); ok {
			p.Spacing = n
		}
	case "kern":
		if n, ok := parseMeasure(wVal(e), 0.5); ok {
			p.KernFrom = n
		}
	case "w":
		if n, ok := wInt(e, "val"); ok && n >= 1 && n <= 600 {
			p.Scale = float64(n) / 100
		}
	case "lang":
		p.Lang = wVal(e)
		if lang, ok := wAttr(e, "eastAsia"); ok {
			p.EastAsianLang = lang
		}
		if lang, ok := wAttr(e, "bidi"); ok {
			p.ComplexLang = lang
		}
	case "rStyle":
		p.Style = wVal(e)
	}
}

func (r *resolver) applyFonts(f *Fonts, e *etree.Element) {
	set := func(to *string, name, theme string) {
		if v, ok := wAttr(e, theme); ok {
			if family := r.findThemeFont(v); family != "" {
				*to = family
				return
			}
		}
		if v, ok := wAttr(e, name); ok && v != "" {
			*to = v
		}
	}
	set(&f.ASCII, "ascii", "asciiTheme")
	set(&f.HighANSI, "hAnsi", "hAnsiTheme")
	set(&f.EastAsia, "eastAsia", "eastAsiaTheme")
	set(&f.ComplexScript, "cs", "cstheme")
	if v, ok := wAttr(e, "hint"); ok {
		f.Hint = v
	}
}

// findThemeFont resolves minorHAnsi, majorAscii and their like. Only Latin theme
// fonts are named by most themes; East Asian and complex ones stay unset.
func (r *resolver) findThemeFont(name string) string {
	if r.doc.Theme == nil {
		return ""
	}
	if strings.HasSuffix(name, "HAnsi") || strings.HasSuffix(name, "Ascii") {
		return r.doc.Theme.Font(strings.HasPrefix(name, "major"))
	}
	return ""
}

// applyRunStyle lays a character style's chain over p.
func (r *resolver) applyRunStyle(p *RunProperties, id string) {
	st := r.sheet.character(id)
	if st == nil {
		return
	}
	for _, s := range st.chain {
		r.applyRun(p, s.rPr)
	}
	p.Style = id
}

// resolveRun resolves a run: character style, then direct formatting, over base.
func (r *resolver) resolveRun(base *RunProperties, rPr *etree.Element) RunProperties {
	p := *base
	if rPr == nil {
		return p
	}
	if st := wChild(rPr, "rStyle"); st != nil {
		r.applyRunStyle(&p, wVal(st))
	}
	r.applyRun(&p, rPr)
	return p
}
